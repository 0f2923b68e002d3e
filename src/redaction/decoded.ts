import { type CharacterClass, CLASSES, holds } from "./classes.ts";
import { type Escape, INVISIBLE, type Mode, mayBeginEscape, readEscape } from "./escapes.ts";
import type { Found, Scan } from "./scan.ts";

/** How escapes begin that can encode a character of a secret. {@link readEscape} decides what such a text means. */
export const ESCAPE_STARTS: readonly { text: string; folded: boolean; next?: CharacterClass }[] = [
  { text: "\\/", folded: false, next: anyOf("0-9A-Za-z+/=\\\\_.~%\"' -") },
  { text: "\\u00", folded: false },
  { text: "\\x", folded: false, next: anyOf("2-7") },
  ...["\\-", "\\_", "\\=", "\\:", "\\+", "\\$"].map((text) => ({ text, folded: false, next: CLASSES.path })),
  { text: "\\\n", folded: false, next: anyOf("0-9A-Za-z \t\"'-") },
  { text: "\\\r\n", folded: false },
  { text: "&#", folded: false, next: anyOf("0-9xX") },
  { text: "&amp;#", folded: false },
  ...["plus", "sol", "equals", "colon", "lowbar", "hyphen", "dash", "period", "commat", "shy"].map((name) => ({
    text: `&${name};`,
    folded: false,
  })),
  { text: "%2", folded: false, next: anyOf("45bdefBDEF") },
  { text: "%3", folded: false, next: anyOf("0-9aAdD") },
  { text: "%4", folded: false, next: CLASSES.hex },
  { text: "%5", folded: false, next: anyOf("0-9aAfF") },
  { text: "%6", folded: false, next: CLASSES.hex },
  { text: "%7", folded: false, next: anyOf("0-9aAeE") },
  { text: "%0a", folded: true },
  { text: "=\n", folded: false, next: CLASSES.path },
  { text: "=\r\n", folded: false },
  { text: "\u001b[", folded: false, next: anyOf("0-9mK") },
  { text: "\\033[", folded: false },
  { text: "\\e[", folded: false },
  { text: "<wbr", folded: true },
];

/** The texts that only quoted-printable has: elsewhere an equals sign at the end of a line is just that. */
export const MAIL_SIGNS: readonly { text: string; folded: boolean }[] = [
  { text: "=3D", folded: false },
  { text: "=0A", folded: false },
  { text: "quoted-printable", folded: true },
];

