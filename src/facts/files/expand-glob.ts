import { type Dirent, existsSync, opendirSync } from "node:fs";
import { join } from "node:path";
import { matchesGlob } from "../../lib/files/glob.ts";

/** The files that a pattern of names stands for. */
export interface Expansion {
  paths: readonly string[];
  /** False if there were too many directory entries to look at all of them. */
  complete: boolean;
}

/** With more directory entries, an expansion is not complete. */
const MAX_ENTRIES = 4096;

/**
 * Returns the existing files that an absolute pattern stands for, as a shell expands it: `*` and `?` match no leading dot,
 * `**` also spans directories. With `dots`, wildcards match leading dots too. Case is ignored.
 */
export function expandGlob(pattern: string, { dots = false }: { dots?: boolean } = {}): Expansion {
  const parts = pattern.split("/").filter((part) => part !== "");
  const paths: string[] = [];
  let left = MAX_ENTRIES;
  walk("/", 0);
  return { paths, complete: left > 0 };

  function walk(directory: string, at: number): void {
    const part = parts[at];
    if (part === undefined) return void paths.push(directory);
    if (!/[*?[\\]/.test(part)) {
      const path = join(directory, part);
      if (at < parts.length - 1 || existsSync(path)) walk(path, at + 1);
      return;
    }
    const isDeep = part === "**";
    if (isDeep && at < parts.length - 1) walk(directory, at + 1);
    for (const entry of entriesOf(directory)) {
      const isHidden = entry.name.startsWith(".") && !dots && !part.startsWith(".");
      if (isHidden || !matchesGlob(part, entry.name)) continue;
      const path = join(directory, entry.name);
      const isLast = at === parts.length - 1;
      if (isDeep && entry.isDirectory()) walk(path, at);
      if (isDeep ? isLast : true) walk(path, at + 1);
    }
  }

  function* entriesOf(directory: string): Generator<Dirent> {
    try {
      const folder = opendirSync(directory);
      try {
        for (let entry = folder.readSync(); entry && left > 0; entry = folder.readSync(), left--) yield entry;
      } finally {
        folder.closeSync();
      }
    } catch {
      // No directory, or one that cannot be read: it adds nothing.
    }
  }
}
