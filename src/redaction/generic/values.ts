import { hasPlaceholder } from "../placeholders.ts";
import { isRandomHex, randomness } from "../randomness.ts";

/** The shortest text that is judged by its randomness. */
const SHORTEST_RANDOM = 16;
const LONGEST_TOKEN = 4096;
/** Random texts of letters and digits score above these in all but one of a hundred, see `randomness.ts`. */
const RANDOM_SHORT = 0.7;
const RANDOM_LONG = 0.6;
const LONG = 24;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The maximum number of characters of a value that are examined. */
const SAMPLE = 256;

/**
 * True if the text can only be a generated token: at least 16 characters, letters and digits, random. Judges the first
 * 256.
 */
export function isRandomToken(value: string): boolean {
  if (value.length < SHORTEST_RANDOM || value.length > LONGEST_TOKEN) return false;
  if (isUuid(value)) return isRandomHex(value.replaceAll("-", ""), 0, 32);
  const bare = value.slice(0, SAMPLE).replace(/={1,3}$/, "");
  if (bare.length < SHORTEST_RANDOM || !/\d/.test(bare) || !/[a-z]/i.test(bare) || isRegular(bare)) return false;
  if (hasPlaceholder(bare) || isConstant(bare) || isHarmless(bare)) return false;
  if (/^(?:0x)?[0-9a-f]+$/i.test(bare)) return isHexKey(bare.replace(/^0x/, ""));
  return randomness(bare, 0, bare.length) > (bare.length < LONG ? RANDOM_SHORT : RANDOM_LONG);
}

/**
 * Texts that are recognisably not secret: digests with their algorithm, certificates and public keys in Base64,
 * Ethereum addresses, and names of algorithms such as `PBKDF2WithHmacSHA256`.
 */
const NO_SECRET = /^(?:(?:sha\d{1,3}|md5|h1)[-:=]|LS0tLS1CRUdJTiB(?:DRVJU|QVUJM)|0x[0-9a-f]{40}$|PB(?:E|KDF\d)With)/i;

/** The name of a file at the end of a path or an address. */
const FILE =
  /[/\\].*\.(?:avif|bin|crt|css|csv|gif|gz|html?|jpe?g|js|json|key|log|md|mp[34]|parquet|pdf|pem|png|svg|tar|tsx?|txt|webp|xml|ya?ml|zip)$/i;
/** The output of Sealed Secrets, at least as long as an RSA key: it may be kept in public repositories. */
const SEALED = /^Ag[A-D][A-Za-z0-9+/]{253}/;

/** A class of characters in a regular expression: `[a-zA-Z_]`. */
const CLASS = /\[\^?[^[\]]*(?:[a-z]-[a-z]|\d-\d)[^[\]]*\]/i;

function isHarmless(value: string): boolean {
  return NO_SECRET.test(value) || FILE.test(value) || SEALED.test(value) || CLASS.test(value);
}

/** True if a text is a name in capitals with hardly a digit in it: `TR31_E0_EMV_MKEY`. */
function isConstant(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && value.replaceAll(/\D/g, "").length * 5 < value.length;
}

const SHORTEST_HEX = 32;
const LONGEST_HEX = 128;

/** True if hexadecimal text has the length of a key: shorter ones are ids and digests, longer ones test data. */
function isHexKey(hex: string): boolean {
  return hex.length >= SHORTEST_HEX && hex.length <= LONGEST_HEX && isRandomHex(hex, 0, hex.length);
}

/** True if the text is a UUID. */
export function isUuid(value: string): boolean {
  return value.length === 36 && UUID.test(value);
}

/** True if a text counts up or down or repeats itself, as invented keys do: `0123456789abcdef`, `abcdabcdabcdabcd`. */
function isRegular(value: string): boolean {
  let steps = 0;
  for (let at = 1; at < value.length; at++) {
    if (Math.abs(value.charCodeAt(at) - value.charCodeAt(at - 1)) <= 1) steps++;
  }
  if (steps * 5 > value.length * 2) return true;
  for (let period = 1; period <= 16 && period * 2 <= value.length; period++) {
    if (value.startsWith(value.slice(0, -period), period)) return true;
  }
  return false;
}

/** The text that Base64 decodes to; undefined if it is not valid, or not the printable text of a few bytes. */
function decodedText(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return undefined;
  const text = Buffer.from(base64, "base64").toString("latin1");
  return isPrintable(text) ? text : undefined;
}

/** True if a text of bytes has no control characters other than white space; bytes of UTF-8 may be in it. */
function isPrintable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 ? code < 9 || code > 13 : code === 0x7f) return false;
  }
  return text !== "";
}

/** True if Base64 holds `user:password`; either may be empty. Only the password may have characters outside ASCII. */
export function isBasicCredential(base64: string): boolean {
  if (base64.length < 8 || base64.length > LONGEST_TOKEN || base64.length % 4 !== 0) return false;
  const text = decodedText(base64);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 0 || text.length < 4) return false;
  const isPlain = !/[^\x20-\x7e]/.test(colon > 0 && text.length >= 12 ? text.slice(0, colon) : text);
  return isPlain && !/[\n\r]/.test(text) && !/(?:^|:)(?:\$[{(A-Z]|\{\{)/.test(text);
}

/** The place of `mark` from `start` up to `end`; undefined without one. Does not look at the rest of the text. */
export function indexWithin(text: string, mark: string, start: number, end: number): number | undefined {
  const at = text.slice(start, end).indexOf(mark);
  return at < 0 ? undefined : start + at;
}
