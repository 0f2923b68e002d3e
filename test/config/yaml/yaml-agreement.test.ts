import { describe, expect, test } from "bun:test";
import { hasNoRepeatedKeys } from "../../../src/config/yaml/repeated-keys.ts";
import { disagreement, load } from "./disagreement.ts";

const GUARD = "pre_tool_use: [{ hooks: [{ type: command, command: x }] }]\n";

/** Texts in which a guard would be lost or changed if a parser read them differently. */
const ERRORS: Record<string, [string, string]> = {
  "an ordered map": ["a: !!omap\n- x: 1\n", "f:2:1: The tag !!omap is not supported: remove it"],
  "a set": ["a: !!set {x, y}\n", "The tag !!set is not supported: remove it"],
  pairs: ["a: !!pairs\n- x: 1\n", "The tag !!pairs is not supported"],
  "a tagged merge key": ["!!merge <<: {a: 1}\n", "The tag !!merge is not supported"],
  bytes: ["a: !!binary aGk=\n", "The tag !!binary is not supported"],
  "a time": ["a: !!timestamp 2001-01-01\n", "The tag !!timestamp is not supported"],
  "an own tag": ["a: !own {b: 1}\n", "f:1:4: The tag !own is not supported: remove it"],
  "an own tag behind an anchor": ["a: &x !own b\n", "f:1:7: The tag !own is not supported: remove it"],
  "an own tag of the document": [`--- !own\n${GUARD}`, "f:1:5: The tag !own is not supported: remove it"],
  "a tag by its whole name": ["a: !<tag:yaml.org,2002:omap> [b: 1]\n", "The tag !!omap is not supported"],
  "a tag by a declared handle": ["%TAG !e! tag:yaml.org,2002:\n---\na: !e!set {b}\n", "The tag !!set is not supported"],
  "a core tag on another kind of value": ["a: !!int x\n", "f:1:4: The value does not fit its tag !!int"],
  "a mapping's tag on a list": ["a: !!map [1]\n", "The value does not fit its tag !!map"],
  "YAML 1.1": [`%YAML 1.1\n---\n${GUARD}`, "f:1:1: %YAML 1.1 is not supported: files are read as YAML 1.2"],
  "a version that is not there yet": [`%YAML 1.3\n---\n${GUARD}`, "Unsupported YAML version 1.3"],
  "an unknown directive": [`%FOO x\n---\n${GUARD}`, "Unknown directive %FOO"],
  "a carriage return alone": [
    `a: 1\r${GUARD}`,
    "f:1:5: A carriage return without a line feed: end lines with a line feed",
  ],
  "a carriage return alone in quotes": ['a: "b\rc"\n', "f:1:6: A carriage return without a line feed"],
  "a carriage return alone in a comment": [`# a\r${GUARD}`, "f:1:4: A carriage return without a line feed"],
  "a carriage return alone in JSON": ['{"a":1,\r"b":2}', "A carriage return without a line feed"],
  "two carriage returns": [`a: 1\r\r\n${GUARD}`, "A carriage return without a line feed"],
  "a null character": ["a: \u0000\n", "f:1:4: The character U+0000 is not allowed in YAML"],
  "a bell": ["a: b\u0007\n", "The character U+0007 is not allowed in YAML"],
  "an escape character": ["a: \u001b[1mb\n", "The character U+001B is not allowed in YAML"],
  "a form feed": ["a: b\f\n", "The character U+000C is not allowed in YAML"],
  "half a surrogate pair": ["a: \ud83d\n", "The character U+D83D is not allowed in YAML"],
  "two documents": [`${GUARD}---\na: 1\n`, "More than one YAML document in the file"],
  "an empty document before the hooks": [`---\n---\n${GUARD}`, "More than one YAML document in the file"],
  "text behind an end marker": ["a: 1\n...\nb: 1\n", "More than one YAML document in the file"],
  "a repeated key": ["a: 1\na: 2\n", 'Repeated key "a", first on line 1'],
  "a key repeated by an alias": ["&a a: 1\n*a : 2\n", 'Repeated key "a", first on line 1'],
  "a key repeated as an explicit key": ["a: 1\n? a\n: 2\n", 'Repeated key "a", first on line 1'],
  "two merge keys": ["<<: {a: 1}\n<<: {b: 1}\n", 'Repeated key "<<"'],
  "a list as a key": ["? [a]\n: 1\n", "A key must be a string, not a collection"],
  "a merge of a value that is not a mapping": ["<<: 1\na: 1\n", "Merge sources must be maps"],
  "a merge of a list of values that are not mappings": ["<<: [1]\n", "Merge sources must be maps"],
  "an alias without an anchor": ["a: *x\n", 'No anchor "x" before this alias'],
  "a tab for indentation": ["a:\n\t- b\n", "A tab in the indentation: indent with spaces"],
};

