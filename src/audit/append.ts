import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { errorText, type Help } from "../lib/errors.ts";
import { AUDIT_VERSION, type AuditEntry, digestOf, NO_LINE } from "./entry.ts";
import { auditMonths, MOST_LINE_BYTES, monthFile, monthOf } from "./files.ts";
import { whileLocked } from "./lock.ts";

export const AUDIT_LOG_NOT_WRITTEN: Help = {
  cause:
    "The file is not a regular file, the disk is full, or another process holds the lock. With `settings.audit: required`, calls are denied until it works.",
  cure: "Free space, or correct the permissions of the audit folder in the data directory.",
};

/** An entry without the fields that depend on its place in the log. */
export type NewEntry = Omit<AuditEntry, "v" | "time" | "prev">;

/** How long a writer waits for a line of another writer, which holds the lock for less than a millisecond. */
const LOCK_WAIT_MS = 10_000;

/**
 * Appends an entry to the audit log in a folder, and creates the folder if it is missing. Many processes may append at
 * once. If the lock is free, the line is written when this function returns. Throws if the line cannot be written.
 */
export function appendEntry(folder: string, entry: NewEntry, waitMs = LOCK_WAIT_MS): void | Promise<void> {
  const fields = JSON.stringify(entry).slice(1);
  const append = (lock: number) => appendLine(folder, lock, fields);
  try {
    return whileLocked(folder, waitMs, append);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return whileLocked(folder, waitMs, append);
  }
}

function appendLine(folder: string, lock: number, fields: string): void {
  const now = new Date();
  const current = monthToWrite(folder, lock, monthOf(now));
  withFile(monthFile(folder, current.month), WRITE_FLAGS, (descriptor, size) => {
    const last = size === 0 ? undefined : lastLine(descriptor, size);
    const prev = last === undefined ? lastDigest(folder, current.before()) : digestOf(last.bytes);
    const line = `{"v":${AUDIT_VERSION},"time":"${now.toISOString()}","prev":"${prev}",${fields}\n`;
    // A process that was killed while it wrote leaves a line without an end. It stays, as evidence.
    write(descriptor, size, last?.isWhole === false ? `\n${line}` : line);
  });
}

const MONTH_BYTES = "2026-11".length;

/**
 * Returns the month whose file gets the next line: this month's, or a later one if the clock was set back, because the
 * chain never returns to an older file. The lock's file holds the last month that was written.
 */
function monthToWrite(folder: string, lock: number, now: string): { month: string; before: () => readonly string[] } {
  const bytes = Buffer.alloc(MONTH_BYTES);
  readSync(lock, bytes, 0, MONTH_BYTES, 0);
  const before = (month: string) => auditMonths(folder).filter((other) => other < month);
  if (bytes.toString("latin1") === now) return { month: now, before: () => before(now) };
  const newest = auditMonths(folder).at(-1) ?? now;
  const month = newest > now ? newest : now;
  writeSync(lock, month, 0);
  return { month, before: () => before(month) };
}

/** Returns the digest of the last line of the newest file that has one. */
function lastDigest(folder: string, months: readonly string[]): string {
  for (const month of months.toReversed()) {
    const digest = withFile(monthFile(folder, month), READ_FLAGS, (descriptor, size) =>
      size > 0 ? digestOf(lastLine(descriptor, size).bytes) : undefined,
    );
    if (digest !== undefined) return digest;
  }
  return NO_LINE;
}

// Windows has neither O_NOFOLLOW nor O_NONBLOCK.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const WRITE_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of the log and passes on its descriptor and size. Throws, with `path`, unless it is a regular file; a
 * symbolic link is not followed, so that lines cannot end up in another file.
 */
function withFile<T>(path: string, flags: number, use: (descriptor: number, size: number) => T): T {
  const descriptor = openSync(path, flags, 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("is not a regular file");
    return use(descriptor, stats.size);
  } catch (error) {
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { path });
  } finally {
    closeSync(descriptor);
  }
}

const TAIL_BYTES = 4096;
const LINE_END = 0x0a;

/**
 * Returns the last line of a file that is not empty, without its line end, and whether it has one; of a line that is too
 * long to be one of hooksh's, its last {@link MOST_LINE_BYTES}.
 */
function lastLine(descriptor: number, size: number): { bytes: Buffer; isWhole: boolean } {
  for (let length = TAIL_BYTES; ; length = Math.min(length * 16, MOST_LINE_BYTES + 1)) {
    const start = Math.max(0, size - length);
    const bytes = readFrom(descriptor, start, size);
    const isWhole = bytes.at(-1) === LINE_END;
    const line = isWhole ? bytes.subarray(0, -1) : bytes;
    const cut = line.lastIndexOf(LINE_END);
    if (cut >= 0 || start === 0) return { bytes: line.subarray(cut + 1), isWhole };
    if (length > MOST_LINE_BYTES) return { bytes: line.subarray(-MOST_LINE_BYTES), isWhole };
  }
}

function readFrom(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, start + length);
    if (count === 0) throw new Error("was cut off while it was read");
    length += count;
  }
  return bytes;
}

/** Writes a whole line or nothing: a full disk must not leave half a line. */
function write(descriptor: number, size: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (written > 0) ftruncateSync(descriptor, size);
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: "is a symbolic link, which hooksh does not follow here",
  ENXIO: "is not a regular file",
  EISDIR: "is a directory",
  ENOTDIR: "a folder on the way is a file",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/** Returns why an entry could not be appended: `cannot write the audit log: PATH: REASON`. */
export function appendProblem(folder: string, error: unknown): string {
  const path = error instanceof Error && "path" in error ? String(error.path) : folder;
  const reason = REASONS[codeOf(error)] ?? errorText(error).replace(/^E[A-Z]+: |, [a-z]+\b.*$/g, "");
  return `cannot write the audit log: ${path}: ${reason}`;
}

appendProblem.help = AUDIT_LOG_NOT_WRITTEN;
