import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../lib/files/paths.ts";
import { readFileInside, UnreadableFileError } from "../../lib/files/read-file.ts";
import { pathWithin } from "./paths.ts";
import type { ParsePatterns, Patterns } from "./patterns.ts";

/** True for a path that version control ignores, and for its own files. Symbolic links in the path must be resolved. */
export type HiddenByVcs = (path: string, isDirectory: boolean) => boolean;

const IGNORE_LIMIT = 1024 * 1024;

/**
 * Judges paths by the ignore files of their repository, as git does. Outside a repository, ignore files have no effect.
 * Calls `warn` for an ignore file that cannot be read.
 */
export function hiddenByVcs(parsePatterns: ParsePatterns, warn: (message: string) => void): HiddenByVcs {
  const directoryHidden = once((path: string): boolean => isHidden(path, true));
  const rootOf = once((directory: string): string | undefined => {
    if (existsSync(join(directory, ".git"))) return directory;
    return dirname(directory) === directory ? undefined : rootOf(dirname(directory));
  });
  const read = once((path: string): Patterns | undefined => {
    try {
      const folder = rootOf(dirname(path)) ?? dirname(path);
      return parsePatterns(readFileInside(folder, path, { limit: IGNORE_LIMIT }).toString("utf8"));
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      // Unlike .agentsignore, these files are a convenience and not a guard.
      if (error.kind !== "missing") warn(`${error.message}; it hides nothing`);
      return undefined;
    }
  });

  function isHidden(path: string, isDirectory: boolean): boolean {
    if (basename(path) === ".git") return true;
    const root = rootOf(dirname(path));
    if (root === undefined) return false;
    if (dirname(path) !== root && directoryHidden(dirname(path))) return true;
    return verdict(path, isDirectory, root) === "ignored";
  }

  /** The nearest ignore file that mentions the path decides. */
  function verdict(path: string, isDirectory: boolean, root: string) {
    for (let at = dirname(path); isInside(at, root); at = dirname(at)) {
      const found = judge(read(join(at, ".gitignore")), at, path, isDirectory);
      if (found !== "unmentioned") return found;
      if (at === root) break;
    }
    return judge(read(join(root, ".git", "info", "exclude")), root, path, isDirectory);
  }

  return isHidden;
}

function judge(patterns: Patterns | undefined, directory: string, path: string, isDirectory: boolean) {
  const inner = pathWithin(directory, path);
  return patterns && inner !== undefined ? patterns.judge(inner, isDirectory) : "unmentioned";
}

/** Remembers what `make` returned for each path. */
function once<Value>(make: (path: string) => Value): (path: string) => Value {
  const results = new Map<string, { value: Value }>();
  return (path) => {
    const known = results.get(path) ?? { value: make(path) };
    results.set(path, known);
    return known.value;
  };
}
