import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promptHistoryFile } from "../../lib/files/prompt-history-file.ts";
import { UnreadableFileError } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { MOST_AGE_MS } from "./timeline.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates the folder of the store in the data directory, if it is missing, and returns its path. Throws if it cannot. */
export function openStoreFolder(data: string): string {
  const folder = join(data, "history");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isObject(error) || (error["code"] !== "EEXIST" && error["code"] !== "ENOTDIR")) throw error;
    promptHistoryFile(data);
    if (existsSync(folder)) throw new UnreadableFileError(folder, "is not a folder");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return folder;
}

/**
 * Writes a file whose content never changes, unless it is there. A file in use is marked as new once a day, so that it is
 * not removed.
 */
export function writeOnce(folder: string, name: string, content: string): void {
  const path = join(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) {
    const now = new Date();
    if (now.getTime() - found.mtimeMs > DAY_MS) utimesSync(path, now, now);
    return;
  }
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600, flag: "wx" });
  renameSync(temporary, path);
}

/** Files that belong to sessions may be needed a little longer than these: they are marked only once a day. */
const IDLE_MS = MOST_AGE_MS + 2 * DAY_MS;

/** Removes what no session has used for 30 days. Never throws. */
export function removeIdle(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) {
      if (name === "lock") continue;
      const path = join(folder, name);
      const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
      if (age > (name.endsWith(".jsonl") ? MOST_AGE_MS : IDLE_MS)) rmSync(path, { force: true });
    }
  } catch {
    // what stays is removed another time
  }
}
