/** What a scan answers instead of a position when it meets something it does not claim to understand. */
export const UNSURE = -1;

/** A mapping key and the position after its colon. */
export interface ScannedKey {
  name: string;
  end: number;
}

const PLAIN_KEY = /(?:[A-Za-z_][\w./@+-]*|0|[1-9]\d{0,14}):(?=[ \n]|$)/y;

/** Words that are not text, in the spellings of any YAML version. */
const WORD = /^(?:null|true|false)$/i;

/** How a plain value may begin: with no indicator, and with a dash only before something. */
const PLAIN_START = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`~=<]|-[^\s-])/;

const MAYBE_NUMBER = /^[-+.\d]/;
const CERTAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})$|^-?(?:0|[1-9]\d{0,6})\.\d{1,6}$/;

/** A letter or sign that no spelling of a number, a time or a date holds. */
const NOT_A_NUMBER = /[GHJ-MPQRSUVWYghj-mp-suvwy/ @$()&%*,;!?"'|\\]/;

/** The position of the first character at or after `at` that is not a space. */
export function skipSpaces(text: string, at: number): number {
  let position = at;
  while (text.charCodeAt(position) === 32) position++;
  return position;
}

/** The start of the line after the one that holds `at`. */
export function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** The start of the next line when nothing but spaces and a comment is left of this one. */
export function restOfLine(text: string, at: number): number {
  if (at === UNSURE) return UNSURE;
  const end = skipSpaces(text, at);
  const char = text[end];
  if (char === undefined || char === "\n" || (char === "#" && end > at)) return nextLine(text, end);
  return UNSURE;
}

/** The position after a quoted scalar that ends on its line and holds only the escapes of JSON. */
export function quotedEnd(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\n") return UNSURE;
    if (char === quote) {
      if (quote === '"' || text[at + 1] !== "'") return at + 1;
      at++;
    } else if (char === "\\" && quote === '"') {
      const length = escapeLength(text, at + 1);
      if (length === 0) return UNSURE;
      at += length;
    }
  }
  return UNSURE;
}

/** How many characters an escape has after its backslash; 0 for one that parsers may read differently. */
function escapeLength(text: string, at: number): number {
  const char = text[at] ?? "";
  if (char !== "u") return char !== "" && '"\\/bfnrt'.includes(char) ? 1 : 0;
  return /^u(?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2})$/.test(text.slice(at, at + 5)) ? 5 : 0;
}

/** The key that stands at a position of a block mapping, or undefined when none stands there for certain. */
export function keyAt(text: string, at: number): ScannedKey | undefined {
  const char = text[at];
  if (char === '"' || char === "'") {
    const end = quotedEnd(text, at);
    const next = text[end + 1];
    if (end === UNSURE || text[end] !== ":" || !(next === " " || next === "\n" || next === undefined)) return undefined;
    return certainKey(unquote(text.slice(at, end)), end + 1);
  }
  PLAIN_KEY.lastIndex = at;
  const match = PLAIN_KEY.exec(text);
  return match ? certainPlainKey(match[0].slice(0, -1), at + match[0].length) : undefined;
}

/** As {@link certainKey}, for a key without quotes: it must not be a word that stands for another value. */
export function certainPlainKey(name: string, end: number): ScannedKey | undefined {
  return isWord(name) ? undefined : certainKey(name, end);
}

/** Merge keys and what a JavaScript object treats in its own way are not certain, however they are written. */
export function certainKey(name: string, end: number): ScannedKey | undefined {
  return name === "<<" || name === "__proto__" ? undefined : { name, end };
}

/** The text of a quoted scalar that {@link quotedEnd} accepts. */
export function unquote(quoted: string): string {
  return quoted.startsWith('"') ? String(JSON.parse(quoted)) : quoted.slice(1, -1).replaceAll("''", "'");
}

/** True for the text of a plain scalar that every parser reads as the same value. */
export function isCertainScalar(text: string): boolean {
  if (!PLAIN_START.test(text) || text.includes(": ") || text.endsWith(":")) return false;
  if (text < ":" && MAYBE_NUMBER.test(text)) return CERTAIN_NUMBER.test(text) || NOT_A_NUMBER.test(text);
  return !isWord(text) || text === text.toLowerCase();
}

function isWord(text: string): boolean {
  return text.length <= 5 && WORD.test(text);
}
