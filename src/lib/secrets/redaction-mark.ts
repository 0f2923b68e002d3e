/** What every redaction puts in the place of a secret. */
export const REDACTION_MARK = "[REDACTED]";

/** The beginning of every mark, with or without a kind. */
export const REDACTION_MARK_START = "[REDACTED";

/** A mark that names the kind of secret: `[REDACTED:github-pat]`. The name has lower-case letters, digits and hyphens. */
export function labelledRedactionMark(kind: string): string {
  return `${REDACTION_MARK_START}:${kind}]`;
}

const MARK = /\[REDACTED(?::[a-z0-9-]{1,64})?\]/g;
const LONGEST_MARK = REDACTION_MARK_START.length + 66;

/** How many marks a text holds. */
export function countRedactionMarks(text: string): number {
  return text.includes(REDACTION_MARK_START) ? (text.match(MARK)?.length ?? 0) : 0;
}

/** The first mark in a text; undefined without one. */
export function firstRedactionMark(text: string): string | undefined {
  return text.includes(REDACTION_MARK_START) ? text.match(MARK)?.[0] : undefined;
}

/** The length of the mark that begins at `at`; 0 without one. */
export function redactionMarkLengthAt(text: string, at: number): number {
  if (!text.startsWith(REDACTION_MARK_START, at)) return 0;
  const [mark] = text.slice(at, at + LONGEST_MARK).match(MARK) ?? [];
  return mark !== undefined && text.startsWith(mark, at) ? mark.length : 0;
}

/** True if a mark ends at `end`. */
export function redactionMarkEndsAt(text: string, end: number): boolean {
  if (text.charAt(end - 1) !== "]") return false;
  const start = lastMarkStart(text, end);
  return start !== undefined && redactionMarkLengthAt(text, start) === end - start;
}

/** True if `at` lies inside a mark, behind its first character. */
export function isInsideRedactionMark(text: string, at: number): boolean {
  const start = lastMarkStart(text, at);
  return start !== undefined && start + redactionMarkLengthAt(text, start) > at;
}

/** The start of the last mark before `at` that may reach it. */
function lastMarkStart(text: string, at: number): number | undefined {
  const from = Math.max(0, at - LONGEST_MARK);
  const start = text.slice(from, at + REDACTION_MARK_START.length - 1).lastIndexOf(REDACTION_MARK_START);
  return start < 0 ? undefined : from + start;
}
