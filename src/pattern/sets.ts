/** A set of code points, with lookup in constant time for ASCII. */
export interface CharSet {
  /** One byte for each of the first 128 code points. */
  readonly ascii: Uint8Array;
  /** Membership of a code point beyond ASCII. */
  readonly other: (code: number) => boolean;
  /** True if `other` uses a regular expression. */
  readonly slow: boolean;
}

/** One item of a class: flat pairs of first and last code point, and a Unicode property in JavaScript syntax. */
export interface ClassItem {
  ranges: readonly number[];
  property?: string;
  negated?: boolean;
}

const LAST_CODE = 0x10ffff;

/** True if the set contains the code point. */
export function hasCode(set: CharSet, code: number): boolean {
  return code < 128 ? set.ascii[code] === 1 : set.other(code);
}

/**
 * Makes the set of a class. With `fold`, every item also contains the other cases of its members. Folding comes before
 * negation, so `(?i)[^a]` contains neither `a` nor `A`.
 */
export function makeSet(items: readonly ClassItem[], options: { negated?: boolean; fold?: boolean } = {}): CharSet {
  const { negated = false, fold = false } = options;
  if (fold || items.some((item) => item.property !== undefined)) return withAscii(delegate(items, negated, fold), true);
  const pieces = items.map((item) => (item.negated ? complement(merge(item.ranges)) : item.ranges));
  const ranges = merge(pieces.flat());
  return withAscii(search(negated ? complement(ranges) : ranges), false);
}

/** The set of one character and its other cases. */
export function foldedChar(code: number): CharSet {
  const letter = String.fromCodePoint(code);
  if (!/[A-Za-z]/.test(letter)) return makeSet([{ ranges: [code, code] }], { fold: true });
  const cases = [letter.toLowerCase(), letter.toUpperCase()];
  if (cases[0] === "k") cases.push("\u212a");
  if (cases[0] === "s") cases.push("\u017f");
  return makeSet([{ ranges: cases.flatMap((one) => [codeOf(one), codeOf(one)]) }]);
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
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
