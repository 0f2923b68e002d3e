import type { Role, Theme } from "../theme.ts";
import { type ChangeLine, changeLines } from "./change-lines.ts";
import { fitSpans, paintRow, type Span, type SpanRow, span, wrapSpans } from "./spans.ts";

/** The look of a line's kind: its mark, which says what the colour says, and its role. */
const LOOKS: Readonly<Record<Exclude<ChangeLine["kind"], "note">, { mark: string; role: Role | undefined }>> = {
  same: { mark: " ", role: "dim" },
  removed: { mark: "-", role: "removed" },
  added: { mark: "+", role: "added" },
};

/**
 * Returns the difference of a file's texts in painted rows of at most `columns` columns: line number, `-` or `+`, text;
 * long lines go on behind the same mark. An undefined `before` is a file that does not exist.
 */
export function diffRows(
  { before, after }: { path: string; before: string | undefined; after: string },
  columns: number,
  theme: Theme,
): string[] {
  const rows = changeRows(changeLines({ before, after, isWhole: true }), columns);
  return rows.map((row) => paintRow(row, theme));
}

/** Returns the rows of a diff: the number of each line and its mark stand before each row, where no text can be. */
export function changeRows(lines: readonly ChangeLine[], columns: number): SpanRow[] {
  const digits = lines.reduce((most, line) => Math.max(most, line.kind === "note" ? 0 : digitsOf(line.number)), 0);
  const indent = " ".repeat(2 + digits + (digits > 0 ? 1 : 0));
  return lines.flatMap((line) => {
    if (line.kind === "note") return [fitSpans([span(`${indent}${line.text}`, "dim")], columns)];
    const { mark, role } = LOOKS[line.kind];
    const roles = role ? [role] : [];
    const number = digits > 0 ? `  ${String(line.number ?? "").padStart(digits)} ` : indent;
    return wrapSpans(textSpans(line, roles), columns - indent.length - 2).map((row, index) => [
      span(index === 0 ? number : indent, "dim"),
      span(`${mark} `, ...roles),
      ...row,
    ]);
  });
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
