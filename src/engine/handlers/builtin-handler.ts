import { type HookDefinition, isHookFile } from "../../config/hooks/read-hooks.ts";
import { plainTextLength } from "../../lib/json.ts";
import { rememberVariables } from "../../lib/secrets/known-secrets.ts";
import type { Builtin, BuiltinInput, BuiltinRow } from "../../protocol/builtin.ts";
import {
  type HandlerEnvironment,
  type HandlerFactory,
  type HandlerInput,
  type HandlerResult,
  OWN_HOOK_FAILED,
} from "../handler.ts";

/** Milliseconds that the user's own hook has to clean up, between the abort of its signal and the end of its thread. */
const CLEANUP_MS = 500;

/**
 * Runs in-process hooks: builtins by name, the user's own hooks by path. Cheap builtins run on the main thread,
 * all other hooks on a worker thread that is terminated at the deadline.
 */
export function builtinHandler(lookup: (name: string) => BuiltinRow | undefined): HandlerFactory {
  return (hook, environment) => {
    if (hook.command === "") throw new Error("builtin hook requires a name in command");
    const row = lookup(hook.command);
    if (!row && !isHookFile(hook.command))
      throw new Error(`no builtin hook registered as ${JSON.stringify(hook.command)}`);
    // The working_dir of a hook also replaces the cwd in its input.
    const isMoved = hook.working_dir !== "";
    const seen = ({ value }: HandlerInput) => (isMoved ? { ...value, cwd: environment.workingDir } : value);
    const run = async (input: HandlerInput, signal: AbortSignal): Promise<HandlerResult> => {
      const size = row && row.thread !== "inline" ? plainTextLength(input.value) : undefined;
      if (row && runsInline(row, size)) return runInline(row, hook, seen(input), environment, signal);
      const sent = size === undefined ? jsonOf(input, isMoved ? seen(input) : undefined) : seen(input);
      const { runOnWorker } = await import("../workers/pool.ts");
      const request = { builtin: hook.command, args: hook.args, input: sent, environment };
      const job = { ...request, redacts: row?.redaction === "does", cleanupMs: row ? 0 : CLEANUP_MS };
      const result = await runOnWorker(job, signal);
      return result.kind === "failed" && !row ? { ...result, help: OWN_HOOK_FAILED } : result;
    };
    return {
      ...(row ? {} : { lingerMs: CLEANUP_MS + 100 }),
      async run(input, signal) {
        if (!row?.perMessage || !Array.isArray(input.value["messages"])) return run(input, signal);
        const { redactEachOnce } = await import("./redact-each-once.ts");
        rememberVariables(environment.env);
        return redactEachOnce(input, { row, args: hook.args, redact: (part) => run(part, signal), signal });
      },
    };
  };
}

/**
 * `size` is undefined for an input that may contain a cycle or values that JSON lacks: it goes to the worker as JSON
 * text.
 */
function runsInline(row: BuiltinRow, size: number | undefined): boolean {
  return row.thread === "inline" || (row.inlineBelow !== undefined && size !== undefined && size < row.inlineBelow);
}

/** Throws if the input cannot be written as JSON, before a thread is taken for it. */
function jsonOf(input: HandlerInput, moved: HandlerInput["value"] | undefined): string {
  const text = input.json();
  return moved === undefined ? text : JSON.stringify(moved);
}

/** Asking for a module that is loaded already takes longer than most builtins. */
const loaded = new WeakMap<BuiltinRow, Builtin>();

async function runInline(
  row: BuiltinRow,
  { command, args }: HookDefinition,
  input: HandlerInput["value"],
  { env, directories, memory: state, log }: HandlerEnvironment,
  signal: AbortSignal,
): Promise<HandlerResult> {
  const run = loaded.get(row) ?? (await row.load()).run;
  loaded.set(row, run);
  const memory = <T>(make: () => T): T => {
    if (!state.has(command)) state.set(command, make());
    return state.get(command) as T;
  };
  // A private copy, so that a builtin cannot change the input of other hooks.
  const reports: Pick<HandlerResult & { kind: "returned" }, "redacted" | "loaded"> = {};
  const output = await run(structuredClone(input) as BuiltinInput, args, {
    signal,
    env,
    directories,
    memory,
    log,
    redacted: (kinds) => void (reports.redacted = kinds),
    loaded: (texts) => void (reports.loaded = texts),
  });
  return { kind: "returned", output, ...reports };
}
