import { CLASSES, holds } from "./classes.ts";

/** An escape: where it ends in the source, and the text it encodes. */
export interface Escape {
  end: number;
  text: string;
}

const BACKSLASH = 0x5c;
const ESC = 0x1b;

/** How to read a text. */
export interface Mode {
  /** An equals sign at the end of a line joins it with the next one: the text is quoted-printable, RFC 2045. */
  readonly isMail: boolean;
}

type Read = (text: string, at: number, mode: Mode) => Escape | undefined;

/** The reader of the escapes that begin with a character. Each takes time linear in the length of the escape. */
const READERS: Readonly<Record<string, Read>> = {
  "\\": readBackslash,
  "&": readEntity,
  "%": readPercent,
  "=": readQuotedPrintable,
  "\u001b": readColour,
  "<": readBreak,
  "|": readBlockHeader,
  ">": readBlockHeader,
  "\u00ad": readInvisible,
  "\u200b": readInvisible,
  "\u200c": readInvisible,
  "\u200d": readInvisible,
  "\u2060": readInvisible,
  "\ufeff": readInvisible,
};

const IN_ASCII = Array.from({ length: 128 }, (_, code) => READERS[String.fromCharCode(code)]);

/** Invisible characters, such as those that mark where a long word may break. */
export const INVISIBLE = ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"] as const;

/**
 * The escape that begins at `at`; undefined without one. Nested escapes count as one (`\\\"` is a quote, `%253D` and
 * `&amp;#61;` are equals signs), and so does a run of backslashes before an ordinary letter, which encodes itself.
 * Colour codes, invisible characters and line continuations encode the empty text.
 */
export function readEscape(text: string, at: number, mode: Mode): Escape | undefined {
  const code = text.charCodeAt(at);
  if (code < 128) return IN_ASCII[code]?.(text, at, mode);
  return code === 0xad || code >= 0x200b ? READERS[text.charAt(at)]?.(text, at, mode) : undefined;
}

/** True if an escape may begin with the character that has this code. */
export function mayBeginEscape(code: number): boolean {
  return code < 128 ? IN_ASCII[code] !== undefined : code === 0xad || code >= 0x200b;
}

const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" };

