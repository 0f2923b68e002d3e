import { PatternError } from "./pattern-syntax.ts";

/**
 * The flags at a position of a pattern. Greediness (`U`) is ignored: it cannot change whether the whole text matches.
 */
export interface Flags {
  /** `i`: ignore case. */
  fold: boolean;
  /** `s`: `.` matches a newline too. On by default, so that a name with a newline cannot bypass `.*`. */
  dotAll: boolean;
  /** `m`: `^` and `$` match at the start and end of each line. */
  lines: boolean;
}

/** The text of a pattern and the reading position. */
export interface Reader {
  readonly text: string;
  /** Where the last `:]` starts, -1 if there is none: without it each `[:` would be searched to the end of the text. */
  readonly lastPosixEnd: number;
  at: number;
  flags: Flags;
}

/** The next code point, without reading it; undefined at the end. */
export function peek(reader: Reader): number | undefined {
  return reader.text.codePointAt(reader.at);
}

/** Reads one code point. At the end of the text it throws a {@link PatternError} with the given reason. */
export function take(reader: Reader, reason: string, offset: number): number {
  const code = peek(reader);
  if (code === undefined) throw new PatternError(reason, offset);
  reader.at += code > 0xffff ? 2 : 1;
  return code;
}

/** Reads the given text if it is next. */
export function takeText(reader: Reader, text: string): boolean {
  if (!reader.text.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

/** Reads the match of a sticky expression at the reading position. */
export function takeMatch(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at;
  const match = expression.exec(reader.text) ?? undefined;
  if (match) reader.at += match[0].length;
  return match;
}
