import { expect, test } from "bun:test";
import { parseFrontMatter, parseList } from "../../../src/runtime/skills/front-matter.ts";
import { cpuTime } from "../../helpers/cpu-time.ts";

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

test("reading a megabyte of front matter takes linear time", () => {
  const long = "(".repeat(1_000_000);
  const elapsed = cpuTime(() => {
    parseList(long);
    parseFrontMatter(`---\nname: ${" ".repeat(1_000_000)}x\n---\n`);
  });
  expect(elapsed).toBeLessThan(10_000);
});