describe("an error, not another value", () => {
  test.each(Object.entries(ERRORS))("%s", async (_name, [text, message]) => {
    const { errors = [] } = await load(text);
    expect(errors.join("\n")).toContain(message);
    expect(hasNoRepeatedKeys(text)).toBe(false);
  });
});

/** Unambiguous texts with their values. */
const VALUES: [string, unknown][] = [
  [
    "a: !!str 1\nb: !!int 5\nc: !!bool true\nd: !!null\ne: !!seq [1]\nf: !!map {x: 1}\ng: ! 5\n",
    { a: "1", b: 5, c: true, d: null, e: [1], f: { x: 1 }, g: "5" },
  ],
  ["%YAML 1.2\n---\na: yes\nb: on\n", { a: "yes", b: "on" }],
  ["%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n", { a: "1" }],
  ["---\na: 1\n...\n", { a: 1 }],
  ["\uFEFFa: 1\n", { a: 1 }],
  ["a: 1\r\nb: |\r\n  x\r\n  y\r\n", { a: 1, b: "x\ny\n" }],
  ["a: x\u0085y\nb: x\u2028y\nc: x\u2029y\n", { a: "x\u0085y", b: "x\u2028y", c: "x\u2029y" }],
  ['{"a": "x\u007f\u009b"}', { a: "x\u007f\u009b" }],
  ["a:\tb\n", { a: "b" }],
  ["base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\n", { base: { x: 1, y: 2 }, use: { x: 1, y: 3 } }],
  ["<<: [{a: 1}, {a: 2, b: 3}]\na: 5\n", { a: 5, b: 3 }],
  ["'<<': {a: 1}\n", { "<<": { a: 1 } }],
  ["x: &a [1]\ny: *a\n", { x: [1], y: [1] }],
  ["? a\n: 1\n? b\n", { a: 1, b: null }],
  ["{a, b: 1,}\n", { a: null, b: 1 }],
  ["[a: 1, b: 2,]\n", [{ a: 1 }, { b: 2 }]],
  [
    "a: 0o17\nb: 017\nc: 0x1f\nd: 1_000\ne: 1e3\nf: .5\ng: +5\nh: 12e03\n",
    { a: 15, b: 17, c: 31, d: "1_000", e: 1000, f: 0.5, g: 5, h: 12000 },
  ],
  ["a: yes\nb: off\nc: Null\nd: TRUE\ne: ~\nf:\n", { a: "yes", b: "off", c: null, d: true, e: null, f: null }],
  ["a: \"\\x41\\u00e9\\ud83d\\ude00\"\nb: 'it''s'\n", { a: "Aé\u{1F600}", b: "it's" }],
  ["a: >-\n  x\n  y\n\n  z\nb: |2\n    x\n", { a: "x y\nz", b: "  x\n" }],
  ["a: 'b\n  c'\nd: e\n  f\n", { a: "b c", d: "e f" }],
  ["a: b#c\nd: e #f\n", { a: "b#c", d: "e" }],
  ["__proto__: {x: 1}\n", JSON.parse('{"__proto__": {"x": 1}}')],
  ["2: a\n1: b\n", { 1: "b", 2: "a" }],
];

describe("one value", () => {
  test.each(VALUES)("%j", async (text, value) => {
    expect(await load(text)).toEqual({ value });
    expect(await disagreement(text)).toBeUndefined();
  });
});
