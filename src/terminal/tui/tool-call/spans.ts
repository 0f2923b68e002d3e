import { visibleWidth } from "@earendil-works/pi-tui";
import { cellsOf } from "../../../cli/wrap.ts";
import type { Role, Theme } from "../../theme.ts";

/** Text in one style. It has no control characters except tabs: the code that makes a span escapes them. */
export interface Span {
  text: string;
  roles?: readonly Role[];
}

/** The spans of one row. */
export type SpanRow = readonly Span[];

const TAB = 8;
const PRINTABLE_ASCII = /^[ -~]*$/;

interface Piece {
  text: string;
  width: number;
  span: Span;
}

export function span(text: string, ...roles: readonly Role[]): Span {
  return { text, roles };
}

/**
 * Returns the columns that escaped text takes: the larger of the two measures that hooksh and the terminal library use,
 * so that a row fits by either of them.
 */
export function widthOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : piecesOf({ text }).reduce((sum, { width }) => sum + width, 0);
}

/** Returns the columns that the spans of a row take. */
export function widthOfRow(row: SpanRow): number {
  return row.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Breaks spans into rows of at most `columns` columns: anywhere, or between words where `words` is true. */
export function wrapSpans(row: SpanRow, columns: number, words = false): SpanRow[] {
  const limit = Math.max(2, columns);
  const [only, ...others] = row;
  if (only && others.length === 0 && !words && PRINTABLE_ASCII.test(only.text)) return slices(only, limit);
  const rows: Piece[][] = [];
  let current: Piece[] = [];
  let used = 0;
  for (const piece of row.flatMap((each) => piecesOf(each, limit))) {
    if (used + piece.width > limit) {
      const rest = words ? cutAtWord(current) : [];
      rows.push(current);
      current = rest;
      used = rest.reduce((sum, { width }) => sum + width, 0);
    }
    current.push(piece);
    used += piece.width;
  }
  return [...rows, current].map(merged);
}

/**
 * Returns escaped text in rows that begin with two spaces and break between words. Further rows begin with four, so that
 * no line of the text can imitate the first.
 */
export function remarkRows(text: string, columns: number, ...roles: readonly Role[]): SpanRow[] {
  const lines = text.split("\n");
  const isSingle = lines.length === 1 && widthOf(text) <= columns - 2;
  const rows = lines.flatMap((line) => wrapSpans([span(line, ...roles)], columns - (isSingle ? 2 : 4), true));
  return rows.map((row, index) => [span(index === 0 ? "  " : "    "), ...row]);
}

/** Returns the beginning of a row that fits into `columns` columns, with `…` at its end if something was cut. */
export function fitSpans(row: SpanRow, columns: number): SpanRow {
  if (row.every(({ text }) => PRINTABLE_ASCII.test(text)) && widthOfRow(row) <= columns) return row;
  const pieces = row.flatMap((each) => piecesOf(each, Math.max(2, columns), columns + 2));
  let used = 0;
  const ends = pieces.map(({ width }) => (used += width));
  if (used <= columns) return merged(pieces);
  if (columns < 1) return [];
  const count = ends.filter((end) => end <= columns - 1).length;
  const last = pieces[count]?.span.roles;
  return [...merged(pieces.slice(0, count)), { text: "…", ...(last ? { roles: last } : {}) }];
}

/** Returns a row as text for the terminal. */
export function paintRow(row: SpanRow, theme: Theme): string {
  return row.map(({ text, roles = [] }) => roles.reduceRight((inner, role) => theme.style(role, inner), text)).join("");
}

/** Cuts a span whose characters all take one column: most output is of this kind, and can be long. */
function slices(only: Span, columns: number): SpanRow[] {
  const count = Math.max(1, Math.ceil(only.text.length / columns));
  return Array.from({ length: count }, (_, index) => [
    { ...only, text: only.text.slice(index * columns, (index + 1) * columns) },
  ]);
}

/** Moves the beginning of the last word out of a row; nothing if that would leave less than half of it. */
function cutAtWord(row: Piece[]): Piece[] {
  const blank = row.findLastIndex(({ text }) => text === " ");
  return blank >= row.length / 2 ? row.splice(blank + 1) : [];
}

/** Returns the characters of a span with their widths; stops once they take `enough` columns. */
function piecesOf(from: Span, columns = TAB, enough = Number.POSITIVE_INFINITY): Piece[] {
  const pieces: Piece[] = [];
  let used = 0;
  const add = (text: string, width: number) => {
    pieces.push({ text, width, span: from });
    used += width;
  };
  if (PRINTABLE_ASCII.test(from.text)) {
    for (const text of from.text.slice(0, enough)) add(text, 1);
    return pieces;
  }
  for (const cell of cellsOf(from.text)) {
    if (used >= enough) break;
    if (cell.text === "\t") {
      const width = Math.min(columns, TAB - (used % TAB));
      add(" ".repeat(width), width);
    } else add(cell.text, Math.max(cell.width, visibleWidth(cell.text)));
  }
  return pieces;
}

function merged(pieces: readonly Piece[]): SpanRow {
  const row: { text: string; from: Span }[] = [];
  for (const { text, span: from } of pieces) {
    const last = row.at(-1);
    if (last?.from === from) last.text += text;
    else row.push({ text, from });
  }
  return row.map(({ text, from }) => ({ ...from, text }));
}
