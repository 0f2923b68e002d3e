/**
 * The steps of one event: match, run, interpret, combine. What asks models, what logs and what watches is passed in.
 *
 * @packageDocumentation
 */
import { resolve } from "node:path";
import { withinRoutes } from "../config/agent/routes.ts";
import { expandEnv } from "../config/expansion/expand-variables.ts";
import { asksForVerdict, type HookEntry } from "../config/hooks/read-hooks.ts";
import { processEnv, resolveDirectories } from "../lib/env.ts";
import { isObject } from "../lib/json.ts";
import { takeStart } from "../lib/process/handed-over.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { addKinds, type RedactedKinds } from "../protocol/builtin.ts";
import {
  contractOf,
  type EventContract,
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
import { type Aggregate, aggregate } from "./aggregate.ts";
import type {
  DetailedResult,
  DispatchOptions,
  ExecutorOptions,
  ExecutorSettings,
  ReadPatch,
} from "./dispatch-options.ts";
import {
  type Dispatched,
  type DispatchWatch,
  deciderDetails,
  enforcedOf,
  type HookCall,
  hookDetails,
  type LaneRun,
  type RanHook,
  rewriterDetails,
  runWithin,
  settleWatches,
  timed,
  withVariables,
} from "./dispatch-record.ts";
import { NO_LOG, type Outcome } from "./handler.ts";
import { reportOutcomes } from "./hook-log.ts";
import { isDeclaredRewriter, observesOnly, redactionRole, stageOf } from "./hook-policy.ts";
import { invokeHook } from "./invoke-hook.ts";
import { type CompiledHook, compileHooks, selectHooks } from "./match.ts";
import { runHooks } from "./modes.ts";
import { newRegistry } from "./registry.ts";
import {
  asksHistory,
  hasRules,
  judgeByRules,
  needsEvent,
  type RuleSetting,
  type RulesVerdict,
  recordForRules,
  rulesDeny,
} from "./rules.ts";

export type { DetailedResult, DispatchOptions, ExecutorOptions } from "./dispatch-options.ts";

interface JudgeOptions extends DispatchOptions {
  toolNames: readonly string[];
  watches: readonly DispatchWatch[];
  settings: ExecutorSettings;
}

interface LaneOptions extends JudgeOptions {
  /** A rule allows the call, so that no model judges it. */
  isCovered: boolean;
}

interface Judged extends Aggregate {
  lanes: LaneRun[];
  rules: RulesVerdict | undefined;
  /** See `rejection` of {@link DetailedResult}. */
  rejection: string | undefined;
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
      registry: options.registry ?? newRegistry(),
      memory: options.memory ?? new Map(),
      log: options.log ?? NO_LOG,
      host: options.host,
      routes: options.routes,
      observers: options.observers ?? [],
      rules: options.rules ?? [],
      agent: options.agent,
      keepsHistory: options.keepsHistory ?? true,
      stated: options.stated,
    };
  }

  /**
   * True if any hook or rule is configured for the event, whatever its matcher; with `lane`, on that lane. Rules belong to
   * the first one.
   */
  has(event: EventName, lane?: Lane): boolean {
    return (
      this.#hooks.some(({ entry }) => entry.event === event && (lane === undefined || entry.lane === lane)) ||
      (this.#settings.rules.length > 0 && needsEvent(this.#settings.rules, event, lane))
    );
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

  /** The rules, in the order of their sources. */
  get rules(): ExecutorSettings["rules"] {
    return this.#settings.rules;
  }

  /**
   * Judges an event by its rules alone, for a caller that runs other hooks between them and the hooks of the event; it
   * passes the verdict on as `judged`. Returns undefined if no rule is on the event.
   * @internal
   */
  async judgeByRules<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    { toolNames = [], session }: Pick<DispatchOptions, "toolNames" | "session"> = {},
  ): Promise<RulesVerdict | undefined> {
    checkPayload(event, payload);
    const input = buildInput(event, payload, this.#settings.workingDir);
    return this.#judgeByRules(event, input, { toolNames: namesOfTool(payload, toolNames), session });
  }

  /**
   * Adds an event that was not denied to what rules know of its session, for a caller that dispatches it lane by lane.
   * @internal
   */
  async recordForRules<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    { toolNames = [], session }: Pick<DispatchOptions, "toolNames" | "session"> = {},
  ): Promise<void> {
    const input = buildInput(event, payload, this.#settings.workingDir);
    await this.#recordForRules(event, input, { toolNames: namesOfTool(payload, toolNames), session });
  }

  async #recordForRules(
    event: EventName,
    payload: Payload,
    options: Pick<JudgeOptions, "toolNames" | "session">,
  ): Promise<void> {
    const { rules, log } = this.#settings;
    if (rules.length === 0 || !needsEvent(rules, event) || !asksHistory(rules)) return;
    const problem = await recordForRules(event, payload, this.#ruleSetting(options));
    if (problem !== undefined) log("warn", `${event}: the history of the session: ${problem}`);
  }

  #ruleSetting({ toolNames, session }: Pick<JudgeOptions, "toolNames" | "session">): RuleSetting {
    const settings = this.#settings;
    return { rules: settings.rules, entries: this.#hooks.map(({ entry }) => entry), toolNames, settings, session };
  }

  async #judgeByRules(
    event: EventName,
    payload: Payload,
    options: Pick<JudgeOptions, "toolNames" | "lane" | "session">,
  ): Promise<RulesVerdict | undefined> {
    const { rules } = this.#settings;
    if (rules.length === 0 || !hasRules(rules, event, options.lane)) return undefined;
    return judgeByRules(event, payload, this.#ruleSetting(options));
  }

  /**
   * Judges an event by the rules, runs every hook that matches it, on all its lanes, and folds their outcomes. The payload itself is not
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
    const detailed = (await this.#detailed(event, payload, options)) as DetailedResult<E>;
    return options.details ? detailed : detailed.result;
  }

  async #detailed(event: EventName, payload: Payload, options: DispatchOptions): Promise<DetailedResult> {
    checkPayload(event, payload);
    const started = takeStart() ?? performance.now();
    const { observers, workingDir, host, log } = this.#settings;
    const input = buildInput(event, payload, workingDir);
    const toolNames = namesOfTool(payload, options.toolNames);
    const watches = observers.flatMap((observe) => observe(event, input) ?? []);
    const settings = {
      ...this.#settings,
      env: withVariables(this.#settings.env, watches),
      evaluated: options.evaluated,
    };
    const judged = await this.#judge(event, input, { ...options, toolNames, watches, settings });
    const dispatched: Dispatched = { event, payload: input, toolNames, started, host, hooks: this.#hooks, ...judged };
    const { canBlock } = allowBlocks(contractOf(event), options.canBlock);
    await settleWatches(watches, dispatched, { canBlock, log });
    // A result is that of a call that ran, whatever is said about it.
    if (options.lane === undefined && (dispatched.result.allowed || event === "post_tool_use"))
      await this.#recordForRules(event, enforcedOf(dispatched), { toolNames, session: options.session });
    return {
      result: dispatched.result,
      ...(judged.rejection === undefined ? {} : { rejection: judged.rejection }),
      ...(judged.rules === undefined ? {} : { rules: judged.rules }),
      redacted: totalRedacted(dispatched.lanes),
      details: () => hookDetails(dispatched),
      deciders: () => deciderDetails(dispatched),
      rewriters: () => rewriterDetails(dispatched),
    };
  }

  /** Asks the rules, runs the hooks of an event, lane by lane until one blocks, and combines their outcomes. */
  async #judge(event: EventName, input: Payload, options: JudgeOptions): Promise<Judged> {
    const first = options.judged ?? (await this.#judgeByRules(event, input, options));
    if (first !== undefined && rulesDeny(first)) {
      const { mergeRules } = await import("./merge-rules.ts");
      return { lanes: [], rules: first, result: mergeRules(event, { allowed: true }, first), ...NO_HOOK };
    }
    const judged = await this.#runLanes(event, input, { ...options, isCovered: first?.decision === "allow" });
    const last = judged.lanes.at(-1);
    const isChanged = first !== undefined && last?.rewritten && contractOf(event).rewrites === "tool_input";
    const { toolNames, session } = options;
    const again = isChanged ? await this.#judgeByRules(event, last.payload, { toolNames, session }) : undefined;
    if (first === undefined) return { ...judged, rules: undefined };
    const { mergeRules, tightened } = await import("./merge-rules.ts");
    const rules = again ? tightened(first, again) : first;
    return { ...judged, rules, result: mergeRules(event, judged.result, rules) };
  }

  async #runLanes(event: EventName, input: Payload, options: LaneOptions): Promise<Omit<Judged, "rules">> {
    const lanes: LaneRun[] = [];
    const combined = () => aggregate(lanes.flatMap(({ ran }) => ran));
    for (const lane of options.lane === undefined ? lanesOf(event) : [options.lane]) {
      lanes.push(await runWithin(options.watches, () => this.#runLane(event, lane, input, options)));
      if (!combined().result.allowed) break;
    }
    const guarded = this.has("prompt_file_guard")
      ? await (await import("./prompt-files.ts")).guardPromptFiles({ event, payload: input, lanes, options }, this)
      : undefined;
    const { result: folded, decisions } = combined();
    const { routes } = options.settings;
    const result = routes ? withinRoutes(folded, routes, input) : folded;
    if (guarded?.warning) result.system_message = [result.system_message, guarded.warning].filter(Boolean).join("\n");
    const last = lanes.at(-1);
    if (last?.rewritten) addRewrite(result, laneContract(event, last.lane), last.payload);
    return { lanes, result, decisions, rejection: guarded?.rejection };
  }

  async #runLane(event: EventName, lane: Lane, payload: Payload, options: LaneOptions): Promise<LaneRun> {
    const { settings, signal, readPatch } = options;
    const skipsJudges = options.skipJudges || (options.isCovered && lane === "default");
    const contract = allowBlocks(laneContract(event, lane), options.canBlock);
    const hooks = selectHooks(this.#hooks, event, lane, options.toolNames).filter(
      ({ entry, identity }) => !(skipsJudges && asksForVerdict(entry.hook)) && !options.seen?.has(identity()),
    );
    if (hooks.length === 0) return { lane, ran: [], payload, rewritten: false };
    const stage = ({ entry }: CompiledHook) => stageOf(contract, lane, isDeclaredRewriter(entry, settings.registry));
    const calls = new Map<CompiledHook, HookCall>();
    const run = await runHooks({
      contract,
      hooks,
      payload,
      stage,
      redaction: ({ entry }) => redactionRole(entry.hook),
      run: async (hook, input) => {
        const call = await timed(input, () => invokeHook(hook, contract, input, settings, signal));
        if (readPatch) call.outcome = translatePatch(call.outcome, readPatch);
        calls.set(hook, call);
        return observesOnly(hook.entry.hook) ? { kind: "silent" } : call.outcome;
      },
    });
    const ran = run.outcomes.map(({ hook: compiled, outcome, rewriteDropped }): RanHook => {
      const { hook } = compiled.entry;
      const call = calls.get(compiled);
      const observed = observesOnly(hook) ? call?.outcome : undefined;
      const place = { compiled, lane, stage: stage(compiled), call };
      return { event, contract, hook, outcome, rewriteDropped, ...(observed && { observed }), ...place };
    });
    await reportOutcomes(ran, settings.log, options.warn);
    return { lane, ran, payload: run.payload, rewritten: run.rewritten };
  }
}

/** What the hooks of an event add to its verdict if none of them ran. */
const NO_HOOK = { decisions: new Map(), rejection: undefined };

/** The names that matchers and rules know the tool of a payload by. */
function namesOfTool(payload: Payload, more: readonly string[] = []): string[] {
  return [payload["tool_name"], payload["tool_qualified_name"], ...more].filter((name) => typeof name === "string");
}

/** Returns the outcome of a hook with its patch translated. */
function translatePatch(outcome: Outcome, readPatch: ReadPatch): Outcome {
  const specific = outcome.kind === "answered" ? outcome.output.hook_specific_output : undefined;
  if (outcome.kind !== "answered" || !isObject(specific?.updated_input)) return outcome;
  const patch = readPatch(specific.updated_input);
  if (typeof patch === "string") return { kind: "failed", reason: "failed", error: patch, stderr: "" };
  return { ...outcome, output: { ...outcome.output, hook_specific_output: { ...specific, updated_input: patch } } };
}

/** Returns the contract of an event, changed so that its hooks can block: some agents let a hook keep them going. */
function allowBlocks(contract: EventContract, canBlock: boolean | undefined): EventContract {
  return canBlock ? { ...contract, canBlock } : contract;
}

/** The secrets that the hooks of a dispatch replaced, by kind. */
function totalRedacted(lanes: readonly LaneRun[]): RedactedKinds {
  return lanes
    .flatMap(({ ran }) => ran)
    .reduce(
      (total: RedactedKinds, { outcome }) =>
        outcome.kind === "answered" && outcome.redacted ? addKinds(total, outcome.redacted) : total,
      {},
    );
}

/** Throws on misuse, even by untyped callers: without a tool's name, no guard would match. */
function checkPayload(event: string, payload: Payload | undefined): void {
  if (!isEventName(event)) throw new TypeError(unknownEvent(event));
  if (!isObject(payload)) throw new TypeError("hook input is required");
  if (!contractOf(event).matcher || typeof payload["tool_name"] === "string") return;
  throw new TypeError(`${event}: tool_name is required and must be a text: it decides which hooks run`);
}
