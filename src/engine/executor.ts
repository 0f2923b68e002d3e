/**
 * The steps of one event: match, run, interpret, combine. What asks models, what logs and what watches is passed in.
 *
 * @packageDocumentation
 */
import { resolve } from "node:path";
import { withinRoutes } from "../config/agent/routes.ts";
import { expandEnv } from "../config/hooks/expand-hook.ts";
import { asksForVerdict, type HookEntry } from "../config/hooks/read-hooks.ts";
import { processEnv, resolveDirectories } from "../lib/env.ts";
import { isObject } from "../lib/json.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
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
import { isDeclaredRewriter, observesOnly, redactionRole } from "./hook-policy.ts";
import { dispatchDetails, gaveVerdict, type LaneRun, type RanHook, timed, totalRedacted } from "./details.ts";
import type { DetailedResult, DispatchOptions, ExecutorOptions } from "./dispatch-options.ts";
import { reportOutcomes } from "./hook-log.ts";
import { allowBlocks, translatePatch } from "./host-call.ts";
import { type ExecutorSettings, invokeHook } from "./invoke-hook.ts";
import { type CompiledHook, compileHooks, selectHooks } from "./match.ts";
import { runHooks } from "./modes.ts";
import { runWithin, settleWatches, withVariables } from "./watch-dispatch.ts";

export type { DetailedResult, DispatchOptions, ExecutorOptions } from "./dispatch-options.ts";

interface LaneOptions extends DispatchOptions {
  toolNames: readonly string[];
  settings: ExecutorSettings;
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
      routes: options.routes,
      observers: options.observers ?? [],
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
    const started = performance.now();
    const input = buildInput(event, payload, this.#settings.workingDir);
    const toolNames = [payload["tool_name"], payload["tool_qualified_name"], ...(options.toolNames ?? [])].filter(
      (name) => typeof name === "string",
    );
    const watches = this.#settings.observers.flatMap((observe) => observe(event, input) ?? []);
    const settings = { ...withVariables(this.#settings, watches), evaluated: options.evaluated };
    const runs: LaneRun[] = [];
    for (const lane of options.lane === undefined ? lanesOf(event) : [options.lane]) {
      const run = await runWithin(watches, () =>
        this.#runLane(event, lane, input, { ...options, toolNames, settings }),
      );
      runs.push(run);
      if (!aggregate(run.outcomes).allowed) break;
    }
    const guarded = this.has("prompt_file_guard")
      ? await (await import("./prompt-files.ts")).guardPromptFiles({ event, payload: input, runs, options }, this)
      : undefined;
    const outcomes = runs.flatMap((run) => run.outcomes);
    const result = withinRoutes(aggregate(outcomes), settings.routes, payload);
    if (guarded?.warning) result.system_message = [result.system_message, guarded.warning].filter(Boolean).join("\n");
    const last = runs.at(-1);
    if (last?.rewritten) addRewrite(result, laneContract(event, last.lane), last.payload);
    if (watches.length > 0) {
      const { host, log } = settings;
      const { canBlock } = allowBlocks(contractOf(event), options.canBlock);
      const dispatched = { event, payload: input, toolNames, result, started, host, lanes: runs, hooks: this.#hooks };
      await settleWatches(watches, dispatched, { canBlock, log });
    }
    return {
      result,
      ...(guarded?.rejection === undefined ? {} : { rejection: guarded.rejection }),
      redacted: totalRedacted(outcomes),
      details: () => dispatchDetails(this.#hooks, runs),
      deciders: () => dispatchDetails(this.#hooks, runs, (outcome) => gaveVerdict(outcome, result)),
    };
  }

  async #runLane(event: EventName, lane: Lane, payload: Payload, options: LaneOptions): Promise<LaneRun> {
    const { settings } = options;
    const contract = allowBlocks(laneContract(event, lane), options.canBlock);
    const hooks = selectHooks(this.#hooks, event, lane, options.toolNames).filter(
      ({ entry, identity }) => !(options.skipJudges && asksForVerdict(entry.hook)) && !options.seen?.has(identity()),
    );
    const ran = new Map<CompiledHook, RanHook>();
    const declared = ({ entry }: CompiledHook) => isDeclaredRewriter(entry, settings.registry);
    if (hooks.length === 0) return { lane, hooks, outcomes: [], payload, rewritten: false, ran, declared };
    const run = await runHooks({
      contract,
      hooks,
      payload,
      declared,
      redaction: ({ entry }) => redactionRole(entry.hook),
      run: async (hook, input) => {
        const call = await timed(input, () => invokeHook(hook, contract, input, settings, options.signal));
        if (options.readPatch) call.outcome = translatePatch(call.outcome, options.readPatch);
        ran.set(hook, call);
        return observesOnly(hook.entry.hook) ? { kind: "silent" } : call.outcome;
      },
    });
    const outcomes = hooks.map((compiled, index): HookOutcome => {
      const { outcome = { kind: "silent" }, rewriteDropped = false } = run.outcomes[index] ?? {};
      const { hook } = compiled.entry;
      const observed = observesOnly(hook) ? ran.get(compiled)?.outcome : undefined;
      return { event, contract, hook, outcome, rewriteDropped, ...(observed && { observed }) };
    });
    await reportOutcomes(outcomes, hooks, settings.log, options.warn);
    return { lane, hooks, outcomes, payload: run.payload, rewritten: run.rewritten, ran, declared };
  }
}

/** Throws on misuse, even by untyped callers: without a tool's name, no guard would match. */
function checkPayload(event: string, payload: Payload | undefined): void {
  if (!isEventName(event)) throw new TypeError(unknownEvent(event));
  if (!isObject(payload)) throw new TypeError("hook input is required");
  if (!contractOf(event).matcher || typeof payload["tool_name"] === "string") return;
  throw new TypeError(`${event}: tool_name is required and must be a text: it decides which hooks run`);
}
