import { PatternError } from "./pattern-syntax.ts";

/** The flags in force at a place of a pattern. Greediness (`U`) is forgotten: it cannot change a whole match. */
export interface Flags {
  /** `i`: case does not count. */
  fold: boolean;
  /** `s`: `.` is a newline too. On from the start: a name with a newline must not slip past `.*`. */
  dotAll: boolean;
  /** `m`: `^` and `$` hold at the edges of lines. */
  lines: boolean;
}

/** A pattern's text and how far it was read. */
export interface Reader {
  readonly text: string;
  at: number;
  flags: Flags;
}

/** The code point at the reading place, without taking it; undefined at the end. */
export function peek(reader: Reader): number | undefined {
  return reader.text.codePointAt(reader.at);
}

/** Takes one code point. At the end it throws with the given reason. */
export function take(reader: Reader, reason: string, offset: number): number {
  const code = peek(reader);
  if (code === undefined) throw new PatternError(reason, offset);
  reader.at += code > 0xffff ? 2 : 1;
  return code;
}

/** Takes a text if it stands next. */
export function takeText(reader: Reader, text: string): boolean {
  if (!reader.text.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

/** Takes what a sticky expression finds next. */
export function takeMatch(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at;
  const match = expression.exec(reader.text) ?? undefined;
  if (match) reader.at += match[0].length;
  return match;
}
