import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../../src/lib/env.ts";
import { processEnv, resolveDirectories } from "../../src/lib/env.ts";
import type { Builtin, BuiltinInput } from "../../src/protocol/builtin.ts";
import type { HookOutput } from "../../src/protocol/output.ts";

/** The result of one call of a builtin. */
export interface BuiltinCall {
  output: HookOutput | undefined;
  /** The `additional_context` of the output. */
  context: string | undefined;
  /** `<level> <message>`, in order. */
  logged: string[];
  /** The number of secrets that the builtin reported as redacted, by kind. */
  redacted: Record<string, number>;
}

/** The memory of each builtin, kept for all calls of one test file. */
const memory = new Map<Builtin, unknown>();

/** Calls a builtin the way the engine does, with variables on top of those of this process. */
export async function callBuiltin(
  run: Builtin,
  input: Partial<BuiltinInput> & Pick<BuiltinInput, "hook_event_name">,
  args: readonly string[] = [],
  options: { env?: Env; signal?: AbortSignal } = {},
): Promise<BuiltinCall> {
  const logged: string[] = [];
  const redacted: Record<string, number> = {};
  const output = await run({ session_id: "", cwd: "", ...input }, args, {
    signal: options.signal ?? new AbortController().signal,
    env: { ...processEnv(), ...options.env },
    directories: resolveDirectories(),
    memory: (make) => {
      if (!memory.has(run)) memory.set(run, make());
      return memory.get(run) as ReturnType<typeof make>;
    },
    log: (level, message) => logged.push(`${level} ${message}`),
    redacted: (kinds) => Object.assign(redacted, kinds),
  });
  return { output, context: output?.hook_specific_output?.additional_context, logged, redacted };
}

/** A temporary directory by its real path, removed when the scope ends (`await using`). */
export async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "hooksh-test-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Runs a shell script in a directory and throws with its output when it fails. */
export function sh(cwd: string, script: string): string {
  const env = {
    ...processEnv(),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const done = Bun.spawnSync(["/bin/sh", "-ec", script], { cwd, env });
  if (done.exitCode !== 0) throw new Error(`${done.stdout}${done.stderr}`);
  return done.stdout.toString();
}
