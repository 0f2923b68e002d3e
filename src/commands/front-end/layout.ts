import { columnsOf } from "../../lib/platform.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { cellsOf } from "../render/wrap.ts";
import type { Line } from "./line.ts";

/** Rows at the bottom of the screen, and the position of the cursor in them. */
export interface Region {
  rows: readonly string[];
  cursor: { row: number; column: number };
}

/** The size of the screen. */
export interface Size {
  columns: number;
  rows: number;
}

/**
 * Lays out a line after its prompt. Further rows of text are indented to the start of the first; long ones are wrapped.
 * If there are more rows than the screen has, returns those around the cursor.
 */
export function layOut(prompt: string, { text, cursor }: Line, size: Size): Region {
  const columns = Math.max(8, size.columns - 1);
  const indent = Math.min(columnsOf(prompt), columns - 4);
  const rows = [prompt];
  let used = indent;
  let place: Region["cursor"] | undefined;
  const startRow = (start: string, width: number) => {
    rows.push(start);
    used = width;
  };
  for (const cell of cellsOf(text)) {
    const shown = cell.text === "\t" ? "    " : escapeControls(cell.text);
    const width = cell.text === "\n" ? 0 : shown === cell.text ? cell.width : shown.length;
    if (used + width > columns) startRow("", 0);
    if (cell.index >= cursor) place ??= { row: rows.length - 1, column: used };
    if (cell.text === "\n") {
      startRow(" ".repeat(indent), indent);
      continue;
    }
    rows[rows.length - 1] += shown;
    used += width;
  }
  return windowOf(rows, place ?? { row: rows.length - 1, column: used }, Math.max(1, size.rows - 1));
}

function windowOf(rows: string[], cursor: Region["cursor"], height: number): Region {
  const first = Math.max(0, Math.min(cursor.row - Math.floor(height / 2), rows.length - height));
  return { rows: rows.slice(first, first + height), cursor: { ...cursor, row: cursor.row - first } };
}
