import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../theme.ts";
import { styleInline } from "./inline.ts";
import type { Leaf } from "./leaf.ts";
import { closeLooks } from "./looks.ts";
import { type Alignment, alignmentsOf, splitCells } from "./table-lines.ts";

const SEPARATOR = " │ ";
/** Columns that a cell gets at least, or as many as its longest word has. */
const NARROWEST_CELL = 10;

/** A table whose cells are styled. */
interface Table {
  header: readonly string[];
  alignments: readonly Alignment[];
  rows: readonly (readonly string[])[];
}

/** Column widths; undefined if the table is too wide for columns. */
type Layout = readonly number[] | undefined;

/**
 * Returns the rows of a table, at most `width` columns each. A table too wide for columns is shown as a list of its
 * rows, each cell below the other, with the name of its column.
 */
export function tableRows(leaf: Leaf, width: number, theme: Theme): string[] {
  const first = readTable(leaf.firstPiece ?? leaf, theme);
  const layout = layOut(first, width);
  const table = leaf.firstPiece === undefined ? first : { ...first, rows: readRows(leaf.lines, first, theme) };
  if (layout === undefined) return listRows(table, width, theme);
  const body = table.rows.flatMap((row) => columnRows(row, layout, table.alignments));
  return leaf.isContinued ? body : [...headerRows(table, layout, theme), ...body];
}

function readTable({ lines }: Leaf, theme: Theme): Table {
  const [header = "", below = "", ...rows] = lines;
  const columns = splitCells(header).map((cell) => theme.style("bold", styleInline(cell, theme)));
  const table = { header: columns, alignments: alignmentsOf(below) ?? [], rows: [] };
  return { ...table, rows: readRows(rows, table, theme) };
}

function readRows(lines: readonly string[], { header }: Table, theme: Theme): string[][] {
  return lines.map((line) => {
    const cells = splitCells(line);
    const own = cells.slice(0, header.length - 1);
    // cells that no column is left for stay with the last one
    const last = cells.slice(header.length - 1).join(" | ");
    const all = [...own, last, ...header.slice(own.length + 1).map(() => "")];
    return all.map((cell) => styleInline(cell, theme));
  });
}

/** Gives each column its longest cell; if that is too wide, shares what is left after the longest words. */
function layOut({ header, rows }: Table, width: number): Layout {
  const available = width - SEPARATOR.length * (header.length - 1);
  const natural = header.map((name, column) => widest([name, ...rows.map((row) => row[column] ?? "")]));
  if (sum(natural) <= available) return natural;
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

function headerRows({ header, alignments }: Table, layout: readonly number[], theme: Theme): string[] {
  const rule = layout.map((width) => "─".repeat(width)).join("─┼─");
  return [...columnRows(header, layout, alignments), theme.style("border", rule)];
}

function columnRows(cells: readonly string[], layout: readonly number[], alignments: readonly Alignment[]): string[] {
  const wrapped = layout.map((width, column) => wrapTextWithAnsi(cells[column] ?? "", Math.max(1, width)));
  const height = Math.max(1, ...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    layout
      .map((width, column) => align(closeLooks(wrapped[column]?.[row] ?? ""), width, alignments[column] ?? "left"))
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
