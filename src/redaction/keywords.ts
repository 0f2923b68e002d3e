import { type CharacterClass, CLASSES, OTHER } from "./classes.ts";

/**
 * A text to search for, and the action for each match. Letters of a `folded` keyword, which is in lower case, match in
 * both cases.
 */
export interface Keyword<Action> {
  text: string;
  folded: boolean;
  /** One of these characters must follow. Required for a keyword of two characters. */
  next?: CharacterClass | undefined;
  action: Action;
}

interface Entry<Action> extends Omit<Keyword<Action>, "next"> {
  /** The offset in the keyword of the three characters under which it is indexed. */
  offset: number;
}

/** An index of keywords, to search for all of them at once. */
export interface KeywordIndex<Action> {
  /** For each hash of three characters, whether it has a bucket. */
  flags: Uint8Array;
  /** For each hash that has a bucket, the position of that bucket. */
  places: Uint16Array;
  buckets: readonly Bucket<Action>[];
}

/** The keywords under one hash. */
interface Bucket<Action> {
  entries: Entry<Action>[];
  /**
   * The characters that come before and after the three in any of the keywords, each as the bit of its five lowest bits:
   * most places with three characters of a keyword are rejected by a neighbour.
   */
  before: number;
  after: number;
}

/** Called for each match of a keyword, from `start` up to `end`. */
export type Callback<Action> = (action: Action, start: number, end: number) => void;

/** Three characters fill the hash and shift out the one before them. */
const SHIFT = 6;
const MASK = (1 << (3 * SHIFT)) - 1;
/** The bit in which the two cases of a letter differ. */
const CASE = 0x20;

/**
 * Builds an index. It contains each keyword under three of its characters that are rare in ordinary text, so that the
 * search looks at one table for each character and seldom does more.
 */
export function indexKeywords<Action>(keywords: readonly Keyword<Action>[]): KeywordIndex<Action> {
  const flags = new Uint8Array(MASK + 1);
  const places = new Uint16Array(MASK + 1);
  const buckets: Bucket<Action>[] = [];
  addKeywords({ flags, places, buckets }, keywords, 0);
  return { flags, places, buckets };
}

/** A copy of the index with more keywords. */
export function extendIndex<Action>(
  index: KeywordIndex<Action>,
  keywords: readonly Keyword<Action>[],
): KeywordIndex<Action> {
  const flags = index.flags.slice();
  const places = index.places.slice();
  const buckets = [...index.buckets];
  addKeywords({ flags, places, buckets }, keywords, buckets.length);
  return { flags, places, buckets };
}

type OpenIndex<Action> = KeywordIndex<Action> & { buckets: Bucket<Action>[] };

/** `shared`: how many of the buckets belong to another index, and are copied before they change. */
function addKeywords<Action>(
  { flags, places, buckets }: OpenIndex<Action>,
  keywords: readonly Keyword<Action>[],
  shared: number,
): void {
  const copied = new Set<number>();
  for (const { text, folded, next, action } of keywords) {
    const offset = rarestPlace(text);
    const entry = { text, folded, action, offset };
    const before = neighbourBit(text, offset - 1);
    const after = neighbourBit(text, offset + 3);
    const firsts = codesAt(text, folded, offset);
    const seconds = codesAt(text, folded, offset + 1);
    const thirds = text.length > 2 ? codesAt(text, folded, offset + 2) : codesOf(next);
    for (const first of firsts) {
      for (const second of seconds) {
        for (const third of thirds) {
          const hash = ((first << (2 * SHIFT)) ^ (second << SHIFT) ^ third) & MASK;
          if (flags[hash] === 0) {
            flags[hash] = 1;
            places[hash] = buckets.push({ entries: [entry], before, after }) - 1;
            continue;
          }
          const place = places[hash] ?? 0;
          let bucket = buckets[place];
          if (bucket === undefined || bucket.entries.at(-1) === entry) continue;
          if (place < shared && !copied.has(place)) {
            bucket = buckets[place] = { ...bucket, entries: [...bucket.entries] };
            copied.add(place);
          }
          bucket.entries.push(entry);
          bucket.before |= before;
          bucket.after |= after;
        }
      }
    }
  }
}

