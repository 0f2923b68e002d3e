import { displayName } from "../config/hooks/read-hooks.ts";
import type { HostCall } from "../dialects/dialect.ts";
import type { Env } from "../lib/env.ts";
import { errorText } from "../lib/errors.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import type { RedactedKinds } from "../protocol/builtin.ts";
import type { EventContract, EventName, Lane } from "../protocol/events.ts";
import { type AnyResult, type DispatchDecision, decisionOf } from "../protocol/result.ts";
import { type Payload, rewriteOf } from "../protocol/rewrite.ts";
import type { Aggregate, HookOutcome } from "./aggregate.ts";
import type { HandlerResult, Log, Outcome } from "./handler.ts";
import { observesOnly, type Stage } from "./hook-policy.ts";
import type { CompiledHook } from "./match.ts";
import type { RuleHit, RulesVerdict } from "./rules.ts";

/** One dispatch after its hooks ran: for the audit log, traces, recordings and tests. */
export interface DispatchRecord {
  event: EventName;
  /** The payload as the first hook read it. */
  payload: Payload;
  /** The payload after all rewrites. */
  enforced: Payload;
  /** The names of the tool that matchers were tried against; empty on events without a tool call. */
  toolNames: readonly string[];
  result: AnyResult;
  /** Milliseconds since 1970, with a fraction. */
  startedAt: number;
  milliseconds: number;
  /** The trace of the dispatch, as W3C Trace Context writes its id; undefined if it is not traced. */
  traceId: string | undefined;
  /** The event of another agent that this one was decoded from. */
  host: HostCall | undefined;
  /** Every rule that hit, in the order of the sources. */
  rules: readonly RuleHit[];
  /** Every hook that ran, in configuration order. */
  runs: readonly HookRun[];
  /** Every hook of the executor, also of other events; see `matchHooks` for why one did not run. */
  hooks: readonly CompiledHook[];
}

/** One hook of a dispatch. */
export interface HookRun {
  hook: CompiledHook;
  lane: Lane;
  stage: Stage;
  /** Milliseconds since 1970, with a fraction. */
  startedAt: number;
  milliseconds: number;
  /** Undefined unless the hook was a process that ended by itself. */
  exitCode: number | undefined;
  /** What the hook read: the payload after the rewrites of the hooks before it. */
  input: Payload;
  /** What it printed or returned; undefined if it was stopped or could not start. */
  output: HandlerResult | undefined;
  /** Its real outcome, also if it only observes. */
  outcome: Outcome;
  /** Its own decision, before it was combined with those of other hooks. */
  decision: DispatchDecision;
  /** It only observes: its outcome had no effect. */
  observes: boolean;
  /** It gave the verdict of the dispatch: it blocked, or its decision won. */
  decided: boolean;
}

/** Watches dispatches: called when one begins. */
export type DispatchObserver = (event: EventName, payload: Payload) => DispatchWatch | undefined;

/** Watches one dispatch. */
export interface DispatchWatch {
  /** See `traceId` of {@link DispatchRecord}. */
  traceId?: string;
  /** Variables for the hooks of the dispatch; they replace inherited ones. */
  env?: Env;
  /** Runs the hooks of the dispatch; must call `run` once and return its result. */
  within?<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Called after the hooks ran, before the dispatch returns. A returned text is a reason to block the event; it has no
   * effect on an event that cannot be blocked. Must not throw.
   */
  settled(record: DispatchRecord): Promise<string | undefined> | string | undefined;
}

/** The outcome of one hook of a dispatch, as `dispatch --details` shows it. */
export interface HookDetail {
  /** Its `name`, else its command. */
  name: string;
  /** `command`, `builtin`, `model`, or a type of the embedding program; `rule` for a rule. */
  type: string;
  /** Where the hook is configured: `file:line`, a flag or a setting. */
  source: string;
  /** When it ran in the dispatch: before all hooks, with the rewriters, or with the others. */
  stage: Stage | "rules";
  /** `answered`: JSON or a returned object; `said`: plain text; `silent`: nothing; `blocked`: exit code 2. */
  outcome: "answered" | "blocked" | "said" | "silent" | "failed" | "timed_out";
  /** Only if the hook was a process that ended by itself. */
  exit_code?: number;
  /** Milliseconds from the start of the hook to its end. */
  duration_ms: number;
  /** Why it blocked or failed. */
  message?: string;
  /** The secrets that the hook replaced. */
  redacted?: RedactedKinds;
  /** The hook only observes: its outcome had no effect. */
  mode?: "observe";
  /** What the hook would have decided if it were enforced; absent if it had no opinion. */
  would?: DispatchDecision;
}

