import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { type Env, variableName } from "../env.ts";
import { findExecutable } from "../platform.ts";
import { cutBytes } from "../text/cut-text.ts";
import { type ProcessResult, runProcess } from "./process.ts";

/** The git program and the environment of its calls. */
export interface Git {
  program: string;
  env: Env;
  /** Kills git when aborted. */
  signal: AbortSignal | undefined;
}

/** A call of git. */
export interface GitCall {
  args: readonly string[];
  cwd: string;
  /** Added to the environment. */
  env?: Env;
  /** Written to standard input. */
  input?: string;
  /** The exit codes that are not failures; default: only 0. */
  accept?: readonly number[];
}

/** Git failed, was killed, or could not be started. */
export class GitError extends Error {
  override readonly name = "GitError";
}

/** A read-only git command. */
export interface GitRequest {
  /** The subcommand and its arguments. */
  args: readonly string[];
  cwd: string;
  env: Env;
  /** Kills git when aborted; there is no other time limit. */
  signal: AbortSignal;
  /** Maximum bytes of output. Git is killed beyond that, and the output so far is kept. */
  limit: number;
}

/** The output of git, or why it failed. */
export type GitResult =
  | { kind: "read"; output: string; complete: boolean }
  | { kind: "failed"; reason: string; status?: number };

type Setting = readonly [key: string, value: string];

const DEADLINE_MS = 600_000;
const OUTPUT_LIMIT = 512 * 1024 * 1024;
const TEXT_LIMIT = 4096;

/** Settings that keep a repository's configuration from making git run a program. */
const NO_PROGRAMS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", devNull],
];

/** Settings for read-only commands: run no program, and do not colour the output. */
const READ_ONLY: readonly Setting[] = [
  ...NO_PROGRAMS,
  ["log.showSignature", "false"],
  ["color.ui", "false"],
  ["color.status", "false"],
];

const READ_ONLY_ENV = {
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none", // no command here needs a remote, and a remote can be a program
};

/**
 * Finds git on the PATH, or returns undefined. Ignores relative entries of the PATH, through which a repository could
 * supply its own `git`. `gitVariables` says whether calls get the `GIT_*` variables of the environment.
 */
