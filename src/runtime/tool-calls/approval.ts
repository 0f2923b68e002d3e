import { canonicalJson } from "../../lib/json.ts";
import { omitEmpty } from "../../lib/omit-empty.ts";
import type { Lane } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import { type DecidingHooks, dispatch, type Verdict } from "../dispatch-event.ts";
import { dispatchScopeOf, type Turn } from "../turns/stream-state.ts";
import { askUser } from "./ask-user.ts";
import { type Approval, type ApprovalSource, type PendingCall, toolFields } from "./pending-call.ts";
import {
  callForRules,
  grantFor,
  isGranted,
  judgeByGrants,
  judgeByRules,
  NO_PERMISSIONS,
  type Permissions,
} from "./permissions.ts";
import { judgeByMode, labelOf, type SafetyLabel, teamAskRulesApply } from "./safety.ts";

/** What rules and the safety mode think of a call; they deny at once. */
type Standing =
  /** `auto`: by the mode that never asks, not by a rule or for being safe. */
  | { kind: "allowed"; source: ApprovalSource; by: "rule" | "auto" | "mode" }
  | { kind: "open" }
  /** A rule wants the user asked. */
  | { kind: "ask"; rule: string };

/** Everything a stage may look at and leave for the next one. */
export interface Review {
  readonly turn: Turn;
  readonly call: PendingCall;
  safety: SafetyLabel;
  standing: Standing;
  /** Who insists on the user being asked; nothing but a deny outranks them. */
  askRequiredBy: "none" | "preempt" | "guard";
  /** What the default lane of pre_tool_use said. */
  verdict: { kind: "none" } | { kind: "allow" | "ask"; reason?: string; deciders: DecidingHooks };
  /** The hooks that want the user asked, by dispatch. */
  readonly askingHooks: DecidingHooks[];
  /** What the user is shown, by who said it. */
  metadata: Record<"request" | "pre" | "guard", Readonly<Record<string, string>>>;
}

/** Decides, or passes the call on. */
type Stage = (review: Review) => Promise<Approval | undefined> | Approval | undefined;

/** The approval chain, in order. Source: hooks 2.7, 9.2. */
const STAGES: readonly Stage[] = [
  transformInput,
  consultGuards,
  applyRules,
  consultHelpers,
  settle,
  requestPermission,
  putToUser,
];

/**
 * Takes a call through the approval chain. A hook that was ended because the run was cancelled denies nothing: the call
 * is canceled then.
 */
export async function reviewCall(turn: Turn, call: PendingCall): Promise<{ approval: Approval; review: Review }> {
  const review: Review = {
    turn,
    call,
    safety: labelOf(call.tool, call.input),
    standing: { kind: "open" },
    askRequiredBy: "none",
    verdict: { kind: "none" },
    askingHooks: [],
    metadata: { request: {}, pre: {}, guard: {} },
  };
  for (const stage of STAGES) {
    const approval = turn.stream.signal.aborted ? CANCELED : await stage(review);
    if (turn.stream.signal.aborted) return { approval: CANCELED, review };
    if (approval) return { approval, review };
  }
  return { approval: deny("non_interactive_deny", "refused", "The tool call was not approved."), review };
}

const CANCELED: Approval = { decision: "canceled", source: "context_canceled" };

/** `safety_policy`, and what every tool event says. */
function reviewFields({ turn, call }: Review) {
  return { ...toolFields(call), ...omitEmpty({ safety_policy: turn.stream.session.safetyMode }) };
}

async function transformInput(review: Review): Promise<Approval | undefined> {
  const { turn } = review;
  const result = await dispatch(dispatchScopeOf(turn.stream), turn.agent, "tool_input_transform", reviewFields(review));
  if (result && !result.allowed) {
    return blockedBy("tool_input_transform", "tool_input_transform_deny", result.message, result.deciders);
  }
  if (result?.modified_input) rewrite(review, result.modified_input);
  return undefined;
}

/** `tool_guard`, then the preempt lane: they see every call and can only make things stricter. */
async function consultGuards(review: Review): Promise<Approval | undefined> {
  const { turn } = review;
  const guard = await dispatch(dispatchScopeOf(turn.stream), turn.agent, "tool_guard", reviewFields(review));
  const refusal = refusalOf(guard);
  if (refusal !== undefined) return blockedBy("tool_guard", "tool_guard_deny", refusal, guard?.deciders);
  review.metadata.guard = { ...review.metadata.guard, ...metadataOf(guard) };
  recordAsk(review, guard);
  if (guard?.decision === "ask") review.askRequiredBy = "guard";
  const preempt = await preToolUse(review, "preempt");
  const veto = refusalOf(preempt);
  if (veto !== undefined) return blockedBy("pre_tool_use", "pre_tool_use_hook_deny", veto, preempt?.deciders);
  if (preempt?.decision === "ask" && review.askRequiredBy === "none") review.askRequiredBy = "preempt";
  return undefined;
}

/** Permission rules, the session's first, then the safety mode. */
function applyRules(review: Review): Approval | undefined {
  const judged = judgeCall(review);
  if ("decision" in judged) return judged;
  review.standing = judged;
  return undefined;
}

