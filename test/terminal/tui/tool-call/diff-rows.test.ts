import { describe, expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import { THEMES, type Theme } from "../../../../src/terminal/theme.ts";
import { changeLines } from "../../../../src/terminal/tui/tool-call/change-lines.ts";
import { changeRows } from "../../../../src/terminal/tui/tool-call/diff-rows.ts";
import { paintRow } from "../../../../src/terminal/tui/tool-call/spans.ts";

const rowsOf = (before: string | undefined, after: string, columns = 80, theme: Theme = THEMES.none) =>
  changeRows(changeLines({ before, after, isWhole: true }), columns).map((row) => paintRow(row, theme));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("a diff", () => {
  test("has line numbers, three lines of context, and says how many lines it leaves out", () => {
    const before = numbers(30);
    expect(rowsOf(before, before.replace("line 9\n", "line nine\nmore\n"))).toEqual([
      "     ⋮ 5 unchanged lines",
      "   6   line 6",
      "   7   line 7",
      "   8   line 8",
      "   9 - line 9",
      "   9 + line nine",
      "  10 + more",
      "  11   line 10",
      "  12   line 11",
      "  13   line 12",
      "     ⋮ 18 unchanged lines",
    ]);
  });

  test("joins changes that are close, and shows a single line rather than a note", () => {
    const before = numbers(16);
    const after = before.replace("line 5\n", "5\n").replace("line 13\n", "13\n");
    expect(rowsOf(before, after).map((row) => row.trim())).toEqual([
      ...["1   line 1", "2   line 2", "3   line 3", "4   line 4", "5 - line 5", "5 + 5"],
      ...["6   line 6", "7   line 7", "8   line 8", "9   line 9", "10   line 10", "11   line 11", "12   line 12"],
      ...["13 - line 13", "13 + 13", "14   line 14", "15   line 15", "16   line 16"],
    ]);
  });

  test("of a new file, an emptied file and equal texts", () => {
    expect(rowsOf(undefined, "a\n\nb\n")).toEqual(["  1 + a", "  2 + ", "  3 + b"]);
    expect(rowsOf("a\n", "")).toEqual(["  1 - a"]);
    expect(rowsOf("a\n", "a\n")).toEqual(["  no change"]);
    expect(rowsOf(undefined, "")).toEqual([]);
  });

  test("says what the lines do not show: whether the text ends with a newline", () => {
    expect(rowsOf("a\n", "a")).toEqual(["  no longer ends with a newline"]);
    expect(rowsOf("a", "a\n")).toEqual(["  now ends with a newline"]);
    expect(rowsOf(undefined, "a")).toEqual(["  1 + a", "    does not end with a newline"]);
  });

  test("hides no carriage return, unless all lines of both texts have one", () => {
    expect(rowsOf("a\r\nb\r\n", "a\r\nc\r\n")).toEqual(["  1   a", "  2 - b", "  2 + c"]);
    expect(rowsOf("a\n", "a\r\n")).toEqual(["  1 - a", "  1 + a\\r"]);
    expect(rowsOf("a\r\nb\n", "a\r\nc\n")[0]).toBe("  1   a\\r");
  });

  test("escapes control characters and shows letters that imitate others", () => {
    const [row] = rowsOf(undefined, "a\u001b[2K\u202e\tb us\u0435r\n");
    expect(row).toBe("  1 + a\\x1b[2K\\u202e  b us\\u0435r");
  });

  test("wraps a long line behind the same mark", () => {
    expect(rowsOf(undefined, `${"x".repeat(25)}\n`, 20)).toEqual([
      `  1 + ${"x".repeat(14)}`,
      `    + ${"x".repeat(11)}`,
    ]);
  });

  test("sets off the words in which two lines differ, if the lines are alike", () => {
    const inverse = (before: string, after: string) =>
      rowsOf(before, after, 80, THEMES.dark).map((row) => /\x1b\[7m(.*?)\x1b\[27m/.exec(row)?.[1]);
    expect(inverse("const a = one(2);\n", "const a = three(2);\n")).toEqual(["one", "three"]);
    expect(inverse("const a = one(2);\n", "const a = three(2);\nmore\n")).toEqual(["one", "three", undefined]);
    expect(inverse("call(a)\n", "call(a, b)\n")).toEqual([undefined, ", b"]);
    expect(inverse("a = one;\nb = two;\n", "a = 1;\nb = 2;\n")).toEqual(["one", "two", "1", "2"]);
    expect(inverse("x\nlong line one\n", "x\nlong line 1\nlong line 2\n")).toEqual([undefined, "one", "1", undefined]);
    expect(inverse("something\n", "quite different\n")).toEqual([undefined, undefined]);
  });

  test("has no row wider than the screen", () => {
    const nasty = [
      "漢字かな交じり文。".repeat(20),
      "a\tb\t\tc".repeat(20),
      "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 e\u0301\u0302 हिन्दी ".repeat(10),
      "\u001b[31m\u202e\u0000".repeat(9),
    ];
    for (let columns = 20; columns <= 200; columns += columns < 40 ? 1 : 17) {
      for (const theme of [THEMES.dark, THEMES.none]) {
        for (const row of rowsOf(nasty.join("\n"), nasty.map((line) => `${line} x`).join("\n"), columns, theme)) {
          expect([row, visibleWidth(row) <= columns, Bun.stringWidth(row) <= columns]).toEqual([row, true, true]);
          expect(Bun.stripANSI(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
        }
      }
    }
  });
});
