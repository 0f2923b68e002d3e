import { PatternError, peek, type Reader, take, takeEscape, takeMatch, takeText } from "./pattern-reader.ts";

/** A set of code points, with lookup in constant time for ASCII. */
export interface CharSet {
  /** One byte for each of the first 128 code points. */
  readonly ascii: Uint8Array;
  /** Membership of a code point beyond ASCII. */
  readonly other: (code: number) => boolean;
  /** True if `other` uses a regular expression. */
  readonly slow: boolean;
  /** Its members as flat pairs of first and last code point; undefined if `other` uses a regular expression. */
  readonly ranges?: readonly number[];
}

/** One item of a class: flat pairs of first and last code point, and a Unicode property in JavaScript syntax. */
export interface ClassItem {
  ranges: readonly number[];
  property?: string;
  negated?: boolean;
}

const LAST_CODE = 0x10ffff;

export function hasCode(set: CharSet, code: number): boolean {
  return code < 128 ? set.ascii[code] === 1 : set.other(code);
}

/**
 * Makes the set of a class. With `fold`, every item also contains the other cases of its members. Folding comes before
 * negation, so `(?i)[^a]` contains neither `a` nor `A`.
 */
export function makeSet(items: readonly ClassItem[], options: { negated?: boolean; fold?: boolean } = {}): CharSet {
  const { negated = false, fold = false } = options;
  const plain = fold ? items.map(foldedAscii) : undefined;
  if (plain?.every((item) => item !== undefined)) return makeSet(plain, { negated });
  if (fold || items.some((item) => item.property !== undefined)) return withAscii(delegate(items, negated, fold), true);
  const pieces = items.map((item) => (item.negated ? complement(merge(item.ranges)) : item.ranges));
  const ranges = merge(pieces.flat());
  const members = negated ? complement(ranges) : ranges;
  return { ascii: asciiOf(members), other: search(members), slow: false, ranges: members };
}

/** The set of one character and its other cases. */
export function foldedChar(code: number): CharSet {
  return makeSet([{ ranges: [code, code] }], { fold: true });
}

/** An item of ASCII characters with their other cases, among which two are not ASCII; undefined for another item. */
function foldedAscii({ ranges, property, negated }: ClassItem): ClassItem | undefined {
  if (property !== undefined || negated || ranges.some((code) => code > 127)) return undefined;
  const folded = [...ranges];
  for (let at = 0; at < ranges.length; at += 2) {
    for (let code = ranges[at] ?? 0; code <= (ranges[at + 1] ?? 0); code++) {
      const letter = String.fromCodePoint(code);
      if (!/[A-Za-z]/.test(letter)) continue;
      const cases = [letter.toLowerCase(), letter.toUpperCase()];
      if (cases[0] === "k") cases.push("\u212a");
      if (cases[0] === "s") cases.push("\u017f");
      folded.push(...cases.flatMap((one) => [codeOf(one), codeOf(one)]));
    }
  }
  return { ranges: folded };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** The table of ASCII for sorted flat pairs. */
function asciiOf(members: readonly number[]): Uint8Array {
  const ascii = new Uint8Array(128);
  for (let at = 0; at < members.length; at += 2) {
    const [first = 0, last = 0] = [members[at], members[at + 1]];
    if (first > 127) break;
    ascii.fill(1, first, last + 1);
  }
  return ascii;
}

function withAscii(has: (code: number) => boolean, slow: boolean): CharSet {
  const ascii = new Uint8Array(128);
  for (let code = 0; code < 128; code++) ascii[code] = has(code) ? 1 : 0;
  return { ascii, other: has, slow };
}

/** Sorts flat pairs and joins adjacent ones. */
function merge(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [first, last] of pairs) {
    const end = merged.length - 1;
    const before = merged[end];
    if (before !== undefined && first <= before + 1) merged[end] = Math.max(before, last);
    else merged.push(first, last);
  }
  return merged;
}

function complement(merged: readonly number[]): number[] {
  const rest: number[] = [];
  let next = 0;
  for (let at = 0; at < merged.length; at += 2) {
    const first = merged[at] ?? 0;
    if (first > next) rest.push(next, first - 1);
    next = (merged[at + 1] ?? 0) + 1;
  }
  if (next <= LAST_CODE) rest.push(next, LAST_CODE);
  return rest;
}

function search(merged: readonly number[]): (code: number) => boolean {
  return (code) => {
    let low = 0;
    let high = merged.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((merged[middle * 2 + 1] ?? 0) < code) low = middle + 1;
      else high = middle;
    }
    return low * 2 < merged.length && (merged[low * 2] ?? 0) <= code;
  };
}

/**
 * Tests one code point with a JavaScript expression, for its Unicode tables. A single character cannot cause
 * backtracking.
 */
