import type { AuditEntry } from "./entry.ts";
import { auditFolder, auditMonths, monthFile, monthOf } from "./files.ts";
import { parseEntry } from "./parse-entry.ts";
import { type Block, lineNumberAt, readBlocks, visitLines } from "./read-blocks.ts";

export interface AuditQuery {
  /** Milliseconds since 1970; entries at this time are included. */
  since?: number | undefined;
  /** Milliseconds since 1970; entries at this time are not included. */
  until?: number | undefined;
  /**
   * Texts that the JSON of an entry must contain, such as `"decision":"deny"`; of a list, one of them. Lines without them
   * are not parsed, which makes a long log fast to search.
   */
  contains?: readonly (string | readonly string[])[];
  accepts?: (entry: AuditEntry) => boolean;
  /** Default: `oldest` first. */
  order?: "oldest" | "newest";
  /** Receives the lines that are not entries. They are skipped. */
  onProblem?: (problem: AuditProblem) => void;
}

/** A line of the log that is not an entry. */
export interface AuditProblem {
  file: string;
  /** Counted from 1. */
  line: number;
  message: string;
}

/**
 * Reads the entries of the audit log of a data directory; none if there is no log. Holds about a mebibyte at a time.
 * Throws a `UserError` if a file cannot be read.
 */
export function* auditEntries(dataDir: string, query: AuditQuery = {}): Generator<AuditEntry> {
  for (const { entry } of auditLines(dataDir, query)) yield entry;
}

/** An entry and its line, without the line end. */
export interface AuditLine {
  entry: AuditEntry;
  text: string;
}

/** {@link auditEntries} with the line of each entry. */
export function* auditLines(dataDir: string, query: AuditQuery = {}): Generator<AuditLine> {
  const select = lineFilter(query);
  for (const { file, ...block } of auditBlocks(dataDir, query)) {
    if (endsBefore(block.bytes, query.since)) continue;
    const lines = linesIn(file, block, select, query);
    yield* query.order === "newest" ? lines.reverse() : lines;
  }
}

/** Reads the files of the months that a query wants, in its order. */
export function* auditBlocks(dataDir: string, query: AuditQuery): Generator<Block & { file: string }> {
  const folder = auditFolder(dataDir);
  const months = auditMonths(folder).filter((month) => isInRange(month, query));
  for (const month of query.order === "newest" ? months.toReversed() : months) {
    const file = monthFile(folder, month);
    for (const block of readBlocks(file, query.order ? { order: query.order } : {})) yield { file, ...block };
  }
}

/** How far lines may be out of order where a clock was set back a little. */
const BLOCK_SLACK_MS = 60 * 60 * 1000;

/** True for a block whose last line is older than a query wants. */
export function endsBefore(bytes: Buffer, since: number | undefined): boolean {
  if (since === undefined) return false;
  const start = bytes.subarray(0, -1).lastIndexOf(0x0a) + 1;
  const time = timeOf(bytes, start, bytes.length);
  return time !== undefined && time < new Date(since - BLOCK_SLACK_MS).toISOString();
}

/** A clock that is set back leaves lines of the last days of a month in the file of the next. */
const MONTH_SLACK_MS = 24 * 60 * 60 * 1000;

function isInRange(month: string, { since, until }: AuditQuery): boolean {
  const isAfter = since === undefined || month >= monthOf(new Date(since));
  return isAfter && (until === undefined || month <= monthOf(new Date(until + MONTH_SLACK_MS)));
}

/** Returns the entries of a block that a query wants, oldest first. */
export function linesIn(file: string, { bytes, offset }: Block, select: LineFilter, query: AuditQuery): AuditLine[] {
  const lines: AuditLine[] = [];
  const report = (start: number, message: string) =>
    query.onProblem?.({ file, line: lineNumberAt(file, offset + start), message });
  visitLines(bytes, (start, end) => {
    if (looksWhole(bytes, start, end) && !select(bytes, start, end)) return;
    const text = bytes.toString("utf8", start, end);
    const entry = parseEntry(text);
    if (typeof entry === "string") report(start, entry);
    else if (isWanted(entry, query)) lines.push({ entry, text });
  });
  return lines;
}

function isWanted(entry: AuditEntry, { since = -Infinity, until = Infinity, accepts }: AuditQuery): boolean {
  const time = Date.parse(entry.time);
  return time >= since && time < until && accepts?.(entry) !== false;
}

function looksWhole(bytes: Buffer, start: number, end: number): boolean {
  return bytes[start] === 0x7b && bytes[end - 1] === 0x7d; // { and }
}

/** True for a line that may be wanted. It ends before `end`. */
export type LineFilter = (bytes: Buffer, start: number, end: number) => boolean;

/** `{"v":1,"time":"2026-11-23T01:10:23.123Z"`: where the time is in the lines that hooksh writes. */
const TIME_START = '{"v":1,"time":"'.length;
const TIME_LENGTH = "2026-11-23T01:10:23.123Z".length;
const TIME_KEY = Buffer.from('"time":"');

/** Returns a filter that knows most lines that a query does not want by their bytes. */
export function lineFilter({ since, until, contains = [] }: AuditQuery): LineFilter {
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : new Date(time).toISOString()));
  const needles = contains.map((texts) => [texts].flat().map((text) => new Needle(Buffer.from(text))));
  return (bytes, start, end) => {
    if (!needles.every((texts) => texts.some((needle) => needle.isIn(bytes, start, end)))) return false;
    if (from === undefined && to === undefined) return true;
    const time = timeOf(bytes, start, end);
    return time === undefined || ((from === undefined || time >= from) && (to === undefined || time < to));
  };
}

/** Returns the time of a line; undefined if it must be parsed to tell. */
function timeOf(bytes: Buffer, start: number, end: number): string | undefined {
  const at = start + TIME_START;
  if (at + TIME_LENGTH > end || bytes.compare(TIME_KEY, 0, TIME_KEY.length, at - TIME_KEY.length, at) !== 0)
    return undefined;
  return bytes.toString("latin1", at, at + TIME_LENGTH);
}

/** Finds a text in the lines of a block. Searches each block once, although most lines do not have the text. */
class Needle {
  readonly #needle: Buffer;
  #bytes: Buffer | undefined;
  #next = -1;

  constructor(needle: Buffer) {
    this.#needle = needle;
  }

  /** Lines must come in the order of their block. */
  isIn(bytes: Buffer, start: number, end: number): boolean {
    if (bytes !== this.#bytes || this.#next < start) {
      this.#bytes = bytes;
      this.#next = bytes.indexOf(this.#needle, start);
      if (this.#next < 0) this.#next = Number.POSITIVE_INFINITY;
    }
    return this.#next + this.#needle.length <= end;
  }
}
