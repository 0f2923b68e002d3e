import { CLASSES, OTHER, type CharacterClass } from "./classes.ts";

/** Something to search for, and what to do where it stands. Letters of a `folded` keyword match in both cases. */
export interface Keyword<Action> {
  text: string;
  folded: boolean;
  /** The characters one of which must follow it; a keyword of two characters needs it. */
  next?: CharacterClass;
  action: Action;
}

interface Entry<Action> extends Keyword<Action> {
  /** Where in the keyword the three characters stand that lead here. */
  offset: number;
}

/** Many keywords made ready to be searched for together. */
export interface KeywordIndex<Action> {
  /** For each hash of three characters, whether it leads to a bucket. */
  flags: Uint8Array;
  buckets: ReadonlyMap<number, readonly Entry<Action>[]>;
}

/** Told of a keyword that stands from `start` up to `end`. */
export type Callback<Action> = (action: Action, start: number, end: number) => void;

/** Three characters fill the hash, so the one before them has left it. */
const SHIFT = 6;
const MASK = (1 << (3 * SHIFT)) - 1;

/**
 * Makes keywords ready. Each is filed under three of its characters that are rare in ordinary text, so that the search
 * has one table to look at for each character and seldom more to do.
 */
export function indexKeywords<Action>(keywords: readonly Keyword<Action>[]): KeywordIndex<Action> {
  const flags = new Uint8Array(MASK + 1);
  const buckets = new Map<number, Entry<Action>[]>();
  for (const keyword of keywords) {
    const offset = rarestPlace(keyword.text);
    for (const hash of hashesAt(keyword, offset)) {
      flags[hash] = 1;
      const bucket = buckets.get(hash);
      if (bucket) bucket.push({ ...keyword, offset });
      else buckets.set(hash, [{ ...keyword, offset }]);
    }
  }
  return { flags, buckets };
}

/** Calls back for every keyword at every place where it stands, overlapping ones too. */
export function searchKeywords<Action>(text: string, index: KeywordIndex<Action>, found: Callback<Action>): void {
  const { flags, buckets } = index;
  const { length } = text;
  let hash = 0;
  for (let at = 0; at < length; at++) {
    hash = ((hash << SHIFT) ^ text.charCodeAt(at)) & MASK;
    if (flags[hash] === 1) visit(text, at - 2, buckets.get(hash) ?? [], found);
  }
}

function visit<Action>(text: string, place: number, bucket: readonly Entry<Action>[], found: Callback<Action>): void {
  for (const entry of bucket) {
    const start = place - entry.offset;
    if (standsAt(text, entry, start)) found(entry.action, start, start + entry.text.length);
  }
}

function standsAt(text: string, { text: keyword, folded }: Keyword<unknown>, start: number): boolean {
  if (start < 0) return false;
  for (let at = 0; at < keyword.length; at++) {
    const code = text.charCodeAt(start + at);
    if (code === keyword.charCodeAt(at)) continue;
    if (!folded || (code | 0x20) !== keyword.charCodeAt(at) || CLASSES.alpha[code] !== 1) return false;
  }
  return true;
}

/** The hashes of every way to write the three characters at a place of a keyword, or two and what may follow them. */
function hashesAt(keyword: Keyword<unknown>, offset: number): Set<number> {
  const thirds = keyword.text.length > 2 ? codesAt(keyword, offset + 2) : codesAfter(keyword);
  const hashes = new Set<number>();
  for (const first of codesAt(keyword, offset)) {
    for (const second of codesAt(keyword, offset + 1)) {
      for (const third of thirds) hashes.add(((first << (2 * SHIFT)) ^ (second << SHIFT) ^ third) & MASK);
    }
  }
  return hashes;
}

function codesAt({ text, folded }: Keyword<unknown>, at: number): number[] {
  const character = text.charAt(at);
  const all = folded ? [character.toLowerCase(), character.toUpperCase()] : [character];
  return [...new Set(all)].map((each) => each.charCodeAt(0));
}

function codesAfter({ next }: Keyword<unknown>): number[] {
  return Array.from({ length: OTHER }, (_, code) => code).filter((code) => next?.[code] === 1);
}

/** Characters of ordinary text and source code, the commonest first; what is not among them is rarer than all. */
const COMMONEST = " etaoinsrlcdpumhgfby.v/_w-k\"':=,x10()23TSACERIN456789q;zj[]{}DLPOMBFHGUVWKYJXQZ<>#@*&$|!?+`%\\^~";

function rarestPlace(text: string): number {
  let best = 0;
  for (let at = 1; at + 2 < text.length; at++) if (commonness(text, at) < commonness(text, best)) best = at;
  return best;
}

const WEIGHTS = Float64Array.from({ length: OTHER }, (_, code) => {
  const rank = COMMONEST.indexOf(String.fromCharCode(code));
  return 1 / (3 + (rank < 0 ? COMMONEST.length : rank)) ** 1.5;
});

function commonness(text: string, at: number): number {
  return weight(text, at) * weight(text, at + 1) * weight(text, at + 2);
}

function weight(text: string, at: number): number {
  return WEIGHTS[text.charCodeAt(at)] ?? 1;
}
