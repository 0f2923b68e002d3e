import { type CharSet, foldedChar, makeSet, takeClass, takeClassEscape } from "./character-sets.ts";
import {
  type Flags,
  PatternError,
  peek,
  type Reader,
  take,
  takeEscape,
  takeMatch,
  takeText,
} from "./pattern-reader.ts";

/** A condition on a position between two characters. */
export type Assertion = "text_start" | "text_end" | "line_start" | "line_end" | "word_edge" | "no_word_edge";

/** A parsed pattern. `max` is `Infinity` for an open repetition. */
export type Node =
  | { kind: "char"; code: number }
  | { kind: "set"; set: CharSet }
  | { kind: "assert"; what: Assertion }
  | { kind: "sequence"; parts: readonly Node[] }
  | { kind: "choice"; options: readonly Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number };

/** Maximum repetitions by counts; nested counts multiply. */
const MAX_REPEAT = 1000;
/** Maximum nesting of groups. */
const MAX_DEPTH = 500;

const NEWLINE = 0x0a;
const EMPTY: Node = { kind: "sequence", parts: [] };

/** Syntax of other dialects that RE2 does not support, with the message for each. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["(?=", "look-ahead is not supported"],
  ["(?!", "look-ahead is not supported"],
  ["(?<=", "look-behind is not supported"],
  ["(?<!", "look-behind is not supported"],
  ["(?>", "atomic groups are not supported"],
  ["(?P=", "back-references are not supported"],
  ["(?#", "comments are not supported"],
  ["(?(", "conditional groups are not supported"],
];

/** Parses a pattern. Throws a {@link PatternError}. */
export function parsePattern(text: string): Node {
  const flags = { fold: false, dotAll: true, lines: false };
  const reader: Reader = { text, lastPosixEnd: text.lastIndexOf(":]"), names: new Set(), at: 0, flags, depth: 0 };
  const node = takeChoice(reader);
  if (reader.at < text.length) throw new PatternError("unexpected )", reader.at);
  return node;
}

function takeChoice(reader: Reader): Node {
  const options = [takeSequence(reader)];
  while (takeText(reader, "|")) options.push(takeSequence(reader));
  const [only] = options;
  return only && options.length === 1 ? only : { kind: "choice", options };
}

function takeSequence(reader: Reader): Node {
  const parts: Node[] = [];
  for (let char = reader.text[reader.at]; char !== undefined && !"|)".includes(char); char = reader.text[reader.at]) {
    if (char === "(" && takeFlags(reader, FLAGS)) continue;
    const count = "*+?{".includes(char) ? takeCount(reader) : undefined;
    if (count) {
      const node = parts.pop();
      if (!node) throw new PatternError("missing argument to repetition operator", count.offset);
      parts.push(repeat(node, count));
      refuseSecondCount(reader);
    } else {
      parts.push(...takeItems(reader));
    }
  }
  return { kind: "sequence", parts };
}

function takeItems(reader: Reader): readonly Node[] {
  if (reader.text[reader.at] === "(") return [takeGroup(reader)];
  if (!takeText(reader, "\\Q")) return [takeItem(reader)];
  const quoted = takeMatch(reader, /([^]*?)(?:\\E|$)/y)?.[1] ?? "";
  return Array.from(quoted, (char) => literal(char.codePointAt(0) ?? 0, reader.flags));
}

function takeItem(reader: Reader): Node {
  const { dotAll, lines } = reader.flags;
  switch (reader.text[reader.at]) {
    case "[":
      return { kind: "set", set: takeClass(reader) };
    case ".":
      reader.at++;
      return { kind: "set", set: makeSet([{ ranges: dotAll ? [] : [NEWLINE, NEWLINE] }], { negated: true }) };
    case "^":
      reader.at++;
      return { kind: "assert", what: lines ? "line_start" : "text_start" };
    case "$":
      reader.at++;
      return { kind: "assert", what: lines ? "line_end" : "text_end" };
    case "\\":
      return takeBackslash(reader);
    default:
      return literal(take(reader, "unexpected end", reader.at), reader.flags);
  }
}

const ESCAPED_ASSERTIONS: Record<string, Assertion> = {
  A: "text_start",
  z: "text_end",
  b: "word_edge",
  B: "no_word_edge",
};

