import { type Help, UserError } from "../lib/errors.ts";

const INVALID_PATTERN: Help = {
  cause:
    "The pattern is not a valid RE2 expression, is too large, or uses look-around or a back-reference, which RE2 does not have. The offset counts from 0.",
  cure: "Close each `(` and `[`, and write `\\\\` for a backslash in a double-quoted YAML text, or use single quotes. A matcher matches whole tool names: `shell`, `write_file|edit_file`, `mcp__.*`. Instead of look-around, test the arguments in the hook.",
};

/** An invalid pattern. `offset` is the position of the error, in UTF-16 units; the message includes it. */
export class PatternError extends UserError {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at ${offset}`, { help: INVALID_PATTERN });
    this.name = "PatternError";
    this.offset = offset;
  }
}

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

/** The text of a pattern, the reading position, and what applies there. */
export interface Reader {
  readonly text: string;
  /** Where the last `:]` starts, -1 if there is none: without it each `[:` would be searched to the end of the text. */
  readonly lastPosixEnd: number;
  /** The names of all groups so far. */
  readonly names: Set<string>;
  at: number;
  flags: Flags;
  /** The number of open groups. */
  depth: number;
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

const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads an escaped character and returns its code point; the next character is the backslash. */
export function takeEscape(reader: Reader): number {
  const offset = reader.at;
  const octal = takeMatch(reader, /\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y);
  if (octal) return Number.parseInt(octal[1] ?? "", 8);
  const hex = takeMatch(reader, /\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y);
  if (hex) return checkedCode(Number.parseInt(hex[1] ?? hex[2] ?? "", 16), offset);
  reader.at++;
  const code = take(reader, "trailing backslash", offset);
  const char = String.fromCodePoint(code);
  const control = CONTROLS[char];
  if (control !== undefined) return control;
  if (/[1-9]|k/.test(char)) throw new PatternError("back-references are not supported", offset);
  if (code > 0x7f || /[A-Za-z0-9]/.test(char)) throw new PatternError(`invalid escape \\${char}`, offset);
  return code;
}

function checkedCode(code: number, offset: number): number {
  if (code > 0x10ffff) throw new PatternError("code point out of range", offset);
  return code;
}
