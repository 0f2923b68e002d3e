import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The branch is read again after this long. */
const FRESH_MS = 2_000;

const MAX_BYTES = 4096;

/**
 * Returns a function that gives the branch checked out in a directory, the start of the commit if none is, or undefined
 * outside a repository. Reads git's own files (https://git-scm.com/docs/gitrepository-layout): git itself would take
 * longer than a key press may.
 */
export function gitBranch(directory: () => string): () => string | undefined {
  let branch: string | undefined;
  let readAt = 0;
  return () => {
    if (Date.now() - readAt < FRESH_MS) return branch;
    readAt = Date.now();
    branch = readBranch(directory());
    return branch;
  };
}

function readBranch(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const head = headOf(join(at, ".git"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
    if (dirname(at) === at) return undefined;
  }
}

/** Reads HEAD of a repository; `.git` is a file that names the directory in a worktree. */
function headOf(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readSmall(join(git, "HEAD"));
    const named = /^gitdir: (.+)$/.exec(readSmall(git) ?? "")?.[1];
    return named === undefined ? undefined : readSmall(join(resolve(dirname(git), named), "HEAD"));
  } catch {
    return undefined;
  }
}

function readSmall(file: string): string | undefined {
  const { size } = statSync(file);
  return size > MAX_BYTES || !statSync(file).isFile() ? undefined : readFileSync(file, "utf8").trim();
}
