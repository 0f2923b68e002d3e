import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside, pathWithin } from "./paths.ts";
import type { ParsePatterns, Patterns } from "./patterns.ts";

/** True for a path that version control does not keep, and for version control's own files. The path is real. */
export type HiddenByVcs = (path: string, isDirectory: boolean) => boolean;

/**
 * Reads the ignore files of the repository that holds `directory` as they are met. Without a repository those from the
 * working directory downwards count.
 *
 * Source: config-and-cli 5.5 (`ignore_vcs`).
 */
export function hiddenByVcs(directory: string, workingDir: string, parsePatterns: ParsePatterns): HiddenByVcs {
  const root = repositoryRoot(directory) ?? (isInside(directory, workingDir) ? workingDir : directory);
  const read = once((path: string) => readPatterns(path, parsePatterns));
  const directoryHidden = once((path: string): boolean => isHidden(path, true));

  function isHidden(path: string, isDirectory: boolean): boolean {
    if (path === root || !isInside(path, root)) return false;
    if (basename(path) === ".git" || directoryHidden(dirname(path))) return true;
    return verdict(path, isDirectory) === "ignored";
  }

  /** The nearest ignore file with an opinion decides. */
  function verdict(path: string, isDirectory: boolean) {
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

function repositoryRoot(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function readPatterns(path: string, parsePatterns: ParsePatterns): Patterns | undefined {
  try {
    return parsePatterns(readFileSync(path, "utf8"));
  } catch {
    return undefined; // no such file: it hides nothing; these files are a convenience, not a guard
  }
}

function once<Value>(make: (path: string) => Value): (path: string) => Value {
  const made = new Map<string, { value: Value }>();
  return (path) => {
    const known = made.get(path) ?? { value: make(path) };
    made.set(path, known);
    return known.value;
  };
}
