import { expect, test } from "bun:test";
import { parseFrontMatter, parseList } from "../../../src/runtime/skills/front-matter.ts";
import { expectLinear } from "../../helpers/growth.ts";

const fieldsOf = (text: string) => Object.fromEntries(parseFrontMatter(text).fields);

test("the front matter is read line by line and the rest is the body", () => {
  const text = '\uFEFF---\r\nname: pdf\r\ndescription: "Reads: PDF files"\r\n---\r\n\r\nDo it.\r\n';
  expect(fieldsOf(text)).toEqual({ name: "pdf", description: "Reads: PDF files" });
  expect(parseFrontMatter(text).body).toBe("Do it.");
});

test("an indented line continues the value above it, and a dash adds a list item", () => {
  const text = "---\ndescription: >\n  One\n  two\nallowed-tools:\n  - shell\n  - read_file\n---\nbody";
  expect(fieldsOf(text)).toEqual({ description: "One two", "allowed-tools": "shell, read_file" });
});

test.each(["no head", "---\nname: x\nno end", "\n---\nname: x\n---\n"])("%o is all body", (text) => {
  expect(parseFrontMatter(text)).toEqual({ fields: new Map(), body: text });
});

test.each([
  ["a, b", ["a", "b"]],
  ["a b", ["a", "b"]],
  ["[\"a\", 'b']", ["a", "b"]],
  ["Bash(git add:*, git rm:*), Read", ["Bash(git add:*, git rm:*)", "Read"]],
  ["", []],
])("the list %o", (text, words) => {
  expect(parseList(text)).toEqual(words);
});

test("reading front matter takes linear time", async () => {
  await expectLinear(4_000_000, (size) => {
    const list = "(".repeat(size);
    return () => parseList(list);
  });
  await expectLinear(4_000_000, (size) => {
    const text = `---\nname: ${" ".repeat(size)}x\n---\n`;
    return () => parseFrontMatter(text);
  });
});