function delegate(items: readonly ClassItem[], negated: boolean, fold: boolean): (code: number) => boolean {
  const flags = fold ? "iu" : "u";
  const expression = (of: readonly ClassItem[]): RegExp => new RegExp(`[${of.map(classSource).join("")}]`, flags);
  const inside = expression(items.filter((item) => !item.negated));
  const outside = items.filter((item) => item.negated).map((item) => expression([item]));
  let lastCode = -1;
  let lastAnswer = false;
  return (code) => {
    if (code === lastCode) return lastAnswer;
    const char = String.fromCodePoint(code);
    lastCode = code;
    lastAnswer = (inside.test(char) || outside.some((one) => !one.test(char))) !== negated;
    return lastAnswer;
  };
}

function classSource(item: ClassItem): string {
  let source = item.property ?? "";
  for (let at = 0; at < item.ranges.length; at += 2) {
    source += `\\u{${(item.ranges[at] ?? 0).toString(16)}}-\\u{${(item.ranges[at + 1] ?? 0).toString(16)}}`;
  }
  return source;
}

const DIGIT = [0x30, 0x39];
const UPPER = [0x41, 0x5a];
const LOWER = [0x61, 0x7a];
const WORD = [...DIGIT, ...UPPER, ...LOWER, 0x5f, 0x5f];

/** `\s` has no vertical tab, unlike `[[:space:]]`. */
const PERL: Record<string, readonly number[]> = { d: DIGIT, w: WORD, s: [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20] };

const POSIX = new Map<string, readonly number[]>(
  Object.entries({
    alnum: [...DIGIT, ...UPPER, ...LOWER],
    alpha: [...UPPER, ...LOWER],
    ascii: [0x00, 0x7f],
    blank: [0x09, 0x09, 0x20, 0x20],
    cntrl: [0x00, 0x1f, 0x7f, 0x7f],
    digit: DIGIT,
    graph: [0x21, 0x7e],
    lower: LOWER,
    print: [0x20, 0x7e],
    punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
    space: [0x09, 0x0d, 0x20, 0x20],
    upper: UPPER,
    word: WORD,
    xdigit: [...DIGIT, 0x41, 0x46, 0x61, 0x66],
  }),
);

/** Reads a class escape such as `\d` or `\pL`, inside or outside brackets; undefined if the next text is not one. */
export function takeClassEscape(reader: Reader): ClassItem | undefined {
  const perl = takeMatch(reader, /\\([dwsDWS])/y)?.[1];
  if (perl !== undefined) return { ranges: PERL[perl.toLowerCase()] ?? [], negated: perl < "a" };
  const offset = reader.at;
  const start = takeMatch(reader, /\\([pP])/y)?.[1];
  if (start === undefined) return undefined;
  const name = takeMatch(reader, /\{(\^?)(\w+)\}|([A-Za-z])/y);
  const property = name && propertySource(name[2] ?? name[3] ?? "");
  if (!property) throw new PatternError("unknown Unicode class", offset);
  return { ranges: [], property, negated: (start === "P") !== (name[1] === "^") };
}

/** Reads a bracket expression; the next character is its `[`. */
export function takeClass(reader: Reader): CharSet {
  const offset = reader.at;
  reader.at++;
  const negated = takeText(reader, "^");
  const items: ClassItem[] = [];
  // A `]` directly after the opening bracket is an ordinary character.
  while (items.length === 0 || !takeText(reader, "]")) items.push(takeItem(reader, offset));
  return makeSet(items, { negated, fold: reader.flags.fold });
}

function takeItem(reader: Reader, offset: number): ClassItem {
  const posix = takePosix(reader) ?? takeClassEscape(reader);
  if (posix) return posix;
  const start = reader.at;
  const first = takeClassChar(reader, offset);
  if (reader.text[reader.at] !== "-" || reader.text[reader.at + 1] === "]" || reader.at + 1 >= reader.text.length) {
    return { ranges: [first, first] };
  }
  reader.at++;
  const last = takeClassChar(reader, offset);
  if (last < first) throw new PatternError("invalid character class range", start);
  return { ranges: [first, last] };
}

function takePosix(reader: Reader): ClassItem | undefined {
  const offset = reader.at;
  if (reader.lastPosixEnd < offset + 2) return undefined;
  // To the next ":]", whatever is between: "[:alph]a:]" is a misspelt class, as in the reference, and not two of them.
  const found = takeMatch(reader, /\[:(\^?)(.*?):\]/sy);
  if (!found) return undefined;
  const ranges = POSIX.get(found[2] ?? "");
  if (!ranges) throw new PatternError("unknown character class", offset);
  return { ranges, negated: found[1] === "^" };
}

function takeClassChar(reader: Reader, offset: number): number {
  if (peek(reader) === 0x5c) return takeEscape(reader);
  return take(reader, "missing closing ]", offset);
}

/** A general category or a script in JavaScript syntax; undefined for any other name, as in RE2. */
function propertySource(name: string): string | undefined {
  if (name === "Any") return "\\u{0}-\\u{10ffff}";
  return [`\\p{gc=${name}}`, `\\p{sc=${name}}`].find(isExpression);
}

function isExpression(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    // The name is unknown: the caller reports it.
    return false;
  }
}
