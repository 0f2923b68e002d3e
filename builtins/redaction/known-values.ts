import type { SecretCandidate } from "../../src/lib/known-secrets.ts";
import { SHORTEST_KNOWN } from "../../src/lib/known-secrets.ts";
import { isInsideMark, MARK_START } from "../../src/lib/redaction-mark.ts";
import { CLASSES, holds } from "./classes.ts";
import { randomness } from "./randomness.ts";
import type { Scan } from "./scan.ts";

/** The kind of a value that is known to be a secret and has no shape of its own. */
export const KNOWN_VALUE = "known-value";

/** Longer values are documents; the secrets in them have kinds of their own. */
const LONGEST_VALUE = 16_384;
/** No more than this of a spelling is compared by the search itself. */
const HEAD_LENGTH = 64;

/** A way in which a known value can be written. */
export interface Spelling {
  /** What the search looks for: the beginning of the spelling. */
  head: string;
  /** What must follow it. */
  rest: string;
  /** The value begins or ends inside a character of base64 next to the spelling. */
  isOpenBefore: boolean;
  isOpenBehind: boolean;
}

/**
 * The values that are searched for, each once. Left out are values that a text can hold by chance: those of fewer than
 * eight characters or made of fewer than four different ones, numbers, paths, URLs, and words (`production`,
 * `not-needed`). Words of 20 characters or more stay if hooksh itself uses them as a key; behind a name that only hints
 * at a secret (`CACHE_KEY`) a value must be random.
 */
export function searchableValues(candidates: readonly SecretCandidate[]): string[] {
  return candidates.filter(isSearchable).map(({ value }) => value);
}

const LONG_ENOUGH_FOR_WORDS = 20;
/** Values above it are no names or words: see {@link randomness}. */
const RANDOM = 1;

function isSearchable({ value, certainty }: SecretCandidate): boolean {
  if (value.length < SHORTEST_KNOWN || value.length > LONGEST_VALUE) return false;
  if (new Set(value.slice(0, HEAD_LENGTH)).size < 4 || value.includes(MARK_START.slice(1))) return false;
  if (!/\p{L}/u.test(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  if (isRandom(value)) return true;
  if (certainty === "hinted" || isPath(value)) return false;
  const isWords = /^[\p{L}\s_.-]+$/u.test(value);
  return !isWords || (certainty === "key" && value.length >= LONG_ENOUGH_FOR_WORDS);
}

/** A name holds few numbers; in random text letters and digits often stand side by side. */
const MOST_NUMBERS_OF_A_NAME = 3;

function isRandom(value: string): boolean {
  if (randomness(value, 0, value.length) >= RANDOM) return true;
  return (value.match(/[A-Za-z](?=[0-9])/g)?.length ?? 0) > MOST_NUMBERS_OF_A_NAME;
}

function isPath(value: string): boolean {
  return /^(\.{0,2}[/\\]|~[/\\]|[A-Za-z]:[/\\])/.test(value);
}

/** The ways in which a value is searched for: as it is, escaped for JSON, percent-encoded, and inside base64. */
export function spellingsOf(value: string): Spelling[] {
  const wellFormed = value.toWellFormed();
  const json = jsonSpellings(wellFormed);
  const plain = new Set([value, ...json, ...json.flatMap(jsonSpellings), ...percentSpellings(wellFormed)]);
  return [...Array.from(plain, (text) => spelling(text)), ...base64Spellings(wellFormed)];
}

function spelling(text: string, isOpenBefore = false, isOpenBehind = false): Spelling {
  return { head: text.slice(0, HEAD_LENGTH), rest: text.slice(HEAD_LENGTH), isOpenBefore, isOpenBehind };
}

/** As writers of JSON escape it: slashes may be escaped, and characters beyond ASCII. */
function jsonSpellings(value: string): string[] {
  const usual = JSON.stringify(value).slice(1, -1);
  const ascii = usual.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [usual, ascii, usual.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
}

/** As it is written in paths, queries and forms, with either case of the hexadecimal digits. */
function percentSpellings(value: string): string[] {
  const usual = encodeURIComponent(value);
  const strict = usual.replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const upper = [usual, strict, strict.replaceAll("%20", "+"), encodeURI(value)];
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * As it stands in base64 behind zero, one or two other bytes of a group, in both alphabets. Characters that also hold bits of a
 * neighbour are not part of the spelling.
 */
function base64Spellings(value: string): Spelling[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/=+$/, "");
    const isOpenBehind = (before + bytes.length) % 3 !== 0;
    const text = encoded.slice(before === 0 ? 0 : before + 1, isOpenBehind ? -1 : undefined);
    const urlSafe = text.replaceAll("+", "-").replaceAll("/", "_");
    return [...new Set([text, urlSafe])].map((one) => spelling(one, before > 0, isOpenBehind));
  });
}

/** Adds the known value of which the head stands from `start` up to `end`, if the rest follows; true if it did. */
export function findKnown(scan: Scan, { rest, isOpenBefore, isOpenBehind }: Spelling, kind: string, start: number, end: number): boolean {
  const { text } = scan;
  if (rest !== "" && !text.startsWith(rest, end)) return false;
  const from = isOpenBefore && holds(CLASSES.b64any, text.charCodeAt(start - 1)) ? start - 1 : start;
  let to = end + rest.length;
  if (isOpenBehind && holds(CLASSES.b64any, text.charCodeAt(to))) to++;
  // A mark next to the value stays whole: a second pass would find the value together with a part of it.
  if (isInsideMark(text, from) || isInsideMark(text, to)) return false;
  scan.add(kind, from, to);
  return true;
}
