import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { printError, warn } from "../cli/print.ts";
import type { Executor } from "../engine/executor.ts";
import type { Env } from "../lib/env.ts";
import { errorText, UsageError, UserError } from "../lib/errors.ts";
import { findGit, type Git, runGit, withoutFilters } from "../lib/process/git.ts";
import type { Session } from "../runtime/session/session.ts";
import type { AssembleOptions } from "../runtime/team/assemble.ts";

/** A git worktree that was created for a run. */
interface Worktree {
  path: string;
  branch: string;
  /** The root of its repository. */
  source: string;
  /**
   * Removes the worktree and its branch if no work would be lost. Otherwise returns why they are kept. Never throws.
   */
  removeUntouched(): Promise<string | undefined>;
}

interface WorktreeOptions {
  /** A directory of the repository. */
  cwd: string;
  dataDirectory: string;
  env: Env;
  signal: AbortSignal;
}

/** A valid name: it becomes part of the branch name, and the name of the directory. */
const NAME = /^(?!.*\.\.)[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Creates the worktree `worktrees/<name>` in the data directory, on the new branch `worktree-<name>`, from the commit
 * that is checked out. If the name is empty, generates one. Throws a {@link UserError} on failure.
 */
async function createWorktree(given: string, { cwd, dataDirectory, env, signal }: WorktreeOptions): Promise<Worktree> {
  const name = given === "" ? crypto.randomUUID().slice(0, 8) : given;
  if (!NAME.test(name)) {
    throw new UsageError(
      `--worktree ${JSON.stringify(name)}: a name starts with a letter or digit and contains only letters, digits, dots, dashes and underscores`,
    );
  }
  const git = findGit(env, signal);
  if (!git) throw new UserError("--worktree: git is not in the PATH");
  const source = await ask(git, cwd, ["rev-parse", "--show-toplevel"]);
  if (source === undefined) throw new UserError(`--worktree: ${cwd} is not in a git repository`);
  const base = await ask(git, source, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (base === undefined) throw new UserError(`--worktree: the repository ${source} has no commit yet`);
  const path = worktreePath(dataDirectory, name);
  const branch = `worktree-${name}`;
  if (existsSync(path)) {
    throw new UserError(
      `--worktree ${name}: ${path} already exists: choose another name, or remove it with git worktree remove`,
    );
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let quiet: Git;
  try {
    const { names, env: variables } = await withoutFilters(git, source);
    if (names.length > 0)
      warn(`--worktree: filters in the configuration of ${source} did not run: ${names.join(", ")}`);
    quiet = { ...git, env: { ...git.env, ...variables } };
    await runGit(quiet, { args: ["worktree", "add", "--quiet", "-b", branch, path, base], cwd: source });
  } catch (error) {
    throw new UserError(`--worktree ${name}: ${errorText(error)}`, { cause: error });
  }
  const uninterruptible: Git = { ...quiet, signal: undefined };
  return {
    path,
    branch,
    source,
    removeUntouched: () => removeUntouched(uninterruptible, { path, branch, source, base }),
  };
}

export interface WorktreeRun extends WorktreeOptions {
  /** If empty, a new name is generated. */
  name: string;
  /** The agent that the run starts with; its hooks receive the `worktree_create` event. */
  agent: string;
  /** True if there is no terminal: the worktree is then always kept. */
  isHeadless: boolean;
  isQuiet: boolean;
}

/**
 * Runs in a new worktree. Removes it if no work would be lost: when the run could not start, and at the end of a
 * conversation. Throws what the run throws.
 */
export async function runInWorktree(
  run: (workingDir: string, beforeTools: NonNullable<AssembleOptions["beforeTools"]>) => Promise<number>,
  { name, agent, isHeadless, isQuiet, ...options }: WorktreeRun,
): Promise<number> {
  const tree = await createWorktree(name, options);
  const remove = async () => {
    const reason = await tree.removeUntouched();
    if (reason !== undefined) warn(`the worktree ${tree.path} on the branch ${tree.branch} is kept: ${reason}`);
  };
  if (!isQuiet) printError(`worktree: ${tree.path} on the branch ${tree.branch}`);
  try {
    const code = await run(tree.path, { agent, run: (hooks) => announceWorktree(hooks, agent, tree, options.signal) });
    if (!isHeadless) await remove();
    return code;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Throws a {@link UsageError} if a resumed session did not run in a worktree. */
export function checkResumedInWorktree(session: Session, dataDirectory: string): void {
  if (session.workingDir.startsWith(`${worktreePath(dataDirectory, "")}${sep}`)) return;
  throw new UsageError(
    `--worktree: session ${session.id} continues in ${session.workingDir}; leave out --worktree, or start a new session`,
  );
}

/**
 * Dispatches `worktree_create` to the hooks of the agent that the run starts with. Prints their context on standard
 * error, because standard output is for the agent. Throws a {@link UserError} if a hook blocks.
 */
async function announceWorktree(
  hooks: Executor,
  agent: string,
  { path, branch, source }: Worktree,
  signal: AbortSignal,
): Promise<void> {
  const { result } = await hooks.dispatch(
    "worktree_create",
    {
      session_id: "",
      cwd: path,
      agent_name: agent,
      worktree_path: path,
      worktree_branch: branch,
      worktree_source_dir: source,
    },
    { signal, warn, details: true },
  );
  if (result.system_message) warn(result.system_message);
  if (!result.allowed) {
    throw new UserError(
      `worktree_create hook aborted the run: ${result.message || "a worktree_create hook blocked the run"}`,
    );
  }
  if (result.additional_context) printError(result.additional_context);
}

function worktreePath(dataDirectory: string, name: string): string {
  return join(dataDirectory, "worktrees", name);
}

async function removeUntouched(
  git: Git,
  { path, branch, source, base }: Pick<Worktree, "path" | "branch" | "source"> & { base: string },
): Promise<string | undefined> {
  try {
    const changes = await runGit(git, { args: ["status", "--porcelain", "--ignored"], cwd: path });
    if (changes !== "") return "it contains changes";
    if ((await ask(git, path, ["rev-parse", "HEAD"])) !== base) return "it contains commits";
    if ((await ask(git, path, ["symbolic-ref", "HEAD"])) !== `refs/heads/${branch}`)
      return "another branch is checked out in it";
    await runGit(git, { args: ["worktree", "remove", path], cwd: source });
    // Deletes the branch only if it still points to the original commit.
    await runGit(git, { args: ["update-ref", "-d", `refs/heads/${branch}`, base], cwd: source });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Returns the output of a git command, or undefined if it failed. */
async function ask(git: Git, cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(git, { args, cwd })).replace(/\r?\n$/, "") || undefined;
  } catch {
    return undefined; // the caller reports the failure
  }
}
