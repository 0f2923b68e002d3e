import { REDACTION_MARK_START, redactionMarkLengthAt } from "../lib/secrets/redaction-mark.ts";
import { type CharacterClass, holds } from "./classes.ts";

/**
 * How far to look for credentials without a vendor's mark, such as `Authorization: Bearer ...`: `off`, not at all;
 * `on`, where place and shape leave no doubt; `strict`, wherever a name says that the value is one.
 */
export type GenericLevel = "off" | "on" | "strict";

/** A secret in a text: from `start` up to `end`. */
export interface Found {
  start: number;
  end: number;
  /** The kind of secret, by its id. */
  kind: string;
}

/**
 * A match inside a word. It counts only if each end that does not hold touches another secret, as in keys without a
 * space between them.
 */
interface Glued extends Found {
  holdsBefore: boolean;
  holdsAfter: boolean;
}

/** A run of one class. */
interface Run {
  from: number;
  to: number;
}

/** The number of runs remembered for each class; no rule has as many slots. */
const REMEMBERED = 8;

/**
 * One pass over one text: what was found so far, and the memory that keeps unlimited runs linear. All starts inside
 * one run of a class share its end, so the run is walked once however many searches begin in it.
 */
export class Scan {
  readonly text: string;
  readonly generic: GenericLevel;
  /** The secrets found so far. */
  readonly found: Found[] = [];
  /** The private keys that stay, because everybody has them. */
  readonly spared: { start: number; end: number }[] = [];
  /** The parts of the text to search decoded, because they hold escapes. */
  readonly windows: { from: number; to: number }[] = [];
  /** All characters of the text have no other bits than these. Known when the whole text has been searched. */
  bits = 0;
  /** The text is quoted-printable, as some mail is. Known when the whole text has been searched. */
  isMail = false;
  readonly #glued: Glued[] = [];
  readonly #runs = new Map<CharacterClass, Run[]>();
  readonly #lastAt: Run = { from: -1, to: -1 };
  readonly #next = new Map<string, Run>();
  #read: Map<string, number> | undefined;

  constructor(text: string, generic: GenericLevel) {
    this.text = text;
    this.generic = generic;
  }

  add(kind: string, start: number, end: number): void {
    this.found.push({ start, end, kind });
  }

  /** Keeps a match with an end inside a word, until {@link settle} decides whether it counts. */
  addGlued(glued: Glued): void {
    this.#glued.push(glued);
  }

  /** Adds the glued matches that count. In a chain of them only the ends of the whole chain must hold. */
  settle(): void {
    if (this.#glued.length === 0) return;
    const ends = new Set(this.found.map(({ end }) => end));
    for (const each of this.#glued.sort((a, b) => a.start - b.start)) {
      each.holdsBefore ||= ends.has(each.start);
      if (each.holdsBefore) ends.add(each.end);
    }
    const starts = new Set(this.found.map(({ start }) => start));
    for (const each of this.#glued.toSorted((a, b) => b.end - a.end)) {
      each.holdsAfter ||= starts.has(each.end);
      if (!each.holdsAfter) continue;
      starts.add(each.start);
      if (each.holdsBefore) this.found.push(each);
    }
  }

  /** The end of the run of a class that begins at `at`; `at` itself if the character there is not in the class. */
  runEnd(table: CharacterClass, at: number): number {
    const known = this.#runs.get(table) ?? [];
    for (const run of known) if (at >= run.from && at <= run.to) return run.to;
    let to = at;
    while (holds(table, this.text.charCodeAt(to))) to++;
    if (known.length === REMEMBERED) known.shift();
    if (known.push({ from: at, to }) === 1) this.#runs.set(table, known);
    return to;
  }

  /** The last `@` before `end`. There must be one. */
  lastAtBefore(end: number): number {
    if (this.#lastAt.to !== end) {
      this.#lastAt.to = end;
      this.#lastAt.from = this.text.lastIndexOf("@", end - 1);
    }
    return this.#lastAt.from;
  }

  /** The place up to which a finder has read this text, by the finder's name; 0 if it has read nothing yet. */
  readUntil(finder: string): number {
    return this.#read?.get(finder) ?? 0;
  }

  /** Remembers that a finder has read this text up to `end`. */
  readTo(finder: string, end: number): void {
    this.#read ??= new Map();
    this.#read.set(finder, end);
  }

  /** The start of the next redaction mark at or after `at`; Infinity without one. */
  nextMark(at: number): number {
    return this.next(REDACTION_MARK_START, at);
  }

  /**
   * The next place of `piece` at or after `at`; Infinity without one. Remembers the answer, so that repeated calls stay
   * linear.
   */
  next(piece: string, at: number): number {
    const known = this.#next.get(piece) ?? { from: 0, to: -1 };
    if (at < known.from || at > known.to) {
      const next = this.text.indexOf(piece, at);
      known.from = at;
      known.to = next < 0 ? Infinity : next;
      this.#next.set(piece, known);
    }
    return known.to;
  }
}

/** True if a redaction mark begins at `at`. */
export function isMarkAt(text: string, at: number): boolean {
  return text.charCodeAt(at) === 0x5b && redactionMarkLengthAt(text, at) > 0;
}