function readBackslash(text: string, at: number): Escape {
  let letter = at + 1;
  while (text.charCodeAt(letter) === BACKSLASH) letter++;
  const [digits = ""] = /^(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|033|e(?=\[))/.exec(text.slice(letter, letter + 5)) ?? [];
  if (digits !== "") return readCode(text, letter, digits);
  const first = text.charAt(letter);
  if (first === "\n" || first === "\r") return { end: lineStart(text, letter), text: "" };
  const short = LETTERS[first];
  if (short !== undefined) return { end: letter + 1, text: short };
  if (/^[!-/:-@[-`{-~]$/.test(first)) return { end: letter + 1, text: first };
  return { end: letter, text: text.slice(at, letter) };
}

/** A character by its number. If it is the ESC of a colour code, the escape covers the whole code. */
function readCode(text: string, at: number, digits: string): Escape {
  const end = at + digits.length;
  const code = /^[ux]/.test(digits) ? Number.parseInt(digits.slice(1), 16) : ESC;
  const colour = code === ESC ? colourEnd(text, end) : undefined;
  return colour === undefined ? { end, text: String.fromCharCode(code) } : { end: colour, text: "" };
}

/** Where the text of the next line begins: after the line end at `at` and the indentation that follows. */
function lineStart(text: string, at: number): number {
  let end = at;
  while (end - at < LONGEST_INDENT && " \t\r\n".includes(text.charAt(end)) && end < text.length) end++;
  return end;
}

const LONGEST_INDENT = 80;

function readColour(text: string, at: number): Escape | undefined {
  const end = colourEnd(text, at + 1);
  return end === undefined ? undefined : { end, text: "" };
}

/** The end of the colour code whose bracket is at `at`; undefined if there is no such code. */
export function colourEnd(text: string, at: number): number | undefined {
  const [codes] = /^\[[0-9;:]{0,24}[mK]/.exec(text.slice(at, at + 26)) ?? [];
  return codes === undefined ? undefined : at + codes.length;
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  nbsp: " ",
  Tab: "\t",
  NewLine: "\n",
  equals: "=",
  plus: "+",
  sol: "/",
  bsol: "\\",
  colon: ":",
  semi: ";",
  comma: ",",
  period: ".",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  commat: "@",
  percnt: "%",
  dollar: "$",
  num: "#",
  excl: "!",
  quest: "?",
  lpar: "(",
  rpar: ")",
  lsqb: "[",
  lbrack: "[",
  rsqb: "]",
  rbrack: "]",
  lcub: "{",
  lbrace: "{",
  rcub: "}",
  rbrace: "}",
  verbar: "|",
  vert: "|",
  grave: "`",
  tilde: "~",
  Hat: "^",
  ast: "*",
  shy: "",
  ZeroWidthSpace: "",
};

const LONGEST_ENTITY = 16;

function readEntity(text: string, at: number): Escape | undefined {
  let from = at + 1;
  while (text.startsWith("amp;", from)) from += 4;
  let end = from;
  while (end - from < LONGEST_ENTITY && text.charCodeAt(end) !== 0x3b && text.charCodeAt(end) > 0x20) end++;
  const decoded = text.charCodeAt(end) === 0x3b ? entityText(text.slice(from, end)) : undefined;
  if (decoded !== undefined) return { end: end + 1, text: decoded };
  return from > at + 1 ? { end: from, text: "&" } : undefined;
}

/** The character of an entity, given without its `&` and `;`. */
function entityText(entity: string): string | undefined {
  if (!entity.startsWith("#")) return Object.hasOwn(ENTITIES, entity) ? ENTITIES[entity] : undefined;
  if (!/^#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6})$/.test(entity)) return undefined;
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number.parseInt(entity.slice(1), 10);
  return code <= 0x10ffff ? visible(String.fromCodePoint(code)) : undefined;
}

function visible(character: string): string {
  return character < "\u00ad" ? character : INVISIBLE.some((each) => each === character) ? "" : character;
}

function readPercent(text: string, at: number): Escape | undefined {
  let from = at + 1;
  while (text.startsWith("25", from)) from += 2;
  const isHex = holds(CLASSES.hex, text.charCodeAt(from)) && holds(CLASSES.hex, text.charCodeAt(from + 1));
  const code = isHex ? Number.parseInt(text.slice(from, from + 2), 16) : 0;
  const isText = (code >= 0x20 && code < 0x7f) || code === 0x09 || code === 0x0a || code === 0x0d;
  if (isText) return { end: from + 2, text: String.fromCharCode(code) };
  return from > at + 1 ? { end: from, text: "%" } : undefined;
}

function readQuotedPrintable(text: string, at: number, mode: Mode): Escape | undefined {
  if (!"30\r\n".includes(text.charAt(at + 1))) return undefined;
  const [, sign, soft] = /^=(?:(3D|0A|0D)|(\r?\n))/.exec(text.slice(at, at + 3)) ?? [];
  if (sign !== undefined) return { end: at + 3, text: sign === "3D" ? "=" : sign === "0A" ? "\n" : "\r" };
  return soft !== undefined && mode.isMail ? { end: at + 1 + soft.length, text: "" } : undefined;
}

function readBreak(text: string, at: number): Escape | undefined {
  if (!"bBwW".includes(text.charAt(at + 1))) return undefined;
  const [tag] = /^<w?br ?\/?>/i.exec(text.slice(at, at + 7)) ?? [];
  return tag === undefined ? undefined : { end: at + tag.length, text: /^<w/i.test(tag) ? "" : "\n" };
}

/** The head of a multi-line value in YAML, such as `|` or `>-`, with the line end and the indentation after it. */
function readBlockHeader(text: string, at: number): Escape | undefined {
  if (text.charAt(at - 1) !== ":" && !text.startsWith(": ", at - 2)) return undefined;
  const [header] = /^[|>][-+0-9]{0,2}[ \t\r]{0,8}\n[ \t\r\n]{1,80}/.exec(text.slice(at, at + 92)) ?? [];
  return header === undefined ? undefined : { end: at + header.length, text: "" };
}

function readInvisible(_text: string, at: number): Escape {
  return { end: at + 1, text: "" };
}
