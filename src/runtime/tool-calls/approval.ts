import type { RulesVerdict } from "../../engine/rules.ts";
import { rulesDeny } from "../../engine/rules.ts";
import { type Help, stopReasonOf } from "../../lib/errors.ts";
import { canonicalJson, omitEmpty } from "../../lib/json.ts";
import { once } from "../../lib/once.ts";
import type { Lane } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import {
  callForRules,
  grantFor,
  isGranted,
  isSimple,
  judgeByGrants,
  judgeByRules,
  NO_PERMISSIONS,
  type Permissions,
  ruleBehind,
} from "../permissions/permissions.ts";
import type { Session } from "../session/session.ts";
import { type DecidingHooks, dispatch, ruleVerdict, type Verdict } from "../stream/dispatch-event.ts";
import { dispatchScopeOf, type Turn } from "../stream/stream-state.ts";
import { askUser } from "./ask-user.ts";
import { type Approval, type ApprovalSource, type PendingCall, type ToolFields, toolFields } from "./pending-call.ts";
import { isProjectEdit, judgeByMode, labelOf, type SafetyLabel, teamAskRulesApply, trustsReadOnly } from "./safety.ts";

export const CALL_NOT_APPROVED: Help = {
  cause:
    "A deny rule, the safety mode or a hook refused the call; or it needs an answer, and the run has no terminal to ask at.",
  cure: "The hint names the mode, or the rule to add to `permissions.allow`. What a hook asks needs an answer in every mode, or `--ask allow`. A deny rule holds in every mode: `hooksh validate FILE` and `/permissions` show where it is written.",
};

/** The verdict of rules and the safety mode on a call that they do not deny. */
type Standing =
  /** `isConfigured`: a rule of the configuration allows the call, not only a grant or the mode. */
  | { kind: "allowed"; source: ApprovalSource; isConfigured: boolean; reason?: string; deciders?: DecidingHooks }
  | { kind: "open" }
  /** A rule requires the approval of the user. */
  | { kind: "ask"; rule: string };

/** The state of a review, which the stages share. */
export interface Review {
  readonly turn: Turn;
  readonly call: PendingCall;
  /** The label of the call as it is now. Not computed until a mode, a question or a hook needs it. */
  safety: () => SafetyLabel;
  standing: Standing;
  /** What rules say about the call as it is now, and which of them say so. */
  ruled: { verdict: RulesVerdict; deciders?: DecidingHooks } | undefined;
  /** Who may still allow the call; {@link tighten} changes it. */
  answeredBy: (typeof ANSWERERS)[number];
  /** The verdict of the default lane of `pre_tool_use`. */
  verdict: { kind: "none" } | { kind: "allow" | "ask"; reason?: string; deciders: DecidingHooks };
  /** The hooks that require the approval of the user, by dispatch. */
  readonly askingHooks: DecidingHooks[];
  /** Details for the question to the user, by their origin. */
  metadata: Record<"request" | "pre" | "guard", Readonly<Record<string, string>>>;
}

/**
 * Who may allow a call, from the least strict: whoever comes first in the approval chain; the user, or a grant that the
 * user gave in this session, because a hook of the preempt lane asks; the user alone, because `tool_guard` asks, or
 * because rules judge rewritten arguments more strictly.
 */
const ANSWERERS = ["anyone", "user or grant", "user"] as const;

/** Returns the decision, or undefined to leave it to the next stage. */
type Stage = (review: Review) => Promise<Approval | undefined> | Approval | undefined;

/** The approval chain, in order; see docs/design/contract.md#approval. */
const STAGES: readonly Stage[] = [
  transformInput,
  consultRules,
  consultGuards,
  applyRules,
  consultHelpers,
  settle,
  requestPermission,
  putToUser,
];

/**
 * Runs the approval chain on a call. If the run is cancelled, the call counts as canceled: a hook that was stopped for
 * that reason denies nothing.
 */
