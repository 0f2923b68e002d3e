import { fileURLToPath } from "node:url";
import { hookEntry } from "../config/hooks/parse-hooks.ts";
import type { HookDefinition } from "../config/hooks/read-hooks.ts";
import type { Directories } from "../lib/env.ts";
import { isObject } from "../lib/json.ts";
import type { Builtin } from "../protocol/builtin.ts";
import type { EventName, EventPayload } from "../protocol/events.ts";
import { parseInput } from "../protocol/input.ts";
import type { DispatchDecision, Result } from "../protocol/result.ts";
import { Executor } from "./checked-executor.ts";
import type { DispatchRecord, HookDetail } from "./dispatch-record.ts";
import type { HandlerResult } from "./handler.ts";
import { newRegistry, type Registry } from "./registry.ts";

/** An event with the name that a hook reads it under. */
export type TestInput<E extends EventName> = EventPayload<E> & { hook_event_name: E };

/** Further keys of the hook under test, such as `args` and `timeout`, and its surroundings. */
export interface TestHookOptions extends Partial<HookDefinition> {
  /** Where hooks keep files. Default: the user's own directories. */
  directories?: Directories;
  /** Has the hook types and builtins of the program. A function under test needs none. */
  registry?: Registry;
  /** Cancels the hook. */
  signal?: AbortSignal;
}

/** What a hook did with an event, and what followed from it. */
export interface TestedHook<E extends EventName> extends Omit<HookDetail, "source" | "stage"> {
  /** The result of the dispatch, in which the hook ran alone. */
  result: Result<E>;
  /** The hook's own decision; `none` if it had no opinion. */
  decision: DispatchDecision;
  /** What it printed or returned; undefined if it was stopped or could not start. */
  output: HandlerResult | undefined;
  /** What is wrong with its answer, although the answer counts. */
  warnings: string[];
  /** Every line that was logged while it ran: its own, and those about it. */
  log: { level: "debug" | "warn"; message: string }[];
}

/**
 * Runs one hook on an event as an executor does: with the same reading of its answer, deadline and failure policy. The
 * hook is a function, the path or file URL of an own hook, or the definition of any hook. A hook that fails is an
 * outcome; misuse is an error, such as an unknown event.
 */
export async function testHook<E extends EventName>(
  hook: Builtin | string | { readonly href: string } | (Partial<HookDefinition> & { type: string }),
  input: TestInput<E>,
  options: TestHookOptions = {},
): Promise<TestedHook<E>> {
  const payload = isObject(input) ? parseInput(input) : "expected an event as an object with hook_event_name";
  if (typeof payload === "string") throw new TypeError(`testHook: ${payload}`);
  const own = typeof hook === "function" ? withFunction(hook) : undefined;
  const { directories, registry = newRegistry(), signal, ...keys } = { ...options, ...own?.surroundings };
  const event = payload.hook_event_name as E;
  const entry = hookEntry(event, { ...(own?.hook ?? definitionOf(hook)), ...keys }, { registry });
  const [log, warnings, records]: [TestedHook<E>["log"], string[], DispatchRecord[]] = [[], [], []];
  const executor = new Executor([entry], {
    registry,
    log: (level, message) => void log.push({ level, message }),
    observers: [() => ({ settled: (record) => void records.push(record) })],
    ...(directories === undefined ? {} : { directories }),
  });
  const { hook_event_name: _event, ...fields } = payload;
  const { result, details } = await executor.dispatch(event, fields as EventPayload<E>, {
    signal,
    warn: (message) => void warnings.push(message),
    details: true,
  });
  const run = records[0]?.runs.find(({ hook: { entry: ran } }) => ran === entry);
  const [detail] = await details();
  if (!run || !detail) throw new Error("the hook did not run");
  const { source: _source, stage: _stage, ...did } = detail;
  return { ...did, result, decision: run.decision, output: run.output, warnings, log };
}

function definitionOf(hook: unknown): Partial<HookDefinition> & { type: string } {
  if (typeof hook === "string") return { type: "builtin", command: hook };
  if (isObject(hook) && typeof hook["href"] === "string")
    return { type: "builtin", command: fileURLToPath(hook["href"]) };
  if (isObject(hook)) return hook as Partial<HookDefinition> & { type: string };
  throw new TypeError("testHook: expected a hook: a function, the path of a file such as ./guard.ts, or a definition");
}

/** A registry with a function as a builtin, and the hook that runs it. */
function withFunction(run: Builtin) {
  const command = run.name || "hook";
  const builtin: Builtin = async (input, args, context) => {
    // As between the threads of an own hook: the input is JSON, the answer a copy, and nothing is kept.
    const output: unknown = await run(JSON.parse(JSON.stringify(input)), args, {
      ...context,
      memory: (make) => make(),
    });
    return structuredClone(output) as ReturnType<Builtin>;
  };
  const registry = newRegistry().registerBuiltin(command, builtin);
  return { hook: { type: "builtin", command }, surroundings: { registry } };
}