/** One hook that ran: its outcome, and what it printed or returned unless it was stopped or could not start. */
export interface Invocation {
  outcome: Outcome;
  output: HandlerResult | undefined;
  /** See {@link Handler}. */
  begunAt?: number | undefined;
}

/** How one hook ran. */
export interface HookCall extends Invocation {
  /** Milliseconds since 1970. */
  startedAt: number;
  milliseconds: number;
  /** What the hook read: the payload after the rewrites of the hooks before it. */
  input: Payload;
}

/** One hook of a dispatch after it ran. */
export interface RanHook extends HookOutcome {
  compiled: CompiledHook;
  lane: Lane;
  stage: Stage;
  call: HookCall | undefined;
}

/** The hooks of one lane after they ran, in configuration order. */
export interface LaneRun {
  lane: Lane;
  ran: RanHook[];
  payload: Payload;
  rewritten: boolean;
}

/** A dispatch after its hooks ran and their outcomes were combined. */
export interface Dispatched extends Aggregate {
  event: EventName;
  payload: Payload;
  toolNames: readonly string[];
  started: number;
  host: HostCall | undefined;
  lanes: readonly LaneRun[];
  rules: RulesVerdict | undefined;
  hooks: readonly CompiledHook[];
}

/** Runs a hook and notes when. */
export async function timed(input: Payload, invoke: () => Promise<Invocation>): Promise<HookCall> {
  const asked = performance.now();
  const { begunAt: started = asked, ...invocation } = await invoke();
  return {
    ...invocation,
    input,
    startedAt: performance.timeOrigin + started,
    milliseconds: performance.now() - started,
  };
}

/** Returns the environment of the hooks of a dispatch: with the variables of its watches. */
export function withVariables(env: Env, watches: readonly DispatchWatch[]): Env {
  return Object.assign({}, env, ...watches.map((watch) => watch.env));
}

/** Runs the hooks of a dispatch inside its watches. */
export function runWithin<T>(watches: readonly DispatchWatch[], run: () => Promise<T>): Promise<T> {
  return watches.reduce((inner, watch) => () => watch.within?.(inner) ?? inner(), run)();
}

/**
 * Passes a dispatch to its watches, one after another. Adds their reasons to block to the result. An error in a watch is
 * logged and changes nothing.
 */
export async function settleWatches(
  watches: readonly DispatchWatch[],
  dispatched: Dispatched,
  { canBlock, log }: { canBlock: EventContract["canBlock"]; log: Log },
): Promise<void> {
  const { result } = dispatched;
  const traceId = watches.map((watch) => watch.traceId).find((id) => id !== undefined);
  for (const watch of watches) {
    try {
      const reason = await watch.settled(recordOf(dispatched, traceId));
      if (reason === undefined || !canBlock) continue;
      result.allowed = false;
      result.message = result.message === undefined ? reason : `${result.message}\n${reason}`;
    } catch (error) {
      log("warn", `cannot record ${dispatched.event}: ${errorText(error)}`);
    }
  }
}

function recordOf(dispatched: Dispatched, traceId: string | undefined): DispatchRecord {
  const { event, payload, toolNames, result, started, host, rules, hooks } = dispatched;
  return {
    event,
    payload,
    enforced: enforcedOf(dispatched),
    toolNames,
    result,
    startedAt: performance.timeOrigin + started,
    milliseconds: performance.now() - started,
    traceId,
    host,
    rules: rules?.hits ?? [],
    runs: ranHooks(dispatched).flatMap((ran) => hookRun(dispatched, ran)),
    hooks,
  };
}

/** Returns the payload after all rewrites. */
export function enforcedOf({ lanes, payload }: Pick<Dispatched, "lanes" | "payload">): Payload {
  return lanes.findLast(({ rewritten }) => rewritten)?.payload ?? payload;
}

/** Returns the hooks that ran, in configuration order. */
function ranHooks({ hooks, lanes }: Dispatched): RanHook[] {
  return lanes.flatMap(({ ran }) => ran).toSorted((a, b) => hooks.indexOf(a.compiled) - hooks.indexOf(b.compiled));
}

function hookRun(dispatched: Dispatched, ran: RanHook): HookRun[] {
  const { call, compiled, lane, stage, hook } = ran;
  if (!call) return [];
  const { startedAt, milliseconds, input, output, outcome } = call;
  return [
    {
      hook: compiled,
      lane,
      stage,
      startedAt,
      milliseconds,
      exitCode: exitCodeOf(output),
      input,
      output,
      outcome,
      decision: dispatched.decisions.get(ran) ?? "none",
      observes: observesOnly(hook),
      decided: gaveVerdict(dispatched, ran),
    },
  ];
}

