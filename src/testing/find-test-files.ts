import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorText, UsageError } from "../lib/errors.ts";

/** The end of a test file's name. */
const TEST_FILE = /\.hooktest\.ya?ml$/;

/** The files that the command line names. */
export interface FoundFiles {
  /** The absolute paths of test files, each once. */
  tests: string[];
  /** Agent files and hooks files that were named, for the examples in them. */
  hooks: string[];
  /** The absolute paths of the directories that were searched. */
  directories: string[];
}

/**
 * Finds the test files of the named files and directories; without any, of the current directory. Directories are
 * searched at every depth, except `node_modules` and those whose names start with a dot; one that is reached twice,
 * through a link, is searched once. Throws a {@link UsageError} for a path that does not exist.
 */
export function findTestFiles(paths: readonly string[], cwd: string): FoundFiles {
  const found: FoundFiles = { tests: [], hooks: [], directories: [] };
  const seen = new Set<string>();
  for (const given of paths.length > 0 ? paths : ["."]) {
    const path = resolve(cwd, given);
    const kind = statSync(path, { throwIfNoEntry: false });
    if (!kind) throw new UsageError(`${given}: no such file or directory`);
    if (kind.isDirectory()) search(path, found, seen);
    else if (TEST_FILE.test(path)) found.tests.push(path);
    else found.hooks.push(path);
  }
  return { ...found, tests: [...new Set(found.tests)] };
}

function search(directory: string, found: FoundFiles, seen: Set<string>): void {
  const real = realpathSync(directory);
  if (seen.has(real)) return;
  seen.add(real);
  found.directories.push(directory);
  const entries = readEntries(directory).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const kind = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
    if (kind?.isFile() && TEST_FILE.test(entry.name)) found.tests.push(path);
    else if (kind?.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
      search(path, found, seen);
  }
}

function readEntries(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    throw new UsageError(`${directory}: cannot be searched: ${errorText(error)}`, { cause: error });
  }
}
