import { flowEnd } from "./scan-flow.ts";
import { isCertainScalar, keyAt, nextLine, quotedEnd, restOfLine, skipSpaces, UNSURE } from "./scan-scalar.ts";

/** A block collection that contains the current line. */
interface Level {
  kind: "mapping" | "sequence";
  indent: number;
  keys: Set<string>;
  /** True if the last entry has no value yet, so that the next, deeper line may start one. */
  pending: boolean;
}

/** Characters that YAML parsers treat differently: tabs, control characters, line separators, byte-order marks. */
const AMBIGUOUS = /[\u0000-\u0009\u000B-\u001F\u007F-\u00A0\u2028\u2029\uFEFF\uFFFE\uFFFF]/;

/** Deeper documents are left to the parser with the better error messages. */
const MAX_DEPTH = 100;

/**
 * True if a YAML or JSON text certainly is one document without repeated keys and without constructs that YAML
 * parsers read differently. False means that this is not certain. Takes linear time and constant stack;
 * docs/design/decisions.md#own-yaml-scanner says why it exists.
 */
export function hasNoRepeatedKeys(source: string): boolean {
  const text = source.replaceAll("\r\n", "\n");
  if (AMBIGUOUS.test(text) || !text.isWellFormed()) return false;
  const levels: Level[] = [];
  let at = 0;
  let started = false;
  while (at < text.length) {
    const start = skipSpaces(text, at);
    const char = text[start];
    if (char === undefined) break;
    if (char === "\n" || char === "#") {
      at = nextLine(text, start);
      continue;
    }
    if (start === at && (text.startsWith("---", at) || text.startsWith("...", at))) return false;
    if (!started && (char === "{" || char === "[")) at = restOfLine(text, flowEnd(text, start, -1));
    else at = readLine(text, at, start, levels, started);
    if (at === UNSURE) return false;
    started = true;
  }
  return started;
}

/** Reads the line whose content starts at `start`, with all lines of its value. Returns the start of the next line. */
function readLine(text: string, lineStart: number, start: number, levels: Level[], started: boolean): number {
  const indent = start - lineStart;
  const dash = isDash(text, start);
  while (levels.length > 0 && isLeft(levels[levels.length - 1], indent, dash)) levels.pop();
  const level = levels[levels.length - 1];
  if (!level ? started : belongsBelow(level, indent, dash) && !level.pending) return UNSURE;
  if (!level || belongsBelow(level, indent, dash)) open(levels, indent, dash);
  return levels.length > MAX_DEPTH ? UNSURE : readEntry(text, lineStart, start, levels);
}

function isLeft(level: Level | undefined, indent: number, dash: boolean): boolean {
  if (!level) return false;
  return level.indent > indent || (level.indent === indent && level.kind === "sequence" && !dash);
}

/** True for a deeper line, and for a dash directly below its key, because a sequence need not be indented. */
function belongsBelow(level: Level, indent: number, dash: boolean): boolean {
  return level.indent < indent || (level.kind === "mapping" && dash);
}

function open(levels: Level[], indent: number, dash: boolean): void {
  const parent = levels[levels.length - 1];
  if (parent) parent.pending = false;
  levels.push({ kind: dash ? "sequence" : "mapping", indent, keys: new Set(), pending: false });
}

/** Reads one entry. An entry that starts with another one (`- - a`, `- key: a`) opens a level at that column. */
function readEntry(text: string, lineStart: number, start: number, levels: Level[]): number {
  let at = start;
  for (;;) {
    const level = levels[levels.length - 1];
    if (!level || levels.length > MAX_DEPTH) return UNSURE;
    const after = level.kind === "sequence" ? at + 1 : afterKey(text, at, level.keys);
    if (after === UNSURE) return UNSURE;
    at = skipSpaces(text, after);
    const next = restOfLine(text, after);
    level.pending = next !== UNSURE;
    if (level.pending) return next;
    const dash = isDash(text, at);
    if (level.kind === "mapping" || !(dash || keyAt(text, at))) return readValue(text, at, level.indent);
    open(levels, at - lineStart, dash);
  }
}

/** Reads a key that its mapping does not have yet. Returns the position after its colon. */
function afterKey(text: string, at: number, keys: Set<string>): number {
  const key = keyAt(text, at);
  if (!key || keys.has(key.name)) return UNSURE;
  keys.add(key.name);
  return key.end;
}

/** Reads the value at `at` in a collection with this indent. Returns the start of the line after it. */
function readValue(text: string, at: number, indent: number): number {
  switch (text[at]) {
    case '"':
    case "'":
      return restOfLine(text, quotedEnd(text, at));
    case "[":
    case "{":
      return restOfLine(text, flowEnd(text, at, indent));
    case "|":
    case ">":
      return readBlockScalar(text, at, indent);
  }
  const newline = text.indexOf("\n", at);
  const line = text.slice(at, newline < 0 ? text.length : newline);
  const comment = line.indexOf(" #");
  if (!isCertainScalar((comment < 0 ? line : line.slice(0, comment)).trimEnd())) return UNSURE;
  return newline < 0 ? text.length : newline + 1;
}

/** Reads a block scalar without an indentation indicator, whose lines are at least as deep as its first one. */
function readBlockScalar(text: string, at: number, indent: number): number {
  const sign = text[at + 1];
  let line = restOfLine(text, sign === "-" || sign === "+" ? at + 2 : at + 1);
  let depth = 0;
  let blanks = 0;
  while (line !== UNSURE && line < text.length) {
    const start = skipSpaces(text, line);
    const char = text[start];
    if (char === undefined || char === "\n") {
      blanks = Math.max(blanks, start - line);
    } else {
      if (start - line <= indent) break;
      depth ||= start - line;
      if (start - line < depth) return UNSURE;
    }
    line = nextLine(text, start);
  }
  // Parsers disagree about an empty body, and about a blank line longer than the indentation.
  return depth > 0 && blanks <= depth ? line : UNSURE;
}

/** True if a dash starts an entry of a block sequence. */
function isDash(text: string, at: number): boolean {
  const next = text[at + 1];
  return text[at] === "-" && (next === " " || next === "\n" || next === undefined);
}
