import { BUILTINS } from "../../../builtins/index.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { HookExamples } from "./hook-examples.ts";
import type { HOOK_KEYS, ValuesOf } from "./hook-keys.ts";

/** One configured hook with all defaults. Two hooks with equal fields are duplicates. */
export type HookDefinition = Omit<ValuesOf<typeof HOOK_KEYS>, "examples"> & { examples?: HookExamples | undefined };

/** Checks that need code of other parts. Each returns the problem, or undefined. */
export interface HookChecks {
  matcher?: (pattern: string) => string | undefined;
  /** Checks the template and the schema of a model hook. */
  model?: (hook: HookDefinition) => string | undefined;
  /** Checks the policy of an evaluator hook. */
  policy?: (hook: HookDefinition, event: EventName) => HookKeyProblem | undefined;
  /** True if the embedding program registered this hook type. */
  knowsType?: (type: string) => boolean;
  /** True if the embedding program registered this builtin. */
  knowsBuiltin?: (name: string) => boolean;
}

/** A problem with a hook. Without `key` it concerns the hook as a whole. */
export interface HookKeyProblem {
  message: string;
  key?: keyof HookDefinition;
}

/** What the name of a hook without `name` follows from. */
export type NamedHook = Pick<HookDefinition, "command" | "type"> & Partial<Pick<HookDefinition, "evaluator">>;

/** How configuration checks and names hooks of one type. The engine knows how to run them. */
export interface HookType {
  /** The keys of this type in addition to {@link COMMON_KEYS}. */
  keys: readonly (keyof HookDefinition)[];
  /** Returns the problem with the keys of a hook; undefined if they are valid. */
  check: (hook: HookDefinition, checks: HookChecks, event: EventName) => HookKeyProblem | undefined;
  /** Names a hook without `name` in messages. */
  describe: (hook: NamedHook) => string;
  /** Returns why a hook of this type cannot be on an event; undefined if it can. */
  eventProblem?: (hook: HookDefinition, event: EventName) => string | undefined;
}

/** The keys that hooks of every type have. */
export const COMMON_KEYS: readonly (keyof HookDefinition)[] = [
  "name",
  "type",
  "timeout",
  "if",
  "on_error",
  "strict_output",
  "rewrite",
  "mode",
  "examples",
];

const byCommand: HookType["describe"] = ({ command, type }) => command || type;

/** The hook types of hooksh. An embedding program may register more, which may have every key. */
export const HOOK_TYPES = {
  command: {
    keys: ["command", "args", "env", "working_dir", "dialect", "other_exit_codes"],
    check: ({ command }) => (command.trim() === "" ? { message: "command is required for command hooks" } : undefined),
    describe: byCommand,
  },
  builtin: {
    keys: ["command", "args", "env", "working_dir"],
    check: checkBuiltin,
    describe: byCommand,
  },
  model: {
    // As in docker-agent, env and working_dir are accepted here and have no effect.
    keys: ["model", "prompt", "system_prompt", "schema", "env", "working_dir"],
    check: checkModel,
    describe: ({ type }) => type,
    eventProblem: modelEventProblem,
  },
  evaluator: {
    keys: ["evaluator", "evaluator_policy", "routing_policy"],
    check: checkEvaluator,
    describe: ({ evaluator, type }) => evaluator || type,
    eventProblem: evaluatorEventProblem,
  },
} as const satisfies Record<string, HookType>;

export type HookTypeName = keyof typeof HOOK_TYPES;

export const HOOK_TYPE_NAMES = Object.keys(HOOK_TYPES) as HookTypeName[];

/** Returns a hook type of hooksh; undefined for any other. */
export function hookType(name: string): HookType | undefined {
  return Object.hasOwn(HOOK_TYPES, name) ? HOOK_TYPES[name as HookTypeName] : undefined;
}

/** Returns the problems with the type of a hook, with the keys of that type, and with keys of other types. */
export function checkType(hook: HookDefinition, checks: HookChecks, event: EventName): HookKeyProblem[] {
  const type = hookType(hook.type);
  if (!type) {
    if (checks.knowsType?.(hook.type)) return [];
    const supported = HOOK_TYPE_NAMES.filter((name) => hookType(name)?.eventProblem?.(hook, event) === undefined);
    if (hook.type === "") return [{ message: `type is required: ${supported.join(", ")}` }];
    const list = supported.map((name) => `'${name}'`).join(", ");
    return [{ message: `unsupported hook type '${hook.type}' (supported: ${list})` }];
  }
  const complaint = type.check(hook, checks, event);
  return [...(complaint ? [complaint] : []), ...unreadKeys(hook, type)];
}

