import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type MessageFamily, messageFamilies } from "../scripts/docs-messages.ts";
import { errorText } from "../src/lib/errors.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const HELP = 'const NOT_THERE: Help = { cause: "It is gone.", cure: "Bring it." };\n';

/** Returns the helps of a project with these files. */
function familiesOf(files: Record<string, string>): Promise<MessageFamily[]> {
  const root = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return messageFamilies(root);
}

function problemOf(files: Record<string, string>): Promise<string> {
  return familiesOf(files).then(() => "", errorText);
}

describe("the messages of a help are those of", () => {
  test.each([
    ["an error", "throw new UserError(`the file ${path.name} is gone`, { help: NOT_THERE });", "the file NAME is gone"],
    [
      "an error whose message is a variable",
      "function f() { const text = isBad ? `it is gone` : undefined; throw new UserError(text, { help: NOT_THERE }); }",
      "it is gone",
    ],
    [
      "an error whose message a function returns",
      "function why(x) { return `no ${x} is left`; }\nthrow new UserError(why(2), { help: NOT_THERE });",
      "no X is left",
    ],
    [
      "an error whose message is a parameter",
      "const fail = (text) => { throw new UserError(text, { help: NOT_THERE }); };\nfail('all is gone');",
      "all is gone",
    ],
    [
      "a class of errors",
      "class Gone extends UserError { constructor(text) { super(text, { help: NOT_THERE }); } }\nthrow new Gone('it is gone');",
      "it is gone",
    ],
    ["a problem", "problems.push({ path, message: `key ${key} is gone`, help: NOT_THERE });", "key KEY is gone"],
    ["a call that takes the help", 'report.notice("advice", path, "it is gone", NOT_THERE);', "it is gone"],
    ["a function", 'function why() { return "it is gone"; }\nwhy.help = NOT_THERE;', "it is gone"],
    [
      "the methods of a class",
      'class Judge { static readonly help: Help = NOT_THERE; why() { return this.fail("it is gone"); } }',
      "it is gone",
    ],
  ])("%s", async (_kind, code, message) => {
    expect(await familiesOf({ "src/config/a.ts": `${HELP}${code}` })).toEqual([
      { area: "Agent file", title: "Not there", cause: "It is gone.", cure: "Bring it.", messages: [message] },
    ]);
  });

  test("a file that imports the help", async () => {
    const files = {
      "src/model/a.ts": `export ${HELP}`,
      "src/tools/b.ts":
        'import { NOT_THERE } from "../model/a.ts";\nthrow new UserError("it is gone", { help: NOT_THERE });',
    };
    expect(await familiesOf(files)).toMatchObject([{ area: "Models", messages: ["it is gone"] }]);
  });
});

describe("a help is refused", () => {
  const USE = 'throw new UserError("it is gone", { help: NOT_THERE });';
  test.each([
    [
      "without a cure",
      `const NOT_THERE: Help = { cause: "It is gone.", cure: "" };\n${USE}`,
      "lacks a cause or a cure",
    ],
    ["without a cause", `const NOT_THERE: Help = { cause: "", cure: "Bring it." };\n${USE}`, "lacks a cause or a cure"],
    ["without a message", HELP, "NOT_THERE is the help of no message"],
    [
      "without a name",
      'throw new UserError("it is gone", { help: { cause: "a", cure: "b" } });',
      "give the help a name",
    ],
    ["of the name of another", `${HELP}{ ${HELP} }\n${USE}`, "NOT_THERE is the name of two helps"],
  ])("%s", async (_kind, code, message) => {
    expect(await problemOf({ "src/config/a.ts": code })).toContain(message);
  });

  test("in a part without an area", async () => {
    expect(await problemOf({ "src/unknown/a.ts": `${HELP}${USE}` })).toContain("no area");
  });
});