/** The class of a bracket expression, given without its brackets. */
function anyOf(characters: string): CharacterClass {
  const pattern = new RegExp(`[${characters}]`);
  return CLASSES.hex.map((_, code) =>
    code < CLASSES.hex.length - 1 && pattern.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

/**
 * Characters on each side of an escape that are searched for the rest of a secret and its name; {@link joined} extends
 * the window to the next edge.
 */
const REACH = 512;
const LONGEST_BEFORE = 512;
const LONGEST_AFTER = 4096;

/** A part of a text that is searched decoded. */
export interface Window {
  from: number;
  to: number;
}

/** Schedules a decoded search of the text around the escape at `at`. */
export function noteEscape(scan: Scan, at: number): void {
  addWindow(scan.windows, at - REACH, at + REACH);
}

/** Reads the text as quoted-printable, and schedules a decoded search of what surrounds the sign of that at `at`. */
export function noteMail(scan: Scan, at: number): void {
  scan.isMail = true;
  noteEscape(scan, at);
}

/** Schedules a decoded search of the text from `from` up to `to`. */
export function noteSpan(scan: Scan, from: number, to: number): void {
  addWindow(scan.windows, from, to);
}

/** Schedules a decoded search around the name from `start` up to `end`, if escapes join it to its value. */
export function noteName(scan: Scan, start: number, end: number): void {
  if (isTiedByEscapes(scan.text, end)) addWindow(scan.windows, start - REACH, end + REACH);
}

const LONGEST_NAME = 40;
const LONGEST_TIE = 64;
const OPERATORS = "=:>|";
const OTHER_TIES = " \t\r\n\"'`)],(";
const PLAIN: Mode = { isMail: false };

/**
 * True if the name that continues at `from` is joined to its value by escapes that must be decoded to find the value.
 */
function isTiedByEscapes(text: string, from: number): boolean {
  let at = from;
  while (at < from + LONGEST_NAME && holds(CLASSES.urldot, text.charCodeAt(at))) at++;
  const nameEnd = at;
  let isEscaped = false;
  let hasOperator = false;
  let isQuoted = false;
  while (at < nameEnd + LONGEST_TIE) {
    const escape = readEscape(text, at, PLAIN);
    const tie = escape?.text ?? text.charAt(at);
    if (OPERATORS.includes(tie)) hasOperator ||= tie !== "";
    else if (!OTHER_TIES.includes(tie)) break;
    if (tie === "," && isQuoted) hasOperator = true;
    isQuoted ||= "\"'`".includes(tie) && tie !== "";
    isEscaped ||= escape !== undefined && !isPlainQuote(escape, at);
    at = escape?.end ?? at + 1;
  }
  return isEscaped && (hasOperator || /^-? ?["'\\]{0,8}value/i.test(text.slice(at, at + 16)));
}

/** True for a quote with at most three backslashes, which the search reads without decoding. */
function isPlainQuote({ end, text }: Escape, at: number): boolean {
  return (text === '"' || text === "'") && end - at <= 4;
}

function addWindow(windows: Window[], from: number, to: number): void {
  const last = windows.at(-1);
  if (last === undefined || from > last.to || to < last.from) {
    windows.push({ from, to });
  } else {
    last.from = Math.min(last.from, from);
    last.to = Math.max(last.to, to);
  }
}

/**
 * Adds the secrets that appear once the escapes of a text are decoded. Runs `search` on each scheduled part, decoded,
 * and maps what it finds back to whole escapes of the text. Decodes each part of the text at most once. Returns those
 * parts in order.
 */
export function findDecoded(scan: Scan, search: (text: string) => readonly Found[]): Window[] {
  noteInvisible(scan);
  if (scan.windows.length === 0) return [];
  const parts = joined(scan.text, scan.windows);
  for (const { from, to } of parts) {
    const view = decode(scan.text, from, to, scan);
    if (view === undefined) continue;
    const last = view.text.length;
    for (const { start, end, kind } of search(view.text)) {
      // A match at the edge of a part may continue outside it.
      if ((start === 0 && from > 0) || (end === last && to < scan.text.length)) continue;
      scan.add(kind, startIn(view, start), endIn(view, end));
    }
  }
  return parts;
}

function noteInvisible(scan: Scan): void {
  for (const character of INVISIBLE) {
    const code = character.charCodeAt(0);
    if ((code & scan.bits) !== code) continue;
    let at = scan.text.indexOf(character);
    while (at >= 0) {
      noteEscape(scan, at);
      at = scan.text.indexOf(character, at + 1);
    }
  }
}

/** The windows in order, without overlaps, each extended to a blank or a quote if one is near. */
function joined(text: string, windows: Window[]): Window[] {
  const parts: Window[] = [];
  for (const { from, to } of windows.sort((a, b) => a.from - b.from)) {
    const last = parts.at(-1);
    if (last && from <= last.to) {
      if (to > last.to) last.to = nextEdge(text, to);
    } else {
      parts.push({ from: Math.max(previousEdge(text, from), last?.to ?? 0), to: nextEdge(text, to) });
    }
  }
  return parts;
}

const EDGES = " \t\r\n\"'`<>";

function previousEdge(text: string, from: number): number {
  const least = Math.max(0, from - LONGEST_BEFORE);
  let at = from;
  while (at > least && !EDGES.includes(text.charAt(at))) at--;
  return Math.max(0, at);
}

function nextEdge(text: string, to: number): number {
  const most = Math.min(text.length, to + LONGEST_AFTER);
  let at = to;
  while (at < most && !EDGES.includes(text.charAt(at))) at++;
  return Math.min(at + 1, text.length);
}

/** A decoded part of a text, with the source of each piece. */
interface View {
  text: string;
  /** Where the part begins in the text. */
  from: number;
  /**
   * For each escape in order: where it begins in the view, how long it is there, and where it begins and ends in the
   * text.
   */
  places: number[];
  lengths: number[];
  starts: number[];
  ends: number[];
}

/** Decodes a part of a text; undefined if nothing in it is escaped. */
function decode(text: string, from: number, to: number, mode: Mode): View | undefined {
  const view: View = { text: "", from, places: [], lengths: [], starts: [], ends: [] };
  const pieces: string[] = [];
  let kept = from;
  let length = 0;
  let isChanged = false;
  for (let at = from; at < to; at++) {
    if (!mayBeginEscape(text.charCodeAt(at))) continue;
    const escape = readEscape(text, at, mode);
    if (escape === undefined) continue;
    if (escape.end > to) break;
    pieces.push(text.slice(kept, at), escape.text);
    length += at - kept;
    view.places.push(length);
    view.lengths.push(escape.text.length);
    view.starts.push(at);
    view.ends.push(escape.end);
    length += escape.text.length;
    isChanged ||= escape.text.length !== escape.end - at;
    kept = escape.end;
    at = kept - 1;
  }
  if (!isChanged) return undefined;
  pieces.push(text.slice(kept, to));
  view.text = pieces.join("");
  return view;
}

/** Where the character at `at` of a view begins in the text. */
function startIn(view: View, at: number): number {
  const index = escapeBefore(view.places, at);
  const end = (view.places[index] ?? 0) + (view.lengths[index] ?? 0);
  if (index >= 0 && at < end) return view.starts[index] ?? 0;
  return (view.ends[index] ?? view.from) + at - end;
}

/** Where the character before `at` of a view ends in the text. */
function endIn(view: View, at: number): number {
  const index = escapeBefore(view.places, at - 1);
  const end = (view.places[index] ?? 0) + (view.lengths[index] ?? 0);
  if (index >= 0 && at <= end) return view.ends[index] ?? 0;
  return (view.ends[index] ?? view.from) + at - end;
}

/** The index of the last escape that begins at or before `at` of a view; -1 without one. */
function escapeBefore(places: readonly number[], at: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
