import { type CharSet, hasCode } from "../../pattern/character-sets.ts";

/** The last character. */
export const LAST_CODE = 0x10ffff;
const NEWLINE = 0x0a;

/** What stands before or after a position of a text, as assertions see it. */
export const EDGE = 0;
export const LINE_END = 1;
export const WORD = 2;
export const OTHER = 3;

/** Characters that no pattern of an alphabet tells apart. */
export interface CharClass {
  /** The member that a witness shows: the plainest one. */
  char: string;
  code: number;
  kind: number;
}

/**
 * Divides the characters into classes that the given characters and sets do not tell apart. Words over these classes
 * stand for all texts. The plainest classes come first, so that a search finds plain words first.
 */
export function alphabetOf(codes: ReadonlySet<number>, all: readonly CharSet[]): CharClass[] {
  // Patterns repeat the same few sets.
  const sets = [...new Map(all.map((set) => [set.ranges?.join() ?? set, set])).values()];
  const borders = new Set<number>([128, 0xe000]);
  for (let code = 0; code < 128; code++) borders.add(code);
  for (const code of codes) borders.add(code).add(code + 1);
  for (const set of sets) for (const border of bordersOf(set)) borders.add(border);
  const classes = new Map<string, number>();
  for (const code of borders) {
    if (code > LAST_CODE || isSurrogate(code)) continue;
    const signature = `${kindOf(code)}${codes.has(code) ? code : ""} ${sets.map((set) => (hasCode(set, code) ? 1 : 0)).join("")}`;
    const best = classes.get(signature);
    if (best === undefined || plainness(code) < plainness(best)) classes.set(signature, code);
  }
  return [...classes.values()]
    .sort((a, b) => plainness(a) - plainness(b))
    .map((code) => classOf(String.fromCodePoint(code)));
}

/** The class of one character. */
export function classOf(char: string): CharClass {
  const code = char.codePointAt(0) ?? 0;
  return { char, code, kind: kindOf(code) };
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

const known = new WeakMap<CharSet, readonly number[]>();

/** The code points beyond ASCII at which membership changes. */
function bordersOf(set: CharSet): readonly number[] {
  if (set.ranges) return set.ranges.map((code, at) => (at % 2 === 0 ? code : code + 1));
  const before = known.get(set);
  if (before) return before;
  const borders: number[] = [];
  let inside = set.other(128);
  for (let code = 129; code <= LAST_CODE; code++) {
    const now = set.other(code);
    if (now !== inside) borders.push(code);
    inside = now;
  }
  known.set(set, borders);
  return borders;
}

function kindOf(code: number): number {
  if (code === NEWLINE) return LINE_END;
  return code < 128 && /\w/.test(String.fromCharCode(code)) ? WORD : OTHER;
}

/** Punctuation that a shell reads as text. */
const PLAIN_MARKS = "-_./:@,+=%";

/** Letters are plainer than digits, these than punctuation and controls are last. */
function plainness(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code === 0x78 ? 0 : code;
  if (code >= 0x30 && code <= 0x39) return 0x100 + code;
  if (code >= 0x41 && code <= 0x5a) return 0x200 + code;
  const mark = PLAIN_MARKS.indexOf(String.fromCodePoint(code));
  if (mark >= 0) return 0x300 + mark;
  if (code > 0x20 && code < 0x7f) return 0x400 + code;
  return 0x1000 + code;
}
