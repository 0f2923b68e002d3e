import { MIN_SECRET_LENGTH, type SecretCandidate } from "../lib/secrets/known-secrets.ts";
import { isInsideRedactionMark, REDACTION_MARK_START } from "../lib/secrets/redaction-mark.ts";
import { CLASSES, holds } from "./classes.ts";
import { hasPlaceholder, isPlaceholderWords } from "./placeholders.ts";
import { isRandomHex, randomness } from "./randomness.ts";
import type { Scan } from "./scan.ts";

/** The kind of a known value that no other kind fits. */
export const KNOWN_VALUE = "known-value";

/** Longer values are documents; secrets in them are found by their own kinds. */
const LONGEST_VALUE = 16_384;
/** The part of a spelling that the keyword search compares. */
const HEAD_LENGTH = 64;

/** A way in which a known value can be written. */
export interface Spelling {
  /** The beginning of the spelling, which the search looks for. */
  head: string;
  /** What must follow it. */
  rest: string;
  /** The value begins or ends inside a character of base64 next to the spelling. */
  isOpenBefore: boolean;
  isOpenBehind: boolean;
}

/**
 * The values to search for. Leaves out values that occur in text by chance: those with fewer than eight characters or
 * fewer than four different ones, numbers, paths, URLs and words. A declared credential may be words
 * (`walnut-orchard-gate`), but none that stand for a key or a place (`not-needed`, `production`). A value whose name
 * only hints at a secret (`CACHE_KEY`) must be random, as text or as hexadecimal digits. Quotes around a value are not
 * part of it: with them, the string of a JSON document would lose its own.
 */
export function searchableValues(candidates: readonly SecretCandidate[]): string[] {
  return candidates
    .map((candidate) => ({ ...candidate, value: candidate.value.replace(/^(["'])([^]*)\1$/, "$2") }))
    .filter(isSearchable)
    .map(({ value }) => value);
}

/** Words in the keys of servers that need none, and in names of environments, besides those of every placeholder. */
const GENERAL = new Set(
  (
    "anonymous anything any development dev docker host ignored internal is llama llm lm local localhost needed nothing " +
    "ollama openai prod production public sk staging studio unused vllm whatever"
  ).split(" "),
);
/** The randomness from which a value is neither a name nor words: see {@link randomness}. */
const RANDOM = 1;

function isSearchable({ value, certainty }: SecretCandidate): boolean {
  if (value.length < MIN_SECRET_LENGTH || value.length > LONGEST_VALUE) return false;
  if (new Set(value.slice(0, HEAD_LENGTH)).size < 4 || value.includes(REDACTION_MARK_START.slice(1))) return false;
  if (!/\p{L}/u.test(value) || /^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  if (isRandom(value)) return true;
  if (isPath(value)) return false;
  if (certainty === "hinted") return containsRandomHex(value);
  const isWords = /^[\p{L}\s_.-]+$/u.test(value);
  return !isWords || (certainty === "key" && !isGeneral(value));
}

/** True if every word of a value is one that stands for a key or a place. */
function isGeneral(value: string): boolean {
  const rest = value
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => !GENERAL.has(word));
  return hasPlaceholder(value) || isPlaceholderWords(rest.join(" "));
}

/** The most letters followed by a digit in a name; random text has more. */
const MOST_NUMBERS_OF_A_NAME = 3;

function isRandom(value: string): boolean {
  if (randomness(value, 0, value.length) >= RANDOM) return true;
  return (value.match(/[A-Za-z](?=[0-9])/g)?.length ?? 0) > MOST_NUMBERS_OF_A_NAME;
}

/** A UUID, or hexadecimal digits in a row: dates, versions and abbreviated commits have fewer than twelve. */
const LONG_HEX = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12,}/gi;

/** True if a part of the value is random hexadecimal text, which {@link isRandom} can take for a number or a name. */
function containsRandomHex(value: string): boolean {
  return value.match(LONG_HEX)?.some((part) => isRandomHex(part, 0, part.length)) ?? false;
}

function isPath(value: string): boolean {
  return /^(\.{0,2}[/\\]|~[/\\]|[A-Za-z]:[/\\])/.test(value);
}

/** The spellings of a value to search for: as it is, escaped for JSON, percent-encoded, and inside base64. */
export function spellingsOf(value: string): Spelling[] {
  const wellFormed = value.toWellFormed();
  const json = jsonSpellings(wellFormed);
  const plain = new Set([value, ...json, ...json.flatMap(jsonSpellings), ...percentSpellings(wellFormed)]);
  return [...Array.from(plain, (text) => spelling(text)), ...base64Spellings(wellFormed)];
}

/** The spellings of a value that have several lines. */
export function spellingsInLines(value: string): string[] {
  if (!value.includes("\n")) return [];
  return spellingsOf(value)
    .map(({ head, rest }) => head + rest)
    .filter((text) => text.includes("\n"));
}

function spelling(text: string, isOpenBefore = false, isOpenBehind = false): Spelling {
  return { head: text.slice(0, HEAD_LENGTH), rest: text.slice(HEAD_LENGTH), isOpenBefore, isOpenBehind };
}

/** As writers of JSON escape it: slashes may be escaped, and characters beyond ASCII. */
function jsonSpellings(value: string): string[] {
  const usual = JSON.stringify(value).slice(1, -1);
  const ascii = usual.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
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
 * The base64 of a value after zero, one or two other bytes of a group, in both alphabets. Leaves out characters that
 * also hold bits of a neighbouring byte.
 */
function base64Spellings(value: string): Spelling[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const isOpenBehind = (before + bytes.length) % 3 !== 0;
    const text = encoded.slice(before === 0 ? 0 : before + 1, isOpenBehind ? -1 : undefined);
    const urlSafe = text.replaceAll("+", "-").replaceAll("/", "_");
    return [...new Set([text, urlSafe])].map((one) => spelling(one, before > 0, isOpenBehind));
  });
}

/** Adds the known value whose head is from `start` up to `end`, if the rest follows. Returns true if it did. */
export function findKnown(
  scan: Scan,
  { rest, isOpenBefore, isOpenBehind }: Spelling,
  kind: string,
  start: number,
  end: number,
): boolean {
  const { text } = scan;
  if (rest !== "" && !text.startsWith(rest, end)) return false;
  const from = isOpenBefore && holds(CLASSES.b64any, text.charCodeAt(start - 1)) ? start - 1 : start;
  let to = end + rest.length;
  if (isOpenBehind && holds(CLASSES.b64any, text.charCodeAt(to))) to++;
  // A mark next to the value stays whole: a second pass would find the value together with a part of it.
  if (isInsideRedactionMark(text, from) || isInsideRedactionMark(text, to)) return false;
  scan.add(kind, from, to);
  return true;
}
