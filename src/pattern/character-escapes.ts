import type { Reader } from "./pattern-reader.ts";
import { take, takeMatch } from "./pattern-reader.ts";
import { PatternError } from "./pattern-syntax.ts";

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
