/** Returned instead of a position if YAML parsers could read the text differently. */
export const UNSURE = -1;

/** A mapping key and the position after its colon. */
export interface ScannedKey {
  name: string;
  end: number;
}

const PLAIN_KEY = /(?:[A-Za-z_][\w./@+-]*|0|[1-9]\d{0,14}):(?=[ \n]|$)/y;

/** Plain words that are not strings. */
const WORDS: readonly string[] = ["null", "true", "false"];

/** The start of a plain value: not an indicator, and one or two dashes only before another character. */
const PLAIN_START = /^(?:[^\s\-?:,[\]{}#&*!|>'"%@`~=<]|-{1,2}[^\s-])/;

const MAYBE_NUMBER = /^[-+.\d]/;
const CERTAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})$|^-?(?:0|[1-9]\d{0,6})\.\d{1,6}$/;

/** A character that does not occur in any notation of a number, a time or a date. */
const NOT_A_NUMBER = /[GHJ-MPQRSUVWYghj-mp-suvwy/ @$()&%*,;!?"'|\\]/;

/** Returns the position of the first character at or after `at` that is not a space. */
export function skipSpaces(text: string, at: number): number {
  let position = at;
  while (text.charCodeAt(position) === 32) position++;
  return position;
}

/** Returns the start of the line after the one that contains `at`. */
export function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}

/** Returns the start of the next line if the rest of this one is only spaces and a comment. */
export function restOfLine(text: string, at: number): number {
  if (at === UNSURE) return UNSURE;
  const end = skipSpaces(text, at);
  const char = text[end];
  if (char === undefined || char === "\n" || (char === "#" && end > at)) return nextLine(text, end);
  return UNSURE;
}

/** Returns the position after a quoted scalar that ends on its line and has only JSON's escapes. */
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

/** Returns the length of an escape without its backslash; 0 for one that parsers read differently. */
function escapeLength(text: string, at: number): number {
  const char = text[at] ?? "";
  if (char !== "u") return char !== "" && '"\\/bfnrt'.includes(char) ? 1 : 0;
  return /^u(?:[0-9A-Ca-cE-Fe-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2})$/.test(text.slice(at, at + 5)) ? 5 : 0;
}

/** Returns the key at a position in a block mapping, or undefined if it is not certain that there is one. */
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

/** {@link certainKey} for a key without quotes, which must not be a word such as `true`. */
export function certainPlainKey(name: string, end: number): ScannedKey | undefined {
  return isWord(name) ? undefined : certainKey(name, end);
}

/** Returns undefined for merge keys and for `__proto__`, which JavaScript objects treat specially. */
export function certainKey(name: string, end: number): ScannedKey | undefined {
  return name === "<<" || name === "__proto__" ? undefined : { name, end };
}

/** Returns the text of a quoted scalar that {@link quotedEnd} accepts. */
export function unquote(quoted: string): string {
  return quoted.startsWith('"') ? String(JSON.parse(quoted)) : quoted.slice(1, -1).replaceAll("''", "'");
}

/** True if every parser reads a plain scalar as the same value. */
export function isCertainScalar(text: string): boolean {
  if (!PLAIN_START.test(text) || text.includes(": ") || text.endsWith(":")) return false;
  if (text < ":" && MAYBE_NUMBER.test(text)) return CERTAIN_NUMBER.test(text) || NOT_A_NUMBER.test(text);
  return !isWord(text) || text === text.toLowerCase();
}

function isWord(text: string): boolean {
  return text.length <= 5 && WORDS.includes(text.toLowerCase());
}
