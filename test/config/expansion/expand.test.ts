import { describe, expect, test } from "bun:test";
import { expandCommand, expandText, expandToolsetEnv } from "../../../src/config/expansion/expand.ts";
import type { ToolRequest } from "../../../src/config/expansion/expression.ts";

const VALUES: Record<string, string> = { USER: "ann", EMPTY: "", BRACE: "a}b", NESTED: "${env.USER}" };
const lookup = (name: string) => (Object.hasOwn(VALUES, name) ? VALUES[name] : undefined);

describe("an expression", () => {
  test.each([
    ["${env.USER}", "ann"],
    ["${ env.USER }", "ann"],
    ["Hi ${env.USER}, ${env.USER}!", "Hi ann, ann!"],
    ["${env.MISSING}", ""],
    ["${env.MISSING || 'x'}", "x"],
    ["${env.EMPTY || 'x'}", "x"],
    ["${env.EMPTY ?? 'x'}", ""],
    ["${env.MISSING ?? 'x'}", "x"],
    ["${env.USER && 'yes'}", "yes"],
    ["${env.MISSING && 'yes'}", ""],
    ["${!env.MISSING}", "true"],
    ["${env.USER === 'ann' ? 'A' : 'B'}", "A"],
    ["${env.USER != 'ann' ? 'A' : env.USER == 'bob' ? 'B' : 'C'}", "C"],
    ["${'a' + 1 + 2}", "a12"],
    ["${1 + 2 + 'a'}", "3a"],
    ["${env.MISSING + 'a'}", "a"],
    ["${'1' == 1}${'1' === 1}${null == env.MISSING}${null === 0}", "truefalsetruefalse"],
    ["${(env.MISSING || 'a') + 'b'}", "ab"],
    ["${null}${true}${1.5}", "true1.5"],
    ["${`Hi ${env.USER} {}`}", "Hi ann {}"],
    ["${'}' + \"it's {\" + `\\``}", "}it's {`"],
    ["${'\\u00e9\\n'}", "é\n"],
    ["${env.BRACE} ${env.NESTED}", "a}b ${env.USER}"],
  ])("%s becomes %j", (text, expected) => {
    expect(expandText(text, lookup).text).toBe(expected);
  });

  test.each([
    "${process.exit(1)}",
    "${globalThis}",
    "${constructor.constructor('return 1')()}",
    "${env['USER']}",
    "${env}",
    "${env.USER.length}",
    "${args}",
    "${undefined}",
    "${shell({cmd: 'ls'})}",
    "${}",
    "${1 +}",
    "${{a: 1}}",
    "${'open}",
    "${(1}",
    "${env.USER",
    "${`${env.USER`}",
    `\${${"(".repeat(60)}1${")".repeat(60)}}`,
    `\${${"!".repeat(60)}1}`,
    "plain { } $ text",
  ])("%s stays as it is", (text) => {
    expect(expandText(text, lookup).text).toBe(text);
  });

  test("that is invalid does not affect others", () => {
    expect(expandText("${env.USER} ${nonsense} ${it's} ${env.USER", lookup).text).toBe(
      "ann ${nonsense} ${it's} ${env.USER",
    );
    expect(expandText("${don't} and ${env.USER}", lookup).text).toBe("${don't} and ann");
    expect(expandText("${don't} and ${env.USER} and ${won't}", lookup).text).toBe("${don't} and ann and ${won't}");
  });

  test("of any size is parsed in time", () => {
    expect(expandText(`\${${"1+".repeat(2000)}1}`, lookup).text).toBe("2001");
    const hostile = "${".repeat(200_000);
    expect(expandText(hostile, lookup).text).toBe(hostile);
  });
});

test("variables in an unsupported form stay, with one warning each", () => {
  const { text, warnings } = expandText("$USER ${USER} ${HOME} ${env.USER} costs $5, $lower", lookup);
  expect(text).toBe("$USER ${USER} ${HOME} ann costs $5, $lower");
  expect(warnings).toEqual([
    "$USER is not expanded in this field; write ${env.USER} to insert the variable",
    "$HOME is not expanded in this field; write ${env.HOME} to insert the variable",
  ]);
});

describe("a command", () => {
  /** Expands the text of a command. The only tool is `echo`, which returns its input. */
  async function expand(text: string, typed = "", calls: ToolRequest[] = []): Promise<string> {
    const callTool = async (request: ToolRequest) => {
      calls.push(request);
      return request.tool === "echo" ? `<${JSON.stringify(request.input)} \${env.USER} !echo(b=c)>` : undefined;
    };
    return expandCommand(text, { lookup, typed, callTool });
  }

  test.each([
    ["Fix ${args.join(' ')} now", "a  b", "Fix a b now"],
    ["${args}", "a b", "a,b"],
    ["${args.join()}", "a b", "a,b"],
    ["${args[0]}-${args[1]}-${args[5]}", "a b", "a-b-"],
    ["${args.length}", "a b", "2"],
    ["${args.length == 0 ? 'none' : args[0]}", "", "none"],
    ["Fix it", "a b", "Fix it a b"],
    ["Fix ${env.USER}", "a b", "Fix ann a b"],
    ["Fix it", "  ", "Fix it"],
    ["", "a", "a"],
    ["${args.pop()} x", "a", "${args.pop()} x a"],
  ])("%j with %j typed is %j", async (text, typed, expected) => {
    expect(await expand(text, typed)).toBe(expected);
  });

  test("calls tools, and never evaluates their output", async () => {
    const calls: ToolRequest[] = [];
    const text = await expand(
      "${echo({path: 'x', \"deep\": {n: 1 + 1, b: true}, who: env.USER})} ${echo()}",
      "",
      calls,
    );
    expect(calls).toEqual([
      { tool: "echo", input: { path: "x", deep: { n: 2, b: true }, who: "ann" } },
      { tool: "echo", input: {} },
    ]);
    expect(text).toBe(
      '<{"path":"x","deep":{"n":2,"b":true},"who":"ann"} ${env.USER} !echo(b=c)> <{} ${env.USER} !echo(b=c)>',
    );
  });

  test("calls tools in the older syntax too, once", async () => {
    const calls: ToolRequest[] = [];
    expect(await expand('See !echo(a=b c, d="e, f") and !none(x=y) ok!', "", calls)).toBe(
      'See <{"a":"b c","d":"e, f"} ${env.USER} !echo(b=c)> and !none(x=y) ok!',
    );
    expect(calls).toHaveLength(2);
  });

  test("keeps the call of an unknown tool as written", async () => {
    expect(await expand("${none({a: 1})} x")).toBe("${none({a: 1})} x");
  });

  test("calls a tool only if its value is needed", async () => {
    const calls: ToolRequest[] = [];
    await expand("${env.USER || echo({})} ${args.length ? echo({}) : 'x'}", "", calls);
    expect(calls).toEqual([]);
  });
});

test("a toolset's env expands all forms of variables, and lists those that are not set", () => {
  expect(
    expandToolsetEnv({ A: "${env.USER} $USER ${USER}", B: "$NOPE ${env.NOPE}", C: "plain" }, lookup),
  ).toMatchObject({
    env: { A: "ann ann ann", C: "plain" },
    missing: ["NOPE"],
  });
});
