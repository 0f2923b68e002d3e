import type { AuditEntry } from "./entry.ts";
import { parseEntry } from "./parse-entry.ts";
import { visitLines } from "./read-blocks.ts";
import { auditBlocks, endsBefore, lineFilter } from "./read-entries.ts";

export interface ScanQuery {
  /** Milliseconds since 1970; entries at this time are included. */
  since: number;
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

/** Number of blocks after which the event loop gets a turn, so that a signal can end the scan. */
const BLOCKS_PER_TURN = 16;

/**
 * Calls `visit` with each entry of the audit log that the query wants, oldest first. Unlike `auditEntries`, it can be
 * ended by a signal. Throws a `UserError` if a file cannot be read.
 */
export async function scanEntries(
  dataDir: string,
  { since, session, agent, host, signal }: ScanQuery,
  visit: (entry: AuditEntry) => void,
): Promise<ScanCounts> {
  const fields = Object.entries({ session, agent, host }).filter(([, value]) => value !== undefined);
  const select = lineFilter({ contains: fields.map(([key, value]) => `"${key}":${JSON.stringify(value)}`) });
  const from = new Date(since).toISOString();
  const isWanted = (entry: AuditEntry) =>
    entry.time >= from && fields.every(([key, value]) => entry[key as keyof AuditEntry] === value);
  const counts = { entries: 0, unreadable: 0 };
  let blocks = 0;
  for (const { bytes } of auditBlocks(dataDir, { since })) {
    if (++blocks % BLOCKS_PER_TURN === 0) await new Promise(setImmediate);
    signal?.throwIfAborted();
    if (endsBefore(bytes, since)) continue;
    visitLines(bytes, (start, end) => {
      if (!select(bytes, start, end)) return;
      const entry = parseEntry(bytes.toString("utf8", start, end));
      if (typeof entry === "string") counts.unreadable++;
      else if (isWanted(entry)) {
        counts.entries++;
        visit(entry);
      }
    });
  }
  return counts;
}
