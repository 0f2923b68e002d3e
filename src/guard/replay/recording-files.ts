import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { InputError } from "../../lib/errors.ts";
import { matchesGlob } from "../../lib/platform.ts";

/** The ends of the names of files that hold recorded events: lines, or one payload each. */
const ENDINGS = [".jsonl", ".json"];

/** The most files that one name may match. */
const MAX_FILES = 10_000;

const GLOB = /[*?[{]/;

/** A file of recorded events: the path to open, and its name in messages. */
export interface RecordingFile {
  path: string;
  file: string;
}

/** True for a word on the command line that names recordings: a folder, a glob, or a file with one of their endings. */
export function namesRecordings(word: string, cwd: string): boolean {
  if (ENDINGS.some((ending) => word.endsWith(ending)) || GLOB.test(word)) return true;
  return statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Returns the files that names match, relative to `cwd`: a file, every `.jsonl` and `.json` file in a folder, or
 * those that a glob such as `recordings/*.jsonl` matches; sorted, each once. Throws an {@link InputError} if a name
 * matches no file.
 */
export function findRecordings(names: readonly string[], cwd: string): RecordingFile[] {
  const found = new Map<string, RecordingFile>();
  for (const name of names) {
    for (const file of filesOf(name, cwd)) found.set(resolve(cwd, file), { path: resolve(cwd, file), file });
  }
  return [...found.values()];
}

function filesOf(name: string, cwd: string): string[] {
  const stats = statSync(resolve(cwd, name), { throwIfNoEntry: false });
  if (stats?.isDirectory()) return orNone(filesIn(name, cwd), `${name}: contains no recording (*.jsonl, *.json)`);
  if (stats || !GLOB.test(name)) return orNone(stats ? [name] : [], `${name}: no such file or folder`);
  const folder = name.split("/").findIndex((part) => GLOB.test(part));
  const base = name.split("/").slice(0, folder).join("/") || (name.startsWith("/") ? "/" : ".");
  if (!statSync(resolve(cwd, base), { throwIfNoEntry: false })?.isDirectory())
    throw new InputError(`${name}: no such folder: ${base}`);
  const files = filesIn(base, cwd).filter((file) => matchesGlob(resolve(cwd, name), resolve(cwd, file)));
  return orNone(files, `${name}: no file matches`);
}

function orNone(files: string[], problem: string): string[] {
  if (files.length === 0) throw new InputError(problem);
  return files;
}

function filesIn(folder: string, cwd: string): string[] {
  const root = resolve(cwd, folder);
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(folder, relative(root, join(entry.parentPath, entry.name))));
  if (files.length > MAX_FILES) throw new InputError(`${folder}: contains more than ${MAX_FILES} recordings`);
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}
