import { describe, expect, test } from "bun:test";
import { THEMES } from "../../../../src/terminal/theme.ts";
import { changeLines } from "../../../../src/terminal/tui/tool-call/change-lines.ts";
import { changeRows } from "../../../../src/terminal/tui/tool-call/diff-rows.ts";
import { paintRow } from "../../../../src/terminal/tui/tool-call/spans.ts";
import { expectLinear } from "../../../helpers/growth.ts";

const rowsOf = (before: string, after: string) =>
  changeRows(changeLines({ before, after, isWhole: true }), 80).map((row) => paintRow(row, THEMES.none));
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("a diff", () => {
  test("of large files takes time in proportion to their size", async () => {
    await expectLinear(40_000, (lines) => {
      const before = numbers(lines);
      const after = before.replaceAll("1", "one");
      return () => expect(rowsOf(before, after).length).toBeGreaterThan(lines);
    });
  });
});
