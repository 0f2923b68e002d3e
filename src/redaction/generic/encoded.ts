import { redactionMarkEndsAt } from "../../lib/secrets/redaction-mark.ts";
import { CLASSES } from "../classes.ts";
import { type Found, isMarkAt, type Scan } from "../scan.ts";

/** The shortest Base64 that is decoded. Looking at every 24th character finds every run of that length. */
const SHORTEST = 24;
/** The shortest line of Base64 that may continue on the next line. */
const SHORTEST_LINE = 60;
/** The number of decoded bytes that must be text. */
const SAMPLE = 64;

const CODES = CLASSES.b64;

/** The value of each character of Base64, 64 for all others. */
const SEXTETS = new Uint8Array(129).fill(64);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((character, value) => {
  SEXTETS[character.charCodeAt(0)] = value;
});

/** Base64 in a text, in one line or several. */
interface Block {
  start: number;
  end: number;
  lines: string[];
}

/**
 * Finds Base64 that decodes to text with a secret in it. All of it is redacted, because the rest could not be decoded.
 * Base64 whose first bytes are not text, such as images, is skipped at almost no cost.
 */
export function findEncoded(scan: Scan, find: (text: string) => readonly Found[]): void {
  const { text } = scan;
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (!isCode(text.charCodeAt(at)) || !(isCodeAlong(text, at, -3) || isCodeAlong(text, at, 3))) continue;
    let start = at;
    while (start > 0 && isCode(text.charCodeAt(start - 1))) start--;
    let end = at;
    while (isCode(text.charCodeAt(end))) end++;
    at = end - 1;
    if (text.charAt(start - 1) === "\\") start++; // The letter of an escape: `\n`.
    if (end - start < SHORTEST || !beginsText(text, start)) continue;
    const block = readBlock(text, start, end);
    at = Math.max(at, block.end - 1);
    const decoded = decode(block);
    if (decoded === undefined || isMarkAt(text, block.end) || redactionMarkEndsAt(text, start)) continue;
    const [first] = find(decoded);
    if (first) scan.add(first.kind, start, block.end);
  }
}

function isCode(code: number): boolean {
  return code < 128 && CODES[code] === 1;
}

/**
 * True if samples of the next twelve characters in one direction are Base64. In the shortest run one direction always
 * is.
 */
function isCodeAlong(text: string, at: number, step: number): boolean {
  for (let sample = 1; sample <= 4; sample++) if (!isCode(text.charCodeAt(at + sample * step))) return false;
  return true;
}

/** True if the first nine bytes are text. */
function beginsText(text: string, start: number): boolean {
  for (let at = start; at < start + 12; at += 4) {
    const bits =
      (sextet(text, at) << 18) | (sextet(text, at + 1) << 12) | (sextet(text, at + 2) << 6) | sextet(text, at + 3);
    if (!isTextByte(bits >> 16) || !isTextByte((bits >> 8) & 255) || !isTextByte(bits & 255)) return false;
  }
  return true;
}

function sextet(text: string, at: number): number {
  return SEXTETS[text.charCodeAt(at)] ?? 64;
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 10 || byte === 13 || byte === 9;
}

/** The Base64 that begins with this run, with the lines on which it continues. */
function readBlock(text: string, start: number, end: number): Block {
  const block: Block = { start, end, lines: [text.slice(start, end)] };
  const width = end - start;
  while (width >= SHORTEST_LINE && text.charAt(block.end) !== "=") {
    const next = /^(?:\r?\n|\\r\\n|\\n)[ \t]{0,32}/.exec(text.slice(block.end, block.end + 40))?.[0].length;
    if (next === undefined) break;
    const from = block.end + next;
    let to = from;
    while (to - from < width && isCode(text.charCodeAt(to))) to++;
    // A word below the Base64 is not part of it: the last line is shorter, and with its padding a multiple of four.
    const padding = text.startsWith("==", to) ? 2 : text.charAt(to) === "=" ? 1 : 0;
    if (to === from || (to - from + padding) % 4 !== 0 || isCode(text.charCodeAt(to)) || text.charAt(to) === ":") break;
    block.lines.push(text.slice(from, to));
    block.end = to;
    if (to - from < width) break;
  }
  for (let padding = 0; padding < 2 && text.charAt(block.end) === "="; padding++) block.end++;
  return block;
}

function decode({ lines }: Block): string | undefined {
  const bytes = Buffer.from(lines.join(""), "base64");
  for (const byte of bytes.subarray(0, SAMPLE)) if (!isTextByte(byte) && byte < 0x80) return undefined;
  return bytes.toString("utf8");
}
