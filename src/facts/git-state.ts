import { readlinkSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Env } from "../lib/env.ts";
import { findWorkTree } from "./files/git-directory.ts";
import { readIfRegular } from "./files/read-if-regular.ts";

/** No answer of git is waited for longer. */
const STATUS_MS = 2000;
/** What git prints beyond this many bytes tells nothing more. */
const STATUS_LIMIT = 4096;

/** The branch in force in a directory; `HEAD` if none is, undefined outside of git. Starts no process. */
export function currentBranch(cwd: string, env: Env): string | undefined {
  const directory = gitDirectory(cwd, env);
  if (directory === undefined) return undefined;
  const path = join(directory, "HEAD");
  const head = linkedRef(path) ?? readIfRegular(path);
  if (head === undefined) return undefined;
  const [, ref] = /^ref:\s*(\S.*?)\s*$/m.exec(head) ?? [];
  return ref === undefined ? "HEAD" : ref.replace(/^refs\/heads\//, "");
}

/**
 * True if tracked files differ from HEAD, or untracked ones exist that git does not ignore. `possible` if git fails or takes
 * longer than two seconds. Programs that the repository's configuration names do not run.
 */
export async function isDirty(cwd: string, env: Env): Promise<boolean | "possible"> {
  if (gitDirectory(cwd, env) === undefined) return false;
  const { readGit } = await import("../lib/process/git.ts");
  const result = await readGit({
    args: ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=dirty"],
    cwd,
    env,
    limit: STATUS_LIMIT,
    signal: AbortSignal.timeout(STATUS_MS),
  });
  return result.kind === "failed" ? "possible" : result.output.trim() !== "";
}

/** The git directory in force: that of `GIT_DIR`, else that of the work tree. */
function gitDirectory(cwd: string, env: Env): string | undefined {
  if (env["GIT_DIR"]) return resolve(cwd, env["GIT_DIR"]);
  return findWorkTree(realOrSame(cwd), env)?.directory;
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // it does not exist any more
  }
}

/** Old versions of git made HEAD a link to the branch. */
function linkedRef(path: string): string | undefined {
  try {
    const target = readlinkSync(path);
    return target.startsWith("refs/") ? `ref: ${target}` : undefined;
  } catch {
    return undefined;
  }
}
