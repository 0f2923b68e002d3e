import { TemplateError } from "./template-error.ts";

/** A word of an action. `spaced` is true if white space precedes it. */
export interface Token {
  kind: "field" | "dot" | "variable" | "word" | "string" | "number" | "|" | "(" | ")" | "," | ":=" | "=";
  /** The text as written; for a field, only its name. */
  text: string;
  /** The value of a string or a number. */
  value?: string | number;
  line: number;
  spaced: boolean;
}

/** A piece of a template: literal text with trim markers applied, or an action. Comments are removed. */
export type Piece = { kind: "text"; text: string } | { kind: "action"; tokens: Token[]; line: number };

interface Cursor {
  readonly source: string;
  at: number;
  line: number;
}

const SPACE = /\s*/y;
const CLOSE = /(?:(\s+-)|\s*)\}\}/y;
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const SIGN = /:=|[|(),=]/y;

/** Splits a template into pieces. Throws a {@link TemplateError}. */
export function cutPieces(source: string): Piece[] {
  const pieces: Piece[] = [];
  const cursor: Cursor = { source, at: 0, line: 1 };
  let trimStart = false;
  for (;;) {
    const open = source.indexOf("{{", cursor.at);
    const text = source.slice(cursor.at, open < 0 ? source.length : open);
    const trimEnd = open >= 0 && /^-\s/.test(source.slice(open + 2, open + 4));
    pushText(pieces, text, trimStart, trimEnd);
    if (open < 0) return pieces;
    advance(cursor, open + 2 + (trimEnd ? 1 : 0));
    const { line } = cursor;
    const comment = takeComment(cursor);
    const tokens = comment ? [] : takeTokens(cursor);
    trimStart = takeClose(cursor, line);
    if (!comment) pieces.push({ kind: "action", tokens, line });
  }
}

function pushText(pieces: Piece[], text: string, trimStart: boolean, trimEnd: boolean): void {
  const start = trimStart ? text.trimStart() : text;
  const trimmed = trimEnd ? start.trimEnd() : start;
  if (trimmed !== "") pieces.push({ kind: "text", text: trimmed });
}

function advance(cursor: Cursor, to: number): void {
  for (let at = cursor.source.indexOf("\n", cursor.at); at >= 0 && at < to; at = cursor.source.indexOf("\n", at + 1)) {
    cursor.line++;
  }
  cursor.at = to;
}

/** Reads a comment, which must be the only content of its action. */
function takeComment(cursor: Cursor): boolean {
  const { source, at, line } = cursor;
  const start = /\s*\/\*/y;
  start.lastIndex = at;
  const found = start.exec(source);
  if (!found) return false;
  const end = source.indexOf("*/", start.lastIndex);
  if (end < 0) throw new TemplateError("unclosed comment", line);
  advance(cursor, end + 2);
  return true;
}

/** Reads the end of an action. Returns true if it trims the text after it. */
function takeClose(cursor: Cursor, line: number): boolean {
  CLOSE.lastIndex = cursor.at;
  const found = CLOSE.exec(cursor.source);
  if (!found) throw new TemplateError("unclosed action", line);
  advance(cursor, cursor.at + found[0].length);
  return found[1] !== undefined;
}

function takeTokens(cursor: Cursor): Token[] {
  const { line } = cursor;
  const tokens: Token[] = [];
  while (!isNext(cursor, CLOSE)) {
    const before = cursor.at;
    take(cursor, SPACE);
    if (cursor.at >= cursor.source.length) throw new TemplateError("unclosed action", line);
    tokens.push({ ...takeToken(cursor), spaced: cursor.at > before && /\s/.test(cursor.source[before] ?? "") });
  }
  return tokens;
}

function isNext(cursor: Cursor, expression: RegExp): boolean {
  expression.lastIndex = cursor.at;
  return expression.test(cursor.source);
}

function take(cursor: Cursor, expression: RegExp): string | undefined {
  expression.lastIndex = cursor.at;
  const found = expression.exec(cursor.source)?.[0];
  if (found !== undefined) advance(cursor, cursor.at + found.length);
  return found;
}

function takeToken(cursor: Cursor): Omit<Token, "spaced"> {
  const { line, source } = cursor;
  const char = source[cursor.at] ?? "";
  if (char === '"' || char === "`" || char === "'") return takeQuoted(cursor, char);
  if (char === "$") {
    advance(cursor, cursor.at + 1);
    return { kind: "variable", text: `$${take(cursor, NAME) ?? ""}`, line };
  }
  const number = take(cursor, NUMBER);
  if (number !== undefined) return { kind: "number", text: number, value: parseNumber(cursor, number), line };
  if (char === ".") {
    advance(cursor, cursor.at + 1);
    const name = take(cursor, NAME);
    return name === undefined ? { kind: "dot", text: ".", line } : { kind: "field", text: name, line };
  }
  const sign = take(cursor, SIGN);
  if (sign !== undefined) return { kind: sign as ":=", text: sign, line };
  const word = take(cursor, NAME);
  if (word === undefined) throw new TemplateError(`unexpected ${JSON.stringify(char)} in action`, line);
  return { kind: "word", text: word, line };
}

/** A leading zero makes a number octal. */
function parseNumber(cursor: Cursor, text: string): number {
  const digits = text.replaceAll("_", "").replace(/^[+-]/, "");
  const value = Number(/^0\d+$/.test(digits) ? `0o${digits}` : digits);
  if (Number.isNaN(value) || isNext(cursor, /[\p{L}\p{Nd}_.]/uy)) {
    throw new TemplateError(`bad number ${JSON.stringify(text)}`, cursor.line);
  }
  return text.startsWith("-") ? -value : value;
}

function takeQuoted(cursor: Cursor, quote: string): Omit<Token, "spaced"> {
  const { source, line, at } = cursor;
  let end = at + 1;
  while (end < source.length && source[end] !== quote && (quote === "`" || source[end] !== "\n")) {
    end += quote !== "`" && source[end] === "\\" ? 2 : 1;
  }
  if (source[end] !== quote) throw new TemplateError("unterminated quoted string", line);
  const inner = source.slice(at + 1, end);
  advance(cursor, end + 1);
  const text = source.slice(at, end + 1);
  if (quote === "`") return { kind: "string", text, value: inner.replaceAll("\r", ""), line };
  const value = unquote(inner);
  if (value === undefined) throw new TemplateError(`invalid escape in ${text}`, line);
  if (quote === '"') return { kind: "string", text, value, line };
  if (Array.from(value).length !== 1) throw new TemplateError(`${text} is not one character`, line);
  return { kind: "number", text, value: value.codePointAt(0) ?? 0, line };
}

/** The control characters of escapes such as \n. */
const CONTROLS: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]?))/g;

/** Returns the value of a quoted string without its quotes; undefined if it contains an unknown escape. */
function unquote(inner: string): string | undefined {
  let valid = true;
  const text = inner.replace(ESCAPE, (_all, ...groups: (string | undefined)[]) => {
    const [byte, short, long, octal, char] = groups;
    const hex = byte ?? short ?? long;
    const code = octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const plain = char !== undefined && `\\"'`.includes(char) ? char : CONTROLS[char ?? ""];
    if (!plain) valid = false;
    return plain ?? "";
  });
  return valid ? text : undefined;
}
