import { resolve } from "node:path";
import { expandEnv } from "../config/hooks/expand-hook.ts";
import { type HookEntry, judgesToolCalls } from "../config/hooks/read-hooks.ts";
import { processEnv, resolveDirectories } from "../lib/env.ts";
import { isObject } from "../lib/json.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import type { RedactedKinds } from "../protocol/builtin.ts";
import {
  contractOf,
  type EventName,
  type EventPayload,
  isEventName,
  type Lane,
  laneContract,
  lanesOf,
  unknownEvent,
} from "../protocol/events.ts";
import { buildInput } from "../protocol/input.ts";
import type { Result } from "../protocol/result.ts";
import { addRewrite, type Payload } from "../protocol/rewrite.ts";
import { aggregate, type HookOutcome } from "./aggregate.ts";
import { defaultRegistry } from "./default-registry.ts";
import { isDeclaredRewriter, redactionRole } from "./describe.ts";
import { dispatchDetails, gaveVerdict, type HookDetail, type LaneRun, type Timing, totalRedacted } from "./details.ts";
import { reportOutcome } from "./hook-log.ts";
import { allowBlocks, type ReadPatch, translatePatch } from "./host-call.ts";
import { type ExecutorSettings, invokeHook } from "./invoke-hook.ts";
import { type CompiledHook, compileHooks, selectHooks } from "./match.ts";
import { runHooks } from "./modes.ts";

/** Settings of an executor; each defaults to that of the process. */
export type ExecutorOptions = Partial<ExecutorSettings>;

/** Options of one dispatch. */
export interface DispatchOptions {
  /** Cancels the dispatch: its running hooks are stopped and count as failed. */
  signal?: AbortSignal | undefined;
  /**
   * Dispatches on this lane only. By default every lane of the event runs, the preempt lane first; a block there ends
   * the dispatch.
   */
  lane?: Lane;
  /** Skips model hooks that judge tool calls, because this call is already allowed. */
  skipJudges?: boolean;
  /** Further names of the tool that matchers are tried against, such as its name in another agent. */
  toolNames?: readonly string[];
  /** Translates the names of another agent in a patch of tool input. */
  readPatch?: ReadPatch;
  /** Lets hooks block an event that otherwise cannot be blocked: some agents let a hook keep them going. */
  canBlock?: boolean;
  /** Receives warnings about hook output that looks like an answer but has no effect. Default: the executor's log. */
  warn?: (message: string) => void;
}

/** The result of a dispatch with the outcome of each of its hooks. */
export interface DetailedResult<E extends EventName = EventName> {
  result: Result<E>;
  /** The secrets that its hooks replaced. */
  redacted: RedactedKinds;
  /** The details of every hook that ran. Locating the hooks in their files may load a parser. */
  details: () => Promise<HookDetail[]>;
  /** The details of the hooks that gave the verdict: those that blocked, else those with the winning decision. */
  deciders: () => Promise<HookDetail[]>;
}

/**
 * The compiled hooks of one agent. A failing hook never makes a dispatch reject; misuse does, such as an unknown event.
 * Two executors share state only if they are given the same registry or memory.
 */
export class Executor {
  readonly #hooks: readonly CompiledHook[];
  readonly #settings: ExecutorSettings;

