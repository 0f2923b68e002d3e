import { CLASSES, holds, type CharacterClass } from "./classes.ts";
import type { Scan } from "./scan.ts";

/** What the frame of every private key contains. */
export const KEY_ANCHOR = "PRIVATE KEY";

/** The kinds of framed keys. */
export const KEY_IDS = { pem: "private-key", pgp: "pgp-private-key", cut: "cut-private-key" } as const;

const LONGEST_LABEL = 40;
/** What else than base64 stands between the fences: line ends, raw or escaped, headers, quotes of source code. */
const FILLING = " \t\r\n\\\"'`,.:;()>|@_-";
const SPACE = " \t\r\n";
const BACKSLASH = 0x5c;
/** So many base64 characters in a row are key material, whatever stands around them. */
const MATERIAL = 16;

const BODY: CharacterClass = (() => {
  const table = CLASSES.b64pad.slice();
  for (const character of FILLING) table[character.charCodeAt(0)] = 1;
  return table;
})();

/** Finds the body of the key whose first frame line has `PRIVATE KEY` at `at`; the frame stays. */
export function findPrivateKey(scan: Scan, at: number): void {
  const { text } = scan;
  const label = text.slice(Math.max(0, at - LONGEST_LABEL), at);
  const begin = label.lastIndexOf("BEGIN");
  if (begin < 0 || !/^BEGIN[ A-Z0-9_-]*$/.test(label.slice(begin)) || !/-{4,5}\s?$/.test(label.slice(0, begin))) return;
  const start = frameEnd(text, at + KEY_ANCHOR.length);
  if (start === undefined) return;
  const end = bodyEnd(text, start);
  if (/^\s?END/.test(text.slice(end, end + 12).replace(/^-+/, ""))) {
    const id = label.includes("PGP") ? KEY_IDS.pgp : KEY_IDS.pem;
    const [from, to] = trim(text, start, end);
    if (isMaterial(text, from, to)) scan.add(id, from, to);
  } else {
    const [from, to] = cutBody(text, start, end);
    if (to > from) scan.add(KEY_IDS.cut, from, to);
  }
}

/** The end of the first frame line, after its closing dashes. */
function frameEnd(text: string, at: number): number | undefined {
  const close = /^(?: BLOCK)?\s?-{4,5}/.exec(text.slice(at, at + 16));
  return close ? at + close[0].length : undefined;
}

/** Where the body ends: at the next fence, or at a character that no body holds. */
function bodyEnd(text: string, start: number): number {
  let at = start;
  while (holds(BODY, text.charCodeAt(at)) && !text.startsWith("----", at)) at++;
  return at;
}

/** The body without the line ends, raw or escaped, and the indentation around it. */
function trim(text: string, start: number, end: number): [number, number] {
  let from = start;
  let to = end;
  while (from < to && blankAt(text, from) > 0) from += blankAt(text, from);
  while (to > from && blankBefore(text, to) > 0) to -= blankBefore(text, to);
  return [Math.min(from, to), to];
}

/** How many characters of white space stand at `at`; an escaped line end counts with all its backslashes. */
function blankAt(text: string, at: number): number {
  if (isSpace(text, at)) return 1;
  let end = at;
  while (text.charCodeAt(end) === BACKSLASH) end++;
  return end > at && isEscapeLetter(text, end) ? end + 1 - at : 0;
}

/** The same for the white space that ends at `at`. */
function blankBefore(text: string, at: number): number {
  if (isSpace(text, at - 1)) return 1;
  if (!isEscapeLetter(text, at - 1)) return 0;
  let start = at - 1;
  while (text.charCodeAt(start - 1) === BACKSLASH) start--;
  return start < at - 1 ? at - start : 0;
}

function isSpace(text: string, at: number): boolean {
  return at < text.length && SPACE.includes(text.charAt(at));
}

function isEscapeLetter(text: string, at: number): boolean {
  return at < text.length && "nrt".includes(text.charAt(at));
}

/** True when a whole body is a key: nothing but base64 and line ends, or a long piece of base64 among other things. */
function isMaterial(text: string, start: number, end: number): boolean {
  let run = 0;
  let isPlain = end - start >= 2;
  for (let at = start; at < end; at++) {
    if (holds(CLASSES.b64pad, text.charCodeAt(at))) {
      run++;
      if (run >= MATERIAL) return true;
    } else {
      run = 0;
      const blank = blankAt(text, at);
      if (blank === 0) isPlain = false;
      else at += blank - 1;
    }
  }
  return isPlain;
}

/** The lines of key material that follow a frame whose end is missing, as when only the head of a file was read. */
function cutBody(text: string, start: number, end: number): [number, number] {
  let [from] = trim(text, start, end);
  const first = from;
  let to = from;
  for (;;) {
    let stop = from;
    while (stop < end && holds(CLASSES.b64pad, text.charCodeAt(stop))) stop++;
    if (stop - from < MATERIAL) return [first, to];
    to = stop;
    from = stop;
    while (from < end && blankAt(text, from) > 0) from += blankAt(text, from);
    if (from === stop) return [first, to];
  }
}
