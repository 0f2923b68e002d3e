import { columnsOf } from "../lib/platform.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const TAB = 8;

/** A character as the user sees it (a grapheme), and its width in columns. */
export interface Cell {
  text: string;
  width: number;
  /** Its offset in the text. */
  index: number;
}

/** The characters of a text. The widths are wrong if the text contains control characters: see `escapeControls`. */
export function* cellsOf(text: string): Generator<Cell> {
  for (const { segment, index } of graphemes.segment(text)) {
    yield { text: segment, width: columnsOf(segment), index };
  }
}

/** Cuts each line of a text into rows of at most `columns` columns, with tabs as blanks. Returns at least one row. */
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
