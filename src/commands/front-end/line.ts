import type { Key, KeyName } from "./key-reader.ts";

/** Text that is being edited, possibly several lines, and the position of the cursor. */
export interface Line {
  readonly text: string;
  /** Index in `text`, never inside a character. */
  readonly cursor: number;
}

/** An empty line. */
export const EMPTY_LINE: Line = { text: "", cursor: 0 };

/** Returns a line with the cursor at its end. */
export function lineOf(text: string): Line {
  return { text, cursor: text.length };
}

/** Returns the line after a key press. Returns the same object if the key does not edit. */
export function edit(line: Line, key: Key): Line {
  return key.kind === "control" ? (EDITS[key.name]?.(line) ?? line) : insert(line, key.text);
}

/** Inserts text at the cursor. */
export function insert({ text, cursor }: Line, added: string): Line {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** Moves the cursor to the row above or below. Returns undefined if there is none. */
export function moveRow({ text, cursor }: Line, by: -1 | 1): Line | undefined {
  const rows = text.split("\n");
  const before = text.slice(0, cursor).split("\n");
  const at = before.length - 1;
  const target = rows[at + by];
  if (target === undefined) return undefined;
  const start = rows.slice(0, at + by).join("\n").length + (at + by > 0 ? 1 : 0);
  const column = Math.min(before[at]?.length ?? 0, target.length);
  return { text, cursor: start + boundary(target, column) };
}

const EDITS: Partial<Record<KeyName, (line: Line) => Line>> = {
  backspace: (line) => cut(line, previous(line), line.cursor),
  delete: (line) => cut(line, line.cursor, next(line)),
  left: (line) => ({ ...line, cursor: previous(line) }),
  right: (line) => ({ ...line, cursor: next(line) }),
  home: (line) => ({ ...line, cursor: rowStart(line) }),
  end: (line) => ({ ...line, cursor: rowEnd(line) }),
  word_left: (line) => ({ ...line, cursor: wordStart(line) }),
  word_right: (line) => ({ ...line, cursor: wordEnd(line) }),
  kill_line: (line) => cut(line, rowStart(line), line.cursor),
  kill_end: (line) => cut(line, line.cursor, rowEnd(line)),
  kill_word: (line) => cut(line, wordStart(line), line.cursor),
};

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function cut({ text }: Line, from: number, to: number): Line {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function previous({ text, cursor }: Line): number {
  return Array.from(graphemes.segment(text.slice(0, cursor))).at(-1)?.index ?? 0;
}

function next({ text, cursor }: Line): number {
  const [first] = graphemes.segment(text.slice(cursor));
  return cursor + (first?.segment.length ?? 0);
}

/** Returns the last character boundary at or before a column. */
function boundary(row: string, column: number): number {
  const boundaries = Array.from(graphemes.segment(row), ({ index }) => index).concat(row.length);
  return boundaries.findLast((index) => index <= column) ?? 0;
}

function rowStart({ text, cursor }: Line): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function rowEnd({ text, cursor }: Line): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

function wordStart({ text, cursor }: Line): number {
  let at = cursor;
  while (at > 0 && /\s/.test(text[at - 1] ?? "")) at--;
  while (at > 0 && !/\s/.test(text[at - 1] ?? "")) at--;
  return at;
}

function wordEnd({ text, cursor }: Line): number {
  let at = cursor;
  while (at < text.length && /\s/.test(text[at] ?? "")) at++;
  while (at < text.length && !/\s/.test(text[at] ?? "")) at++;
  return at;
}