export async function reviewCall(turn: Turn, call: PendingCall): Promise<{ approval: Approval; review: Review }> {
  const review: Review = {
    turn,
    call,
    safety: once(() => labelOf(call.tool, call.input)),
    standing: { kind: "open" },
    ruled: undefined,
    answeredBy: "anyone",
    verdict: { kind: "none" },
    askingHooks: [],
    metadata: { request: {}, pre: {}, guard: {} },
  };
  for (const stage of STAGES) {
    const approval = await stage(review);
    if (turn.stream.signal.aborted) return { approval: canceledBy(turn.stream.signal), review };
    if (approval) return { approval, review };
  }
  return { approval: deny("non_interactive_deny", "refused", "The tool call was not approved."), review };
}

function canceledBy(signal: AbortSignal): Approval {
  return { decision: "canceled", source: "context_canceled", ...omitEmpty({ reason: stopReasonOf(signal) }) };
}

function reviewFields({ turn, call }: Review): ToolFields {
  return toolFields(call, turn.stream.session.safetyMode);
}

async function transformInput(review: Review): Promise<Approval | undefined> {
  const { turn } = review;
  const result = await dispatch(dispatchScopeOf(turn.stream), turn.agent, "tool_input_transform", reviewFields(review));
  const refusal = refusalBy("tool_input_transform", "tool_input_transform_deny", result);
  if (refusal) return refusal;
  if (result?.modified_input) rewrite(review, result.modified_input, result.rewriters);
  return undefined;
}

/** Judges the call by the rules. A denial is dispatched, so that it is recorded; hooks of the call do not run then. */
async function consultRules(review: Review): Promise<Approval | undefined> {
  const { turn } = review;
  const verdict = await ruleVerdict(dispatchScopeOf(turn.stream), turn.agent, "pre_tool_use", reviewFields(review));
  review.ruled = verdict && { verdict };
  if (verdict === undefined || !rulesDeny(verdict)) return undefined;
  const denied = refusalBy("pre_tool_use", "pre_tool_use_hook_deny", await preToolUse(review, "preempt"));
  return verdict?.decision === "stop" && denied?.decision === "deny" ? { ...denied, stopsRun: true } : denied;
}

/** Dispatches `tool_guard`, then the preempt lane: they see every call and can only make the decision stricter. */
async function consultGuards(review: Review): Promise<Approval | undefined> {
  const { turn } = review;
  const guard = await dispatch(dispatchScopeOf(turn.stream), turn.agent, "tool_guard", reviewFields(review));
  const refusal = refusalBy("tool_guard", "tool_guard_deny", guard);
  if (refusal) return refusal;
  review.metadata.guard = { ...review.metadata.guard, ...metadataOf(guard) };
  recordAsk(review, guard);
  if (guard?.decision === "ask") tighten(review, "user");
  const preempt = await preToolUse(review, "preempt");
  if (review.ruled && preempt) review.ruled = { ...review.ruled, deciders: preempt.deciders };
  const veto = refusalBy("pre_tool_use", "pre_tool_use_hook_deny", preempt);
  if (veto) return veto;
  if (preempt?.decision === "ask") tighten(review, "user or grant");
  return undefined;
}

/** Applies permission rules, the session's first, then the safety mode. */
function applyRules(review: Review): Approval | undefined {
  const judged = judgeCall(review);
  if ("decision" in judged) return judged;
  review.standing = judged;
  return undefined;
}

/** Dispatches the default lane of `pre_tool_use`. Rewritten arguments go through guards and rules once more. */
async function consultHelpers(review: Review): Promise<Approval | undefined> {
  const { standing } = review;
  const result = await preToolUse(review, "default", standing.kind === "allowed" && standing.isConfigured);
  const refusal = refusalBy("pre_tool_use", "pre_tool_use_hook_deny", result);
  if (refusal) return refusal;
  if (result?.decision === "allow" || result?.decision === "ask") {
    review.verdict = {
      kind: result.decision,
      ...omitEmpty({ reason: result.decision_reason }),
      deciders: result.deciders,
    };
  }
  if (!result?.modified_input || !rewrite(review, result.modified_input, result.rewriters)) return undefined;
  return recheck(review);
}