export function findGit(env: Env, signal?: AbortSignal, gitVariables: "keep" | "drop" = "drop"): Git | undefined {
  const name = variableName(env, "PATH");
  const path = (env[name] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
  const program = findExecutable("git", path);
  if (!program) return undefined;
  const kept =
    gitVariables === "keep" ? env : Object.fromEntries(Object.entries(env).filter(([key]) => !/^GIT_/i.test(key)));
  // Without optional locks, the user's own git commands never have to wait.
  return { program, signal, env: { ...kept, [name]: path, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" } };
}

/**
 * Runs git with messages in English, and returns its standard output. Of the repository's configuration, no file system
 * monitor and no hook runs, and with the variables of {@link withoutFilters} no filter. Throws a {@link GitError} unless
 * git exits with an accepted code.
 */
export async function runGit(git: Git, { args, cwd, env, input, accept = [0] }: GitCall): Promise<string> {
  const settings = NO_PROGRAMS.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const { end, stdout, stderr } = await start(git, [...settings, ...args], {
    cwd,
    env: { LC_ALL: "C", ...env },
    input,
    deadlineMs: DEADLINE_MS,
    limit: OUTPUT_LIMIT,
  });
  if (end.kind === "exited" && accept.includes(end.code)) return stdout;
  const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind;
  throw new GitError(`git ${args.join(" ")}: ${how}: ${stderr.trim()}`);
}

/**
 * Returns the names of the filters in the repository's own configuration, and variables with which {@link runGit} runs
 * none of them. Filters in the user's own configuration stay active. Throws a {@link GitError}.
 */
export async function withoutFilters(git: Git, cwd: string): Promise<{ names: readonly string[]; env: Env }> {
  // Exit code 1: no filters.
  const settings = disarm((await runGit(git, { args: LIST_FILTERS, cwd, accept: [0, 1] })).split("\0"));
  const names = settings.map(([key]) => key.replace(/^filter\.|\.[^.]*$/g, ""));
  return { names: [...new Set(names)], env: settingVariables({}, settings) };
}

const LIST_FILTERS = ["config", "--includes", "--show-scope", "--name-only", "-z", "--get-regexp", "^filter\\."];

/**
 * Runs a read-only git command in `cwd`. Where git can prevent it, no program from the repository's configuration runs:
 * file system monitors, hooks, filters, signature checks, transports of a partial clone. A command that shows a diff
 * must itself add `--no-ext-diff --no-textconv`, and one that looks into submodules `--ignore-submodules=dirty`.
 * Filters in the user's own configuration stay active. Never throws.
 */
export async function readGit(request: GitRequest): Promise<GitResult> {
  const filters = await read(request, [], LIST_FILTERS);
  if (filters.kind === "failed" && filters.status !== 1) return filters; // status 1: no filters
  if (filters.kind === "read" && !filters.complete)
    return { kind: "failed", reason: "too many filters are configured" };
  const disarmed = filters.kind === "read" ? disarm(filters.output.split("\0")) : [];
  return read(request, [...READ_ONLY, ...disarmed], request.args);
}

/** Runs {@link readGit} and returns its output, trimmed, and cut to 4096 bytes with `... (truncated)` appended. */
export async function readGitText(request: Omit<GitRequest, "limit">): Promise<GitResult> {
  const result = await readGit({ ...request, limit: 16 * TEXT_LIMIT });
  if (result.kind === "failed") return result;
  const text = result.output.trim();
  const cut = cutBytes(text, TEXT_LIMIT);
  return { ...result, output: cut === text ? text : `${cut}\n... (truncated)` };
}

/**
 * Splits a NUL-separated list of names. Leaves out names that are not UTF-8, because they cannot be passed back to git.
 */
export function splitNames(list: string): string[] {
  return list.split("\0").filter((name) => name !== "" && !name.includes("\uFFFD"));
}

/** Joins names to a NUL-separated list. */
export function joinNames(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join("");
}

/**
 * Returns settings that empty the filters of the repository's own configuration. `fields` alternates scope and name.
 */
function disarm(fields: readonly string[]): Setting[] {
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at + 1] ?? "";
    if (fields[at] !== "local" && fields[at] !== "worktree") continue;
    settings.push([name, name.endsWith(".required") ? "false" : ""]);
  }
  return settings;
}

async function read(request: GitRequest, settings: readonly Setting[], args: readonly string[]): Promise<GitResult> {
  const { cwd, env, limit, signal } = request;
  const git = findGit(env, signal, "keep");
  if (!git) return { kind: "failed", reason: "git is not on the PATH" };
  const { end, stdout } = await start(git, ["--no-pager", ...args], {
    cwd,
    env: { ...READ_ONLY_ENV, ...settingVariables(env, settings) },
    limit,
  });
  if (end.kind === "flooded") return { kind: "read", output: stdout, complete: false };
  if (end.kind === "exited" && end.code === 0) return { kind: "read", output: stdout, complete: true };
  if (end.kind === "exited") return { kind: "failed", status: end.code, reason: `git exited with status ${end.code}` };
  return { kind: "failed", reason: end.kind === "not_started" ? end.error : `git was ended: ${end.kind}` };
}

interface Start {
  cwd: string;
  /** Added to the environment. */
  env: Env;
  input?: string | undefined;
  deadlineMs?: number;
  /** Maximum bytes of standard output. */
  limit: number;
}

/** Starts git. No other function does. */
function start(
  git: Git,
  args: readonly string[],
  { cwd, env, input, deadlineMs, limit }: Start,
): Promise<ProcessResult> {
  return runProcess({
    command: [git.program, ...args],
    cwd,
    env: { ...git.env, ...env },
    input,
    deadlineMs,
    signal: git.signal,
    stdoutLimit: limit,
    stderrLimit: 4096,
  });
}

/**
 * Passes settings as variables, after those in the environment. Unlike in `-c key=value`, a key may contain an equals
 * sign.
 */
function settingVariables(env: Env, settings: readonly Setting[]): Env {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}
