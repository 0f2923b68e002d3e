/** Replaces a secret in redacted text. */
export const REDACTION_MARK = "[REDACTED]";

/** The beginning of every redaction mark, with or without a kind. */
export const REDACTION_MARK_START = "[REDACTED";

/**
 * Returns a mark that names the kind of secret: `[REDACTED:github-pat]`. `kind` consists of lower-case letters, digits
 * and hyphens.
 */
export function labelledRedactionMark(kind: string): string {
  return `${REDACTION_MARK_START}:${kind}]`;
}

const MARK = /\[REDACTED(?::[a-z0-9-]{1,64})?\]/g;
const LONGEST_MARK = REDACTION_MARK_START.length + 66;

/** Returns the number of marks in a text. */
export function countRedactionMarks(text: string): number {
  return text.includes(REDACTION_MARK_START) ? (text.match(MARK)?.length ?? 0) : 0;
}

/** Returns the first mark in a text; undefined if there is none. */
export function firstRedactionMark(text: string): string | undefined {
  return text.includes(REDACTION_MARK_START) ? text.match(MARK)?.[0] : undefined;
}

/** Returns the length of the mark that begins at `at`; 0 if none does. */
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

/** True if `at` is inside a mark, after its first character. */
export function isInsideRedactionMark(text: string, at: number): boolean {
  const start = lastMarkStart(text, at);
  return start !== undefined && start + redactionMarkLengthAt(text, start) > at;
}

/** Returns the start of the last mark before `at` that may extend to it. */
function lastMarkStart(text: string, at: number): number | undefined {
  const from = Math.max(0, at - LONGEST_MARK);
  const start = text.slice(from, at + REDACTION_MARK_START.length - 1).lastIndexOf(REDACTION_MARK_START);
  return start < 0 ? undefined : from + start;
}

/**
 * The search for secrets reads no more than this many characters of a text: it keeps everything else waiting, and a host that
 * waits too long for a denial goes on without it.
 */
const SEARCH_LIMIT = 64 * 1024;

/**
 * Returns the redacted text, of a long one only the start. That has more than `kept` characters, so that cutting it to
 * `kept` removes what stood at its end: a part of a secret there is not recognised. If redaction leaves fewer, the whole
 * text becomes a mark.
 */
export function redactStart(text: string, redact: (text: string) => string, kept: number): string {
  if (text.length <= SEARCH_LIMIT) return redact(text);
  const start = redact(text.slice(0, SEARCH_LIMIT));
  return start.length > kept ? start : REDACTION_MARK;
}
