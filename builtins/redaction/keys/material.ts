import { CLASSES, holds } from "../classes.ts";
import { randomness } from "../randomness.ts";

/** A piece of a text. */
export interface Span {
  start: number;
  end: number;
}

/** So many base64 characters in a row can be a line of a key. */
const SHORTEST_LINE = 16;
/** So many are one, whatever stands around them. */
export const SURE_LINE = 40;
/** The farthest that two lines of a key may stand apart, with all that a log or an editor puts before them. */
const LONGEST_GAP = 200;
/** What all of the headers of a key can take. */
const LONGEST_HEADERS = 1000;

const HEADERS = /(?:^|[^A-Za-z]|\\[nr])(?=(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset|MessageID): )/;

/** The lines of key material from `from` up to `to`, without the escapes that touch them. */
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

/** The length of the end of an escape, such as the `n` of a line end written out, with which a run begins. */
function escapeLength(text: string, at: number): number {
  const before = text.slice(Math.max(0, at - 24), at);
  const head = text.slice(at, at + 24);
  if (before.endsWith("\\")) return /^(?:u[0-9a-fA-F]{4}|x0[aAdD]|[nrt])/.exec(head)?.[0].length ?? 0;
  if (before.endsWith("%")) return /^(?:25)*[0-9A-Fa-f]{2}/.exec(head)?.[0].length ?? 0;
  if (/(?:\u001b|\\u001b|\\x1b|\\033|\\e)\[[0-9;]*$/i.test(before)) return /^[0-9]*m/.exec(head)?.[0].length ?? 0;
  return 0;
}

/** The length of a line end of quoted-printable text that ends a run. */
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
 * The lines of key material that follow `from` one after the other: only line ends, punctuation and what stands before
 * each of them alike lie between them. The first may stand behind the headers of a key.
 */
export function followingLines(text: string, from: number, to: number): Span[] {
  const lines: Span[] = [];
  let before: string | undefined;
  for (let at = from; ; ) {
    const isFirst = lines.length === 0;
    const reach = isFirst && headersAt(text, from, to) !== undefined ? LONGEST_HEADERS : LONGEST_GAP;
    const line = lineFrom(text, at, to, Math.min(to, at + reach));
    if (line === undefined) return lines;
    const gap = shapeOf(text.slice(at, line.start));
    const isNear = isFirst ? reach === LONGEST_HEADERS || line.end - line.start >= SURE_LINE : gap === before;
    if (!isNear && hasWords(gap)) return lines;
    lines.push(line);
    before = gap;
    at = line.end;
  }
}

/** The same for the lines that end before `to`, none of them before `from`. */
export function precedingLines(text: string, from: number, to: number): Span[] {
  const lines = linesOf(text, from, to);
  const last = lines.at(-1);
  if (last === undefined || to - last.end > LONGEST_GAP + SURE_LINE) return [];
  let first = lines.length - 1;
  let after: string | undefined;
  for (; first > 0; first--) {
    const [upper, lower] = [lines[first - 1], lines[first]];
    if (upper === undefined || lower === undefined || lower.start - upper.end > LONGEST_GAP) break;
    const gap = shapeOf(text.slice(upper.end, lower.start));
    if (hasWords(gap) && gap !== (after ?? gap)) break;
    after = gap;
  }
  const chain = lines.slice(first);
  const isSure = chain.length > 2 || (!hasWords(after ?? "") && !hasWords(shapeOf(text.slice(last.end, to))));
  return isSure && chain.some(({ start, end }) => end - start >= SURE_LINE) ? chain : [];
}

/** Where the headers of a key begin between `from` and `to`. */
export function headersAt(text: string, from: number, to: number): number | undefined {
  const found = HEADERS.exec(text.slice(from, Math.min(to, from + LONGEST_HEADERS)));
  return found === null ? undefined : from + found.index + found[0].length;
}

/** What lies between two lines, its numbers and blanks made equal and its escapes left out. */
function shapeOf(gap: string): string {
  return gap.replace(WRITTEN, " ").replace(/\d+/g, "0").replace(/\s+/g, " ");
}

const WRITTEN = /\\+(?:u000[aAdD9]|x0[aAdD9]|[nrt])|(?:\u001b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*[mK]|<\/?(?:br|p|div|li|span|code|td|tr) ?\/?>|&#(?:1[03]|x[aAdD]);|%(?:25)*0[aAdD9]|PHP_EOL/g;

/** True if letters stand together that are no escape. */
function hasWords(shape: string): boolean {
  return /[A-Za-z]{2}/.test(shape);
}

/**
 * Where the key ends that these lines belong to: behind a shorter last line, which stands on its own line as the others do,
 * before `to`. The lines must not be empty.
 */
export function endOf(text: string, lines: readonly Span[], to: number): number {
  const last = lines.at(-1) ?? { start: to, end: to };
  const before = shapeOf(lineHead(text, last.start));
  const rest = text.slice(last.end, Math.min(to, last.end + LONGEST_GAP + SURE_LINE));
  for (const { index, 0: run } of rest.matchAll(/[A-Za-z0-9+/]{2,}={0,2}|=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/=])/g)) {
    const start = last.end + index + escapeLength(text, last.end + index);
    const end = last.end + index + run.length - lineEndLength(text, last.end + index + run.length);
    const gap = text.slice(last.end, start);
    const isLine = BREAK.test(gap) ? shapeOf(lineHead(text, start)) === before : gap.trim() === "";
    if (isLine && end - start >= 2) return checksumEnd(text, end, to);
  }
  return last.end;
}

const BREAK = /\\+(?:[nr]|u000[aAdD]|x0[aAdD])|[\r\n]|<br ?\/?>|&#(?:1[03]|x[aAdD]);|%(?:25)*0[aAdD]|=0A/;

/** What stands before `at` on its line. */
function lineHead(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LONGEST_GAP), at);
  const last = [...before.matchAll(new RegExp(BREAK, "g"))].at(-1);
  return last === undefined ? before : before.slice(last.index + last[0].length);
}

/** Where the checksum of a PGP key ends that may stand behind its last line. */
function checksumEnd(text: string, end: number, to: number): number {
  const sum = /^(?:\\+[nr]|\s){1,4}=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/=])/.exec(text.slice(end, Math.min(to, end + 20)));
  return sum === null ? end : end + sum[0].length;
}
