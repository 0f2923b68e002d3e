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
 * Two executors share nothing unless they are given the same registry or memory.
 */

// Events and their contracts.
export {
  allContracts,
  type AnswerName,
  contractOf,
  laneContract,
  EVENT_NAMES,
  type EventContract,
  type EventInput,
  type EventName,
  type EventPayload,
  EVENTS,
  isEventName,
  type Lane,
} from "./protocol/events.ts";
export type { FieldName, FieldValue, Message, ModelEndpoint } from "./protocol/fields.ts";
export { type ParsedInput, parseInput } from "./protocol/input.ts";
export { inputJson } from "./engine/input.ts";

// What hooks answer, and what a dispatch comes to.
export {
  BLOCK,
  contextOutput,
  type HookOutput,
  isBlocked,
  shouldContinue,
  type SpecificOutput,
} from "./protocol/output.ts";
export { type AnyResult, type Decision, DECISIONS, type Result } from "./protocol/result.ts";

// Configuration.
export {
  defineHook,
  displayName,
  ERROR_POLICIES,
  type HookDefinition,
  type HookEntry,
} from "./config/hooks/read-hooks.ts";
export { HOOK_TYPE_NAMES, type HookTypeName } from "./config/hooks/hook-types.ts";
export {
  applyAgentDefaults,
  hookEntry,
  type HookProblem,
  mergeHooks,
  parseHooks,
  type ParseHooksOptions,
  validateHooks,
} from "./config/hooks/parse-hooks.ts";
export type { AgentDefaults } from "./config/hooks/hook-sources.ts";

// Running hooks.
export { type DetailedResult, type DispatchOptions, Executor, type ExecutorOptions } from "./engine/executor.ts";
export type { HookDetail } from "./engine/details.ts";
export { defaultRegistry, newRegistry } from "./engine/default-registry.ts";
export { Registry } from "./engine/registry.ts";
export type {
  FailureReason,
  Handler,
  HandlerEnvironment,
  HandlerFactory,
  HandlerInput,
  HandlerResult,
  Log,
} from "./engine/hook.ts";

// Hooks in this process, and hooks that ask a model.
export {
  type Builtin,
  type BuiltinContext,
  type BuiltinInput,
  type BuiltinMemory,
  type BuiltinRow,
  defineBuiltin,
} from "./protocol/builtin.ts";
export { type ModelClient, modelHandler } from "./engine/handlers/model.ts";
export {
  type ResponseSchema,
  type ResponseShape,
  SHAPE_PRE_TOOL_USE_DECISION,
  type ShapeInput,
  ShapeRegistry,
} from "./protocol/shapes.ts";

// What a command line runs, as permission rules see it.
export { mayRun, runsOnly } from "./shell/command-pattern.ts";

// Undoing what an agent did to files, as the builtin `snapshot` recorded it.
export {
  type CheckpointSummary,
  latestSession,
  listCheckpoints,
  resetTo,
  type SnapshotOptions,
  undoLast,
  type UndoResult,
} from "./snapshot/controller.ts";

// What the above is made with.
export { type Directories, type Env, processEnv, resolveDirectories } from "./lib/env.ts";
export { ConfigError, UserError } from "./lib/errors.ts";
export { PatternError } from "./pattern/pattern.ts";
