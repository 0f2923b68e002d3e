import { displayName } from "../config/hooks/read-hooks.ts";
import { failureDetails, type HookRun, outcomeName } from "../engine/dispatch-record.ts";
import type { HandlerResult, Outcome } from "../engine/handler.ts";
import type { CompiledHook } from "../engine/match.ts";
import type { RuleHit } from "../engine/rules.ts";
import { isObject, omitEmpty } from "../lib/json.ts";
import { isDeepEqual } from "../lib/platform.ts";
import { cutMiddle } from "../lib/text/cut-text.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { contractOf } from "../protocol/events.ts";
import { matchOf, reasonText, toolNames } from "./check-hook-names.ts";
import { eventsOfStep } from "./events-of-step.ts";
import type { Observed } from "./observed.ts";
import type { CaseResult, Failure } from "./run-case.ts";

/** How a hook took part in a step, as reports show it. */
export interface HookReport {
  name: string;
  type: string;
  /** Where the hook is configured: `file:line`. */
  source: string;
  event: string;
  ran: boolean;
  /** Why it did not run. */
  why?: string;
  outcome?: string;
  decision?: string;
  duration_ms?: number;
  exit_code?: number;
  stdout?: string;
  stderr?: string;
  /** Why it failed, or what it said. */
  message?: string;
  decided?: true;
  observes?: true;
}

/** An expectation that does not hold, as reports show it. */
export interface FailureReport {
  /** The number of the step, from 1; absent if the case has only one. */
  step?: number;
  key: string;
  expected: unknown;
  actual: unknown;
}

/** The longest part of a hook's output that reports contain, in characters. */
const MAX_OUTPUT = 4000;

/** Returns the expectations of a case that do not hold. */
export function failureReports({ failures, test }: CaseResult): FailureReport[] {
  return failures.map(({ step, ...failure }: Failure) => ({
    ...(test.steps.length > 1 ? { step: step + 1 } : {}),
    ...failure,
    actual: failure.actual ?? null,
  }));
}

/** What a step decided, and what it changed. */
export interface VerdictReport {
  event: string;
  decision: string;
  by?: string[];
  message?: string;
  /** The part that hooks rewrote, under its name in the event. */
  rewritten?: Record<string, unknown>;
  context?: string;
  system_message?: string;
  duration_ms: number;
}

export function verdictReport({
  event,
  decision,
  result,
  runs,
  payload,
  enforced,
  milliseconds,
}: Observed): VerdictReport {
  const field = contractOf(event).rewrites;
  const isRewritten = field !== undefined && !isDeepEqual(payload[field], enforced[field]);
  return {
    event,
    decision,
    ...omitEmpty({
      by: runs.filter(({ decided }) => decided).map(({ hook }) => displayName(hook.entry.hook)),
      message: result.message ?? result.decision_reason,
      rewritten: isRewritten ? { [field]: enforced[field] } : undefined,
      context: result.additional_context,
      system_message: result.system_message,
    }),
    duration_ms: roundedMilliseconds(milliseconds),
  };
}

/** A rule that hit in a step: `history (hooks.yaml:4): deny, certain: effect git-history`. */
export function hitText({ name, source, verdict, sure, mode, facts }: RuleHit): string {
  const why = Object.entries(facts).map(([fact, value]) => `${fact} ${value}`);
  const observes = mode === "observe" ? ", only observes" : "";
  return `${name} (${source}): ${verdict}, ${sure}${observes}${why.length > 0 ? `: ${why.join(", ")}` : ""}`;
}

/** Returns the hooks on the events of a step: those that ran in their order, then those that did not, with the reason. */
export async function hookReports(observed: Observed): Promise<HookReport[]> {
  const ran = await Promise.all(observed.runs.map(ranReport));
  const others = observed.records[0]?.hooks ?? [];
  const events = eventsOfStep(observed.event);
  const isOfInterest = ({ entry }: CompiledHook) => !entry.implicit && events.includes(entry.event);
  const rest = others.filter((hook) => isOfInterest(hook) && !observed.runs.some((run) => run.hook === hook));
  return [...ran, ...(await Promise.all(rest.map((hook) => idleReport(hook, others, observed))))];
}

async function ranReport(run: HookRun): Promise<HookReport> {
  const { hook, outcome, output, milliseconds, exitCode, decision, decided, observes } = run;
  return {
    ...(await identity(hook)),
    ran: true,
    outcome: outcomeName(outcome),
    decision,
    duration_ms: roundedMilliseconds(milliseconds),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...omitEmpty({ ...streamsOf(output, outcome), message: messageOf(outcome), decided, observes }),
  } as HookReport;
}

async function idleReport(hook: CompiledHook, hooks: readonly CompiledHook[], observed: Observed): Promise<HookReport> {
  const tool = toolNames(observed.payload);
  const match = matchOf(hook, hooks, observed.event, tool);
  const isDenied = observed.records.some(({ rules }) => rules.some(isDenial));
  const earlier = isDenied ? "a rule denied" : "an earlier hook blocked";
  const why = match.runs ? earlier : reasonText(hook, match, tool);
  return { ...(await identity(hook)), ran: false, why };
}

function isDenial({ verdict, mode }: RuleHit): boolean {
  return mode === undefined && (verdict === "deny" || verdict === "stop");
}

async function identity({ entry }: CompiledHook): Promise<Pick<HookReport, "name" | "type" | "source" | "event">> {
  return { name: displayName(entry.hook), type: entry.hook.type, source: await entry.source(), event: entry.event };
}

function streamsOf(output: HandlerResult | undefined, outcome: Outcome): Pick<HookReport, "stdout" | "stderr"> {
  const stderr = output?.kind === "failed" ? output.stderr : outcome.kind === "failed" ? outcome.stderr : undefined;
  const streams =
    output?.kind === "exited"
      ? { stdout: output.stdout, stderr: output.stderr }
      : { stdout: output?.kind === "returned" && isObject(output.output) ? JSON.stringify(output.output) : "", stderr };
  return { stdout: cutMiddle(streams.stdout, MAX_OUTPUT), stderr: cutMiddle(streams.stderr ?? "", MAX_OUTPUT) };
}

function messageOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "failed":
      return failureDetails(outcome);
    case "answered":
      return outcome.problem ?? outcome.warning ?? "";
    case "silent":
    case "said":
      return outcome.warning ?? "";
    case "blocked":
      return "";
  }
}
