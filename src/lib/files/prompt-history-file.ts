import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { readRegularFileSync } from "./read-file.ts";

const LIMIT = 64 * 1024 * 1024;

/**
 * Returns the file in the data directory that holds the lines sent at the prompt. An earlier version kept them in `history`,
 * which is the folder of what sessions have done: such a file is moved.
 */
export function promptHistoryFile(dataDirectory: string): string {
  const path = join(dataDirectory, "prompt-history");
  const former = join(dataDirectory, "history");
  try {
    if (!existsSync(path) && holdsPrompts(former)) renameSync(former, path);
  } catch {
    // there is none, or it stays where it is
  }
  return path;
}

/** True for a file that begins with a text in JSON, as every line of a prompt is stored. */
function holdsPrompts(path: string): boolean {
  const first = readRegularFileSync(path, { limit: LIMIT }).toString("utf8").split("\n", 1)[0] ?? "";
  return typeof JSON.parse(first) === "string";
}
