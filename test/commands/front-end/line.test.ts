import { describe, expect, test } from "bun:test";
import type { KeyName } from "../../../src/commands/front-end/key-reader.ts";
import { layOut } from "../../../src/commands/front-end/layout.ts";
import { edit, insert, type Line, moveRow } from "../../../src/commands/front-end/line.ts";

/** Returns a line from a text with `|` at the cursor. */
function at(marked: string): Line {
  return { text: marked.replace("|", ""), cursor: marked.indexOf("|") };
}

const mark = ({ text, cursor }: Line) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe("a key", () => {
  test.each<[KeyName, string, string]>([
    ["backspace", "ab|c", "a|c"],
    ["backspace", "|ab", "|ab"],
    ["backspace", "a👨‍👩‍👧|", "a|"],
    ["backspace", "e\u0301|x", "|x"],
    ["delete", "a|👨‍👩‍👧b", "a|b"],
    ["delete", "ab|", "ab|"],
    ["left", "a漢|", "a|漢"],
    ["right", "|漢a", "漢|a"],
    ["right", "a|", "a|"],
    ["home", "one\ntwo| three", "one\n|two three"],
    ["end", "o|ne\ntwo", "one|\ntwo"],
    ["word_left", "one two  |", "one |two  "],
    ["word_right", "on|e two", "one| two"],
    ["kill_word", "one two|three", "one |three"],
    ["kill_line", "one\ntwo|three", "one\n|three"],
    ["kill_end", "o|ne\ntwo", "o|\ntwo"],
  ])("%s turns %p into %p", (name, before, after) => {
    expect(mark(edit(at(before), { kind: "control", name }))).toBe(after);
  });

  test("that edits nothing returns the same line", () => {
    const line = at("a|");
    expect(edit(line, { kind: "control", name: "interrupt" })).toBe(line);
  });

  test("inserts text at the cursor", () => {
    expect(mark(insert(at("a|d"), "b\nc"))).toBe("ab\nc|d");
  });
});

describe("a row up or down", () => {
  test.each<[-1 | 1, string, string | undefined]>([
    [-1, "one\ntw|o", "on|e\ntwo"],
    [1, "on|e\ntwo", "one\ntw|o"],
    [1, "long|er\nab", "longer\nab|"],
    [-1, "o|ne\ntwo", undefined],
    [1, "one\ntw|o", undefined],
    [1, "a|\n👨‍👩‍👧", "a\n|👨‍👩‍👧"],
  ])("%p from %p is %p", (by, before, after) => {
    const moved = moveRow(at(before), by);
    expect(moved && mark(moved)).toBe(after);
  });
});

describe("the layout", () => {
  const lay = (marked: string, columns = 11, rows = 24) => layOut("> ", at(marked), { columns, rows });

  test.each([
    ["a short line", "ab|c", { rows: ["> abc"], cursor: { row: 0, column: 4 } }],
    ["a line longer than a row", "0123456789|", { rows: ["> 01234567", "89"], cursor: { row: 1, column: 2 } }],
    ["wide characters", "漢漢漢漢漢|", { rows: ["> 漢漢漢漢", "漢"], cursor: { row: 1, column: 2 } }],
    ["several lines", "a\nb|c", { rows: ["> a", "  bc"], cursor: { row: 1, column: 3 } }],
    ["control characters", "|a\x1b\u202e", { rows: ["> a\\x1b", "\\u202e"], cursor: { row: 0, column: 2 } }],
  ])("of %s", (_name, line, region) => {
    expect(lay(line)).toEqual(region);
  });

  test("shows the rows around the cursor when there are too many", () => {
    expect(lay("a\nb\nc\nd\ne|\nf", 20, 4)).toEqual({ rows: ["  d", "  e", "  f"], cursor: { row: 1, column: 3 } });
  });
});
