import { BUILTINS } from "../../../builtins/index.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import type { HOOK_KEYS, ValuesOf } from "./hook-keys.ts";

/** One configured hook with every default filled in; compared field by field to find duplicates. */
export type HookDefinition = ValuesOf<typeof HOOK_KEYS>;

/** What a check of the parts that need another level's knowledge answers: the problem, or nothing. */
export interface HookChecks {
  /** The problem with a matcher pattern. */
  matcher?: (pattern: string) => string | undefined;
  /** The problem with a model hook's template or schema. */
  model?: (hook: HookDefinition) => string | undefined;
  /** True for a hook type that an embedder has registered. */
  knowsType?: (type: string) => boolean;
  /** True for a builtin that an embedder has registered. */
  knowsBuiltin?: (name: string) => boolean;
}

/** What is wrong with a hook, and at which of its keys; without one at the hook as a whole. */
export interface HookKeyProblem {
  message: string;
  key?: keyof HookDefinition;
}

/** What configuration knows of a hook type. How one runs is the engine's to know. */
export interface HookType {
  /** The keys it reads besides those that every hook has. */
  keys: readonly (keyof HookDefinition)[];
  /** What is wrong with the keys of one hook; undefined if nothing is. */
  check: (hook: HookDefinition, checks: HookChecks) => HookKeyProblem | undefined;
  /** What messages call a hook that has no name. */
  describe: (hook: Pick<HookDefinition, "command" | "type">) => string;
  /** True for a hook that judges a tool call: it is not asked about calls already allowed. */
  judges?: (hook: Pick<HookDefinition, "schema">) => boolean;
}

/** The keys that every hook reads, whatever its type. */
export const COMMON_KEYS: readonly (keyof HookDefinition)[] = [
  "name",
  "type",
  "timeout",
  "on_error",
  "strict_output",
  "rewrite",
];

const byCommand: HookType["describe"] = ({ command, type }) => command || type;

/** The hook types that configuration may name. An embedder may register more, which read every key. */
export const HOOK_TYPES = {
  command: {
    keys: ["command", "args", "env", "working_dir"],
    check: ({ command }) => (command.trim() === "" ? { message: "command is required for command hooks" } : undefined),
    describe: byCommand,
  },
  builtin: {
    keys: ["command", "args", "env", "working_dir"],
    check: checkBuiltin,
    describe: byCommand,
  },
  model: {
    // docker-agent accepts env and working_dir here, and uses neither.
    keys: ["model", "prompt", "schema", "env", "working_dir"],
    check: checkModel,
    describe: ({ type }) => type,
    judges: ({ schema }) => schema === "pre_tool_use_decision",
  },
} as const satisfies Record<string, HookType>;

/** The name of a hook type that configuration may use. */
export type HookTypeName = keyof typeof HOOK_TYPES;

/** The names of all hook types. */
export const HOOK_TYPE_NAMES = Object.keys(HOOK_TYPES) as HookTypeName[];

/** The row of a hook type; undefined for one of an embedder's. */
export function hookType(name: string): HookType | undefined {
  return Object.hasOwn(HOOK_TYPES, name) ? HOOK_TYPES[name as HookTypeName] : undefined;
}

/** Everything that is wrong with a hook's type, with the keys of its type, and with keys that belong to another. */
export function checkType(hook: HookDefinition, checks: HookChecks): HookKeyProblem[] {
  if (hook.type === "") return [{ message: "type is required" }];
  const type = hookType(hook.type);
  if (!type) {
    if (checks.knowsType?.(hook.type)) return [];
    const supported = HOOK_TYPE_NAMES.map((name) => `'${name}'`).join(", ");
    return [{ message: `unsupported hook type '${hook.type}' (supported: ${supported})` }];
  }
  const complaint = type.check(hook, checks);
  return [...(complaint ? [complaint] : []), ...unreadKeys(hook, type)];
}

function unreadKeys(hook: HookDefinition, type: HookType): HookKeyProblem[] {
  const keys = Object.keys(hook) as (keyof HookDefinition)[];
  const unread = keys.filter((key) => !COMMON_KEYS.includes(key) && !type.keys.includes(key) && !isEmpty(hook[key]));
  return unread.map((key) => {
    const owners = HOOK_TYPE_NAMES.filter((name) => hookType(name)?.keys.includes(key));
    const home = `${owners.length > 1 ? "types" : "type"} ${owners.join(" and ")}`;
    return { key, message: `${key} has no effect on hooks of type ${hook.type}: it belongs to ${home}` };
  });
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0 || value === false;
}

function checkBuiltin({ command, args }: HookDefinition, { knowsBuiltin }: HookChecks): HookKeyProblem | undefined {
  if (command === "") return { message: "command must name the builtin to invoke" };
  if (Object.hasOwn(BUILTINS, command)) {
    const row: BuiltinRow = BUILTINS[command as keyof typeof BUILTINS];
    const message = row.argsProblem?.(args);
    return message === undefined ? undefined : { message, key: "args" };
  }
  if (isHookFile(command) || knowsBuiltin?.(command)) return undefined;
  return { message: `no builtin hook registered as "${command}" (${adviceOn(command)})` };
}

function adviceOn(command: string): string {
  if (SCRIPT.test(command)) return `write ./${command} for a file of your own`;
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

const SCRIPT = /\.(ts|js|mts|mjs)$/;

/** True when a builtin's `command` is a path to the user's own TypeScript or JavaScript hook, not a name. */
export function isHookFile(command: string): boolean {
  return /[/\\]/.test(command) && SCRIPT.test(command);
}

/** True for a hook of the user's own in TypeScript, which runs in this process and can write to its standard output. */
export function isOwnHook({ type, command }: Pick<HookDefinition, "type" | "command">): boolean {
  return type === "builtin" && isHookFile(command);
}

/** True for a hook that judges a tool call; it is not asked about calls already allowed. */
export function judgesToolCalls(hook: Pick<HookDefinition, "type" | "schema">): boolean {
  return hookType(hook.type)?.judges?.(hook) ?? false;
}
