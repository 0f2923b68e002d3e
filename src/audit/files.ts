import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isMissing } from "../lib/files/paths.ts";
import { UnreadableFileError, unreadableFileError } from "../lib/files/read-file.ts";

/** A longer line is not one of hooksh's. Its last bytes, as many as this, represent it in blocks and in the chain. */
export const MOST_LINE_BYTES = 16 * 1024 * 1024;

export function auditFolder(dataDir: string): string {
  return join(dataDir, "audit");
}

/** Returns the month of a time in UTC: `2026-11`. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

export function monthFile(folder: string, month: string): string {
  return join(folder, `${month}.jsonl`);
}

/** Returns the month that a file is named after; undefined for any other file. */
function monthOfFile(path: string): string | undefined {
  return /^(\d{4}-(?:0[1-9]|1[0-2]))\.jsonl$/.exec(basename(path))?.[1];
}

/** Returns the months that have a file, oldest first; empty if there is no folder. Throws a `UserError` if it is unreadable. */
export function auditMonths(folder: string): string[] {
  try {
    if (isMissing(folder)) return [];
    return readdirSync(folder)
      .map(monthOfFile)
      .filter((month) => month !== undefined)
      .sort();
  } catch (error) {
    throw unreadableFileError(folder, error);
  }
}

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a writer.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export interface OpenFile {
  descriptor: number;
  /** Its size in bytes when it was opened. */
  size: number;
}

/** Opens a file of the log, calls `use` with it and closes it. Throws a `UserError` if it is unreadable or not a regular file. */
export function withOpenFile<T>(path: string, use: (file: OpenFile) => T): T {
  const file = openToRead(path);
  try {
    return use(file);
  } finally {
    closeSync(file.descriptor);
  }
}

/** Opens a file of the log. The caller closes it. Throws a `UserError` if it is unreadable or not a regular file. */
export function openToRead(path: string): OpenFile {
  try {
    const descriptor = openSync(path, READ);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return { descriptor, size: stats.size };
    closeSync(descriptor);
  } catch (error) {
    throw unreadableFileError(path, error);
  }
  throw new UnreadableFileError(path, "is not a regular file");
}
