import { auditFolder, auditMonths, monthFile, monthOf } from "./files.ts";
import { readBlocks } from "./read-blocks.ts";
import { LineScanner, type ScannedEntry, toLatin1 } from "./scan-line.ts";

/** Which entries to scan. */
export interface ScanQuery {
  /** Milliseconds since 1970; entries at this time are included. */
  since?: number | undefined;
  session?: string | undefined;
  agent?: string | undefined;
  /** The agent that called hooksh. */
  host?: string | undefined;
  signal?: AbortSignal;
}

/** The number of lines that were entries of the query, and of those that were not. */
export interface ScanCounts {
  entries: number;
  /** With a session, agent or host, only those that name it. */
  unreadable: number;
}

/** Lines of a log may be out of order by as much as a dispatch takes, or a clock is set back. */
const SLACK_MS = 60 * 60 * 1000;

/** Number of blocks after which the event loop gets a turn, so that a signal can end the scan. */
const BLOCKS_PER_TURN = 64;

/**
 * Calls `visit` with the figures of each entry of the audit log, oldest first. Holds about a mebibyte at a time, and
 * takes about a second for a million entries. Throws a `UserError` if a file cannot be read.
 */
export async function scanEntries(
  dataDir: string,
  query: ScanQuery,
  visit: (entry: ScannedEntry) => void,
): Promise<ScanCounts> {
  const folder = auditFolder(dataDir);
  const counts = { entries: 0, unreadable: 0 };
  const scan = lineScanner(query, counts, visit);
  let blocks = 0;
  for (const month of auditMonths(folder).filter((month) => isInRange(month, query.since))) {
    for (const { bytes } of readBlocks(monthFile(folder, month))) {
      if (++blocks % BLOCKS_PER_TURN === 0) await new Promise(setImmediate);
      query.signal?.throwIfAborted();
      const text = bytes.toString("latin1");
      if (query.since === undefined || !endsBefore(text, query.since - SLACK_MS)) forEachLine(text, scan);
    }
  }
  return counts;
}

function isInRange(month: string, since: number | undefined): boolean {
  return since === undefined || month >= monthOf(new Date(since));
}

function endsBefore(block: string, time: number): boolean {
  const last = block.lastIndexOf('{"v":1,"time":"');
  return last >= 0 && block.slice(last + TIME_AT, last + TIME_AT + TIME_LENGTH) < new Date(time).toISOString();
}

const TIME_AT = '{"v":1,"time":"'.length;
const TIME_LENGTH = "2026-11-23T01:10:23.123Z".length;

function forEachLine(block: string, visit: (line: string) => void): void {
  for (let start = 0; start < block.length; ) {
    const found = block.indexOf("\n", start);
    const end = found < 0 ? block.length : found;
    visit(block.slice(start, end));
    start = end + 1;
  }
}

function lineScanner(
  { since, session, agent, host }: ScanQuery,
  counts: ScanCounts,
  visit: (entry: ScannedEntry) => void,
): (line: string) => void {
  const from = since === undefined ? "" : new Date(since).toISOString();
  const fields = Object.entries({ session, agent, host }).flatMap(([key, value]) =>
    value === undefined ? [] : [toLatin1(`,"${key}":${JSON.stringify(value)},`)],
  );
  const scanner = new LineScanner();
  return (line) => {
    if (!fields.every((field) => isInHead(line, field))) return;
    const entry = scanner.scan(line);
    if (!entry) counts.unreadable++;
    else if (entry.time >= from) {
      counts.entries++;
      visit(entry);
    }
  };
}

/** True if a field is among those before the hooks; a payload may hold the same text. */
function isInHead(line: string, field: string): boolean {
  const at = line.indexOf(field);
  return at >= 0 && at < line.indexOf(',"hooks":[');
}
