import { displayName } from "../config/hooks/read-hooks.ts";
import type { RedactedKinds } from "../protocol/builtin.ts";
import { type Lane, laneContract } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import { aggregate, type HookOutcome } from "./aggregate.ts";
import { type Stage, stageOf } from "./describe.ts";
import { failureDetails, type Outcome } from "./hook.ts";
import type { CompiledHook } from "./match.ts";
import type { Payload } from "./modes.ts";

/** The outcome of one hook of a dispatch, as `dispatch --details` shows it. */
export interface HookDetail {
  name: string;
  type: string;
  /** `file:line`, or the flag or setting it comes from. */
  source: string;
  stage: Stage;
  outcome: "answered" | "blocked" | "said" | "silent" | "failed" | "timed_out";
  exit_code?: number;
  duration_ms: number;
  message?: string;
  /** The secrets that it replaced. */
  redacted?: RedactedKinds;
}

/** How long a hook took, and what it ended with if it was a process. */
export interface Timing {
  milliseconds: number;
  exitCode: number | undefined;
}

/** The hooks of one lane after they have run. */
export interface LaneRun {
  lane: Lane;
  hooks: readonly CompiledHook[];
  parts: HookOutcome[];
  payload: Payload;
  rewritten: boolean;
  timings: Map<CompiledHook, Timing>;
  declared: (hook: CompiledHook) => boolean;
}

/** Each hook's outcome beside the hook, in the lane's order; of the hooks whose part `counts` accepts, if it is given. */
export async function laneDetails(
  { lane, hooks, parts, timings, declared }: LaneRun,
  counts: (part: HookOutcome) => boolean = () => true,
): Promise<(readonly [CompiledHook, HookDetail])[]> {
  const counted = hooks
    .map((compiled, index) => [compiled, index] as const)
    .filter(([, index]) => {
      const part = parts[index];
      return part === undefined || counts(part);
    });
  return Promise.all(
    counted.map(async ([compiled, index]) => {
      const { hook } = compiled.entry;
      const { outcome = { kind: "silent" } as const, contract = laneContract(compiled.entry.event, lane) } =
        parts[index] ?? {};
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
      return [compiled, detail] as const;
    }),
  );
}

/** True if a hook by itself gave the verdict of the dispatch: it blocked what was blocked, or gave the winning decision. */
export function gaveVerdict(part: HookOutcome, result: AnyResult): boolean {
  const own = aggregate([part]);
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
