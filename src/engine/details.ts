import { displayName } from "../config/hooks/read-hooks.ts";
import { addKinds, type RedactedKinds } from "../protocol/builtin.ts";
import type { Lane } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { aggregate, type HookOutcome } from "./aggregate.ts";
import { type Stage, stageOf } from "./describe.ts";
import { failureDetails, type Outcome } from "./handler.ts";
import type { CompiledHook } from "./match.ts";

/** The outcome of one hook of a dispatch, as `dispatch --details` shows it. */
export interface HookDetail {
  name: string;
  type: string;
  /** Where the hook is configured: `file:line`, a flag or a setting. */
  source: string;
  stage: Stage;
  outcome: "answered" | "blocked" | "said" | "silent" | "failed" | "timed_out";
  exit_code?: number;
  duration_ms: number;
  message?: string;
  /** The secrets that the hook replaced. */
  redacted?: RedactedKinds;
}

/** The duration of a hook, and its exit code if it was a process. */
export interface Timing {
  milliseconds: number;
  exitCode: number | undefined;
}

/** The hooks of one lane after they ran. */
export interface LaneRun {
  lane: Lane;
  hooks: readonly CompiledHook[];
  outcomes: HookOutcome[];
  payload: Payload;
  rewritten: boolean;
  timings: Map<CompiledHook, Timing>;
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
  const ran = runs.flatMap((run) => run.outcomes.map((outcome, index) => ({ run, outcome, hook: run.hooks[index] })));
  const details = ran
    .filter((one): one is typeof one & { hook: CompiledHook } => one.hook !== undefined && accepts(one.outcome))
    .toSorted((a, b) => hooks.indexOf(a.hook) - hooks.indexOf(b.hook))
    .map(({ run, outcome, hook }) => hookDetail(run, outcome, hook));
  return Promise.all(details);
}

async function hookDetail(
  { lane, timings, declared }: LaneRun,
  { hook, contract, outcome }: HookOutcome,
  compiled: CompiledHook,
): Promise<HookDetail> {
  const timing = timings.get(compiled);
  const detail: HookDetail = {
    name: displayName(hook),
    type: hook.type,
    source: await compiled.entry.source(),
    stage: stageOf(contract, lane, declared(compiled)),
    outcome: outcome.kind === "failed" && outcome.reason === "timed_out" ? "timed_out" : outcome.kind,
    duration_ms: Math.round((timing?.milliseconds ?? 0) * 100) / 100,
  };
  if (timing?.exitCode !== undefined) detail.exit_code = timing.exitCode;
  const message = detailMessage(outcome);
  if (message !== "") detail.message = message;
  if (outcome.kind === "answered" && outcome.redacted) detail.redacted = outcome.redacted;
  return detail;
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

function detailMessage(outcome: Outcome): string {
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
