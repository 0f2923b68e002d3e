import type { Role } from "../../theme.ts";
import type { ChangeLine } from "./change-lines.ts";
import type { ShownText } from "./result-rows.ts";
import { fitSpans, type Span, type SpanRow, span, widthOfRow, wrapSpans } from "./spans.ts";

/** How each kind of line is shown: a mark, which says what the colour says, and a role. */
const STYLES: Readonly<Record<Exclude<ChangeLine["kind"], "note">, { mark: string; role: Role | undefined }>> = {
  same: { mark: " ", role: "dim" },
  removed: { mark: "-", role: "removed" },
  added: { mark: "+", role: "added" },
};

/** Rows of a diff that a folded block shows. */
const FOLDED_ROWS = 24;

/**
 * Returns the rows of a diff: line number, `-` or `+`, text. A long line continues after the same mark, so no text can
 * stand where a mark does.
 */
export function changeRows(lines: readonly ChangeLine[], columns: number): SpanRow[] {
  const gutter = gutterOf(lines);
  return lines.flatMap((line) => {
    const row = lineRow(line, gutter);
    if (line.kind === "note") return [fitSpans(row, columns)];
    const [number = span(""), mark = span(""), ...text] = row;
    return wrapSpans(text, columns - gutter - 2).map((part, index) => [
      index === 0 ? number : span(" ".repeat(gutter)),
      mark,
      ...part,
    ]);
  });
}

/** Returns the folded view of a diff: its first lines, each on one row, and a row that says how many more there are. */
export function foldedChangeRows(lines: readonly ChangeLine[], columns: number): ShownText {
  const hidden = lines.length - FOLDED_ROWS;
  const first = hidden > 1 ? lines.slice(0, FOLDED_ROWS) : lines;
  const whole = first.map((line) => lineRow(line, gutterOf(first)));
  const note = hidden > 1 ? [[span(`  … ${hidden} more lines (Ctrl+O opens)`, "dim")]] : [];
  const isComplete = hidden <= 1 && whole.every((row) => widthOfRow(row) <= columns);
  return { rows: [...whole.map((row) => fitSpans(row, columns)), ...note], isComplete };
}

/** Returns the columns of the line numbers, with the blanks around them. */
function gutterOf(lines: readonly ChangeLine[]): number {
  const most = lines.reduce((digits, line) => Math.max(digits, line.kind === "note" ? 0 : digitsOf(line.number)), 0);
  return most === 0 ? 2 : most + 3;
}

/** Returns a line on one row: its number, its mark and its text. */
function lineRow(line: ChangeLine, gutter: number): SpanRow {
  if (line.kind === "note") return [span(`${" ".repeat(gutter)}${line.text}`, "dim")];
  const { mark, role } = STYLES[line.kind];
  const roles = role ? [role] : [];
  const number = line.number === undefined ? "" : `${line.number} `;
  return [span(number.padStart(gutter), "dim"), span(`${mark} `, ...roles), ...textSpans(line, roles)];
}

/** Returns the text of a line with the part that differs set off. */
function textSpans(line: Exclude<ChangeLine, { kind: "note" }>, roles: readonly Role[]): Span[] {
  const { text, differs: [from, to] = [text.length, text.length] } = line;
  const parts = [
    span(text.slice(0, from), ...roles),
    span(text.slice(from, to), ...roles, "inverse"),
    span(text.slice(to), ...roles),
  ];
  return parts.filter((part) => part.text !== "");
}

function digitsOf(number: number | undefined): number {
  return number === undefined ? 0 : String(number).length;
}