/** True if a hook gave the verdict of the dispatch: it blocked, or its decision won. */
function gaveVerdict({ event, result, decisions }: Dispatched, ran: RanHook): boolean {
  const own = decisions.get(ran) ?? "none";
  return own !== "none" && !ran.observed && own === decisionOf(event, result);
}

function exitCodeOf(output: HandlerResult | undefined): number | undefined {
  return output === undefined || output.kind === "returned" ? undefined : output.exitCode;
}

/** The details of every hook that ran, in configuration order. Locating the hooks in their files may load a parser. */
export function hookDetails(dispatched: Dispatched): Promise<HookDetail[]> {
  return Promise.all(ranHooks(dispatched).map((ran) => hookDetail(dispatched, ran)));
}

/**
 * The details of the rules and hooks that gave the verdict: those that blocked, else those with the winning decision.
 */
export async function deciderDetails(dispatched: Dispatched): Promise<HookDetail[]> {
  const deciders = ranHooks(dispatched).filter((ran) => gaveVerdict(dispatched, ran));
  return [...ruleDetails(dispatched), ...(await Promise.all(deciders.map((ran) => hookDetail(dispatched, ran))))];
}

/** The rules that gave the verdict, as hooks that did. */
function ruleDetails({ event, result, rules }: Dispatched): HookDetail[] {
  if (rules?.decision === undefined) return [];
  const allowed = rules.decision === "ask" || rules.decision === "allow";
  const decision = allowed ? rules.decision : decisionOf(event, { allowed });
  if (decision !== decisionOf(event, result)) return [];
  return rules.hits
    .filter(({ verdict, mode }) => verdict === rules.decision && mode === undefined)
    .map(({ name, source }, index) => ({
      name,
      type: "rule",
      source,
      stage: "rules",
      outcome: allowed ? "answered" : "blocked",
      duration_ms: 0,
      message: rules.messages[index] ?? "",
    }));
}

/** The details of the hooks whose rewrite was applied, in configuration order. */
export function rewriterDetails(dispatched: Dispatched): Promise<HookDetail[]> {
  const rewriters = ranHooks(dispatched).filter(
    ({ contract, outcome, rewriteDropped }) =>
      outcome.kind === "answered" && !rewriteDropped && rewriteOf(contract, outcome.output) !== undefined,
  );
  return Promise.all(rewriters.map((ran) => hookDetail(dispatched, ran)));
}

async function hookDetail({ decisions }: Dispatched, ran: RanHook): Promise<HookDetail> {
  const { hook, compiled, stage, call } = ran;
  const outcome = ran.observed ?? ran.outcome;
  const detail: HookDetail = {
    name: displayName(hook),
    type: hook.type,
    source: await compiled.entry.source(),
    stage,
    outcome: outcomeName(outcome),
    duration_ms: roundedMilliseconds(call?.milliseconds ?? 0),
  };
  const exitCode = exitCodeOf(call?.output);
  if (exitCode !== undefined) detail.exit_code = exitCode;
  const message = await detailMessage(outcome);
  if (message !== "") detail.message = message;
  if (outcome.kind === "answered" && outcome.redacted) detail.redacted = outcome.redacted;
  if (!observesOnly(hook)) return detail;
  const would = decisions.get(ran) ?? "none";
  return { ...detail, mode: "observe", ...(would === "none" ? {} : { would }) };
}

async function detailMessage(outcome: Outcome): Promise<string> {
  if (outcome.kind !== "failed" || outcome.stderr.trim() === "") return outcomeMessage(outcome);
  const { redactedStderr } = await import("./failure-line.ts");
  return failureDetails({ error: outcome.error, stderr: await redactedStderr(outcome.stderr) });
}

/** The name of an outcome in reports. */
export function outcomeName(outcome: Outcome): HookDetail["outcome"] {
  return outcome.kind === "failed" && outcome.reason === "timed_out" ? "timed_out" : outcome.kind;
}

/** The reason why a hook failed, and its standard error unless the reason includes that. */
export function failureDetails({ error, stderr }: Pick<Outcome & { kind: "failed" }, "error" | "stderr">): string {
  const printed = stderr.trim();
  return printed === "" || error.includes(printed) ? error : `${error}\n${printed}`;
}

/** The text of an outcome in reports; empty if it has none. */
export function outcomeMessage(outcome: Outcome): string {
  switch (outcome.kind) {
    case "failed":
      return failureDetails(outcome);
    case "blocked":
      return outcome.message;
    case "said":
      return outcome.text;
    case "answered":
      return (
        outcome.output.hook_specific_output?.permission_decision_reason ??
        outcome.output.reason ??
        outcome.output.stop_reason ??
        ""
      );
    case "silent":
      return "";
  }
}