/** The default lane of `pre_tool_use`. A rewrite of the arguments sends them through guards and rules once more. */
async function consultHelpers(review: Review): Promise<Approval | undefined> {
  const { standing } = review;
  const isDecided = standing.kind === "allowed" && standing.by !== "mode";
  const result = await preToolUse(review, "default", isDecided);
  const refusal = refusalOf(result);
  if (refusal !== undefined) return blockedBy("pre_tool_use", "pre_tool_use_hook_deny", refusal, result?.deciders);
  if (result?.decision === "allow" || result?.decision === "ask") {
    review.verdict = {
      kind: result.decision,
      ...omitEmpty({ reason: result.decision_reason }),
      deciders: result.deciders,
    };
  }
  if (!result?.modified_input || !rewrite(review, result.modified_input)) return undefined;
  return recheck(review);
}

/** Guards and rules on rewritten arguments; they may only tighten what was decided before. */
async function recheck(review: Review): Promise<Approval | undefined> {
  const before = review.standing;
  const denied = await consultGuards(review);
  if (denied) return denied;
  const after = judgeCall(review);
  if ("decision" in after) return after;
  if (STRICTNESS.indexOf(after.kind) <= STRICTNESS.indexOf(before.kind)) return undefined;
  review.standing = after;
  review.askRequiredBy = "guard";
  return undefined;
}

const STRICTNESS: readonly Standing["kind"][] = ["allowed", "open", "ask"];

/** What is already decided once everybody but the user was heard. */
function settle(review: Review): Approval | undefined {
  const { standing, verdict, askRequiredBy, call, turn } = review;
  const { session } = turn.stream;
  if (askRequiredBy === "guard") return undefined;
  if (askRequiredBy === "preempt") {
    const ruled = callForRules(call.tool, call.input);
    return isGranted(session.permissions, ruled) ? allow("session_permissions_allow") : undefined;
  }
  if (standing.kind === "allowed" && (verdict.kind !== "ask" || standing.by === "auto")) return allow(standing.source);
  if (standing.kind === "ask" || verdict.kind === "ask") return undefined;
  if (verdict.kind === "allow") {
    const { reason, deciders } = verdict;
    return allow("pre_tool_use_hook_allow", { ...omitEmpty({ reason }), deciders });
  }
  const isTrusted = call.tool.readOnly && !call.tool.destructive && session.safetyMode === undefined;
  return isTrusted ? allow("readonly_hint") : undefined;
}

/** `permission_request`: answers in the user's place, unless a guard wants the user. */
async function requestPermission(review: Review): Promise<Approval | undefined> {
  if (review.askRequiredBy !== "none") return undefined;
  const result = await dispatch(
    dispatchScopeOf(review.turn.stream),
    review.turn.agent,
    "permission_request",
    reviewFields(review),
  );
  if (result && !result.allowed) {
    return blockedBy("permission_request", "permission_request_hook_deny", result.message, result.deciders);
  }
  review.metadata.request = result?.metadata ?? {};
  if (!result?.permission_allowed) return undefined;
  const { decision_reason: reason, deciders } = result;
  return allow("permission_request_hook_allow", { ...omitEmpty({ reason }), deciders });
}

async function putToUser(review: Review): Promise<Approval> {
  const hooks = await uniqueAskingHooks(review);
  const question = { metadata: confirmationMetadata(review), hooks, why: whyAsked(review), hint: approvalHint(review) };
  return { ...(await askUser(review.turn, review.call, question)), deciders: async () => hooks };
}

/** The hooks that want the user asked; one that was asked again about rewritten arguments counts once. */
async function uniqueAskingHooks({ askingHooks }: Review): Promise<DecidingHook[]> {
  const hooks = (await Promise.all(askingHooks.map((deciders) => deciders()))).flat();
  return [...new Map(hooks.map((hook) => [`${hook.event} ${hook.source} ${hook.name}`, hook])).values()];
}

/** Who wants the user asked, in words. */
function whyAsked({ askingHooks, standing }: Review): string {
  if (askingHooks.length > 0) return "a hook wants your approval";
  return standing.kind === "ask" ? `permissions.ask wants your approval: ${standing.rule}` : "it needs your approval";
}

const AT_TERMINAL = "run it at a terminal and without --json, where you are asked";

/** What the user can do so that such a call runs, where there is no terminal to ask at. */
function approvalHint({ askRequiredBy, verdict, standing, safety, call }: Review): string {
  if (askRequiredBy !== "none") return `${AT_TERMINAL}: the call needs your answer in every mode`;
  if (verdict.kind === "ask" || standing.kind === "ask") return `${AT_TERMINAL}, or with --yolo`;
  const mode = safety.label === "safe" ? "--safety balanced" : "--yolo";
  const rule = grantFor(call.tool, call.input);
  const isEnough = judgeByRules({ ...NO_PERMISSIONS, allow: [rule] }, callForRules(call.tool, call.input)) === "allow";
  return isEnough
    ? `${AT_TERMINAL}, with ${mode}, or add to permissions.allow: ${JSON.stringify(rule)}`
    : `${AT_TERMINAL}, or with ${mode}`;
}

