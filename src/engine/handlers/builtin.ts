import { type HookDefinition, isHookFile } from "../../config/hooks/read-hooks.ts";
import { plainTextLength } from "../../lib/json.ts";
import type { BuiltinInput, BuiltinRow, RedactedKinds } from "../../protocol/builtin.ts";
import type { HandlerEnvironment, HandlerFactory, HandlerInput, HandlerResult } from "../hook.ts";
import type { Registry } from "../registry.ts";
import { CLEANUP_MS, runOnWorker } from "../workers/pool.ts";

/**
 * Runs in-process hooks: ours by name, the user's own by path. What only waits or costs microseconds runs on the main
 * thread, everything else on a worker that is ended at the deadline.
 */
export function builtinHandler(registry: Registry): HandlerFactory {
  return (hook, environment) => {
    if (hook.command === "") throw new Error("builtin hook requires a name in command");
    const row = registry.lookupBuiltin(hook.command);
    if (!row && !isHookFile(hook.command))
      throw new Error(`no builtin hook registered as ${JSON.stringify(hook.command)}`);
    // The hook's own working_dir replaces the cwd it sees.
    const isMoved = hook.working_dir !== "";
    const seen = ({ value }: HandlerInput) => (isMoved ? { ...value, cwd: environment.workingDir } : value);
    return {
      ...(row ? {} : { lingerMs: CLEANUP_MS + 100 }),
      async run(input, signal) {
        const size = row && plainTextLength(input.value);
        if (row && runsInline(row, size)) return runInline(row, hook, seen(input), environment, signal);
        const sent = size === undefined ? jsonOf(input, isMoved ? seen(input) : undefined) : seen(input);
        return runOnWorker(
          { builtin: hook.command, args: hook.args, input: sent, redacts: row?.redaction === "does", environment },
          signal,
        );
      },
    };
  };
}

/** `size` is that of a plain input. One that may be a cycle, or hold what JSON cannot, always goes to the worker as its JSON text. */
function runsInline(row: BuiltinRow, size: number | undefined): boolean {
  return row.thread === "inline" || (row.inlineBelow !== undefined && size !== undefined && size < row.inlineBelow);
}

/** Throws for an input that cannot be written as JSON, before there is a thread to be ended. */
function jsonOf(input: HandlerInput, moved: HandlerInput["value"] | undefined): string {
  const text = input.json();
  return moved === undefined ? text : JSON.stringify(moved);
}

async function runInline(
  row: BuiltinRow,
  { command, args }: HookDefinition,
  input: HandlerInput["value"],
  { env, directories, memory: kept, log }: HandlerEnvironment,
  signal: AbortSignal,
): Promise<HandlerResult> {
  const { run } = await row.load();
  const memory = <T>(make: () => T): T => {
    if (!kept.has(command)) kept.set(command, make());
    return kept.get(command) as T;
  };
  // A private copy: a builtin must not be able to change what other hooks see.
  let counted: { redacted?: RedactedKinds } = {};
  const redacted = (kinds: RedactedKinds) => void (counted = { redacted: kinds });
  const output = await run(structuredClone(input) as BuiltinInput, args, {
    signal,
    env,
    directories,
    memory,
    log,
    redacted,
  });
  return { kind: "returned", output, ...counted };
}
