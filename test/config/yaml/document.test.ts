import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  keysInOrder,
  type Path,
  parseDocument,
  pathText,
  problemsError,
  readDocument,
  renderProblems,
  sourceOf,
} from "../../../src/config/yaml/document.ts";
import { ConfigError } from "../../../src/lib/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "hooksh-document-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What parsing a text complains about. */
async function complaints(text: string): Promise<readonly string[]> {
  try {
    await parseDocument(text, "f.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("a valid document", () => {
  test.each([
    ["a: 1\nb: [x]\n", { a: 1, b: ["x"] }],
    ["\uFEFF  a: 1\n  b: 2\n", { a: 1, b: 2 }],
    ["---\na: yes\n", { a: "yes" }],
    ["base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n", { base: { x: 1, y: 2 }, use: { x: 1, y: 3 } }],
    ["a: one\n  two\n", { a: "one two" }],
    ['{"a": "\\ud83d\\ude00"}', { a: "\u{1F600}" }],
    ["", null],
  ])("%j is read", async (text, value) => {
    expect((await parseDocument(text, "f.yaml")).value).toEqual(value);
  });
});

describe("an invalid document", () => {
  test.each([
    ["a: 1\nb: 2\na: 3\n", ['f.yaml:3:1: Repeated key "a", first on line 1']],
    ['h:\n  stop: []\n  "st\\u006fp": []\n', ['f.yaml:3:3: Repeated key "stop", first on line 2']],
    ["1: a\n'1': b\n", ['f.yaml:2:1: Repeated key "1", first on line 1']],
    [
      "a: {b: 1, b: 2}\nc: 1\nc: 2\n",
      ['f.yaml:1:11: Repeated key "b", first on line 1', 'f.yaml:3:1: Repeated key "c", first on line 2'],
    ],
    ["a: 1\n---\nb: 2\n", ["f.yaml:2:1: More than one YAML document in the file"]],
    ["a:\n  [x, y]: 1\n", ["f.yaml:2:3: A key must be a string, not a collection"]],
    ["a: *nobody\n", ['f.yaml:1:4: No anchor "nobody" before this alias: quote a text that begins with *']],
  ])("%j names line and column", async (text, expected) => {
    expect(await complaints(text)).toEqual(expected);
  });

  const FITS_NOTHING = "The indentation fits no line above: align this line with the keys that it belongs to";
  const NO_COLON = 'A key needs ": " after it, and a text of several lines needs quotes or |';
  test.each([
    ["a:\n\t- b: 1\n\t  c: 2\n", "2:1: A tab in the indentation: indent with spaces"],
    ["a:\n  b: 1\n\tc: 2\nd: [\n", "3:1: A tab in the indentation: indent with spaces"],
    ["a:\n  - b: x\n     c: y\n", '3:6: Indented too far: align this line with "b" above'],
    ["a:\n  - b: x\n   c: y\n", `3:4: ${FITS_NOTHING}`],
    ["a:\n    b: x\n  c: y\n", `3:3: ${FITS_NOTHING}`],
    ["a: [b\n", "1:4: This [ is not closed: add ]"],
    ["a: [b, [c", "1:8: This [ is not closed: add ]"],
    ["a: [[b]\nc: 1\n", "1:4: This [ is not closed: add ]"],
    ["a: {b: {c: 1}\nd: 2\n", "1:4: This { is not closed: add }"],
    ['{"a": [{"b": 1}\n', "1:7: This [ is not closed: add ]"],
    ["a: [\n", "1:4: This [ is not closed: add ]"],
    ["x:\n  a: [\n    b\n ]\n", "4:2: Indent this ] further than the key of its value"],
    ["a: [b]]\n", "1:7: This ] closes nothing: remove it"],
    ['a: "b\nc: 1\n', '1:4: This " is not closed: add another at the end of the text'],
    ["a: 'b\n", "1:4: This ' is not closed: add another at the end of the text"],
    ["a: b: c\n", '1:4: A text that contains ": " needs quotes'],
    ["a: *\n", "1:4: A text that begins with * needs quotes"],
    ["a: @b\n", "1:4: A text that begins with @ needs quotes"],
    ["a: `b`\n", "1:4: A text that begins with ` needs quotes"],
    ['a: "x\\:y"\n', "1:6: No escape sequence \\: here: write \\\\ for a backslash, or use single quotes"],
    ["a\n  - b: c\n", `1:1: ${NO_COLON}`],
    ["a: 1\nb\nc: 2\n", `2:1: ${NO_COLON}`],
    ["a:\n  b:1\n  c: 2\n", '2:4: Write a space after the colon: "b:"'],
    ["a:\n  -b: x\n   c: y\n", "2:3: Write a space after the -"],
    ["a:\n  b: |\n text\n  c: 1\n", "3:2: A text after | or > must be indented further than its key"],
    [
      "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n",
      "2:1: A conflict that git left: choose one version, remove the marks",
    ],
  ])("%j is one error, which says what to write", async (text, expected) => {
    expect(await complaints(text)).toEqual([`f.yaml:${expected}`]);
  });

  test("aliases that multiply are rejected", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(", ")}]`,
    );
    expect((await complaints(`l0: &l0 [x]\n${levels.join("\n")}\n`)).join()).toContain("Excessive alias count");
  });

  test.each([`{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`, "- ".repeat(1e5), "? ".repeat(1e5)])(
    "nesting without end is refused: %#",
    async (text) => expect(await complaints(text)).toEqual(["f.yaml:1:1: Nested too deeply"]),
  );
});

describe("a problem", () => {
  const text =
    'agents:\n  root:\n    model: x\n    hooks:\n      stop:\n        type: command\n    tools:\n      - type: a\n      - {type: b}\nempty:\n"5": x\n';
  const cases: [Path, "key" | "value", string][] = [
    [["agents", "root", "model"], "value", "f.yaml:3:12: agents.root.model: wrong"],
    [["agents", "root", "model"], "key", "f.yaml:3:5: agents.root.model: wrong"],
    [["agents", "root", "tools", 1, "type"], "value", "f.yaml:9:16: agents.root.tools[1].type: wrong"],
    [["agents", "root", "tools", 0, "type"], "key", "f.yaml:8:9: agents.root.tools[0].type: wrong"],
    [["agents", "root", "tools", 7, "type"], "value", "f.yaml:8:7: agents.root.tools[7].type: wrong"],
    [["agents", "root", "tools", 0, "none"], "key", "f.yaml:8:9: agents.root.tools[0].none: wrong"],
    [["agents", "root", "hooks", "stop", 0, "type"], "value", "f.yaml:6:15: agents.root.hooks.stop[0].type: wrong"],
    [["agents", "nobody", "model"], "value", "f.yaml:2:3: agents.nobody.model: wrong"],
    [["empty"], "value", "f.yaml:10:1: empty: wrong"],
    [["5"], "value", "f.yaml:11:6: 5: wrong"],
    [[], "value", "f.yaml:1:1: wrong"],
  ];
  test.each(cases)("at %j (%s) has its position", async (path, at, expected) => {
    const document = await parseDocument(text, "f.yaml");
    expect(await renderProblems(document, [{ path, at, message: "wrong" }])).toEqual([expected]);
  });

  test("in a merged key has the position in the anchor", async () => {
    const document = await parseDocument("base: &b\n  x: 1\nuse:\n  <<: *b\n", "f.yaml");
    expect(await renderProblems(document, [{ path: ["use", "x"], message: "wrong" }])).toEqual([
      "f.yaml:2:6: use.x: wrong",
    ]);
  });

  test("prints the given path below the given root", async () => {
    const document = { ...(await parseDocument("stop:\n  type: x\n", "f.yaml")), root: ["hooks"] };
    const problems = [{ path: ["stop", 0, "type"], printedPath: ["stop", "type"], message: "wrong" }];
    expect(await renderProblems(document, problems)).toEqual(["f.yaml:2:9: hooks.stop.type: wrong"]);
  });
});

test("the error of problems has each line once, and the help of the first that has one", async () => {
  const document = await parseDocument("a: 1\nb: 2\n", "f.yaml");
  const [first, second] = ["one", "two"].map((cure) => ({ cause: "wrong", cure }));
  const problems = [
    { path: ["a"], message: "wrong" },
    { path: ["a"], message: "wrong" },
    { path: ["b"], message: "wrong", help: first },
    { path: ["b"], message: "worse", help: second },
  ];
  const { message, help } = await problemsError(document, problems);
  expect(message.split("\n")).toEqual(["f.yaml:1:4: a: wrong", "f.yaml:2:4: b: wrong", "f.yaml:2:4: b: worse"]);
  expect(help).toBe(first);
});

test("a value's source is its file and line", async () => {
  const document = await parseDocument("stop:\n  - type: command\n\n  - type: builtin\n", "f.yaml");
  expect(await sourceOf(document, ["stop", 1])).toBe("f.yaml:4");
});

test("a path is written with dots and brackets", () => {
  expect(pathText(["hooks", "pre_tool_use", 0, "hooks", 1])).toBe("hooks.pre_tool_use[0].hooks[1]");
});

test("keys come in the order of the file, also when they look like numbers", async () => {
  const document = await parseDocument("agents:\n  b: 1\n  10: 1\n  2: 1\n", "f.yaml");
  expect(await keysInOrder(document, ["agents"])).toEqual(["b", "10", "2"]);
  expect(await keysInOrder(document, ["nothing"])).toEqual([]);
});

describe("a file", () => {
  const at = (name: string) => join(folder, name);
  const message = (path: string) =>
    readDocument(path, "display.yaml").then(
      () => "",
      (error: unknown) => (error instanceof ConfigError ? error.message : "?"),
    );

  test("errors name the file by its display name", async () => {
    writeFileSync(at("a.yaml"), "a: 1\n");
    expect(await readDocument(at("a.yaml"), "a.yaml")).toMatchObject({ file: "a.yaml", value: { a: 1 } });
  });

  test("that is missing, a directory, too large or not text is a configuration error", async () => {
    mkdirSync(at("dir"));
    writeFileSync(at("big.yaml"), "#".repeat(5 * 1024 * 1024 + 1));
    writeFileSync(at("bytes.yaml"), Uint8Array.of(0x61, 0xff));
    expect(await message(at("none.yaml"))).toBe("display.yaml: no such file");
    expect(await message(at("dir"))).toBe("display.yaml: is a directory");
    expect(await message(at("big.yaml"))).toBe("display.yaml: larger than 5 MiB");
    expect(await message(at("bytes.yaml"))).toBe("display.yaml: not UTF-8 text");
  });

  test("of exactly 5 MiB is read", async () => {
    writeFileSync(at("full.yaml"), `a: 1\n${"#".repeat(5 * 1024 * 1024 - 5)}`);
    expect((await readDocument(at("full.yaml"))).value).toEqual({ a: 1 });
  });
});
