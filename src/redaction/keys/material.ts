import { REDACTION_MARK_START, redactionMarkLengthAt } from "../../lib/secrets/redaction-mark.ts";
import { CLASSES, holds } from "../classes.ts";
import { randomness } from "../randomness.ts";

/** A piece of a text. */
export interface Span {
  start: number;
  end: number;
}

/** Fewer base64 characters in a row are never a line of a key. */
const SHORTEST_LINE = 16;
/** From this length on a line counts as key material in any surroundings. */
const SURE_LINE = 40;
/** The longest text between two lines of a key, such as the prefix that a log or an editor adds. */
const LONGEST_GAP = 200;
/** The longest headers of a key, all together. */
const LONGEST_HEADERS = 1000;

const HEADERS = /(?:^|[^A-Za-z]|\\[nr])(?=(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID): )/;

/** The lines of key material from `from` up to `to`, without adjacent escapes. */
export function linesOf(text: string, from: number, to: number): Span[] {
  const lines: Span[] = [];
  for (let at = from; at < to; ) {
    const line = lineFrom(text, at, to);
    if (line === undefined) break;
    lines.push(line);
    at = line.end;
  }
  return lines;
}

/** The next line of key material that begins at or after `from`, and ends before `to`. */
function lineFrom(text: string, from: number, to: number, latest = to): Span | undefined {
  for (let at = from; at < latest; at++) {
    if (!holds(CLASSES.b64pad, text.charCodeAt(at))) continue;
    let end = at + 1;
    while (end < to && holds(CLASSES.b64pad, text.charCodeAt(end))) end++;
    const line = { start: at + escapeLength(text, at), end: end - lineEndLength(text, end) };
    if (isMaterial(text, line)) return line;
    at = end;
  }
  return undefined;
}

/** The number of characters at `at` that belong to an escape before them, such as the `n` of `\n`. */
function escapeLength(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 24), at);
  const head = text.slice(at, at + 24);
  if (before.endsWith("\\")) return /^(?:u[0-9a-fA-F]{4}|x0[aAdD]|[nrt])/.exec(head)?.[0].length ?? 0;
  if (before.endsWith("%")) return /^(?:25)*[0-9A-Fa-f]{2}/.exec(head)?.[0].length ?? 0;
  if (/(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]*$/i.test(before)) return /^[0-9]*m/.exec(head)?.[0].length ?? 0;
  return 0;
}

/** The length of the quoted-printable line end before `end`; 0 without one. */
function lineEndLength(text: string, end: number): number {
  return /(?:=0D)?=0A=?$/.exec(text.slice(end - 8, end))?.[0].length ?? 0;
}

function isMaterial(text: string, { start, end }: Span): boolean {
  if (end - start < SHORTEST_LINE) return false;
  if (randomness(text, start, end) > 0.5) return true;
  const line = text.slice(start, Math.min(end, start + 256));
  return line.length >= SURE_LINE && /[0-9]/.test(line) && /[a-z]/.test(line) && /[A-Z]/.test(line);
}

/**
 * Returns the lines of key material that follow `from`. Line ends, punctuation and words may separate two lines, if the
 * same words precede every line. The headers of a key may precede the first line.
 */
export function followingLines(text: string, from: number, to: number): Span[] {
  const lines: Span[] = [];
  let before: string | undefined;
  for (let at = from; ; ) {
    const isFirst = lines.length === 0;
    const reach = isFirst && headersAt(text, from, to) !== undefined ? LONGEST_HEADERS : LONGEST_GAP;
    const line = lineFrom(text, at, to, Math.min(to, at + reach));
    if (line === undefined) return lines;
    const gap = formOf(text.slice(at, line.start));
    const isNear = isFirst ? reach === LONGEST_HEADERS || line.end - line.start >= SURE_LINE : gap === before;
    if (!isNear && hasWords(gap)) return lines;
    lines.push(line);
    before = gap;
    at = line.end;
  }
}

/**
 * Returns the lines of key material that precede `to`, under the same conditions; none begins before `from` or before a
 * mark. After a mark, at least three lines are required, because the replaced text may have shown that fewer are not
 * part of a key.
 */