function takeBackslash(reader: Reader): Node {
  const what = ESCAPED_ASSERTIONS[reader.text[reader.at + 1] ?? ""];
  if (what) {
    reader.at += 2;
    return { kind: "assert", what };
  }
  const item = takeClassEscape(reader);
  if (item) return { kind: "set", set: makeSet([item], { fold: reader.flags.fold }) };
  return literal(takeEscape(reader), reader.flags);
}

function literal(code: number, flags: Flags): Node {
  return flags.fold ? { kind: "set", set: foldedChar(code) } : { kind: "char", code };
}

/** Reads a group; the next character is its `(`. Flags set inside a group end with it. */
function takeGroup(reader: Reader): Node {
  const offset = reader.at;
  if (reader.depth >= MAX_DEPTH) throw new PatternError("groups nest too deeply", offset);
  const refused = REFUSED.find(([start]) => reader.text.startsWith(start, offset));
  if (refused) throw new PatternError(refused[1], offset);
  const outer = reader.flags;
  if (!takeFlags(reader, SCOPED_FLAGS) && !takeName(reader)) {
    reader.at++;
    if (peek(reader) === 0x3f) throw new PatternError("invalid group syntax", offset);
  }
  reader.depth++;
  const node = takeChoice(reader);
  reader.depth--;
  if (!takeText(reader, ")")) throw new PatternError("missing closing )", offset);
  reader.flags = outer;
  return node;
}

function takeName(reader: Reader): boolean {
  const offset = reader.at;
  const name = takeMatch(reader, /\(\?P?<([A-Za-z0-9_]+)>/y)?.[1];
  if (name === undefined) return false;
  if (reader.names.has(name)) throw new PatternError("duplicate group name", offset);
  reader.names.add(name);
  return true;
}

/** `(?i)`, which applies to the rest of its group. */
const FLAGS = /\(\?([imsU]*)(?:-([imsU]+))?\)/y;
/** The start of `(?:...)` or `(?i:...)`. */
const SCOPED_FLAGS = /\(\?([imsU]*)(?:-([imsU]+))?:/y;

function takeFlags(reader: Reader, expression: RegExp): boolean {
  const found = takeMatch(reader, expression);
  if (!found) return false;
  reader.flags = changed(reader.flags, found[1] ?? "", found[2] ?? "");
  return true;
}

function changed(flags: Flags, on: string, off: string): Flags {
  const value = (letter: string, before: boolean): boolean => (before || on.includes(letter)) && !off.includes(letter);
  return { fold: value("i", flags.fold), dotAll: value("s", flags.dotAll), lines: value("m", flags.lines) };
}

interface Count {
  min: number;
  max: number;
  /** True if it is written in braces, so that the limit applies. */
  counted: boolean;
  offset: number;
}

/** Reads a repetition. A lazy mark is ignored, because it cannot change whether the whole text matches. */
function takeCount(reader: Reader): Count | undefined {
  const offset = reader.at;
  // Braces such as `{` and `{,2}` are ordinary text.
  const found = takeMatch(reader, /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y);
  if (!found) return undefined;
  const sign = found[1];
  const counted = sign === undefined;
  if (!counted) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity, counted, offset };
  const min = Number(found[2]);
  const max = found[3] === undefined ? min : found[4] === "" ? Infinity : Number(found[4]);
  if (max < min || min > MAX_REPEAT || (max > MAX_REPEAT && max !== Infinity)) {
    throw new PatternError("invalid repeat count", offset);
  }
  return { min, max, counted, offset };
}

function refuseSecondCount(reader: Reader): void {
  const offset = reader.at;
  if (takeCount(reader)) throw new PatternError("invalid nested repetition operator", offset);
}

function repeat(node: Node, count: Count): Node {
  const { min, max, counted, offset } = count;
  if (counted && copies(node) * Math.max(1, times(min, max)) > MAX_REPEAT) {
    throw new PatternError("invalid repeat count", offset);
  }
  return max === 0 ? EMPTY : { kind: "repeat", node, min, max };
}

function times(min: number, max: number): number {
  return max === Infinity ? min : max;
}

/** The number of copies of the innermost part of a node. */
function copies(node: Node): number {
  switch (node.kind) {
    case "repeat":
      return Math.max(1, times(node.min, node.max)) * copies(node.node);
    case "sequence":
      return Math.max(1, ...node.parts.map(copies));
    case "choice":
      return Math.max(1, ...node.options.map(copies));
    default:
      return 1;
  }
}
