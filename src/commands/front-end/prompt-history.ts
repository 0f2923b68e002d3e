import { appendFileSync, chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText } from "../../lib/errors.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";

const LIMIT = 500;
const MAX_BYTES = 64 * 1024 * 1024;

/** What was sent at the prompt, in this process and before. */
export interface History {
  /** The entry so many steps back, 1 the newest; undefined beyond the first. */
  at(back: number): string | undefined;
  /** Remembers a line, unless it is the newest already. Never throws. */
  add(line: string): void;
}

/**
 * The history kept in a data directory: a line of JSON an entry, the newest last, for the user's eyes only. One that
 * cannot be read or written is kept in memory.
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

/** The newest entries; a file that holds more is cut to them. */
function load(path: string): string[] {
  let lines: string[];
  try {
    lines = readUserFileSync(path, { limit: MAX_BYTES }).toString("utf8").split("\n").filter(Boolean);
  } catch {
    return []; // none yet, or none that may be read: writing tells
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
    // It is too long for now: the next start tries again.
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return []; // a line that was cut off while it was written
  }
}
