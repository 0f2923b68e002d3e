import { wrap } from "../../cli/wrap.ts";
import { columnsOf } from "../../lib/platform.ts";

/** A column of a table that adapts to the terminal. */
export interface Column {
  heading: string;
  cells: readonly string[];
  /** Aligned to the left and cut if there is too little room, but not below this many columns. Else it is a number. */
  cutTo?: number;
  /** Columns with a greater number are left out first if there is too little room. Without it, a column always stays. */
  optional?: number;
}

const GAP = "  ";

/** Lays out columns in at most `width` terminal columns: leaves out optional ones, then cuts texts. The first line is the heading. */
export function fitTable(all: readonly Column[], width: number, ellipsis: string): string[] {
  let columns = all;
  while (leastWidth(columns) > width) {
    const last = columns.toSorted((a, b) => (b.optional ?? 0) - (a.optional ?? 0))[0];
    if (last?.optional === undefined) break;
    columns = columns.filter((column) => column !== last);
  }
  const widths = columns.map(naturalWidth);
  // Takes the room from the widest text, one column at a time.
  for (let over = totalWidth(widths) - width; over > 0; over--) {
    const widest = columns
      .map(({ cutTo }, at) => ({ at, spare: cutTo === undefined ? 0 : (widths[at] ?? 0) - cutTo }))
      .sort((a, b) => b.spare - a.spare)[0];
    if (!widest || widest.spare <= 0) break;
    widths[widest.at] = (widths[widest.at] ?? 0) - 1;
  }
  const rows = [columns.map(({ heading }) => heading), ...rowsOf(columns)];
  return rows.map((row) =>
    row
      .map((cell, at) =>
        aligned(cutCell(cell, widths[at] ?? 0, ellipsis), widths[at] ?? 0, columns[at]?.cutTo !== undefined),
      )
      .join(GAP)
      .trimEnd(),
  );
}

function rowsOf(columns: readonly Column[]): string[][] {
  return (columns[0]?.cells ?? []).map((_cell, row) => columns.map(({ cells }) => cells[row] ?? ""));
}

function naturalWidth({ heading, cells }: Column): number {
  return Math.max(columnsOf(heading), ...cells.map((cell) => columnsOf(cell)));
}

function leastWidth(columns: readonly Column[]): number {
  return totalWidth(columns.map((column) => Math.min(naturalWidth(column), column.cutTo ?? Number.POSITIVE_INFINITY)));
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

/** Cuts a text to a number of terminal columns; an ellipsis takes the place of what is missing. */
export function cutCell(text: string, width: number, ellipsis: string): string {
  if (columnsOf(text) <= width) return text;
  return `${wrap(text, Math.max(2, width - columnsOf(ellipsis)))[0] ?? ""}${ellipsis}`;
}

function aligned(cell: string, width: number, toLeft: boolean): string {
  const room = " ".repeat(Math.max(0, width - columnsOf(cell)));
  return toLeft ? cell + room : room + cell;
}
