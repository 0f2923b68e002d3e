/**
 * hooksh as a library: everything the program does with hooks, for programs that bring their own agent.
 *
 * ```ts
 * import { Executor, parseHooks } from "hooksh";
 *
 * const executor = new Executor(await parseHooks(await Bun.file("hooks.yaml").text()));
 * const result = await executor.dispatch("pre_tool_use", { tool_name: "shell", tool_input: { cmd: "rm -rf build" } });
 * if (!result.allowed) console.log(result.message);
 * ```
 *
 * Two executors share nothing unless they are given the same registry or memory. Users' own hooks import `hooksh/hook`;
 * `hooksh/snapshot` undoes an agent's changes to files. docs/library.md has an example of every name.
 *
 * @packageDocumentation
 */

// Configuration.
export type { PlacedRule } from "./config/rules/load-rules.ts";
export type { HookEntry } from "./config/hooks/read-hooks.ts";
export {
  applyAgentDefaults,
  hookEntry,
  type HookProblem,
  mergeHooks,
  parseHooks,
  parseRules,
  type ParseHooksOptions,
  validateHooks,
} from "./config/hooks/parse-hooks.ts";

// Running hooks.
export { Executor } from "./engine/checked-executor.ts";
export type { DetailedResult, DispatchOptions, ExecutorOptions } from "./engine/dispatch-options.ts";
export type { HookDetail } from "./engine/dispatch-record.ts";
export type { DispatchObserver, DispatchRecord, HookRun } from "./engine/dispatch-record.ts";
export type { Result } from "./protocol/result.ts";

// Tests of hooks.
export { type TestedHook, type TestHookOptions, testHook } from "./engine/test-hook.ts";

// Events and their contracts.
export {
  contractOf,
  type EventContract,
  type EventInput,
  type EventName,
  type EventPayload,
  EVENTS,
  isEventName,
} from "./protocol/events.ts";

// Builtins and hook types of the embedding program.
export type { Builtin } from "./protocol/builtin.ts";
export type { HookOutput } from "./protocol/output.ts";
export { newRegistry } from "./engine/registry.ts";
export type { Registry } from "./engine/registry.ts";
export type { Handler, HandlerFactory, HandlerResult, Log } from "./engine/handler.ts";

// Hooks that ask a model.
export type { ModelClient } from "./engine/handlers/model-handler.ts";
export { ShapeRegistry } from "./protocol/reply-schemas.ts";

// Errors.
export { ConfigError, type Help } from "./lib/errors.ts";
export { PatternError } from "./pattern/pattern.ts";