function unreadKeys(hook: HookDefinition, type: HookType): HookKeyProblem[] {
  const keys = Object.keys(hook) as (keyof HookDefinition)[];
  const unread = keys.filter((key) => !COMMON_KEYS.includes(key) && !type.keys.includes(key) && !isEmpty(hook[key]));
  return unread.map((key) => {
    if (key === "routing_policy") return { key, message: "routing_policy requires type evaluator" };
    const owners = HOOK_TYPE_NAMES.filter((name) => hookType(name)?.keys.includes(key));
    const home = `${owners.length > 1 ? "types" : "type"} ${owners.join(" and ")}`;
    return { key, message: `${key} has no effect on hooks of type ${hook.type}: it belongs to ${home}` };
  });
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === "" || value === 0 || value === false;
}

function checkBuiltin({ command, args }: HookDefinition, { knowsBuiltin }: HookChecks): HookKeyProblem | undefined {
  if (command === "") return { message: "command must name the builtin to invoke" };
  if (Object.hasOwn(BUILTINS, command)) {
    const row: BuiltinRow = BUILTINS[command as keyof typeof BUILTINS];
    const message = row.argsProblem?.(args);
    return message === undefined ? undefined : { message, key: "args" };
  }
  if (isHookFile(command) || knowsBuiltin?.(command)) return undefined;
  return { message: `no builtin hook registered as "${command}" (${adviceFor(command)})` };
}

function adviceFor(command: string): string {
  if (SCRIPT.test(command)) return `write ./${command} to run a file of yours`;
  const names = Object.keys(BUILTINS);
  const close = nearest(command, names);
  return close === undefined ? `known: ${names.join(", ")}` : `did you mean ${close}?`;
}

function checkModel(hook: HookDefinition, checks: HookChecks): HookKeyProblem | undefined {
  if (hook.model === "") return { message: "model is required for model hooks (e.g. 'openai/gpt-4o-mini')" };
  if (hook.prompt === "") return { message: "prompt is required for model hooks" };
  const message = checks.model?.(hook);
  return message === undefined ? undefined : { message, key: "prompt" };
}

function checkEvaluator(hook: HookDefinition, { policy }: HookChecks, event: EventName): HookKeyProblem | undefined {
  if (hook.evaluator.trim() === "") return { message: "evaluator hook requires a non-empty evaluator reference" };
  return evaluatorEventProblem(hook, event) === undefined ? policy?.(hook, event) : undefined;
}

function evaluatorEventProblem(
  { evaluator_policy, routing_policy }: HookDefinition,
  event: EventName,
): string | undefined {
  if (contractOf(event).accepts.includes("transition"))
    return evaluator_policy === undefined
      ? undefined
      : "evaluator hooks on this event use routing_policy, not evaluator_policy";
  if (event === "tool_guard")
    return routing_policy === undefined
      ? undefined
      : "evaluator hooks on tool_guard use evaluator_policy, not routing_policy";
  return routing_policy === undefined
    ? "evaluator hooks are only supported on tool_guard, before_agent_run, and after_agent_complete"
    : "routing_policy is only supported on before_agent_run and after_agent_complete";
}

const SCRIPT = /\.(ts|js|mts|mjs)$/;

/** True if the `command` of a builtin hook is a path to a TypeScript or JavaScript file of the user. */
export function isHookFile(command: string): boolean {
  return /[/\\]/.test(command) && SCRIPT.test(command);
}

/** True if the hook runs a TypeScript or JavaScript file of the user, in this process and with its standard output. */
export function isOwnHook({ type, command }: Pick<HookDefinition, "type" | "command">): boolean {
  return type === "builtin" && isHookFile(command);
}

/** What the answer of a model hook is: a verdict on a tool call, or a block of its event or none. */
export type ModelVerdict = "call" | "block";

const VERDICTS: Readonly<Record<string, ModelVerdict>> = {
  pre_tool_use_decision: "call",
  guard_decision: "block",
  block_decision: "block",
};

/** Returns what the answer of a model hook is; undefined for context, and for a shape of an embedding program. */
export function modelVerdict({ type, schema }: Pick<HookDefinition, "type" | "schema">): ModelVerdict | undefined {
  return type === "model" && Object.hasOwn(VERDICTS, schema) ? VERDICTS[schema] : undefined;
}

/** True if the hook asks a model for a verdict. In the default lane of `pre_tool_use`, an allow rule answers in its place. */
export function asksForVerdict({ type, schema }: Pick<HookDefinition, "type" | "schema">): boolean {
  return type === "model" && (schema === "pre_tool_use_decision" || schema === "guard_decision");
}

function modelEventProblem(hook: HookDefinition, event: EventName): string | undefined {
  const { schema } = hook;
  const { accepts, reading, verdict, canBlock } = contractOf(event);
  if (accepts.includes("transition")) return "model hooks cannot select routes; use a command or choice evaluator";
  if (reading === "approval" && schema !== "guard_decision") return "model hooks require schema guard_decision";
  const answer = modelVerdict(hook);
  if (answer === "call" && verdict === undefined) return `${schema} requires an approval event`;
  return answer === "block" && !canBlock ? `${schema} requires a blocking event` : undefined;
}
