import { delimiter, isAbsolute } from "node:path";
import type { Env } from "./env.ts";
import { runProcess } from "./process.ts";
import { cutBytes } from "./text.ts";

/** A git command that only reads. */
export interface GitRequest {
  /** The subcommand and its arguments. */
  args: readonly string[];
  cwd: string;
  env: Env;
  /** Ends git; there is no other time limit. */
  signal: AbortSignal;
  /** Output beyond this many bytes ends git; what came before is kept. */
  limit: number;
}

/** What git wrote, or why there is nothing. */
export type GitResult =
  { kind: "read"; output: string; complete: boolean } | { kind: "failed"; reason: string; status?: number };

type Setting = readonly [key: string, value: string];

const NO_TIME_LIMIT_MS = 2_147_483_647;
const TEXT_LIMIT = 4096;

/** Settings of a repository that would start a program or colour the output, switched off. */
const QUIET: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ["color.ui", "false"],
  ["color.status", "false"],
];

const QUIET_ENV = {
  GIT_OPTIONAL_LOCKS: "0", // no lock that a git command of the user would run into
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none", // nothing here needs a remote, and a remote can be a program
};

/**
 * Reads from the repository around `cwd` without changing it and, as far as git allows, without running what the
 * repository's own configuration names: file system monitors, hooks, filters, signature checks, transports of a
 * partial clone. A command that shows a diff must add `--no-ext-diff --no-textconv` itself, and one that looks into
 * submodules `--ignore-submodules=dirty`. Filters of the user's own configuration stay. Never throws.
 */
export async function readGit(request: GitRequest): Promise<GitResult> {
  const filters = await run(
    request,
    [],
    ["config", "--includes", "--show-scope", "--name-only", "-z", "--get-regexp", "^filter\\."],
  );
  if (filters.kind === "failed" && filters.status !== 1) return filters; // 1: there are none
  if (filters.kind === "read" && !filters.complete)
    return { kind: "failed", reason: "too many filters are configured" };
  const disarmed = filters.kind === "read" ? disarm(filters.output.split("\0")) : [];
  return run(request, [...QUIET, ...disarmed], request.args);
}

/**
 * What a git command wrote, trimmed, and cut to 4096 bytes with `... (truncated)` below; empty when it wrote nothing.
 *
 * Source: hooks 11.1.
 */
export async function readGitText(request: Omit<GitRequest, "limit">): Promise<GitResult> {
  const result = await readGit({ ...request, limit: 16 * TEXT_LIMIT });
  if (result.kind === "failed") return result;
  const text = result.output.trim();
  const cut = cutBytes(text, TEXT_LIMIT);
  return { ...result, output: cut === text ? text : `${cut}\n... (truncated)` };
}

/** Takes pairs of scope and name; empties the filters that the repository brought along. */
function disarm(fields: readonly string[]): Setting[] {
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at + 1] ?? "";
    if (fields[at] !== "local" && fields[at] !== "worktree") continue;
    settings.push([name, name.endsWith(".required") ? "false" : ""]);
  }
  return settings;
}

async function run(request: GitRequest, settings: readonly Setting[], args: readonly string[]): Promise<GitResult> {
  // Relative entries of the PATH would let the repository bring its own `git`.
  const name = "Path" in request.env ? "Path" : "PATH"; // as Windows writes it
  const path = (request.env[name] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
  const program = Bun.which("git", { PATH: path });
  if (!program) return { kind: "failed", reason: "git is not on the PATH" };
  const { end, stdout } = await runProcess({
    command: [program, "--no-pager", ...args],
    cwd: request.cwd,
    env: { ...request.env, [name]: path, ...QUIET_ENV, ...settingVariables(request.env, settings) },
    deadlineMs: NO_TIME_LIMIT_MS,
    signal: request.signal,
    stdoutLimit: request.limit,
    stderrLimit: 1024,
  });
  if (end.kind === "flooded") return { kind: "read", output: stdout, complete: false };
  if (end.kind === "exited" && end.code === 0) return { kind: "read", output: stdout, complete: true };
  if (end.kind === "exited") return { kind: "failed", status: end.code, reason: `git exited with status ${end.code}` };
  return { kind: "failed", reason: end.kind === "not_started" ? end.error : `git was ended: ${end.kind}` };
}

/** Settings as variables, after those already there: unlike `-c key=value`, a key may hold an equals sign. */
function settingVariables(env: Env, settings: readonly Setting[]): Env {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}
