import { describe, expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import { NoteBlock } from "../../../src/terminal/tui/note-block.ts";

const rows = (text: string, columns: number) => new NoteBlock(text).render(columns);

describe("a note that is wider than the window", () => {
  test("continues a list at its second column", () => {
    expect(rows("/quit     End the session and say how to come back", 30)).toEqual([
      "/quit     End the session and",
      "          say how to come back",
    ]);
  });

  test("continues an indented row at its indentation, and another row at the start", () => {
    expect(rows("    four words and more", 14)).toEqual(["    four words", "    and more"]);
    expect(rows("four words and more", 10)).toEqual(["four words", "and more"]);
  });

  test("never exceeds the window, whatever stands before the gap", () => {
    for (const text of [
      "漢字漢字  wide characters before it",
      `${"long ".repeat(8)}  and text`,
      "a  \x1b[1mbold words\x1b[0m",
    ])
      for (const columns of [10, 20, 40])
        for (const row of rows(text, columns)) expect(visibleWidth(row)).toBeLessThanOrEqual(columns);
  });
});
