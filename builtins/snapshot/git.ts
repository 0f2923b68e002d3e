import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import type { Env } from "../../src/lib/env.ts";
import { runProcess } from "../../src/lib/process.ts";

/** The git program, and the environment that its calls start from. */
export interface Git {
  program: string;
  /** Holds no variable that changes what git does. */
  env: Env;
  signal: AbortSignal | undefined;
}

/** One call of git. */
export interface GitCall {
  args: readonly string[];
  cwd: string;
  /** Added to the environment. */
  env?: Env;
  /** Written to standard input. */
  input?: string;
  /** Exit codes that are not failures; only 0 when absent. */
  accept?: readonly number[];
}

/** Git refused, or could not be run to its end. */
export class GitError extends Error {
  override readonly name = "GitError";
}

const DEADLINE_MS = 600_000;
const OUTPUT_LIMIT = 512 * 1024 * 1024;

/** Keeps a repository's own configuration from making git run a program. */
const NO_PROGRAMS = ["-c", "core.fsmonitor=false", "-c", `core.hooksPath=${devNull}`];

/**
 * Finds git on the PATH, or returns undefined. Relative entries of the PATH are passed over: they would let the
 * repository bring its own `git`. Every `GIT_*` variable is taken away.
 */
export function findGit(env: Env, signal?: AbortSignal): Git | undefined {
  const path = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
  const program = Bun.which("git", { PATH: path });
  if (!program) return undefined;
  const kept = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    program,
    signal,
    env: { ...Object.fromEntries(kept), PATH: path, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
  };
}

/** Runs git and returns its standard output; throws GitError on any other end than an accepted exit code. */
export async function runGit(git: Git, call: GitCall): Promise<string> {
  const result = await runProcess({
    command: [git.program, ...NO_PROGRAMS, ...call.args],
    cwd: call.cwd,
    env: { ...git.env, ...call.env },
    input: call.input,
    deadlineMs: DEADLINE_MS,
    signal: git.signal,
    stdoutLimit: OUTPUT_LIMIT,
    stderrLimit: 4096,
  });
  const { end } = result;
  if (end.kind === "exited" && (call.accept ?? [0]).includes(end.code)) return result.stdout;
  const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind;
  throw new GitError(`git ${call.args.join(" ")}: ${how}: ${result.stderr.trim()}`);
}

/** The names of a NUL-separated list. A name that is not UTF-8 is left out: it could not be passed back to git. */
export function splitNames(list: string): string[] {
  return list.split("\0").filter((name) => name !== "" && !name.includes("\uFFFD"));
}

/** A NUL-separated list of names. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join("");
}
