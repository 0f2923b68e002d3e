import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Env } from "../lib/env.ts";
import { readUserFileSync, UnreadableFileError } from "../lib/files/read-file.ts";
import { type Git, joinNames, runGit, splitNames } from "../lib/process/git.ts";
import { ancestry } from "./files.ts";

/** The user's repository, which snapshots only read. */
export interface Worktree {
  /** Absolute, without symbolic links. */
  root: string;
  /** The working directory relative to the root; `.` when they are the same. */
  scope: string;
  /** The ignore rules outside `.gitignore` files: the user's and the repository's exclude files. */
  excludes: string;
}

const EXCLUDES_LIMIT = 1024 * 1024;

/** The worktree that contains a directory. Undefined outside a worktree, in a bare repository and inside a `.git`. */
export async function findWorktree(git: Git, cwd: string): Promise<Worktree | undefined> {
  let from: string;
  try {
    from = realpathSync(cwd);
  } catch {
    return undefined; // the directory does not exist any more
  }
  const ask = async (...args: string[]) =>
    (await runGit(git, { args, cwd: from, accept: [0, 1, 128] })).replace(/\n$/, "");
  const [root, exclude, userExclude] = await Promise.all([
    ask("rev-parse", "--show-toplevel"),
    ask("rev-parse", "--git-path", "info/exclude"),
    ask("config", "--type=path", "--get", "core.excludesFile"),
  ]);
  if (!isAbsolute(root)) return undefined;
  const scope = relative(root, from);
  if (scope === ".." || scope.startsWith(`..${sep}`) || isAbsolute(scope)) return undefined;
  const usual = join(git.env["XDG_CONFIG_HOME"] || join(git.env["HOME"] || "/", ".config"), "git", "ignore");
  const files = [isAbsolute(userExclude) ? userExclude : usual, exclude && resolve(from, exclude)];
  return { root, scope: scope || ".", excludes: files.map(readSmallFile).filter(Boolean).join("\n") };
}

/**
 * Returns the paths that the repository's own rules ignore, tracked or not. Skips paths below a symbolic link and
 * nested repositories, which git refuses to check. Never changes the repository.
 */
export async function findIgnored(git: Git, root: string, paths: readonly string[]): Promise<Set<string>> {
  const above = ancestry(root);
  const checkable = paths.filter((path) => !path.endsWith("/") && above(path) !== "link");
  if (checkable.length === 0) return new Set();
  // With "./" in front, git does not read a name that begins with ":" as a pathspec with magic.
  const output = await runGit(git, {
    args: ["check-ignore", "--no-index", "--stdin", "-z"],
    cwd: root,
    input: joinNames(checkable.map((path) => `./${path}`)),
    accept: [0, 1],
  });
  return new Set(splitNames(output).map((path) => path.slice(2)));
}

/** The text of an exclude file; empty if it does not exist or cannot be read. */
function readSmallFile(path: string): string {
  if (!path) return "";
  try {
    return readUserFileSync(path, { limit: EXCLUDES_LIMIT }).toString("utf8");
  } catch (error) {
    if (error instanceof UnreadableFileError) return "";
    throw error;
  }
}

/** The effect of an undo on one file. */
export interface FileChange {
  /** Relative to the worktree's root. */
  path: string;
  action: "restore" | "delete";
}

/** A worktree, and where its shadow is kept. */
export interface Place {
  dataDir: string;
  /** A directory in the worktree. */
  cwd: string;
  env: Env;
  signal?: AbortSignal | undefined;
}
