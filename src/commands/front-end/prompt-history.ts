import { appendFileSync, chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText } from "../../lib/errors.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";

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
  const path = join(dataDirectory, "history");
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
  appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Returns the newest entries, and cuts a longer file to them. */
function load(path: string): string[] {
  let lines: string[];
  try {
    lines = readUserFileSync(path, { limit: MAX_BYTES }).toString("utf8").split("\n").filter(Boolean);
  } catch {
    return []; // there is no file yet, or it cannot be read; writing reports that
  }
  const newest = lines.slice(-LIMIT);
  if (lines.length > LIMIT) shorten(path, newest);
  return newest.flatMap(entryOf);
}

function shorten(path: string, lines: readonly string[]): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // the file stays too long; the next start tries again
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return []; // a line that was only partly written
  }
}
