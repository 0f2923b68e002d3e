import { displayName } from "../config/hooks/read-hooks.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { addKinds, type RedactedKinds } from "../protocol/builtin.ts";
import type { DispatchDecision } from "../protocol/decision.ts";
import type { Lane } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { aggregate, type HookOutcome, ownDecision } from "./aggregate.ts";
import { observesOnly, type Stage, stageOf } from "./hook-policy.ts";
import { failureDetails, type HandlerResult, type Outcome } from "./handler.ts";
import type { Invocation } from "./invoke-hook.ts";
import type { CompiledHook } from "./match.ts";

/** The outcome of one hook of a dispatch, as `dispatch --details` shows it. */
export interface HookDetail {
  /** Its `name`, else its command. */
  name: string;
  /** `command`, `builtin`, `model`, or a type of the embedding program. */
  type: string;
  /** Where the hook is configured: `file:line`, a flag or a setting. */
  source: string;
  /** When it ran in the dispatch: with the rewriters, or with the others. */
  stage: Stage;
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

/** How one hook ran. */
export interface RanHook extends Invocation {
  /** Milliseconds since 1970. */
  startedAt: number;
  milliseconds: number;
  /** What the hook read: the payload after the rewrites of the hooks before it. */
  input: Payload;
}

/** Runs a hook and notes when. */
export async function timed(input: Payload, invoke: () => Promise<Invocation>): Promise<RanHook> {
  const started = performance.now();
  const invocation = await invoke();
  return {
    ...invocation,
    input,
    startedAt: performance.timeOrigin + started,
    milliseconds: performance.now() - started,
  };
}

/** The hooks of one lane after they ran. */
export interface LaneRun {
  lane: Lane;
  hooks: readonly CompiledHook[];
  outcomes: HookOutcome[];
  payload: Payload;
  rewritten: boolean;
  ran: ReadonlyMap<CompiledHook, RanHook>;
  declared: (hook: CompiledHook) => boolean;
}

/**
 * The details of the hooks that ran, in configuration order. With `accepts`, only of hooks whose outcome it accepts.
 */
export async function dispatchDetails(
  hooks: readonly CompiledHook[],
  runs: readonly LaneRun[],
  accepts: (outcome: HookOutcome) => boolean = () => true,
): Promise<HookDetail[]> {
  const details = ranHooks(hooks, runs)
    .filter(({ outcome }) => accepts(outcome))
    .map(({ run, outcome, hook }) => hookDetail(run, outcome, hook));
  return Promise.all(details);
}

/** Returns the hooks that ran, in configuration order, each with its lane and outcome. */
export function ranHooks(
  hooks: readonly CompiledHook[],
  runs: readonly LaneRun[],
): { run: LaneRun; outcome: HookOutcome; hook: CompiledHook }[] {
  const ran = runs.flatMap((run) => run.outcomes.map((outcome, index) => ({ run, outcome, hook: run.hooks[index] })));
  return ran
    .filter((one): one is typeof one & { hook: CompiledHook } => one.hook !== undefined)
    .toSorted((a, b) => hooks.indexOf(a.hook) - hooks.indexOf(b.hook));
}

/** Returns the exit code of a hook that was a process. */
export function exitCodeOf(output: HandlerResult | undefined): number | undefined {
  return output === undefined || output.kind === "returned" ? undefined : output.exitCode;
}

async function hookDetail(
  { lane, ran, declared }: LaneRun,
  hookOutcome: HookOutcome,
  compiled: CompiledHook,
): Promise<HookDetail> {
  const { hook, contract, observed } = hookOutcome;
  const outcome = observed ?? hookOutcome.outcome;
  const call = ran.get(compiled);
  const detail: HookDetail = {
    name: displayName(hook),
    type: hook.type,
    source: await compiled.entry.source(),
    stage: stageOf(contract, lane, declared(compiled)),
    outcome: outcomeName(outcome),
    duration_ms: roundedMilliseconds(call?.milliseconds ?? 0),
  };
  const exitCode = exitCodeOf(call?.output);
  if (exitCode !== undefined) detail.exit_code = exitCode;
  const message = outcomeMessage(outcome);
  if (message !== "") detail.message = message;
  if (outcome.kind === "answered" && outcome.redacted) detail.redacted = outcome.redacted;
  if (!observesOnly(hook)) return detail;
  const would = ownDecision(hookOutcome);
  return { ...detail, mode: "observe", ...(would === "none" ? {} : { would }) };
}

/** The secrets that the hooks of a dispatch replaced, by kind. */
export function totalRedacted(outcomes: readonly HookOutcome[]): RedactedKinds {
  return outcomes.reduce(
    (total: RedactedKinds, { outcome }) =>
      outcome.kind === "answered" && outcome.redacted ? addKinds(total, outcome.redacted) : total,
    {},
  );
}

/** True if a hook gave the verdict of the dispatch: it blocked, or its decision won. */
export function gaveVerdict(outcome: HookOutcome, result: AnyResult): boolean {
  const own = aggregate([outcome]);
  if (!result.allowed) return !own.allowed;
  if (result.permission_allowed) return own.permission_allowed === true;
  return result.decision !== undefined && own.decision === result.decision;
}

/** Returns the name of an outcome in reports. */
export function outcomeName(outcome: Outcome): HookDetail["outcome"] {
  return outcome.kind === "failed" && outcome.reason === "timed_out" ? "timed_out" : outcome.kind;
}

/** Returns the text of an outcome in reports; empty if it has none. */
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