const ANY = -1;

/** The bit of the character at a place of a keyword, the same for both cases of a letter; all bits outside the keyword. */
function neighbourBit(text: string, at: number): number {
  return at < 0 || at >= text.length ? ANY : 1 << (text.charCodeAt(at) & 31);
}

/**
 * Calls back for every match of every keyword, overlapping ones too. Returns the bitwise or of all character codes,
 * which shows at no cost whether some characters can be in the text at all.
 */
export function searchKeywords<Action>(text: string, index: KeywordIndex<Action>, found: Callback<Action>): number {
  const { flags } = index;
  const { length } = text;
  let hash = 0;
  let bits = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    bits |= code;
    hash = ((hash << SHIFT) ^ code) & MASK;
    if (flags[hash] === 1) visit(text, at - 2, hash, index, found);
  }
  return bits;
}

function visit<Action>(
  text: string,
  place: number,
  hash: number,
  { places, buckets }: KeywordIndex<Action>,
  found: Callback<Action>,
): void {
  const bucket = buckets[places[hash] ?? 0];
  if (
    bucket === undefined ||
    (bucket.before & (1 << (text.charCodeAt(place - 1) & 31))) === 0 ||
    (bucket.after & (1 << (text.charCodeAt(place + 3) & 31))) === 0
  )
    return;
  for (let at = 0; at < bucket.entries.length; at++) {
    const entry = bucket.entries[at];
    if (entry === undefined) return;
    const start = place - entry.offset;
    if (start >= 0 && matchesAt(text, entry.text, start, entry.folded)) {
      found(entry.action, start, start + entry.text.length);
    }
  }
}

function matchesAt(text: string, keyword: string, start: number, folded: boolean): boolean {
  for (let at = 0; at < keyword.length; at++) {
    const code = text.charCodeAt(start + at);
    if (code === keyword.charCodeAt(at)) continue;
    if (!folded || (code | CASE) !== keyword.charCodeAt(at) || CLASSES.alpha[code] !== 1) return false;
  }
  return true;
}

/** The codes that match the character at a place of a keyword. */
function codesAt(text: string, folded: boolean, at: number): number[] {
  const code = text.charCodeAt(at);
  return folded && CLASSES.alpha[code] === 1 ? [code, code ^ CASE] : [code];
}

/** The codes of the characters in a class. */
function codesOf(table: CharacterClass | undefined): number[] {
  const codes: number[] = [];
  for (let code = 0; code < OTHER; code++) if (table?.[code] === 1) codes.push(code);
  return codes;
}

/** Characters of ordinary text and source code, most frequent first. Other characters are rarer. */
const COMMONEST = " etaoinsrlcdpumhgfby.v/_w-k\"':=,x10()23TSACERIN456789q;zj[]{}DLPOMBFHGUVWKYJXQZ<>#@*&$|!?+`%\\^~";

/** The start of the three characters of a keyword that are rarest together: those with the least product of weights. */
function rarestPlace(text: string): number {
  let best = 0;
  let least = Infinity;
  let first = weight(text, 0);
  let second = weight(text, 1);
  for (let at = 0; at === 0 || at + 2 < text.length; at++) {
    const third = weight(text, at + 2);
    const product = first * second * third;
    if (product < least) {
      least = product;
      best = at;
    }
    first = second;
    second = third;
  }
  return best;
}

const WEIGHTS = new Float64Array(OTHER).fill(weightOf(COMMONEST.length));
for (let rank = 0; rank < COMMONEST.length; rank++) WEIGHTS[COMMONEST.charCodeAt(rank)] = weightOf(rank);

function weightOf(rank: number): number {
  const places = 3 + rank;
  return 1 / (places * Math.sqrt(places));
}

function weight(text: string, at: number): number {
  return WEIGHTS[text.charCodeAt(at)] ?? 1;
}
