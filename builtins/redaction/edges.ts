import { isMarkBefore } from "../../src/lib/redaction-mark.ts";
import { CLASSES, holds, type CharacterClass } from "./classes.ts";
import { isRandomHex, randomness } from "./randomness.ts";
import type { Edge } from "./rule.ts";
import { isMarkAt } from "./scan.ts";

/** What touches one end of a match: nothing that belongs to a word, the mark of a redaction, or more of a word. */
export type Neighbour = "free" | "mark" | "word";

const CLOSING = 0x5d;
const BACKSLASH = 0x5c;

/** What stands before a match that begins at `start`. */
export function neighbourBefore(text: string, start: number, edge?: Edge): Neighbour {
  const before = text.charCodeAt(start - 1);
  if (before === CLOSING) return isMarkBefore(text, start) ? "mark" : "free";
  if (edge === "strict" && holds(JOINERS, before)) return "word";
  if (!holds(edge === "blob" ? CLASSES.path : CLASSES.alnum, before)) return "free";
  return isAfterEscape(text, start) ? "free" : "word";
}

/** What stands behind a match that ends at `end`; `last` is the alphabet of the slot that ends there. */
export function neighbourAfter(text: string, end: number, edge: Edge | undefined, last?: CharacterClass): Neighbour {
  if (isMarkAt(text, end)) return "mark";
  const next = text.charCodeAt(end);
  if (holds(edge === "blob" ? CLASSES.b64any : CLASSES.alnum, next)) return "word";
  const isJoined = holds(JOINERS, next) && (edge === "strict" || (last !== undefined && holds(last, next)));
  return isJoined ? "word" : "free";
}

/** Characters that join the parts of a name and are letters of base64url. */
const JOINERS = CLASSES.url.map((flag, code) => flag & (1 - (CLASSES.alnum[code] ?? 0)));

/** No more of the text beside a match is looked at. */
const CONTEXT = 24;
/** Less text than `least` says nothing, and text below `some` is data only if its letters are in both cases. */
const SHORT = { least: 4, some: 12 };
/** The beginning of a long body tells enough. */
const MOST = 64;
/** From this randomness on no name or word is meant; of random texts of 16 characters, one in five hundred is below. */
const RANDOM = 0.5;

/** True if the text from `start` up to `end` is random beyond doubt; `isHex` when its slots are of hexadecimal digits. */
export function isRandom(text: string, start: number, end: number, isHex: boolean): boolean {
  const to = Math.min(end, start + MOST);
  return isHex || isAll(text, start, to, HEX_PARTS) ? isRandomHex(text, start, to) : randomness(text, start, to) >= RANDOM;
}

/** Hexadecimal digits and what stands between groups of them. */
const HEX_PARTS = CLASSES.hex.map((flag, code) => flag | Number("-.:".includes(String.fromCharCode(code))));

/** From here on a text is no name either, if a match is sure otherwise. */
const UNLIKE_WORDS = 0.2;
/** Digits are a fourth of it: numbers and what counts up are no words either. */
const DIGITS = 4;

/** A body shorter than this is too short to read as words. */
const SENTENCE = 14;
/** Below this randomness a text is words; capitals alone are rarer in the names that it is measured by. */
const WORDS = { any: 0, capitals: 0.8 };

/**
 * True if the text from `start` up to `end` is words without any digit, as in `xoxb-your-token-goes-here`. Of a million random
 * tokens of 36 letters and digits, not one is.
 */
export function isWords(text: string, start: number, end: number): boolean {
  if (end - start < SENTENCE || count(text, start, end, CLASSES.digit) > 0) return false;
  const most = count(text, start, end, CLASSES.lower) === 0 ? WORDS.capitals : WORDS.any;
  return randomness(text, start, Math.min(end, start + MOST)) < most;
}

/** True if the text from `start` up to `end` is not made of words; a weaker test than {@link isRandom}. */
export function isUnlikeWords(text: string, start: number, end: number): boolean {
  if (randomness(text, start, Math.min(end, start + MOST)) >= UNLIKE_WORDS) return true;
  return count(text, start, end, CLASSES.digit) * DIGITS >= Math.min(end - start, MOST);
}

function count(text: string, start: number, end: number, table: CharacterClass): number {
  let found = 0;
  for (let at = start; at < Math.min(end, start + MOST); at++) found += table[text.charCodeAt(at)] ?? 0;
  return found;
}

/**
 * True if encoded data ends at `start`, so that a match there is a piece of it by chance. A mark counts as such data,
 * as the secret did that stood there.
 */
export function isDataBefore(text: string, start: number): boolean {
  let from = start;
  while (start - from < CONTEXT && holds(CLASSES.path, text.charCodeAt(from - 1))) from--;
  return isMarkBefore(text, from) || isData(text, from, start);
}

/** True if encoded data begins at `end`. */
export function isDataAfter(text: string, end: number): boolean {
  let to = end;
  while (to - end < CONTEXT && holds(CLASSES.path, text.charCodeAt(to))) to++;
  return isMarkAt(text, to) || isData(text, end, to);
}

function isData(text: string, from: number, to: number): boolean {
  const length = to - from;
  if (length < SHORT.least) return false;
  if (length < SHORT.some && (isAll(text, from, to, CLASSES.lower) || isAll(text, from, to, UPPER))) return false;
  return randomness(text, from, to) >= RANDOM * (length < SHORT.some ? 2 : 1) || (length >= SHORT.some && isAll(text, from, to, CLASSES.hex));
}

const UPPER = CLASSES.alpha.map((flag, code) => flag - (CLASSES.lower[code] ?? 0));

function isAll(text: string, from: number, to: number, table: CharacterClass): boolean {
  for (let at = from; at < to; at++) if (!holds(table, text.charCodeAt(at))) return false;
  return true;
}

/** How a checksum is introduced in lock files, lists of files and pages: `sha256=`, `sha512-`, `h1:`. */
const DIGEST_MARK = /(?:sha(?:1|224|256|384|512)[-=:]|\bh1:)$/i;

/** True if what begins at `start` is said to be a checksum, which is random text that can begin like any token. */
export function isDigestAt(text: string, start: number): boolean {
  return DIGEST_MARK.test(text.slice(Math.max(0, start - 8), start));
}

/** True if a lower-case letter stands before `start`. */
export function isAfterLower(text: string, start: number): boolean {
  return holds(CLASSES.lower, text.charCodeAt(start - 1));
}

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
