import { hookSource } from "../../audit/entry-of-record.ts";
import { displayName } from "../../config/hooks/read-hooks.ts";
import {
  type DispatchObserver,
  type DispatchRecord,
  type HookRun,
  outcomeMessage,
  outcomeName,
} from "../../engine/dispatch-record.ts";
import type { HandlerResult } from "../../engine/handler.ts";
import { nearTimeoutSeconds } from "../../engine/hook-policy.ts";
import type { RuleHit } from "../../engine/rules.ts";
import { processEnv } from "../../lib/env.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import { type DispatchDecision, decisionOf, reasonOf } from "../../protocol/result.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { traceVariables } from "../../trace/active.ts";
import { ATTRIBUTES, DISPATCH_SPAN } from "../../trace/names.ts";
import type { Span, SpanStart } from "../../trace/span.ts";
import type { Tracer } from "../../trace/tracer.ts";

/** Traces every dispatch, with a span below it for each hook that ran. Processes of hooks get its context. */
export function traceObserver(tracer: Tracer): DispatchObserver {
  return (event, payload) => {
    const span = tracer.start(dispatchSpan(event, payload));
    return {
      traceId: span.place.context.traceId,
      env: tracer.within(span, () => traceVariables(processEnv())),
      within: (run) => tracer.within(span, run),
      settled: async (record) => {
        describeResult(span, record);
        const rules = record.rules.map((hit) => ruleSpan(tracer, span, record, hit));
        const hooks = await Promise.all(record.runs.map((run) => hookSpan(tracer, span, run)));
        tracer.end(...rules, ...hooks, span);
        return undefined;
      },
    };
  };
}

function dispatchSpan(event: EventName, payload: Payload): SpanStart {
  return {
    name: `${DISPATCH_SPAN} ${event}`,
    // A model that judges a text may repeat it, in its reply and in the error of its provider.
    isConfidential: contractOf(event).reading === "approval",
    attributes: {
      [ATTRIBUTES.event]: event,
      [ATTRIBUTES.conversation]: textIn(payload, "session_id"),
      [ATTRIBUTES.agentName]: textIn(payload, "agent_name"),
      [ATTRIBUTES.toolName]: textIn(payload, "tool_name"),
      [ATTRIBUTES.toolCallId]: textIn(payload, "tool_use_id"),
    },
  };
}

function textIn(payload: Payload, field: string): string | undefined {
  const value = payload[field];
  return typeof value === "string" ? value : undefined;
}

function describeResult(span: Span, { event, result, host }: DispatchRecord): void {
  span.set(ATTRIBUTES.decision, decisionOf(event, result));
  span.text(ATTRIBUTES.reason, reasonOf(result));
  if (contractOf(event).accepts.includes("transition")) {
    span.set(ATTRIBUTES.route, result.transition?.agent);
    if (result.metadata) span.text(ATTRIBUTES.routeMetadata, JSON.stringify(result.metadata));
  }
  span.set(ATTRIBUTES.host, host?.dialect.name);
  span.set(ATTRIBUTES.hostEvent, host?.event);
}

/** A rule starts nothing and takes no time of its own. */
function ruleSpan(tracer: Tracer, parent: Span, { event, startedAt }: DispatchRecord, hit: RuleHit): Span {
  const { name, source, verdict, mode } = hit;
  const span = tracer.start({ name: `apply_guardrail ${name}`, startedAt }, parent);
  span.endedAt = startedAt;
  span.text(ATTRIBUTES.hookName, name);
  span.set(ATTRIBUTES.operation, "apply_guardrail");
  span.set(ATTRIBUTES.event, event);
  span.set(ATTRIBUTES.hookType, "rule");
  span.set(ATTRIBUTES.hookSource, source);
  span.set(ATTRIBUTES.hookStage, "rules");
  span.set(ATTRIBUTES.hookOutcome, "answered");
  const decision = decisionOfRule(event, verdict);
  span.set(ATTRIBUTES.decision, mode === "observe" ? "none" : decision);
  span.set(ATTRIBUTES.hookMode, mode);
  if (mode === "observe") span.set(ATTRIBUTES.hookWould, decision);
  return span;
}

function decisionOfRule(event: EventName, verdict: RuleHit["verdict"]): DispatchDecision {
  if (verdict === "stop" || verdict === "deny") return decisionOf(event, { allowed: false });
  return verdict === "ask" || verdict === "allow" ? verdict : "none";
}

async function hookSpan(tracer: Tracer, parent: Span, run: HookRun): Promise<Span> {
  const { hook, outcome, startedAt, milliseconds, input, output } = run;
  const name = displayName(hook.entry.hook);
  const span = tracer.start({ name: `apply_guardrail ${name}`, startedAt }, parent);
  span.endedAt = startedAt + milliseconds;
  span.text(ATTRIBUTES.hookName, name);
  for (const [key, value] of Object.entries(await hookAttributes(run))) span.set(key as keyof HookAttributes, value);
  if (outcome.kind === "failed") span.fail(outcome.reason, outcome.error);
  // Plain text is context for the model, so it is content.
  if (outcome.kind !== "said") span.text(ATTRIBUTES.hookMessage, outcomeMessage(outcome));
  span.content(ATTRIBUTES.hookInput, () => input);
  if (output) span.content(ATTRIBUTES.hookOutput, () => outputContent(output));
  return span;
}

type HookAttributes = NonNullable<SpanStart["attributes"]>;

async function hookAttributes(run: HookRun): Promise<HookAttributes> {
  const { hook, stage, outcome, milliseconds, exitCode, decision, observes, decided } = run;
  const definition = hook.entry.hook;
  return {
    [ATTRIBUTES.operation]: "apply_guardrail",
    [ATTRIBUTES.event]: hook.entry.event,
    [ATTRIBUTES.hookType]: definition.type,
    [ATTRIBUTES.hookSource]: await hookSource(hook.entry),
    [ATTRIBUTES.hookStage]: stage,
    [ATTRIBUTES.hookOutcome]: outcomeName(outcome),
    [ATTRIBUTES.decision]: observes ? "none" : decision,
    [ATTRIBUTES.decided]: decided || undefined,
    [ATTRIBUTES.hookExitCode]: exitCode,
    [ATTRIBUTES.hookMatcher]: hook.entry.matcher,
    [ATTRIBUTES.hookMode]: observes ? "observe" : undefined,
    [ATTRIBUTES.hookWould]: observes ? decision : undefined,
    [ATTRIBUTES.hookTimeout]: nearTimeoutSeconds(definition, milliseconds),
  };
}

function outputContent(output: HandlerResult): unknown {
  if (output.kind === "returned") return output.output ?? null;
  if (output.kind === "failed") return { error: output.error, stderr: output.stderr };
  return { exit_code: output.exitCode, stdout: output.stdout, stderr: output.stderr };
}
