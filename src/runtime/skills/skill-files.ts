import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "../../lib/errors.ts";
import { readFileInside, UnreadableFileError } from "../../lib/files/read-file.ts";

/** The file with the instructions of a skill. */
export const SKILL_FILE = "SKILL.md";

const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 200;
const MAX_DEPTH = 5;

/**
 * Reads a text file of a skill. Throws a {@link UserError} if the path leads out of the skill's folder, through `..` or
 * a link, or if it is not a regular text file of at most 1 MiB.
 */
export function readSkillFile(folder: string, path: string): string {
  const shown = JSON.stringify(path);
  if (path === "" || isAbsolute(path) || path.split(/[\\/]/).includes("..")) {
    throw new UserError(`${shown} is not a path inside the skill`);
  }
  const text = readText(folder, path, shown);
  if (text.includes("\0")) throw new UserError(`${shown} is not a text file`);
  return text;
}

function readText(folder: string, path: string, shown: string): string {
  try {
    return readFileInside(folder, join(folder, path), { limit: MAX_BYTES }).toString("utf8");
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    if (error.kind === "missing") throw new UserError(`The skill has no file ${shown}`, { cause: error });
    throw new UserError(`${shown}: ${error.reason}`, { cause: error });
  }
}

/** Returns the files of a skill besides its `SKILL.md`, sorted, without hidden files and links. */
export function listFiles(folder: string): string[] {
  const found: string[] = [];
  collect(folder, "", found, 0);
  return found.filter((path) => path !== SKILL_FILE).sort();
}

function collect(folder: string, below: string, found: string[], depth: number): void {
  for (const entry of entriesOf(join(folder, below))) {
    const path = below === "" ? entry : `${below}/${entry}`;
    const stats = statsOf(join(folder, path));
    if (found.length >= MAX_FILES) return;
    if (stats?.isFile()) found.push(path);
    else if (stats?.isDirectory() && depth < MAX_DEPTH) collect(folder, path, found, depth + 1);
  }
}

/** Returns the names in a folder that are not hidden, sorted; none if the folder cannot be read. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch {
    return []; // missing or unreadable: it holds no usable skill either
  }
}

/** Returns the file status of a path without following links; undefined if it is missing or inaccessible. */
export function statsOf(path: string, look: typeof lstatSync = lstatSync): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined; // missing, a link to itself, or in a folder without search permission
  }
}

/** True for a folder or a link to one. Never throws. */
export function isFolder(path: string): boolean {
  return statsOf(path, statSync)?.isDirectory() ?? false;
}
