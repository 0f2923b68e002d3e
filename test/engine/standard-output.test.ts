import { describe, expect, test } from "bun:test";
import { holdsObject, readStandardOutput } from "../../src/engine/standard-output.ts";

describe("a JSON object starts in", () => {
  test.each([
    "x{}",
    "x{ \t\n\r}",
    'x{ \t\n\r"a" \t\n\r: 1',
    'x{"":1',
    'x{"a\\"":1',
    'x{"\\"":1',
    'x{"a\\\\":1',
    'x{{"a":1}',
    '{x} {"a":1}',
  ])("%j", (text) => {
    expect(holdsObject(text)).toBe(true);
  });
});

describe("no JSON object starts in", () => {
  test.each(["", "x", "{", "x{", '-"a":1', '{"a" 1}', '{"a', '{"a"', "{a:1}", '{"a\\":1'])("%j", (text) => {
    expect(holdsObject(text)).toBe(false);
  });
});

test.each([
  ['{"a":"}"} x', true],
  ['{"a":["]}"]} {}', true],
  ['{"a":"\\"}"}]', true],
  ['{"a":"}"', false],
  ['{"a":1]} x', false],
  ["{x} y", false],
])("%j holds an object and more: %p", (text, hasMore) => {
  const read = readStandardOutput(text);
  expect(read).toMatchObject({ kind: "broken", text });
  expect("error" in read && read.error.includes("single JSON object")).toBe(hasMore);
});

test.each(["checked", "truely", "-", '"open', "[1"])("%j is text", (text) => {
  expect(readStandardOutput(` ${text}\n`)).toEqual({ kind: "text", text });
});
