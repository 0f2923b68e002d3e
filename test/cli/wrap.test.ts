import { describe, expect, test } from "bun:test";
import { wrap } from "../../src/cli/wrap.ts";
import { escapeControls, escapeControlsInJson, escapeControlsInLines } from "../../src/lib/text/escape-controls.ts";

describe("an untrusted text", () => {
  test.each([
    ["\x1b[2J", "\\x1b[2J"],
    ["a\rb\bc\x00", "a\\rb\\bc\\x00"],
    ["\u202egnp.exe", "\\u202egnp.exe"],
    ["\u2066x\u2069", "\\u2066x\\u2069"],
    ["a\u200bb\ufeff", "a\\u200bb\\ufeff"],
    ["\x9b31m", "\\x9b31m"],
    ["\u{e0041}", "\\u{e0041}"],
    ["a\nb\tc", "a\\nb\\tc"],
    ["plain é 漢字 👨‍👩‍👧 \\x1b", "plain é 漢字 👨‍👩‍👧 \\x1b"],
  ])("%p is shown as %p", (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  test("keeps its lines and tabs if several lines are allowed", () => {
    expect(escapeControlsInLines("a\r\nb\tc\rd\x1b")).toBe("a\nb\tc\\rd\\x1b");
  });

  test("that is JSON stays JSON of the same value", () => {
    const value = { text: "\x1b[2J\x7f\x9b2K\u00ad\u202egood\u{e0041}\n" };
    const shown = escapeControlsInJson(JSON.stringify(value, undefined, 2));
    expect(shown).toBe('{\n  "text": "\\u001b[2J\\u007f\\u009b2K\\u00ad\\u202egood\\udb40\\udc41\\n"\n}');
    expect(JSON.parse(shown)).toEqual(value);
    expect(escapeControlsInJson("a\r\nb\tc\x1b")).toBe("a\nb\tc\\x1b");
  });

  test("contains no control character and no change of direction afterwards", () => {
    const all = String.fromCodePoint(...Array.from({ length: 0x3000 }, (_, code) => code));
    expect(escapeControls(all)).not.toMatch(/[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
  });
});

describe("wrapping", () => {
  test.each([
    ["abcdef", 4, ["abcd", "ef"]],
    ["漢字漢", 5, ["漢字", "漢"]],
    ["", 5, [""]],
    ["a\n\nb", 5, ["a", "", "b"]],
    ["a\tb", 20, ["a       b"]],
    ["👨‍👩‍👧👨‍👩‍👧", 3, ["👨‍👩‍👧", "👨‍👩‍👧"]],
  ])("%p in %p columns", (text, columns, rows) => {
    expect(wrap(text, columns)).toEqual(rows);
  });
});
