import { type CharacterClass, CLASSES, holds } from "../classes.ts";
import { isRandomHex, randomness } from "../randomness.ts";
import { isMarkAt } from "../scan.ts";
import { type NameStrength, suffices } from "./names.ts";

const VALUE: CharacterClass = CLASSES.b64any;
const DOT = 0x2e;

const SHORTEST = 12;
const ANY: CharacterClass = CLASSES.b64any.map((flag, code) => (".:|%".includes(String.fromCharCode(code)) ? 1 : flag));

/** A quick test: true if enough characters of values follow `start`. No value is shorter, and most words are. */
export function mayBeginValue(text: string, start: number): boolean {
  let at = start;
  while (at - start < SHORTEST && holds(ANY, text.charCodeAt(at))) at++;
  return at - start === SHORTEST;
}

/** A run of these is a value or a part of one. */
const PIECE: CharacterClass = CLASSES.urldot.map((flag, code) =>
  "+/~".includes(String.fromCharCode(code)) ? 1 : flag,
);
const SHORTEST_PIECE = 10;
const LEAST_OF_PIECE = 0.5;

/** True if a secret value may begin from `start` up to `end`: it has enough characters in a row that are not words. */
export function mayHoldValue(text: string, start: number, end: number): boolean {
  const last = Math.min(end, text.length);
  let from = Math.max(start, 0);
  let hasDigit = false;
  for (let at = from; at <= text.length; at++) {
    const code = text.charCodeAt(at);
    if (holds(PIECE, code) && at - from <= MOST) {
      hasDigit ||= holds(CLASSES.digit, code);
      continue;
    }
    if (at - from >= SHORTEST_PIECE && (hasDigit || randomness(text, from, at) > LEAST_OF_PIECE)) return true;
    if (at >= last) return false;
    from = at + 1;
    hasDigit = false;
  }
  return false;
}

/**
 * True if a value may end at `end`: no character of a value follows. A value without an opening quote must not be
 * followed by a call, an index or a member either, for then it is a name in source code.
 */
export function endsValue(text: string, end: number, isOpened: boolean): boolean {
  const next = text.charCodeAt(end);
  if (holds(VALUE, next) || isMarkAt(text, end)) return false;
  if (next === DOT && (holds(CLASSES.alnum, text.charCodeAt(end + 1)) || isMarkAt(text, end + 1))) return false;
  return isOpened || !/^(?:[([]|::)/.test(text.slice(end, end + 2));
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The lengths of MD5, SHA-1, SHA-256 and SHA-512 in hexadecimal. */
const DIGESTS = new Set([32, 40, 64, 128]);

/** The maximum number of characters of a value that are examined. */
const MOST = 256;

/**
 * True if a value from `start` up to `end` is a secret under a name of this strength, not a name, a number or a filler.
 * Numbers and texts of the length of a digest need the name of a secret, UUIDs at least that of a credential.
 */
export function isSecretValue(text: string, start: number, end: number, name: NameStrength): boolean {
  const value = text.slice(start, Math.min(end, start + MOST));
  if (/^\d+$/.test(value)) return name === "secret" && isVaried(value);
  if (UUID.test(value)) return suffices(name, "credential") && isRandomHex(text, start, end);
  if (!/^[\da-f]+$/i.test(value)) return isVaried(value) && isRandom(value, name);
  return isRandomHex(text, start, end) && (name === "secret" || !DIGESTS.has(value.length));
}

const FEWEST_DIFFERENT = 4;

function isVaried(value: string): boolean {
  return new Set(value).size >= FEWEST_DIFFERENT;
}

/**
 * Bits per character above which a value is random. Names with a digit are seldom above them, names without one hardly
 * ever.
 */
const LEAST = { named: 0.1, unnamed: 0.6 };
const LEAST_WITHOUT_DIGIT = 1.2;

function isRandom(value: string, name: NameStrength): boolean {
  const digits = value.match(/\d/g)?.length ?? 0;
  const isNamed = suffices(name, "credential");
  if (isNamed && digits * 3 >= value.length) return true;
  const least = isNamed ? LEAST.named : LEAST.unnamed;
  return randomness(value, 0, value.length) > (digits > 0 ? least : LEAST_WITHOUT_DIGIT);
}
