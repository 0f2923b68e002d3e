import { constants, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { UserError } from "../../lib/errors.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 200;
const MAX_DEPTH = 5;

/**
 * The text of a file in a folder. Throws a {@link UserError} for a path that leads out of the folder, through `..` or a
 * link, for what is no file, no text or larger than 1 MiB.
 */
export async function readInside(folder: string, path: string): Promise<string> {
  const shown = JSON.stringify(path);
  if (path === "" || isAbsolute(path) || path.split(/[\\/]/).includes("..")) {
    throw new UserError(`${shown} is not a path inside the skill`);
  }
  const target = await realpath(join(folder, path)).catch(() => undefined);
  if (target === undefined) throw new UserError(`The skill has no file ${shown}`);
  if (!isInside(realpathSync(folder), target)) throw new UserError(`${shown} leads out of the skill`);
  // Opened without waiting: a pipe in the folder must not hold the run.
  const file = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UserError(`${shown} is not a file`);
    if (stats.size > MAX_BYTES) throw new UserError(`${shown} is larger than ${MAX_BYTES} bytes`);
    const text = await file.readFile("utf8");
    if (text.includes("\0")) throw new UserError(`${shown} is not a text`);
    return text;
  } finally {
    await file.close();
  }
}

/** The files of a skill beside its `SKILL.md`, sorted; hidden ones and links are left out. */
export function listFiles(folder: string): string[] {
  const found: string[] = [];
  collect(folder, "", found, 0);
  return found.filter((path) => path !== "SKILL.md").sort();
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

/** The names in a folder that are not hidden, sorted; none when it cannot be read. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith(".")).sort();
  } catch {
    return []; // not there, or not ours to read: then it holds no skill either
  }
}

/** What is at a path, links not followed; undefined when nothing is, or when it cannot be looked at. */
export function statsOf(path: string, look: typeof lstatSync = lstatSync): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined; // not there, a link that leads to itself, or in a folder that is not ours to search
  }
}

/** True for a folder, also behind a link. Never throws. */
export function isFolder(path: string): boolean {
  return statsOf(path, statSync)?.isDirectory() ?? false;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