export function precedingLines(text: string, from: number, to: number): Span[] {
  const mark = text.slice(from, to).lastIndexOf(REDACTION_MARK_START);
  const lines = linesOf(text, mark < 0 ? from : from + mark + redactionMarkLengthAt(text, from + mark), to);
  const last = lines.at(-1);
  if (last === undefined || to - last.end > LONGEST_GAP + SURE_LINE) return [];
  let first = lines.length - 1;
  let after: string | undefined;
  for (; first > 0; first--) {
    const [upper, lower] = [lines[first - 1], lines[first]];
    if (upper === undefined || lower === undefined || lower.start - upper.end > LONGEST_GAP) break;
    const gap = formOf(text.slice(upper.end, lower.start));
    if (hasWords(gap) && gap !== (after ?? gap)) break;
    after = gap;
  }
  const chain = lines.slice(first);
  const isSure =
    chain.length > 2 || (mark < 0 && !hasWords(after ?? "") && !hasWords(formOf(text.slice(last.end, to))));
  return isSure && chain.some(({ start, end }) => end - start >= SURE_LINE) ? chain : [];
}

/** Where the headers of a key begin between `from` and `to`. */
export function headersAt(text: string, from: number, to: number): number | undefined {
  const found = HEADERS.exec(text.slice(from, Math.min(to, from + LONGEST_HEADERS)));
  return found === null ? undefined : from + found.index + found[0].length;
}

/**
 * The text between two lines in a form that compares equal for every line of a log: numbers and blanks made uniform,
 * escapes removed.
 */
function formOf(gap: string): string {
  return gap.replace(WRITTEN, " ").replace(/\d+/g, "0").replace(/\s+/g, " ");
}

const WRITTEN =
  /\\+(?:u000[aAdD9]|x0[aAdD9]|[nrt])|(?:\u001b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*[mK]|<\/?(?:br|p|div|li|span|code|td|tr) ?\/?>|&#(?:1[03]|x[aAdD]);|%(?:25)*0[aAdD9]|PHP_EOL/g;

/** True if a form has two letters in a row. */
function hasWords(form: string): boolean {
  return /[A-Za-z]{2}/.test(form);
}

/**
 * The end of the key that these lines belong to, at most `to`: after a shorter last line with the same prefix, if there
 * is one. There must be at least one line.
 */
export function endOf(text: string, lines: readonly Span[], to: number): number {
  const last = lines.at(-1) ?? { start: to, end: to };
  const before = formOf(lineHead(text, last.start));
  const rest = text.slice(last.end, Math.min(to, last.end + LONGEST_GAP + SURE_LINE));
  for (const { index, 0: run } of rest.matchAll(/[A-Za-z0-9+/]{2,}={0,2}|=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/=])/g)) {
    const start = last.end + index + escapeLength(text, last.end + index);
    const end = last.end + index + run.length - lineEndLength(text, last.end + index + run.length);
    const gap = text.slice(last.end, start);
    const isLine = BREAK.test(gap) ? formOf(lineHead(text, start)) === before : gap.trim() === "";
    if (isLine && end - start >= 2) return checksumEnd(text, end, to);
  }
  return last.end;
}

const BREAK = /\\+(?:[nr]|u000[aAdD]|x0[aAdD])|[\r\n]|<br ?\/?>|&#(?:1[03]|x[aAdD]);|%(?:25)*0[aAdD]|=0A/;

/** The text of a line before `at`. */
function lineHead(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LONGEST_GAP), at);
  const last = [...before.matchAll(new RegExp(BREAK, "g"))].at(-1);
  return last === undefined ? before : before.slice(last.index + last[0].length);
}

/** The end of the checksum that a PGP key may have after its last line; `end` without one. */
function checksumEnd(text: string, end: number, to: number): number {
  const sum = /^(?:\\+[nr]|\s){1,4}=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/=])/.exec(text.slice(end, Math.min(to, end + 20)));
  return sum === null ? end : end + sum[0].length;
}
