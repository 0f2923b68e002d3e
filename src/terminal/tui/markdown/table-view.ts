import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../../theme.ts";
import { closeStyles, styleInline } from "./inline.ts";
import type { Leaf } from "./leaf.ts";
import { type Alignment, alignmentsOf, splitCells } from "./table-lines.ts";

const SEPARATOR = " │ ";
/** Minimum width of a cell in columns, unless its longest word is shorter. */
const NARROWEST_CELL = 10;
/** A table with this many rows may continue in another piece, so its columns get room for longer cells. */
const LONG_TABLE = 50;
const SPARE_COLUMNS = 8;

/** A table whose cells are styled. */
interface Table {
  header: readonly string[];
  alignments: readonly Alignment[];
  rows: readonly (readonly string[])[];
}

/** Column widths; undefined if the table is too wide for columns. */
type Layout = readonly number[] | undefined;

/** A table and the widths of its columns in a window. */
interface LaidOut {
  table: Table;
  layout: Layout;
  width: number;
}

/** The layouts of the first pieces of long tables, which all further pieces have too. */
const firstLayouts = new WeakMap<Leaf, LaidOut>();

/** Shows a table; keeps the cells of the lines that it has read. */
export class TableView {
  readonly #theme: Theme;
  readonly #cells = new Map<string, readonly string[]>();

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /**
   * Returns the rows of a table, at most `width` columns each. A table too wide for columns is shown as a list of its
   * rows, one cell below the other, each with the name of its column.
   */
  rows(leaf: Leaf, width: number): string[] {
    const { firstPiece } = leaf;
    if (firstPiece !== undefined) return this.#furtherRows(leaf, firstPiece, width);
    const { table, layout } = this.#layOut(leaf, width);
    if (layout === undefined) return listRows(table, width, this.#theme);
    return [...headerRows(table, layout, this.#theme), ...bodyRows(table, layout)];
  }

  /** Rows of a further piece: in the columns of the first one, unless these would break words. */
  #furtherRows(leaf: Leaf, firstPiece: Leaf, width: number): string[] {
    const first = this.#layoutOf(firstPiece, width);
    const table = { ...first.table, rows: this.#readRows(leaf.lines, first.table.header.length) };
    const layout = breaksWords(table, first.layout) ? columnWidths(table, width) : first.layout;
    return layout === undefined ? listRows(table, width, this.#theme) : bodyRows(table, layout);
  }

  #layoutOf(firstPiece: Leaf, width: number): LaidOut {
    const known = firstLayouts.get(firstPiece);
    const laidOut = known?.width === width ? known : this.#layOut(firstPiece, width);
    firstLayouts.set(firstPiece, laidOut);
    return laidOut;
  }

  #layOut(leaf: Leaf, width: number): LaidOut {
    const table = this.#readTable(leaf);
    return { table, layout: columnWidths(table, width), width };
  }

  #readTable({ lines }: Leaf): Table {
    const [header = "", below = "", ...rows] = lines;
    const columns = splitCells(header).map((cell) => this.#theme.style("bold", styleInline(cell, this.#theme)));
    return { header: columns, alignments: alignmentsOf(below) ?? [], rows: this.#readRows(rows, columns.length) };
  }

  #readRows(lines: readonly string[], columns: number): (readonly string[])[] {
    return lines.map((line, index) => {
      const cells = this.#cells.get(line) ?? this.#readCells(line, columns);
      // the last line may still grow
      if (index < lines.length - 1) this.#cells.set(line, cells);
      return cells;
    });
  }

  /** Cells that no column is left for stay with the last one. */
  #readCells(line: string, columns: number): readonly string[] {
    const cells = splitCells(line);
    const own = cells.slice(0, columns - 1);
    const missing = Array.from({ length: Math.max(0, columns - 1 - own.length) }, () => "");
    return [...own, cells.slice(columns - 1).join(" | "), ...missing].map((cell) => styleInline(cell, this.#theme));
  }
}

/** Gives each column the width of its longest cell. If that is too wide, gives each its longest word and shares the rest. */
function columnWidths({ header, rows }: Table, width: number): Layout {
  const available = width - SEPARATOR.length * (header.length - 1);
  const natural = header.map((name, column) => widest([name, ...rows.map((row) => row[column] ?? "")]));
  const room = available - sum(natural);
  if (room >= 0)
    return rows.length < LONG_TABLE
      ? natural
      : share(
          natural.map((width) => width + SPARE_COLUMNS),
          natural,
          room,
        );
  const narrowest = natural.map((columns) => Math.min(columns, NARROWEST_CELL));
  const spare = available - sum(narrowest);
  if (spare < 0) return undefined;
  return share(natural, narrowest, spare);
}

/** Adds `spare` columns to the narrowest widths, evenly among the columns that want more. */
function share(natural: readonly number[], narrowest: readonly number[], spare: number): number[] {
  const widths = [...narrowest];
  let left = spare;
  while (left > 0) {
    const wanting = [...widths.keys()].filter((column) => at(widths, column) < at(natural, column));
    if (wanting.length === 0) break;
    const each = Math.max(1, Math.floor(left / wanting.length));
    for (const column of wanting) {
      const more = Math.min(each, left, at(natural, column) - at(widths, column));
      widths[column] = at(widths, column) + more;
      left -= more;
    }
  }
  return widths;
}

/** True if a word is longer than its column is wide. */
function breaksWords({ rows }: Table, layout: Layout): boolean {
  if (layout === undefined) return false;
  return rows.some((row) => row.some((cell, column) => widest(cell.split(" ")) > at(layout, column)));
}

function bodyRows({ rows, alignments }: Table, layout: readonly number[]): string[] {
  return rows.flatMap((row) => columnRows(row, layout, alignments));
}

function headerRows({ header, alignments }: Table, layout: readonly number[], theme: Theme): string[] {
  const rule = layout.map((width) => "─".repeat(width)).join("─┼─");
  return [...columnRows(header, layout, alignments), theme.style("border", rule)];
}

function columnRows(cells: readonly string[], layout: readonly number[], alignments: readonly Alignment[]): string[] {
  const wrapped = layout.map((width, column) => wrapTextWithAnsi(cells[column] ?? "", Math.max(1, width)));
  const height = Math.max(1, ...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    layout
      .map((width, column) => align(closeStyles(wrapped[column]?.[row] ?? ""), width, alignments[column] ?? "left"))
      .join(SEPARATOR)
      .trimEnd(),
  );
}

function align(text: string, width: number, alignment: Alignment): string {
  const space = Math.max(0, width - visibleWidth(text));
  const before = { left: 0, center: Math.floor(space / 2), right: space }[alignment];
  return " ".repeat(before) + text + " ".repeat(space - before);
}

function listRows({ header, rows }: Table, width: number, theme: Theme): string[] {
  const rule = theme.style("border", "─".repeat(Math.min(width, 20)));
  if (rows.length === 0) return header.flatMap((name) => wrapTextWithAnsi(name, width));
  return rows.flatMap((row) => [rule, ...row.flatMap((cell, column) => listCell(header[column] ?? "", cell, width))]);
}

function listCell(name: string, cell: string, width: number): string[] {
  if (cell === "" && name === "") return [];
  return wrapTextWithAnsi(`${name}: ${cell}`, width);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, visibleWidth(text)), 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? 0;
}