/** Applies guards and rules to rewritten arguments; they can only tighten the earlier decision. */
async function recheck(review: Review): Promise<Approval | undefined> {
  const before = review.standing;
  const denied = (await consultRules(review)) ?? (await consultGuards(review));
  if (denied) return denied;
  const after = judgeCall(review);
  if ("decision" in after) return after;
  if (STRICTNESS.indexOf(after.kind) <= STRICTNESS.indexOf(before.kind)) return undefined;
  review.standing = after;
  tighten(review, "user");
  return undefined;
}

/** Restricts who may allow the call; never widens it. */
function tighten(review: Review, to: Review["answeredBy"]): void {
  if (ANSWERERS.indexOf(to) > ANSWERERS.indexOf(review.answeredBy)) review.answeredBy = to;
}

const STRICTNESS: readonly Standing["kind"][] = ["allowed", "open", "ask"];

/** Decides the call if the stages so far suffice. */
function settle(review: Review): Approval | undefined {
  const { standing, verdict, answeredBy, call, turn } = review;
  const { session } = turn.stream;
  if (answeredBy === "user") return undefined;
  if (answeredBy === "user or grant" || verdict.kind === "ask") {
    // Neither a mode nor a rule for many calls answers what a hook asks about this one.
    const ruled = callForRules(call.tool, call.input);
    return isGranted(session.permissions, ruled) ? allow("session_permissions_allow") : undefined;
  }
  if (standing.kind === "allowed") {
    const { source, reason, deciders } = standing;
    return allow(source, omitEmpty({ reason, deciders }));
  }
  if (standing.kind === "ask") return undefined;
  if (verdict.kind === "allow") {
    const { reason, deciders } = verdict;
    return allow("pre_tool_use_hook_allow", { ...omitEmpty({ reason }), deciders });
  }
  const isTrusted = isReadOnly(call) && trustsReadOnly(session.safetyMode);
  return isTrusted ? allow("readonly_hint") : undefined;
}

/** Dispatches `permission_request`, whose hooks may answer for the user unless a guard requires the user. */
async function requestPermission(review: Review): Promise<Approval | undefined> {
  if (review.answeredBy !== "anyone") return undefined;
  const result = await dispatch(
    dispatchScopeOf(review.turn.stream),
    review.turn.agent,
    "permission_request",
    reviewFields(review),
  );
  const refusal = refusalBy("permission_request", "permission_request_hook_deny", result);
  if (refusal) return refusal;
  review.metadata.request = { ...result?.metadata };
  if (!result?.permission_allowed) return undefined;
  const { decision_reason: reason, deciders, rules } = result;
  const source = rules?.decision === "allow" ? "rules_allow" : "permission_request_hook_allow";
  return allow(source, { ...omitEmpty({ reason }), deciders });
}

async function putToUser(review: Review): Promise<Approval> {
  const hooks = await uniqueAskingHooks(review);
  const { runtime } = review.turn.stream;
  if (runtime.allowsAsked && hooks.length > 0 && review.standing.kind !== "ask")
    return allow("ask_flag_allow", { reason: "--ask allow", deciders: async () => hooks });
  const question = { metadata: confirmationMetadata(review), hooks, why: whyAsked(review), hint: approvalHint(review) };
  return { ...(await askUser(review.turn, review.call, question)), deciders: async () => hooks };
}

/** Returns the hooks that require approval, each once, even if it also judged rewritten arguments. */
async function uniqueAskingHooks({ askingHooks }: Review): Promise<DecidingHook[]> {
  const hooks = (await Promise.all(askingHooks.map((deciders) => deciders()))).flat();
  return [...new Map(hooks.map((hook) => [`${hook.event} ${hook.source} ${hook.name}`, hook])).values()];
}

/** Returns why the user is asked, in words. */
function whyAsked({ askingHooks, standing, ruled }: Review): string {
  if (askingHooks.length > 0)
    return ruled?.verdict.decision === "ask" ? "a rule wants your approval" : "a hook wants your approval";
  return standing.kind === "ask" ? `permissions.ask wants your approval: ${standing.rule}` : "it needs your approval";
}

whyAsked.help = CALL_NOT_APPROVED;

