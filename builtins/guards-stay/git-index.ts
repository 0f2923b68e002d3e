import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gitDirectoryOf } from "../../src/facts/files/git-directory.ts";

/** An index that is larger counts as one that has every file. */
const MAX_INDEX = 64 * 1024 * 1024;

/** A git repository with its list of tracked files, which is read without starting git. */
export interface Repository {
  /** The top directory of the work tree. */
  top: string;
  /** True if git tracks the file, or a file below the folder. */
  tracks: (path: string) => boolean;
}

/** Finds the repository that a folder belongs to. */
export function repositoryOf(folder: string): Repository | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const directory = gitDirectoryOf(top);
    if (directory !== undefined) {
      let index: Buffer | "all" | undefined;
      const tracks = (path: string) => {
        index ??= readIndex(join(directory, "index"));
        const name = relative(top, path);
        return index === "all" || index.includes(`${name}\0`) || index.includes(`${name}/`);
      };
      return { top, tracks };
    }
    if (dirname(top) === top) return undefined;
  }
}

/** Version 4 of the format stores only the ends of names, so it counts as one that has every file. */
function readIndex(path: string): Buffer | "all" {
  try {
    if (statSync(path).size > MAX_INDEX) return "all";
    const index = readFileSync(path);
    return index.readUInt32BE(4) >= 4 ? "all" : index;
  } catch {
    return Buffer.alloc(0); // nothing was added yet
  }
}
