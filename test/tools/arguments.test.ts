import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { parseArguments, withDescription } from "../../src/tools/arguments.ts";
import { checkedTool } from "../../src/tools/checked-tool.ts";
import { flag, integer, list, optional, text } from "../../src/tools/parameters.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { temporaryDirectory, toolContext } from "./fixtures.ts";

const tool: Tool = checkedTool({
  name: "t",
  title: "T",
  description: "",
  category: "test",
  readOnly: true,
  describable: true,
  aliases: { command: "cmd" },
  parameters: {
    cmd: optional(text("")),
    count: optional(integer("")),
    on: optional(flag("")),
    names: optional(list(v.string(), "")),
    edits: optional(list(v.object({ old: v.string(), size: v.number() }), "")),
  },
  run: (input) => ({ text: JSON.stringify(input) }),
});

function parse(text: string, of: Tool = tool) {
  const repairs: string[] = [];
  return { ...parseArguments(of, text, (message) => repairs.push(message)), repairs };
}

describe("the text of the arguments", () => {
  test("means no arguments if it is empty", () => {
    expect(parse("")).toEqual({ ok: true, input: {}, repairs: [] });
    expect(parse("  \n")).toEqual({ ok: true, input: {}, repairs: [] });
  });

  test.each([
    ["{", "the arguments are not valid JSON: "],
    ['{"cmd":"ls"} {"cmd":"rm"}', "the arguments are not valid JSON: "],
    ["[]", "the arguments must be a JSON object, not array"],
    ["null", "the arguments must be a JSON object, not null"],
    ['"ls"', "the arguments must be a JSON object, not string"],
  ])("%p is refused with a reason", (text, problem) => {
    const parsed = parse(text);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok || parsed.problem).toStartWith(problem);
  });

  test("keeps arguments the tool does not know", () => {
    expect(parse('{"extra":{"a":null}}')).toMatchObject({ ok: true, input: { extra: { a: null } } });
  });

  test("cannot reach the prototype of the input", () => {
    const parsed = parse('{"__proto__":{"cmd":"rm"}}');
    expect(parsed.ok && parsed.input["cmd"]).toBeUndefined();
    expect(parsed.ok && Object.keys(parsed.input)).toEqual(["__proto__"]);
  });

  test("loses its top-level nulls", () => {
    expect(parse('{"cmd":"ls","count":null,"extra":null}')).toMatchObject({
      ok: true,
      input: { cmd: "ls" },
      repairs: [],
    });
    const parsed = parse('{"cmd":"ls","count":null}');
    expect(parsed.ok && Object.keys(parsed.input)).toEqual(["cmd"]);
  });
});

test("arguments that nest too deep are refused, also after a repair", () => {
  const problem = "they nest more than 200 levels deep";
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  expect(parse(`{"names":["a"],"other":${deep(100_000)}}`)).toMatchObject({ ok: false, problem });
  expect(parse(JSON.stringify({ edits: deep(10_000) }))).toMatchObject({ ok: false, problem });
  expect(parse(`{"other":${deep(199)}}`)).toMatchObject({ ok: true });
});

describe("an alias", () => {
  test.each([
    '{"command":"ls"}',
    '{"cmd":"","command":"ls"}',
    '{"cmd":" ","command":"ls"}',
    '{"cmd":null,"command":"ls"}',
  ])("replaces a blank argument: %s", (text) =>
    expect(parse(text)).toEqual({ ok: true, input: { cmd: "ls" }, repairs: [] }),
  );

  test("does not replace a given argument, and is removed", () => {
    expect(parse('{"command":"ls","cmd":"rm"}')).toEqual({
      ok: true,
      input: { cmd: "rm" },
      repairs: ["command: left out, cmd is given as well"],
    });
    expect(parse('{"cmd":"rm","command":" "}')).toEqual({ ok: true, input: { cmd: "rm" }, repairs: [] });
  });
});

describe("a repair", () => {
  test.each([
    ['{"names":"[\\"a\\",\\"b\\"]"}', { names: ["a", "b"] }, "names: read the text as JSON"],
    ['{"names":"a"}', { names: ["a"] }, "names: took the single value as a list of one"],
    [
      '{"edits":{"old":"a","size":1}}',
      { edits: [{ old: "a", size: 1 }] },
      "edits: took the single value as a list of one",
    ],
    [
      '{"edits":"{\\"old\\":\\"a\\",\\"size\\":1}"}',
      { edits: [{ old: "a", size: 1 }] },
      "edits: read the text as JSON",
    ],
    ['{"edits":[{"old":null,"size":1}]}', { edits: [{ old: "", size: 1 }] }, 'edits[0].old: took null as ""'],
    ['{"edits":[{"old":"a","size":null}]}', { edits: [{ old: "a", size: 0 }] }, "edits[0].size: took null as 0"],
    [
      '{"edits":["{\\"old\\":\\"a\\",\\"size\\":1}"]}',
      { edits: [{ old: "a", size: 1 }] },
      "edits[0]: read the text as JSON",
    ],
  ])("repairs %s and logs it", (text, input, repair) => {
    const parsed = parse(text);
    expect(parsed).toMatchObject({ ok: true, input });
    expect(parsed.repairs).toContain(repair);
  });

  test("keeps values of the right type", () => {
    const parsed = parse('{"cmd":"[1]","names":["[1]"],"count":2,"on":false}');
    expect(parsed).toEqual({ ok: true, input: { cmd: "[1]", names: ["[1]"], count: 2, on: false }, repairs: [] });
  });

  test.each([
    ['{"count":"5"}', "count must be integer, not string"],
    ['{"count":1.5}', "count must be integer, not number"],
    ['{"cmd":["ls"]}', "cmd must be string, not array"],
    ['{"names":5}', "names must be array, not number"],
    ['{"on":"yes"}', "on must be boolean, not string"],
  ])("is not made up: %s is refused", (text, problem) => {
    expect(parse(text)).toEqual({ ok: false, problem, repairs: [] });
  });

  test("leaves the rest to the server of an MCP tool", () => {
    expect(parse('{"count":"5","x":null}', { ...tool, qualifiedName: "mcp:s:t" })).toMatchObject({
      ok: true,
      input: { count: "5" },
    });
  });
});

describe("the description argument", () => {
  test("is added last, is optional, and is removed before the tool runs", async () => {
    const described = withDescription(tool);
    const properties = described.parameters["properties"];
    expect(Object.keys(properties ?? {})).toEqual(["cmd", "count", "on", "names", "edits", "description"]);
    expect(described.parameters["required"]).toEqual([]);
    const spied = withDescription({ ...tool, run: async (input) => ({ text: JSON.stringify(input) }) });
    const result = await spied.run({ cmd: "ls", description: "lists" }, toolContext(temporaryDirectory()));
    expect(result.text).toBe('{"cmd":"ls"}');
  });

  test("is not added to a tool that is not describable", () => {
    const { describable: _describable, ...plain } = tool;
    expect(withDescription(plain)).toBe(plain);
  });
});
