import { describe, expect, test } from "bun:test";
import { addChild, memberOf, removeChild, replaceValue, rootOf } from "../../../src/hosts/registration/json-edit.ts";

/** Adds a member to the root, or an element to the list under `list`. */
function add(text: string, list?: string): string {
  const root = rootOf(text);
  const container = list === undefined ? root : memberOf(root, list);
  if (!container) throw new Error(`no ${list}`);
  return addChild(text, container, list === undefined ? { key: "k", value: { x: [1] } } : { value: { x: 1 } });
}

/** Removes the nth child of the root. */
function remove(text: string, at: number): string {
  const root = rootOf(text);
  const child = root.children?.[at];
  if (!child) throw new Error(`no child ${at}`);
  return removeChild(text, root, child);
}

describe("addChild", () => {
  test.each([
    ["a tight line", '{"a":1}', '{"a":1,"k":{"x":[1]}}'],
    ["a line with spaces", '{"a": 1}', '{"a": 1, "k": {"x":[1]}}'],
    ["a line with spaces after commas alone", '{"a":1, "b":2}', '{"a":1, "b":2, "k": {"x":[1]}}'],
    ["an empty object", "{}", '{\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'],
    ["an empty object with a space", "{ }", '{\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'],
    ["an empty object on two lines", "{\n}", '{\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'],
    ["an empty object with a comment", "{ /* c */ }", '{ /* c */\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'],
    ["tabs", '{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": {\n\t\t"x": [\n\t\t\t1\n\t\t]\n\t}\n}'],
    ["CRLF", '{\r\n "a": 1\r\n}', '{\r\n "a": 1,\r\n "k": {\r\n  "x": [\r\n   1\r\n  ]\r\n }\r\n}'],
    ["a trailing comma", '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "k": {\n    "x": [\n      1\n    ]\n  },\n}'],
    ["a comment behind", '{\n  "a": 1 // c\n}', '{\n  "a": 1, // c\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'],
    [
      "a comma in a comment",
      '{\n  "a": 1 // b, c\n}',
      '{\n  "a": 1, // b, c\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}',
    ],
    ["no line for the first child", '{"a": 1,\n "b": 2}', '{"a": 1,\n "b": 2,\n "k": {\n  "x": [\n   1\n  ]\n }}'],
  ])("to an object: %s", (_name, text, wanted) => {
    expect(add(text)).toBe(wanted);
  });

  test.each([
    ["empty", '{\n  "l": []\n}', '{\n  "l": [\n    {\n      "x": 1\n    }\n  ]\n}'],
    ["on one line", '{\n  "l": [{"y":2}]\n}', '{\n  "l": [{"y":2},{"x":1}]\n}'],
    [
      "an element on each line",
      '{\n  "l": [\n    1\n  ]\n}',
      '{\n  "l": [\n    1,\n    {\n      "x": 1\n    }\n  ]\n}',
    ],
    [
      "an element on the line of the bracket",
      '{\n  "l": [{\n    "y": 2\n  }]\n}',
      '{\n  "l": [{\n    "y": 2\n  },\n    {\n      "x": 1\n    }]\n}',
    ],
  ])("to a list: %s", (_name, text, wanted) => {
    expect(add(text, "l")).toBe(wanted);
  });
});

describe("removeChild", () => {
  test.each([
    ["the last of a line", '{"a":1,"k":2}', 1, '{"a":1}'],
    ["the first of a line", '{"k":2, "a":1}', 0, '{ "a":1}'],
    ["the last of several lines", '{\n  "a": 1,\n  "k": 2\n}', 1, '{\n  "a": 1\n}'],
    ["the first of several lines", '{\n  "k": 2,\n  "a": 1\n}', 0, '{\n  "a": 1\n}'],
    ["one in the middle", '{\n  "a": 1,\n  "k": 2,\n  "b": 3\n}', 1, '{\n  "a": 1,\n  "b": 3\n}'],
    ["the last before a trailing comma", '{\n  "a": 1,\n  "k": 2,\n}', 1, '{\n  "a": 1,\n}'],
    ["the only one", '{\n  "k": 2\n}', 0, "{}"],
    ["the only one, with a trailing comma", '{ "k": 2, }', 0, "{ }"],
    ["the only one, after a comment", '{ /* c */ "k": 2 }', 0, "{ /* c */ }"],
    ["the only one, before a comment", '{ "k": 2 /* c */ }', 0, "{ /* c */ }"],
    ["one after a comment of its neighbour", '{\n  "a": 1, // c\n  "k": 2\n}', 1, '{\n  "a": 1 // c\n}'],
    ["one after a comment with a comma", '{\n  "a": 1 /* x, y */,\n  "k": 2\n}', 1, '{\n  "a": 1 /* x, y */\n}'],
  ])("%s", (_name, text, at, wanted) => {
    expect(remove(text, at)).toBe(wanted);
  });
});

describe("replaceValue", () => {
  test.each([
    ["on one line", '{"k": {"old":1}, "b": 2}', '{"k": {"x":1}, "b": 2}'],
    ["on several lines", '{\n\t"k": {\n\t\t"old": 1\n\t},\n\t"b": 2\n}', '{\n\t"k": {\n\t\t"x": 1\n\t},\n\t"b": 2\n}'],
    ["on one of several lines", '{\n  "k": {"old": 1}\n}', '{\n  "k": {"x":1}\n}'],
    ["with CRLF", '{\r\n  "k": {\r\n    "old": 1\r\n  }\r\n}', '{\r\n  "k": {\r\n    "x": 1\r\n  }\r\n}'],
  ])("%s", (_name, text, wanted) => {
    const node = memberOf(rootOf(text), "k");
    if (!node) throw new Error("no k");
    expect(replaceValue(text, node, { x: 1 })).toBe(wanted);
  });
});