/** What is shown beside the question, by rising precedence. Source: hooks 9.2. */
export function confirmationMetadata({ metadata, safety }: Review): Record<string, string> {
  return { ...metadata.request, safety_label: safety.label, ...safety.details, ...metadata.pre, ...metadata.guard };
}

async function preToolUse(
  review: Review,
  lane: Lane,
  skipJudges = false,
): Promise<Verdict<"pre_tool_use"> | undefined> {
  const scope = { ...dispatchScopeOf(review.turn.stream), lane, skipJudges };
  const result = await dispatch(scope, review.turn.agent, "pre_tool_use", reviewFields(review));
  review.metadata.pre = { ...review.metadata.pre, ...metadataOf(result) };
  recordAsk(review, result);
  return result;
}

function recordAsk(review: Review, verdict: Verdict<"pre_tool_use"> | undefined): void {
  if (verdict?.decision === "ask") review.askingHooks.push(verdict.deciders);
}

/** What a hook tells the user: its metadata, and why it wants the user asked. */
function metadataOf(result: Verdict<"pre_tool_use"> | undefined): Record<string, string> {
  const reason = result?.decision === "ask" && result.decision_reason ? { reason: result.decision_reason } : {};
  return { ...reason, ...result?.metadata };
}

/** Replaces the arguments; true when they really differ. */
function rewrite(review: Review, input: Record<string, unknown>): boolean {
  const changed = canonicalJson(input) !== canonicalJson(review.call.input);
  review.call.input = input;
  review.safety = labelOf(review.call.tool, input);
  return changed;
}

/** Deny rules of both levels, then what the session allows or asks, then the team, then the mode. */
function judgeCall({ turn, call, safety }: Review): Standing | Approval {
  const { session, runtime } = turn.stream;
  const granted = judgeByGrants(session.permissions, callForRules(call.tool, call.input));
  const configured = judgeByRules(runtime.team.permissions, callForRules(call.tool, call.input));
  const { permissions } = runtime.team;
  if (granted === "deny")
    return denyByRule(call, session.permissions, "session_permissions_deny", "session permissions");
  if (configured === "deny") return denyByRule(call, permissions, "team_permissions_deny", "permissions configuration");
  if (granted === "allow") return { kind: "allowed", source: "session_permissions_allow", by: "rule" };
  if (granted === "ask") return { kind: "ask", rule: ruleBehind(session.permissions, "ask", call) };
  if (configured === "allow") return { kind: "allowed", source: "team_permissions_allow", by: "rule" };
  if (configured === "ask" && teamAskRulesApply(session.safetyMode)) {
    return { kind: "ask", rule: ruleBehind(permissions, "ask", call) };
  }
  return judgeByLabel(call, session.safetyMode, safety.label);
}

function judgeByLabel(call: PendingCall, mode: string | undefined, label: SafetyLabel["label"]): Standing | Approval {
  const verdict = judgeByMode(mode, label);
  if (verdict.kind === "open") return verdict;
  if (verdict.kind === "allow") {
    return { kind: "allowed", source: verdict.source, by: verdict.source === "yolo" ? "auto" : "mode" };
  }
  return deny(
    verdict.source,
    "denied",
    `Tool '${call.tool.name}' is denied by the safety mode restricted: the call is not known to be safe.`,
  );
}

function denyByRule(call: PendingCall, permissions: Permissions, source: ApprovalSource, level: string): Approval {
  const text = `Tool '${call.tool.name}' is denied by ${level}.`;
  return { ...deny(source, "denied", text), reason: `rule ${ruleBehind(permissions, "deny", call)} of the ${level}` };
}

/** The first rule that by itself gives a verdict on a call, in quotes. */
function ruleBehind(permissions: Permissions, verdict: "ask" | "deny", { tool, input }: PendingCall): string {
  const call = callForRules(tool, input);
  const rule = permissions[verdict].find(
    (each) => judgeByRules({ ...NO_PERMISSIONS, [verdict]: [each] }, call) === verdict,
  );
  return JSON.stringify(rule ?? permissions[verdict].join(", "));
}

/** Why a guard refused, perhaps with no words; undefined when it did not. */
function refusalOf(result: Verdict<"pre_tool_use"> | undefined): string | undefined {
  if (!result || (result.allowed && result.decision !== "deny")) return undefined;
  return result.message || result.decision_reason || "";
}

function blockedBy(
  event: string,
  source: ApprovalSource,
  message: string | undefined,
  deciders: DecidingHooks | undefined,
): Approval {
  const text = `The tool call was rejected by a ${event} hook.${message ? ` Reason: ${message}` : ""}`;
  return { decision: "deny", source, outcome: "blocked", text, reason: message || text, ...(deciders && { deciders }) };
}

function allow(source: ApprovalSource, by: { reason?: string; deciders?: DecidingHooks } = {}): Approval {
  return { decision: "allow", source, ...by };
}

function deny(source: ApprovalSource, outcome: "denied" | "refused", text: string): Approval & { decision: "deny" } {
  return { decision: "deny", source, outcome, text, reason: text };
}
