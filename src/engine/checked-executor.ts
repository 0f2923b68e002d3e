import { checkOptions, HOOK_KEYS, type OptionTable, readKeys } from "../config/hooks/hook-keys.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { isObject } from "../lib/json.ts";
import { type EventName, type EventPayload, isEventName, type Lane, unknownEvent } from "../protocol/events.ts";
import type { Result } from "../protocol/result.ts";
import { type DetailedResult, type DispatchOptions, type ExecutorOptions, Executor as Unchecked } from "./executor.ts";

/**
 * The compiled hooks of one agent. A failing hook never makes a dispatch reject; misuse does, such as an unknown event.
 * Two executors share state only if they are given the same registry or memory.
 */
export class Executor extends Unchecked {
  /**
   * Throws a `PatternError` if a matcher is invalid, and a `TypeError` on misuse that TypeScript would have found, such
   * as an unknown option.
   */
  constructor(entries: readonly HookEntry[], options: ExecutorOptions = {}) {
    checkEntries(entries);
    checkOptions("Executor", OPTION_KEYS, options);
    checkRules(options.rules);
    super(entries, options);
  }

  override has(event: EventName, lane?: Lane): boolean {
    if (!isEventName(event)) throw new TypeError(unknownEvent(event));
    checkLane(event, lane);
    return super.has(event, lane);
  }

  override async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details: true },
  ): Promise<DetailedResult<E>>;
  override async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options?: DispatchOptions & { details?: false },
  ): Promise<Result<E>>;
  override async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details?: boolean } = {},
  ): Promise<DetailedResult<E> | Result<E>> {
    checkOptions(event, DISPATCH_KEYS, options);
    const { lane, signal } = options;
    checkLane(event, lane);
    if (signal && !("aborted" in signal)) throw new TypeError(`${event}: signal must be an AbortSignal`);
    return super.dispatch(event, payload, options as DispatchOptions);
  }
}

const OPTION_KEYS = {
  workingDir: "text",
  env: "object",
  directories: "textMap",
  registry: "object",
  memory: "object",
  log: "call",
  host: "object",
  evaluated: "call",
  routes: "object",
  observers: "calls",
  rules: "any",
  agent: "text",
  keepsHistory: "flag",
  stated: "object",
} as const satisfies Record<keyof ExecutorOptions, OptionTable[string]>;

const DISPATCH_KEYS = {
  signal: "object",
  lane: "text",
  skipJudges: "flag",
  judged: "object",
  session: "call",
  seen: "object",
  toolNames: "texts",
  readPatch: "call",
  canBlock: "flag",
  evaluated: "call",
  judgeFile: "call",
  warn: "call",
  details: "flag",
} as const satisfies Record<keyof DispatchOptions | "details", OptionTable[string]>;

const ENTRY_KEYS = {
  event: "text",
  matcher: "text",
  lane: "text",
  hook: "object",
  path: "any",
  evaluator: "object",
  implicit: "flag",
  directory: "text",
  document: "object",
  source: "call",
} as const satisfies Record<keyof HookEntry, OptionTable[string]>;

/** The keys of a hook that have a value even if nothing is configured. */
const DEFAULTED = Object.entries(HOOK_KEYS).flatMap(([key, kind]) => (kind === "any" ? [] : [key]));

function checkEntries(entries: unknown): void {
  if (!Array.isArray(entries)) {
    const cure =
      entries instanceof Promise
        ? "await what parseHooks returns"
        : "pass what parseHooks returns, or a list of hookEntry(...)";
    throw new TypeError(`Executor: expected a list of hooks: ${cure}`);
  }
  for (const [index, entry] of entries.entries()) {
    const problem = entryProblem(entry);
    if (problem !== undefined)
      throw new TypeError(`Executor: hook ${index}: ${problem}; make hooks with hookEntry or parseHooks`);
  }
}

function checkRules(rules: unknown): void {
  if (rules === undefined) return;
  const isList = Array.isArray(rules) && rules.every((rule) => isObject(rule) && Array.isArray(rule["on"]));
  if (!isList) throw new TypeError("Executor: rules: expected a list of rules: pass what parseRules returns");
}

/** The first problem with an entry that neither `parseHooks` nor `hookEntry` made. */
function entryProblem(entry: unknown): string | undefined {
  if (!isObject(entry)) return `expected an entry but got ${JSON.stringify(entry) ?? typeof entry}`;
  const { event, lane, hook } = entry;
  if (typeof event !== "string") return "it names no event";
  if (!isEventName(event)) return unknownEvent(event);
  if (!isLane(lane)) return 'lane must be "default" or "preempt"';
  const wrong = keysProblem(ENTRY_KEYS, entry, ["matcher", "hook", "source"]);
  return wrong ?? keysProblem(HOOK_KEYS, hook as Record<string, unknown>, DEFAULTED);
}

function keysProblem(table: OptionTable, item: Record<string, unknown>, required: readonly string[]) {
  const problems: string[] = [];
  readKeys(table, item, (message) => problems.push(message));
  const missing = required.find((key) => item[key] === undefined || item[key] === null);
  return problems[0] ?? (missing === undefined ? undefined : `${missing} is missing`);
}

/** Throws on a lane that does not exist: it would have no guards. */
function checkLane(event: EventName, lane: unknown): void {
  if (lane !== undefined && !isLane(lane)) throw new TypeError(`${event}: lane must be "default" or "preempt"`);
}

function isLane(value: unknown): value is Lane {
  return value === "default" || value === "preempt";
}
