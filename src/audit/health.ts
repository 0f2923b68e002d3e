import { accessSync, constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { errorText, UserError } from "../lib/errors.ts";
import { isMissing } from "../lib/files/paths.ts";
import { AUDIT_LOG_NOT_WRITTEN } from "./append.ts";
import { digestOf } from "./entry.ts";
import { auditFolder, auditMonths, monthFile } from "./files.ts";
import { parseEntry } from "./parse-entry.ts";
import { readBlocks, visitLines } from "./read-blocks.ts";

/** The state of the audit log, as far as its last lines show. */
export interface AuditHealth {
  path: string;
  files: number;
  bytes: number;
  /** The time of the last entry. */
  last?: string;
  problems: readonly string[];
}

/**
 * Checks whether the audit log of a data directory can be written, and whether its last line continues the one before
 * it. Reads the end of the log only; `hooksh audit verify` checks all of it. Writes nothing.
 */
export function auditHealth(dataDir: string): AuditHealth {
  const path = auditFolder(dataDir);
  const health = { path, files: 0, bytes: 0 };
  try {
    const files = auditMonths(path).map((month) => monthFile(path, month));
    const bytes = files.reduce((sum, file) => sum + lstatSync(file).size, 0);
    const writing = writeProblem(path, files.at(-1));
    const { last, problem } = checkTail(files);
    const problems = [writing, problem].filter((text) => text !== undefined);
    return { path, files: files.length, bytes, ...(last === undefined ? {} : { last }), problems };
  } catch (error) {
    if (error instanceof UserError) return { ...health, problems: [`the audit log is unreadable: ${error.message}`] };
    throw error;
  }
}

/** Why the next line could not be written; undefined if it could. */
function writeProblem(folder: string, newest: string | undefined): string | undefined {
  const path = isMissing(folder) ? firstExisting(dirname(folder)) : folder;
  try {
    if (!lstatSync(path).isDirectory()) return `cannot write the audit log: ${path} is not a directory`;
    accessSync(path, constants.W_OK | constants.X_OK);
    if (newest === undefined) return undefined;
    if (!lstatSync(newest).isFile()) return `cannot write the audit log: ${newest} is not a regular file`;
    accessSync(newest, constants.W_OK);
    return undefined;
  } catch (error) {
    return `cannot write the audit log: ${errorText(error)}`;
  }
}

writeProblem.help = AUDIT_LOG_NOT_WRITTEN;

function firstExisting(path: string): string {
  return isMissing(path) ? firstExisting(dirname(path)) : path;
}

interface Line {
  file: string;
  bytes: Buffer;
}

function checkTail(files: readonly string[]): { last?: string; problem?: string } {
  const [line, before] = lastLines(files);
  if (!line) return {};
  const entry = parseEntry(line.bytes.toString());
  const where = `${line.file}: the last line of the audit log`;
  if (typeof entry === "string") return { problem: `${where} is not an entry: ${entry}` };
  const { time, prev } = entry;
  // Without a line before it, the first line may follow one of a file that was removed.
  if (!before || prev === digestOf(before.bytes)) return { last: time };
  return { last: time, problem: `${where} does not continue the line before it: run hooksh audit verify` };
}

/** The last two lines of the log, the last first. */
function lastLines(files: readonly string[]): Line[] {
  const lines: Line[] = [];
  for (const file of files.toReversed()) {
    for (const { bytes } of readBlocks(file, { order: "newest" })) {
      const found: Line[] = [];
      visitLines(bytes, (start, end) => {
        if (end > start) found.push({ file, bytes: Buffer.from(bytes.subarray(start, end)) });
        if (found.length > 2) found.shift();
      });
      lines.push(...found.reverse());
      if (lines.length >= 2) return lines;
    }
  }
  return lines;
}