/** Returns how the user can allow such a call if there is no terminal for the question. */
function approvalHint({ turn, answeredBy, askingHooks, standing, safety, call }: Review): string {
  const { unaskedFor } = turn.stream.runtime.frontEnd;
  const atTerminal = `run it at a terminal${unaskedFor === undefined ? "" : ` without ${unaskedFor}`}, where you are asked`;
  const isAskedByRule = standing.kind === "ask";
  if (askingHooks.length > 0) return `${atTerminal}; or use --ask allow${isAskedByRule ? " and --yolo" : ""}`;
  if (answeredBy !== "anyone") return `${atTerminal}: the call needs your answer in every mode`;
  if (isAskedByRule) return `${atTerminal}; or use --yolo`;
  const mode = safety().label === "safe" ? "--safety balanced" : "--yolo";
  const rule = allowingRule(call);
  return rule === undefined
    ? `${atTerminal}; or use ${mode}`
    : `${atTerminal}; use ${mode}; or add to permissions.allow: ${rule}`;
}

approvalHint.help = CALL_NOT_APPROVED;

/** Returns a rule of `permissions.allow`, in quotes, that allows calls like this one; undefined if none can. */
function allowingRule({ tool, input }: PendingCall): string | undefined {
  const call = callForRules(tool, input);
  const rule = grantFor(tool, input);
  const isEnough = isSimple(call) && judgeByRules({ ...NO_PERMISSIONS, allow: [rule] }, call) === "allow";
  return isEnough ? JSON.stringify(rule) : undefined;
}

/** Returns the details for the question to the user; later sources override earlier ones. */
export function confirmationMetadata({ metadata, safety }: Review): Record<string, string> {
  const { label, details } = safety();
  return { ...metadata.request, safety_label: label, ...details, ...metadata.pre, ...metadata.guard };
}

async function preToolUse(
  review: Review,
  lane: Lane,
  skipJudges = false,
): Promise<Verdict<"pre_tool_use"> | undefined> {
  const judged = lane === "preempt" ? review.ruled?.verdict : undefined;
  const scope = { ...dispatchScopeOf(review.turn.stream), lane, skipJudges, ...(judged && { judged }) };
  const result = await dispatch(scope, review.turn.agent, "pre_tool_use", reviewFields(review));
  review.metadata.pre = { ...review.metadata.pre, ...metadataOf(result) };
  recordAsk(review, result);
  return result;
}

function recordAsk(review: Review, verdict: Verdict<"pre_tool_use"> | undefined): void {
  if (verdict?.decision === "ask") review.askingHooks.push(verdict.deciders);
}

/** Returns the details from a hook: its metadata, and why it requires approval. */
function metadataOf(result: Verdict<"pre_tool_use"> | undefined): Record<string, string> {
  const reason = result?.decision === "ask" && result.decision_reason ? { reason: result.decision_reason } : {};
  return { ...reason, ...result?.metadata };
}

/** Replaces the arguments. Returns true if they differ. */
function rewrite(review: Review, input: Record<string, unknown>, by: DecidingHooks): boolean {
  const { input: from, rewritten } = review.call;
  const changed = canonicalJson(input) !== canonicalJson(from);
  if (changed) review.call.rewritten = { from: rewritten?.from ?? from, by: [...(rewritten?.by ?? []), by] };
  review.call.input = input;
  review.safety = once(() => labelOf(review.call.tool, input));
  return changed;
}

/**
 * Applies the deny rules of both levels, then the session's other rules, then the team's, then what a rule over the call
 * allows, then the mode.
 */
