import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../../lib/errors.ts";
import { promptHistoryFile } from "../../lib/files/prompt-history-file.ts";
import { sleepSync } from "../../lib/platform.ts";
import { tryLock } from "../../lib/process/descriptors.ts";

const LIMIT = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/** The lines that were sent at the prompt, in this process and in earlier ones. */
export interface History {
  /** Returns the entry `back` steps back, 1 being the newest; undefined beyond the oldest. */
  at(back: number): string | undefined;
  /** Adds a line, unless it equals the newest entry. Never throws. */
  add(line: string): void;
}

/**
 * Opens the history in a data directory: a file with one line of JSON per entry, newest last, that only the user can
 * read. If the file cannot be read or written, the history is kept in memory only.
 */
export function openHistory(dataDirectory: string, warn: (message: string) => void): History {
  const path = promptHistoryFile(dataDirectory);
  const entries = load(path);
  let isStored = true;
  return {
    at: (back) => (back > 0 ? entries.at(-back) : undefined),
    add: (line) => {
      if (line === entries.at(-1)) return;
      entries.push(line);
      if (entries.length > LIMIT) entries.shift();
      if (!isStored) return;
      try {
        append(path, line);
      } catch (error) {
        isStored = false;
        warn(`the history is not stored: ${errorText(error)}`);
      }
    },
  };
}

function append(path: string, line: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  withFile(path, (descriptor) => writeSync(descriptor, `${JSON.stringify(line)}\n`));
}

/** Returns the newest entries, and cuts a longer file to them. */
function load(path: string): string[] {
  if (!existsSync(path)) return [];
  try {
    return withFile(path, (descriptor, isLocked) => {
      const lines = readFileSync(descriptor, "utf8").split("\n").filter(Boolean);
      const newest = lines.slice(-LIMIT);
      if (lines.length > LIMIT && isLocked) shorten(path, newest);
      return newest.flatMap(entryOf);
    });
  } catch {
    return []; // it cannot be read; writing reports that
  }
}

function shorten(path: string, lines: readonly string[]): void {
  const temporary = `${path}.${process.pid}`;
  try {
    rmSync(temporary, { force: true });
    writeFileSync(temporary, lines.map((line) => `${line}\n`).join(""), { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    // the file stays too long; the next start tries again
  }
}

const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** How long to wait for another process, which holds the lock for a millisecond. */
const LOCK_WAIT_MS = 500;
const LOCK_PAUSE_MS = 5;

/**
 * Calls `task` with the file, open and locked; without the lock if another process keeps it, as one that is suspended
 * does. Throws if the file is not a regular one: the target of a symbolic link may belong to another program.
 */
function withFile<T>(path: string, task: (descriptor: number, isLocked: boolean) => T): T {
  for (const deadline = performance.now() + LOCK_WAIT_MS; ; sleepSync(LOCK_PAUSE_MS)) {
    const isLast = performance.now() >= deadline;
    const descriptor = openRegular(path);
    try {
      const isLocked = process.platform === "win32" || tryLock(descriptor);
      // Another process may have replaced the file between its opening and its locking.
      if (isLast || (isLocked && isStill(path, descriptor))) return task(descriptor, isLocked);
    } finally {
      closeSync(descriptor);
    }
  }
}

function openRegular(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(`${path} is a symbolic link, which hooksh does not follow here`);
  const descriptor = openSync(path, FLAGS, 0o600);
  try {
    const { size } = requireRegular(path, fstatSync(descriptor));
    if (size > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES} bytes`);
    fchmodSync(descriptor, 0o600);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function requireRegular(path: string, stats: Stats): Stats {
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  return stats;
}

function isStill(path: string, descriptor: number): boolean {
  const [named, open] = [statSync(path, { throwIfNoEntry: false }), fstatSync(descriptor)];
  return named !== undefined && named.ino === open.ino && named.dev === open.dev;
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return []; // a line that was only partly written
  }
}
