import { isMarkBefore, MARK_START, markLengthAt } from "../../src/lib/redaction-mark.ts";
import { CLASSES, holds, type CharacterClass } from "./classes.ts";
import type { Edge } from "./rule.ts";

/**
 * How far credentials are looked for that no vendor has marked, such as the header `Authorization: Bearer ...`: not at
 * all, where their place and shape make them sure, or wherever their name says that they are one.
 */
export type GenericLevel = "off" | "on" | "strict";

/** A secret in a text: from `start` up to `end`. */
export interface Found {
  start: number;
  end: number;
  /** The kind of secret, by its id. */
  kind: string;
}

/** A run of one class. */
interface Run {
  from: number;
  to: number;
}

/** So many runs of a class are remembered; no rule has as many slots. */
const REMEMBERED = 8;

/**
 * One pass over one text: what was found so far, and the memory that keeps unlimited runs linear. All starts inside
 * one run of a class share its end, so the run is walked once however many searches begin in it.
 */
export class Scan {
  readonly text: string;
  readonly generic: GenericLevel;
  readonly found: Found[] = [];
  /** The parts of the text that hold escapes and are to be searched decoded. */
  readonly windows: { from: number; to: number }[] = [];
  readonly #runs = new Map<CharacterClass, Run[]>();
  readonly #lastAt: Run = { from: -1, to: -1 };
  readonly #mark: Run = { from: 0, to: -1 };
  #read: Map<number, number> | undefined;

  constructor(text: string, generic: GenericLevel = "on") {
    this.text = text;
    this.generic = generic;
  }

  add(kind: string, start: number, end: number): void {
    this.found.push({ start, end, kind });
  }

  /** The end of the run of a class that begins at `at`; `at` itself when no character of the class stands there. */
  runEnd(table: CharacterClass, at: number): number {
    const known = this.#runs.get(table) ?? [];
    for (const run of known) if (at >= run.from && at <= run.to) return run.to;
    let to = at;
    while (holds(table, this.text.charCodeAt(to))) to++;
    if (known.length === REMEMBERED) known.shift();
    if (known.push({ from: at, to }) === 1) this.#runs.set(table, known);
    return to;
  }

  /** The last `@` before `end`, one of which must stand there. */
  lastAtBefore(end: number): number {
    if (this.#lastAt.to !== end) {
      this.#lastAt.to = end;
      this.#lastAt.from = this.text.lastIndexOf("@", end - 1);
    }
    return this.#lastAt.from;
  }

  /** How far a finder, known by its number, has read this text; what it meets before that place it has seen. */
  readUntil(finder: number): number {
    return this.#read?.get(finder) ?? 0;
  }

  readTo(finder: number, end: number): void {
    this.#read ??= new Map();
    this.#read.set(finder, end);
  }

  /** Where the next mark of a redaction begins from `at` on; Infinity when there is none. */
  nextMark(at: number): number {
    const known = this.#mark;
    if (at < known.from || at > known.to) {
      const next = this.text.indexOf(MARK_START, at);
      known.from = at;
      known.to = next < 0 ? Infinity : next;
    }
    return known.to;
  }
}

/** True if the mark of a redaction begins at `at`. */
export function isMarkAt(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x5b && markLengthAt(text, at) > 0;
}

/**
 * True when a secret may begin at `start` and end at `end`, for a rule that asks for this edge. A mark counts
 * as part of a word, as the secret did that stood there: so a second pass finds nothing that the first one left.
 */
export function hasEdge(text: string, start: number, end: number, edge: Edge): boolean {
  const blob = edge === "blob";
  if (!beginsWord(text, start, blob)) return false;
  return edge === "left" || endsWord(text, end, blob);
}

function beginsWord(text: string, start: number, blob: boolean): boolean {
  const before = text.charCodeAt(start - 1);
  if (before === 0x5d) return !isMarkBefore(text, start);
  if (!holds(blob ? CLASSES.path : CLASSES.alnum, before)) return true;
  return isAfterEscape(text, start);
}

function endsWord(text: string, end: number, blob: boolean): boolean {
  return !holds(blob ? CLASSES.b64any : CLASSES.alnum, text.charCodeAt(end)) && !isMarkAt(text, end);
}

const BACKSLASH = 0x5c;
const SHORT_ESCAPES = "nrtbfv0";

/**
 * True when the letter or digit before `start` is the end of an escape and not of a word: a line feed in JSON, a
 * percent-encoded character, a colour of a terminal.
 */
export function isAfterEscape(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (text.charCodeAt(start - 2) === BACKSLASH) return SHORT_ESCAPES.includes(text.charAt(start - 1));
  if (before === 0x6d) return isAfterColour(text, start - 1);
  if (!holds(CLASSES.hex, before)) return false;
  if (text.charAt(start - 3) === "%") return holds(CLASSES.hex, text.charCodeAt(start - 2));
  return text.startsWith("\\u", start - 6) || text.startsWith("\\x", start - 4);
}

const ESCAPES = ["\u001b", "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e"];

/** True when the `m` at `at` ends `ESC [ digits m`, the escape itself raw or written out. */
function isAfterColour(text: string, at: number): boolean {
  let from = at;
  while (at - from < 16 && isColourCode(text.charCodeAt(from - 1))) from--;
  return text.charAt(from - 1) === "[" && ESCAPES.some((escape) => text.endsWith(escape, from - 1));
}

function isColourCode(code: number): boolean {
  return holds(CLASSES.digit, code) || code === 0x3b;
}