  /** Throws a `PatternError` if a matcher is invalid. */
  constructor(entries: readonly HookEntry[], options: ExecutorOptions = {}) {
    const env = options.env ?? processEnv();
    this.#hooks = compileHooks(entries);
    for (const { hook } of entries) if (Object.keys(hook.env).length > 0) rememberVariables(expandEnv(hook.env, env));
    this.#settings = {
      workingDir: resolve(options.workingDir ?? ""),
      env,
      directories: options.directories ?? resolveDirectories({}, env),
      registry: options.registry ?? defaultRegistry(),
      memory: options.memory ?? new Map(),
      log: options.log ?? (() => {}),
      host: options.host,
    };
  }

  /** True if any hook is configured for the event, whatever its matcher; with `lane`, on that lane. */
  has(event: EventName, lane?: Lane): boolean {
    return this.#hooks.some(({ entry }) => entry.event === event && (lane === undefined || entry.lane === lane));
  }

  /** True if hooksh itself added every hook for this event; runs do not report those dispatches. */
  hasOnlyImplicitHooks(event: EventName): boolean {
    return this.#hooks.every(({ entry }) => entry.event !== event || entry.implicit === true);
  }

  /**
   * The compiled hooks in configuration order.
   * @internal
   */
  get hooks(): readonly CompiledHook[] {
    return this.#hooks;
  }

  /**
   * Runs every hook that matches an event, on all its lanes, and folds their outcomes. The payload itself is not
   * changed. `details: true` adds the outcome of each hook. Rejects on misuse: an unknown event, a missing payload, or
   * a tool-call event without `tool_name`.
   */
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details: true },
  ): Promise<DetailedResult<E>>;
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options?: DispatchOptions & { details?: false },
  ): Promise<Result<E>>;
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details?: boolean } = {},
  ): Promise<DetailedResult<E> | Result<E>> {
    const detailed = (await this.#dispatchLanes(event, payload, options)) as DetailedResult<E>;
    return options.details ? detailed : detailed.result;
  }

  async #dispatchLanes(event: EventName, payload: Payload, options: DispatchOptions): Promise<DetailedResult> {
    checkPayload(event, payload);
    const lanes = options.lane === undefined ? lanesOf(event) : [options.lane];
    const runs: LaneRun[] = [];
    for (const lane of lanes) {
      const run = await this.#runLane(event, lane, payload, options);
      runs.push(run);
      if (!aggregate(run.outcomes).allowed) break;
    }
    const outcomes = runs.flatMap((run) => run.outcomes);
    const result = aggregate(outcomes);
    const last = runs.at(-1);
    if (last?.rewritten) addRewrite(result, laneContract(event, last.lane), last.payload);
    return {
      result,
      redacted: totalRedacted(outcomes),
      details: () => dispatchDetails(this.#hooks, runs),
      deciders: () => dispatchDetails(this.#hooks, runs, (outcome) => gaveVerdict(outcome, result)),
    };
  }

  async #runLane(event: EventName, lane: Lane, payload: Payload, options: DispatchOptions): Promise<LaneRun> {
    const contract = allowBlocks(laneContract(event, lane), options.canBlock);
    const names = [payload["tool_name"], payload["tool_qualified_name"], ...(options.toolNames ?? [])].filter(
      (name) => typeof name === "string",
    );
    const hooks = selectHooks(this.#hooks, event, lane, names).filter(
      ({ entry }) => !(options.skipJudges && judgesToolCalls(entry.hook)),
    );
    const timings = new Map<CompiledHook, Timing>();
    const declared = ({ entry }: CompiledHook) => isDeclaredRewriter(entry, this.#settings.registry);
    if (hooks.length === 0) return { lane, hooks, outcomes: [], payload, rewritten: false, timings, declared };
    const run = await runHooks({
      contract,
      hooks,
      payload: buildInput(event, payload, this.#settings.workingDir),
      declared,
      redaction: ({ entry }) => redactionRole(entry.hook),
      run: async (hook, current) => {
        const started = performance.now();
        const { outcome, exitCode } = await invokeHook(hook, contract, current, this.#settings, options.signal);
        timings.set(hook, { milliseconds: performance.now() - started, exitCode });
        return options.readPatch ? translatePatch(outcome, options.readPatch) : outcome;
      },
    });
    const outcomes = hooks.map((hook, index): HookOutcome => {
      const { outcome = { kind: "silent" }, rewriteDropped = false } = run.outcomes[index] ?? {};
      return { event, contract, hook: hook.entry.hook, outcome, rewriteDropped };
    });
    for (const outcome of outcomes) reportOutcome(outcome, this.#settings.log, options.warn);
    return { lane, hooks, outcomes, payload: run.payload, rewritten: run.rewritten, timings, declared };
  }
}

/** Throws on misuse, even by untyped callers: without a tool's name, no guard would match. */
function checkPayload(event: string, payload: Payload | undefined): void {
  if (!isEventName(event)) throw new TypeError(unknownEvent(event));
  if (!isObject(payload)) throw new TypeError("hook input is required");
  if (!contractOf(event).matcher || typeof payload["tool_name"] === "string") return;
  throw new TypeError(`${event}: tool_name is required and must be a text: it decides which hooks run`);
}
