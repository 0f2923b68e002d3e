import { noteSpan } from "../decoded.ts";
import { isUnlikeWords } from "../edges.ts";
import type { Scan } from "../scan.ts";
import { endOf, followingLines } from "./material.ts";

/** The kinds of private keys that are not in PEM. */
export const FORMAT_IDS = {
  putty: "putty-private-key",
  base64: "base64-private-key",
  jwk: "jwk-private-key",
  xml: "xml-private-key",
} as const;

/** Finds the private lines of a PuTTY key (`.ppk`, versions 1 to 3). The number of lines is at `at`. */
export function findPutty(scan: Scan, _start: number, at: number): void {
  const { text } = scan;
  const count = /^ ?\d{1,4}/.exec(text.slice(at, at + 6))?.[0].length;
  if (count === undefined) return;
  const next = Math.min(scan.next("Private-", at), scan.nextMark(at), text.length);
  const lines = followingLines(text, at + count, next);
  const [first] = lines;
  if (first)
    scan.add(
      FORMAT_IDS.putty,
      first.start,
      next === text.length ? (lines.at(-1)?.end ?? next) : endOf(text, lines, next),
    );
}

/** Characters of base64 that hold the first fence of a key. */
const FRAME_IN_BASE64 = 96;

/** Finds a whole PEM file in base64, in one piece or in lines; `at` is the start of its fence. */
export function findEncodedKey(scan: Scan, at: number): void {
  const { text } = scan;
  if (at < scan.readUntil(FORMAT_IDS.base64)) return;
  const lines = followingLines(text, at, text.length);
  const last = lines.at(-1)?.end ?? at;
  scan.readTo(FORMAT_IDS.base64, last);
  const encoded = lines.map(({ start, end }) => text.slice(start, end)).join("");
  const [short = ""] = /^\s{1,40}[A-Za-z0-9+/]{0,14}={1,2}(?![A-Za-z0-9+/=])/.exec(text.slice(last, last + 60)) ?? [];
  if (lines[0]?.start === at && holdsKey(encoded)) scan.add(FORMAT_IDS.base64, at, last + short.length);
}

/** True if base64 decodes to a private key, or to certificates followed by one. */
function holdsKey(encoded: string): boolean {
  const frame = Buffer.from(encoded.slice(0, FRAME_IN_BASE64), "base64").toString("latin1");
  return /^-+BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(frame) || Buffer.from(encoded, "base64").includes("PRIVATE KEY-----");
}

/** The number of characters that are searched for the members of a key in JSON or XML. */
const LONGEST_KEY = 8192;

/** Finds the private members of a JSON Web Key (RFC 7518, section 6) whose `kty` is from `at` up to `end`. */
export function findJwk(scan: Scan, at: number, end: number): void {
  const { text } = scan;
  if (
    at < scan.readUntil(FORMAT_IDS.jwk) ||
    !/^["'\\\s:=]{1,12}(?:RSA|EC|OKP|oct|AKP)\b/.test(text.slice(end, end + 16))
  )
    return;
  const least = Math.max(scan.readUntil(FORMAT_IDS.jwk), at - LONGEST_KEY, 0);
  const from = least + text.slice(least, at).lastIndexOf("{") + 1;
  const rest = text.slice(at, at + LONGEST_KEY);
  const close = rest.indexOf("}");
  const to = at + (close < 0 ? rest.length : close);
  scan.readTo(FORMAT_IDS.jwk, to);
  for (const match of text
    .slice(from, to)
    .matchAll(/(?<![\w-])(?:d|p|q|dp|dq|qi|k)["'\\\s]{0,8}[:=]["'\\\s]{0,8}([A-Za-z0-9_-]{16,})(?![\w-])/g)) {
    const stop = from + match.index + match[0].length;
    const start = stop - (match[1]?.length ?? 0);
    // Code that writes such a key uses the same names: `"d": to_base64url_uint(number)`.
    if (isUnlikeWords(text, start, stop)) scan.add(FORMAT_IDS.jwk, start, stop);
  }
}

/**
 * Finds the private parameters of a key in XML (RFC 4050, XML Signature). The name of its element is from `at` up to
 * `end`.
 */
export function findXmlKey(scan: Scan, at: number, end: number): void {
  const { text } = scan;
  if (at < scan.readUntil(FORMAT_IDS.xml)) return;
  const rest = text.slice(end, end + LONGEST_KEY);
  const close = rest.search(/KeyValue|RSAParameters/);
  const to = end + (close < 0 ? rest.length : close);
  scan.readTo(FORMAT_IDS.xml, to);
  if (/^(?:&|\\+u003|%3)/i.test(rest)) return noteSpan(scan, at, to + 1);
  for (const match of text
    .slice(end, to)
    .matchAll(/<(?:P|Q|DP|DQ|InverseQ|D|X)>\s{0,80}([A-Za-z0-9+/=\s]{16,})(?=<)/g)) {
    const start = end + match.index + match[0].length - (match[1]?.length ?? 0);
    scan.add(FORMAT_IDS.xml, start, start + (match[1]?.trimEnd().length ?? 0));
  }
}
