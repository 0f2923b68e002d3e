import { cutMiddle } from "../../../lib/text/cut-text.ts";
import type { Role } from "../../theme.ts";
import type { Fold } from "./fold.ts";
import { cleanOutput } from "./program-output.ts";
import { fitSpans, type SpanRow, span, widthOf, wrapSpans } from "./spans.ts";

/** The rows of an open result; more would make the terminal slow. One line more may be begun. */
export const MAX_ROWS = 10_000;
/** Characters kept of a result, and of one line of it. */
const MAX_TEXT = 4 * 1024 * 1024;
const MAX_LINE = 20_000;

/** Stands before every row of what a program or a tool wrote, so that no row can imitate one of hooksh's own. */
const BAR = "  │ ";

/** Rows of a text, and whether they show all of it. */
export interface ShownText {
  rows: SpanRow[];
  isComplete: boolean;
}

/** Returns the lines of what a program or a tool wrote, cleaned. Says so where it cuts what no screen could show. */
export function linesOf(text: string): string[] {
  const lines = cleanOutput(cutMiddle(text, MAX_TEXT)).split("\n");
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.map(cutLine);
}

/** Returns lines of cleaned text behind a bar: each on one row, which is cut if it is too long. */
export function cutRows(lines: readonly string[], columns: number, ...roles: readonly Role[]): SpanRow[] {
  return lines.map((line) => barred(fitSpans([span(line, ...roles)], columns - BAR.length)));
}

/**
 * Returns the folded view of lines, with a row that says how many more there are. If more lines were printed than the
 * result has, the row says how many of them opening shows.
 */
export function foldedRows(
  lines: readonly string[],
  fold: Fold,
  columns: number,
  roles: readonly Role[],
  printed = 0,
): ShownText {
  const hidden = lines.length - fold.lines;
  // A row that says "1 more line" would take the place of that line.
  if (hidden <= 1 && fold.lines > 0) return cut(lines, columns, roles);
  const { rows } = cut(fold.from === "start" ? lines.slice(0, fold.lines) : lines.slice(-fold.lines), columns, roles);
  if (fold.lines === 0) return { rows: [], isComplete: lines.length === 0 };
  const all =
    printed > lines.length ? `${printed - fold.lines} more lines, ${hidden} of them kept` : `${hidden} more lines`;
  const note = barred([span(`… ${all} (Ctrl+O opens)`, "dim")]);
  return { rows: fold.from === "start" ? [...rows, note] : [note, ...rows], isComplete: false };
}

/** Returns all lines behind a bar, wrapped. If there are more than 10,000 rows, a row says how many are left out. */
export function openRows(lines: readonly string[], columns: number, roles: readonly Role[]): SpanRow[] {
  const rows: SpanRow[] = [];
  const half = MAX_ROWS / 2;
  const wrapped = (line: string) => wrapSpans([span(line, ...roles)], columns - BAR.length).map(barred);
  let next = 0;
  while (next < lines.length && rows.length < half) rows.push(...wrapped(lines[next++] ?? ""));
  const last: SpanRow[] = [];
  let end = lines.length;
  while (end > next && last.length < half) last.unshift(...wrapped(lines[--end] ?? ""));
  return end > next ? [...rows, leftOut(end - next), ...last] : [...rows, ...last];
}

/** Returns a line, cut with a note if no screen could show it. */
export function cutLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${line.slice(0, MAX_LINE)} … ${line.length - MAX_LINE} characters are not shown here`;
}

function leftOut(lines: number): SpanRow {
  return barred([span(`… ${lines} lines are not shown here; the session has all of them`, "warning")]);
}

/** Returns the rows of a diff, at most 10,000 of them, with a row that says how many are left out. */
export function openChange(rows: readonly SpanRow[]): readonly SpanRow[] {
  const hidden = rows.length - MAX_ROWS;
  if (hidden <= 0) return rows;
  return [...rows.slice(0, MAX_ROWS), [span(`  … ${hidden} more rows are not shown here`, "warning")]];
}

function cut(lines: readonly string[], columns: number, roles: readonly Role[]): ShownText {
  const isComplete = lines.every((line) => widthOf(line) <= columns - BAR.length);
  return { rows: cutRows(lines, columns, ...roles), isComplete };
}

function barred(row: SpanRow): SpanRow {
  return [span(BAR, "border"), ...row];
}
