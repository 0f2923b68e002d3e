import type { AuditEntry, AuditHook, AuditRule } from "../../audit/entry.ts";
import { auditEntries } from "../../audit/read-entries.ts";
import { ATTRIBUTES, DISPATCH_SPAN } from "../../trace/names.ts";
import type { AttributeValue, TraceSpan } from "./otlp-spans.ts";

/**
 * Makes spans from the audit log's entries of the sessions whose ids start with a text: one for each dispatch, and below
 * it one for each rule that hit and each hook. The log does not say when a hook started within its dispatch, so each starts with it.
 */
export function auditSpans(dataDir: string, session: string): TraceSpan[] {
  const contains = [JSON.stringify({ session }).slice(1, -2)];
  const entries = auditEntries(dataDir, { contains, accepts: (entry) => entry.session.startsWith(session) });
  let count = 0;
  const nextId = () => (++count).toString(16).padStart(16, "0");
  return [...entries].flatMap((entry) => {
    const dispatch = dispatchSpan(entry, nextId());
    const rules = (entry.rules ?? []).map((rule) => ruleSpan(rule, entry, dispatch, nextId()));
    return [dispatch, ...rules, ...entry.hooks.map((hook) => hookSpan(hook, dispatch, nextId()))];
  });
}

function dispatchSpan(entry: AuditEntry, id: string): TraceSpan {
  return {
    id,
    trace: entry.trace_id ?? "0".repeat(32),
    parent: undefined,
    name: `${DISPATCH_SPAN} ${entry.event}`,
    start: Date.parse(entry.time) - entry.ms,
    milliseconds: entry.ms,
    failed: false,
    message: "",
    attributes: attributesFrom({
      [ATTRIBUTES.event]: entry.event,
      [ATTRIBUTES.decision]: entry.decision,
      [ATTRIBUTES.reason]: entry.reason,
      [ATTRIBUTES.conversation]: entry.session,
      [ATTRIBUTES.agentName]: entry.agent,
      [ATTRIBUTES.toolName]: entry.tool,
      [ATTRIBUTES.toolCallId]: entry.call,
      [ATTRIBUTES.host]: entry.host,
      [ATTRIBUTES.hostEvent]: entry.host_event,
      [ATTRIBUTES.approvalSource]: entry.approval_source,
      [ATTRIBUTES.route]: entry.route,
      [ATTRIBUTES.routeMetadata]: entry.metadata && JSON.stringify(entry.metadata),
    }),
    events: [],
  };
}

/** A rule takes no time of its own. A rule that denied or stopped is shown with the decision of its event. */
function ruleSpan(
  { name, source, verdict, mode }: AuditRule,
  entry: AuditEntry,
  dispatch: TraceSpan,
  id: string,
): TraceSpan {
  const refuses = verdict === "stop" || verdict === "deny";
  const refusal = entry.decision === "block" ? "block" : "deny";
  const decision = refuses ? refusal : verdict === "ask" || verdict === "allow" ? verdict : "none";
  return {
    ...dispatch,
    id,
    parent: dispatch.id,
    name: `apply_guardrail ${name}`,
    milliseconds: 0,
    attributes: attributesFrom({
      [ATTRIBUTES.operation]: "apply_guardrail",
      [ATTRIBUTES.event]: entry.event,
      [ATTRIBUTES.hookName]: name,
      [ATTRIBUTES.hookType]: "rule",
      [ATTRIBUTES.hookSource]: source,
      [ATTRIBUTES.hookStage]: "rules",
      [ATTRIBUTES.hookOutcome]: "answered",
      [ATTRIBUTES.decision]: mode === "observe" ? "none" : decision,
      [ATTRIBUTES.hookMode]: mode,
      [ATTRIBUTES.hookWould]: mode === "observe" ? decision : undefined,
    }),
    events: [],
  };
}

function hookSpan(hook: AuditHook, dispatch: TraceSpan, id: string): TraceSpan {
  return {
    ...dispatch,
    id,
    parent: dispatch.id,
    name: `apply_guardrail ${hook.name}`,
    milliseconds: hook.ms,
    attributes: attributesFrom({
      [ATTRIBUTES.operation]: "apply_guardrail",
      [ATTRIBUTES.hookName]: hook.name,
      [ATTRIBUTES.hookType]: hook.type,
      [ATTRIBUTES.hookSource]: hook.source,
      [ATTRIBUTES.hookStage]: hook.stage,
      [ATTRIBUTES.hookOutcome]: hook.outcome,
      [ATTRIBUTES.hookExitCode]: hook.exit_code,
      [ATTRIBUTES.hookMode]: hook.mode,
      [ATTRIBUTES.hookWould]: hook.would,
      [ATTRIBUTES.hookTimeout]: hook.timeout_s,
      [ATTRIBUTES.hookMessage]: hook.message,
      [ATTRIBUTES.decision]: hook.decision,
    }),
  };
}

function attributesFrom(values: Record<string, AttributeValue | undefined>): Record<string, AttributeValue> {
  const given = Object.entries(values).filter((pair): pair is [string, AttributeValue] => pair[1] !== undefined);
  return Object.fromEntries(given);
}
