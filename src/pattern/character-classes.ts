import { takeEscape } from "./character-escapes.ts";
import type { Reader } from "./pattern-reader.ts";
import { peek, take, takeMatch, takeText } from "./pattern-reader.ts";
import { PatternError } from "./pattern-syntax.ts";
import type { CharSet, ClassItem } from "./sets.ts";
import { makeSet } from "./sets.ts";

const DIGIT = [0x30, 0x39];
const UPPER = [0x41, 0x5a];
const LOWER = [0x61, 0x7a];
const WORD = [...DIGIT, ...UPPER, ...LOWER, 0x5f, 0x5f];

/** `\s` has no vertical tab, unlike `[[:space:]]`. */
const PERL: Record<string, readonly number[]> = { d: DIGIT, w: WORD, s: [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20] };

const POSIX = new Map<string, readonly number[]>(
  Object.entries({
    alnum: [...DIGIT, ...UPPER, ...LOWER],
    alpha: [...UPPER, ...LOWER],
    ascii: [0x00, 0x7f],
    blank: [0x09, 0x09, 0x20, 0x20],
    cntrl: [0x00, 0x1f, 0x7f, 0x7f],
    digit: DIGIT,
    graph: [0x21, 0x7e],
    lower: LOWER,
    print: [0x20, 0x7e],
    punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
    space: [0x09, 0x0d, 0x20, 0x20],
    upper: UPPER,
    word: WORD,
    xdigit: [...DIGIT, 0x41, 0x46, 0x61, 0x66],
  }),
);

/** Reads a class escape such as `\d` or `\pL`, inside or outside brackets; undefined if the next text is not one. */
export function takeClassEscape(reader: Reader): ClassItem | undefined {
  const perl = takeMatch(reader, /\\([dwsDWS])/y)?.[1];
  if (perl !== undefined) return { ranges: PERL[perl.toLowerCase()] ?? [], negated: perl < "a" };
  const offset = reader.at;
  const start = takeMatch(reader, /\\([pP])/y)?.[1];
  if (start === undefined) return undefined;
  const name = takeMatch(reader, /\{(\^?)(\w+)\}|([A-Za-z])/y);
  const property = name && propertySource(name[2] ?? name[3] ?? "");
  if (!property) throw new PatternError("unknown Unicode class", offset);
  return { ranges: [], property, negated: (start === "P") !== (name[1] === "^") };
}

/** Reads a bracket expression; the next character is its `[`. */
export function takeClass(reader: Reader): CharSet {
  const offset = reader.at;
  reader.at++;
  const negated = takeText(reader, "^");
  const items: ClassItem[] = [];
  // A `]` directly after the opening bracket is an ordinary character.
  while (items.length === 0 || !takeText(reader, "]")) items.push(takeItem(reader, offset));
  return makeSet(items, { negated, fold: reader.flags.fold });
}

function takeItem(reader: Reader, offset: number): ClassItem {
  const posix = takePosix(reader) ?? takeClassEscape(reader);
  if (posix) return posix;
  const start = reader.at;
  const first = takeClassChar(reader, offset);
  if (reader.text[reader.at] !== "-" || reader.text[reader.at + 1] === "]" || reader.at + 1 >= reader.text.length) {
    return { ranges: [first, first] };
  }
  reader.at++;
  const last = takeClassChar(reader, offset);
  if (last < first) throw new PatternError("invalid character class range", start);
  return { ranges: [first, last] };
}

function takePosix(reader: Reader): ClassItem | undefined {
  const offset = reader.at;
  if (reader.lastPosixEnd < offset + 2) return undefined;
  // To the next ":]", whatever is between: "[:alph]a:]" is a misspelt class, as in the reference, and not two of them.
  const found = takeMatch(reader, /\[:(\^?)(.*?):\]/sy);
  if (!found) return undefined;
  const ranges = POSIX.get(found[2] ?? "");
  if (!ranges) throw new PatternError("unknown character class", offset);
  return { ranges, negated: found[1] === "^" };
}

function takeClassChar(reader: Reader, offset: number): number {
  if (peek(reader) === 0x5c) return takeEscape(reader);
  return take(reader, "missing closing ]", offset);
}

/** A general category or a script in JavaScript syntax; undefined for any other name, as in RE2. */
function propertySource(name: string): string | undefined {
  if (name === "Any") return "\\u{0}-\\u{10ffff}";
  return [`\\p{gc=${name}}`, `\\p{sc=${name}}`].find(isExpression);
}

function isExpression(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    // The name is unknown: the caller reports it.
    return false;
  }
}
