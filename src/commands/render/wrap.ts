import { columnsOf } from "../../lib/platform.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const TAB = 8;

/** A character as the user sees it, and the columns it takes. */
export interface Cell {
  text: string;
  width: number;
  /** Where it begins in the text it was cut from. */
  index: number;
}

/** The characters of a text. A text that holds control characters has no sensible widths: see `visible`. */
export function* cellsOf(text: string): Generator<Cell> {
  for (const { segment, index } of graphemes.segment(text)) {
    yield { text: segment, width: columnsOf(segment), index };
  }
}

/** The lines of a text, each cut into rows that fit into so many columns; tabs are blanks. At least one row. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(2, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  for (const cell of cellsOf(line)) {
    const width = cell.text === "\t" ? TAB - (used % TAB) : cell.width;
    if (used + width > columns) {
      rows.push(row);
      row = "";
      used = 0;
    }
    row += cell.text === "\t" ? " ".repeat(Math.min(width, columns)) : cell.text;
    used += width;
  }
  return [...rows, row];
}
