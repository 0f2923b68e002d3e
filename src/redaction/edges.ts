import { redactionMarkEndsAt } from "../lib/secrets/redaction-mark.ts";
import { type CharacterClass, CLASSES, holds } from "./classes.ts";
import { isRandomHex, randomness } from "./randomness.ts";
import type { Edge } from "./rule.ts";
import { isMarkAt } from "./scan.ts";

/** What touches one end of a match: nothing that belongs to a word (`free`), a redaction mark, or more of a word. */
export type Neighbour = "free" | "mark" | "word";

const CLOSING = 0x5d;
const BACKSLASH = 0x5c;

/** The neighbour before a match that begins at `start`. */
export function neighbourBefore(text: string, start: number, edge?: Edge): Neighbour {
  const before = text.charCodeAt(start - 1);
  if (before === CLOSING) return redactionMarkEndsAt(text, start) ? "mark" : "free";
  if (edge === "strict" && holds(JOINERS, before)) return "word";
  if (!holds(edge === "blob" ? CLASSES.path : CLASSES.alnum, before)) return "free";
  return isAfterEscape(text, start) ? "free" : "word";
}

/** The neighbour after a match that ends at `end`; `last` is the alphabet of the slot that ends there. */
export function neighbourAfter(text: string, end: number, edge: Edge | undefined, last?: CharacterClass): Neighbour {
  if (isMarkAt(text, end)) return "mark";
  const next = text.charCodeAt(end);
  if (holds(edge === "blob" ? CLASSES.b64any : CLASSES.alnum, next)) return "word";
  const isJoined = holds(JOINERS, next) && (edge === "strict" || (last !== undefined && holds(last, next)));
  return isJoined ? "word" : "free";
}

/** Characters of base64url that also join the parts of a name. */
const JOINERS = CLASSES.url.map((flag, code) => flag & (1 - (CLASSES.alnum[code] ?? 0)));

/** The number of characters next to a match that are examined. */
const CONTEXT = 24;
/** Text shorter than `least` is no evidence. Text shorter than `some` is data only if its case is mixed. */
const SHORT = { least: 4, some: 12 };
/** The number of characters of a long body that are examined. */
const MOST = 64;
/**
 * Text of at least this randomness is neither a name nor words. Of random texts of 16 characters, one in five hundred
 * scores less.
 */
const RANDOM = 0.5;

/** True if the text from `start` up to `end` is certainly random; `isHex` if all its slots are hexadecimal. */
export function isRandom(text: string, start: number, end: number, isHex: boolean): boolean {
  const to = Math.min(end, start + MOST);
  return isHex || isAll(text, start, to, HEX_PARTS)
    ? isRandomHex(text, start, to)
    : randomness(text, start, to) >= RANDOM;
}

/** Hexadecimal digits and the characters that separate groups of them. */
const HEX_PARTS = CLASSES.hex.map((flag, code) => flag | Number("-.:".includes(String.fromCharCode(code))));

/** The weaker threshold of {@link isUnlikeWords}, for matches with other evidence. */
const UNLIKE_WORDS = 0.2;
/** One digit in this many characters also shows that a text is not words. */
const DIGITS = 4;

/** A body shorter than this is too short to read as words. */
const SENTENCE = 14;
/** Below this randomness a text is words. Text in capitals scores higher, because names are seldom all capitals. */
const WORDS = { any: 0, capitals: 0.8 };

/**
 * True if the text from `start` up to `end` is words without any digit, as in `xoxb-your-token-goes-here`. Of a million
 * random tokens of 36 letters and digits, not one is.
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
 * True if encoded data ends at `start`, so that a match there is probably a piece of it. A mark counts as data, as the
 * secret that it replaced did.
 */
export function isDataBefore(text: string, start: number): boolean {
  let from = start;
  while (start - from < CONTEXT && holds(CLASSES.path, text.charCodeAt(from - 1))) from--;
  return redactionMarkEndsAt(text, from) || isData(text, from, start);
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
  return (
    randomness(text, from, to) >= RANDOM * (length < SHORT.some ? 2 : 1) ||
    (length >= SHORT.some && isAll(text, from, to, CLASSES.hex))
  );
}

const UPPER = CLASSES.alpha.map((flag, code) => flag - (CLASSES.lower[code] ?? 0));

function isAll(text: string, from: number, to: number, table: CharacterClass): boolean {
  for (let at = from; at < to; at++) if (!holds(table, text.charCodeAt(at))) return false;
  return true;
}

/**
 * The prefix of a checksum in lock files, lists of files and pages: `sha256=`, `sha512-`, `h1:`. After a
 * character that a token may have, it can be the end of a token.
 */
const DIGEST_MARK = /(?:(?<![\w.+/-])|(?<=\\[nrt]))(?:sha(?:1|224|256|384|512)[-=:]|h1:)$/i;

/** True if the text before `start` announces a checksum, which is random and can begin like any token. */
export function isDigestAt(text: string, start: number): boolean {
  return DIGEST_MARK.test(text.slice(Math.max(0, start - 9), start));
}

/** True if a lower-case letter precedes `start`. */
export function isAfterLower(text: string, start: number): boolean {
  return holds(CLASSES.lower, text.charCodeAt(start - 1));
}

const SHORT_ESCAPES = "nrtbfv0";

/**
 * True if the letter or digit before `start` ends an escape and not a word: a line feed in JSON, a percent-encoded
 * character, a terminal colour.
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

/** True if the `m` at `at` ends `ESC [ digits m`, where ESC is raw or written out. */
function isAfterColour(text: string, at: number): boolean {
  let from = at;
  while (at - from < 16 && isColourCode(text.charCodeAt(from - 1))) from--;
  return text.charAt(from - 1) === "[" && ESCAPES.some((escape) => text.endsWith(escape, from - 1));
}

function isColourCode(code: number): boolean {
  return holds(CLASSES.digit, code) || code === 0x3b;
}