function judgeCall({ turn, call, safety, ruled }: Review): Standing | Approval {
  const { session, runtime } = turn.stream;
  const granted = judgeByGrants(session.permissions, callForRules(call.tool, call.input));
  const configured = judgeByRules(runtime.team.permissions, callForRules(call.tool, call.input));
  const { permissions } = runtime.team;
  if (granted === "deny")
    return denyByRule(call, session.permissions, "session_permissions_deny", "session permissions");
  if (configured === "deny") return denyByRule(call, permissions, "team_permissions_deny", "permissions configuration");
  if (session.safetyMode === "plan" && !isReadOnly(call)) return denyByPlan(call);
  const isRuled = ruled?.verdict.decision === "allow";
  const isConfigured = configured === "allow" || (isRuled && configured !== "ask");
  if (granted === "allow") return { kind: "allowed", source: "session_permissions_allow", isConfigured };
  if (granted === "ask")
    return { kind: "ask", rule: ruleBehind(session.permissions, "ask", callForRules(call.tool, call.input)) };
  if (configured === "allow") return { kind: "allowed", source: "team_permissions_allow", isConfigured };
  if (configured === "ask" && teamAskRulesApply(session.safetyMode)) {
    return { kind: "ask", rule: ruleBehind(permissions, "ask", callForRules(call.tool, call.input)) };
  }
  if (isRuled) return { kind: "allowed", source: "rules_allow", isConfigured: true, ...reasonOfRule(ruled) };
  return judgeByLabel(call, session, () => safety().label);
}

function reasonOfRule({ verdict, deciders }: NonNullable<Review["ruled"]>) {
  return omitEmpty({ reason: verdict.messages[0], deciders });
}

/** True if a tool declares that it only reads; the text of a command line is no such declaration. */
function isReadOnly({ tool }: PendingCall): boolean {
  return tool.readOnly && !tool.destructive;
}

/** Neither rules nor grants nor hooks open what plan mode denies. */
function denyByPlan({ tool }: PendingCall): Approval {
  const text = `Tool '${tool.name}' is denied: plan mode is on, in which only tools that read may run. Look around and describe your plan; the user leaves plan mode when the work may start.`;
  const reason = "plan mode is on: only tools that read may run";
  return {
    ...deny("mode_plan", "denied", text),
    reason,
    hint: "leave plan mode: Shift+Tab at the prompt, or another --safety mode",
  };
}

denyByPlan.help = CALL_NOT_APPROVED;

function judgeByLabel(call: PendingCall, session: Session, label: () => SafetyLabel["label"]): Standing | Approval {
  const verdict = judgeByMode(session.safetyMode, label, () => isProjectEdit(call.tool, call.input, session));
  if (verdict.kind === "open") return verdict;
  if (verdict.kind === "allow") return { kind: "allowed", source: verdict.source, isConfigured: false };
  const text = `Tool '${call.tool.name}' is denied by the safety mode restricted: the call is not known to be safe.`;
  const rule = allowingRule(call);
  const hint = `choose another --safety mode${rule === undefined ? "" : `, or add to permissions.allow: ${rule}`}`;
  return { ...deny(verdict.source, "denied", text), hint };
}

function denyByRule(call: PendingCall, permissions: Permissions, source: ApprovalSource, level: string): Approval {
  const text = `Tool '${call.tool.name}' is denied by ${level}.`;
  const reason = `rule ${ruleBehind(permissions, "deny", callForRules(call.tool, call.input))} of the ${level}`;
  return { ...deny(source, "denied", text), reason, hint: "change or remove the rule, which holds in every mode" };
}

denyByRule.help = CALL_NOT_APPROVED;

/** Returns the denial of a call that a hook refused; undefined if none did. */
function refusalBy(
  event: string,
  source: ApprovalSource,
  result: Pick<Verdict<"pre_tool_use">, "allowed" | "message" | "deciders" | "rules"> | undefined,
): Approval | undefined {
  if (!result || result.allowed) return undefined;
  const { message, deciders, rules } = result;
  const isByRule = rules !== undefined && rulesDeny(rules);
  const by = isByRule ? "rule" : `${event} hook`;
  const text = `The tool call was rejected by a ${by}.${message ? ` Reason: ${message}` : ""}`;
  return {
    decision: "deny",
    source: isByRule ? "rules_deny" : source,
    outcome: "blocked",
    text,
    reason: message ?? text,
    deciders,
  };
}

function allow(source: ApprovalSource, by: { reason?: string; deciders?: DecidingHooks } = {}): Approval {
  return { decision: "allow", source, ...by };
}

function deny(source: ApprovalSource, outcome: "denied" | "refused", text: string): Approval & { decision: "deny" } {
  return { decision: "deny", source, outcome, text, reason: text };
}
