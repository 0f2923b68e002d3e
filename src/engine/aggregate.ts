import { displayName, type HookDefinition } from "../config/hooks/read-hooks.ts";
import { contractOf, type EventContract, type EventName } from "../protocol/events.ts";
import { type HookOutput, isBlocked, shouldContinue } from "../protocol/output.ts";
import { type AnyResult, DECISIONS, type Decision, type DispatchDecision, decisionOf } from "../protocol/result.ts";
import { ANSWER_WITHOUT_EFFECT } from "./answer.ts";
import type { Outcome } from "./handler.ts";
import { type FailurePolicy, failurePolicy } from "./hook-policy.ts";

/** The outcome of one hook, with the hook and its event. */
export interface HookOutcome {
  event: EventName;
  contract: EventContract;
  hook: HookDefinition;
  outcome: Outcome;
  /** The outcome of a hook that only observes; `outcome` is then `silent`. */
  observed?: Outcome;
  /** The rewrite of an earlier hook won over the one of this hook. */
  rewriteDropped?: boolean;
}

/** The combined outcomes of a dispatch. */
export interface Aggregate {
  result: AnyResult;
  /** What each hook decided by itself; for a hook that only observes, what it would have decided. */
  decisions: ReadonlyMap<HookOutcome, DispatchDecision>;
}

/** The state of a fold. */
interface Fold {
  /** The hooks that blocked. */
  blockers: Set<HookOutcome>;
  messages: string[];
  systemMessages: string[];
  contexts: string[];
  verdicts: { by: HookOutcome; decision: Decision; reason: string }[];
  summary: string;
  metadata: Record<string, string>;
  routes: Set<string>;
  exitCode: number;
  stderr: string;
}

/**
 * Folds the outcomes of a dispatch into one result. The outcomes must be in configuration order, so that the result
 * does not depend on which hook finished first. Pure. Rewrites are not included: modes.ts applies them to the payload.
 * The rules: docs/design/contract.md#combining-outcomes.
 */
export function aggregate(outcomes: readonly HookOutcome[]): Aggregate {
  const fold: Fold = {
    blockers: new Set(),
    messages: [],
    systemMessages: [],
    contexts: [],
    verdicts: [],
    summary: "",
    metadata: {},
    routes: new Set(),
    exitCode: 0,
    stderr: "",
  };
  const decisions = new Map(outcomes.map((outcome) => [outcome, foldOutcome(fold, outcome)]));
  return { result: toResult(fold, outcomes[0]), decisions };
}

/** The message about a failed hook, for a block or a warning. */
export function failureText({ event, hook }: Pick<HookOutcome, "event" | "hook">, error: string): string {
  const { rejection } = contractOf(event);
  if (rejection !== undefined) return `${rejection} (hook ${JSON.stringify(displayName(hook))}: ${error})`;
  return `${event} hook failed to execute: hook ${JSON.stringify(displayName(hook))}: ${error}`;
}

function foldOutcome(fold: Fold, hookOutcome: HookOutcome): DispatchDecision {
  const { event, contract, hook, outcome, observed } = hookOutcome;
  switch (outcome.kind) {
    case "silent":
      break;
    case "said":
      addContext(fold, contract, outcome.text);
      break;
    case "blocked":
      if (contract.canBlock) block(fold, hookOutcome, outcome.message, 2, outcome.stderr);
      else
        warn(fold, `${event} hook ${JSON.stringify(displayName(hook))} returned exit 2, but this event cannot block`);
      warn(fold, outcome.systemMessage);
      break;
    case "failed":
      foldFailure(fold, hookOutcome, outcome);
      break;
    case "answered":
      foldOutput(fold, hookOutcome, outcome.output);
      if (outcome.problem !== undefined)
        warn(fold, `${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.problem}`);
  }
  const decision = observed ? foldObserved(fold, hookOutcome, observed) : ownDecision(fold, hookOutcome);
  if (hookOutcome.rewriteDropped) {
    const name = JSON.stringify(displayName(hook));
    warn(
      fold,
      `${event} hook ${name}: rewrite dropped, an earlier hook already rewrote this; set rewrite: true to chain them`,
    );
  }
  return decision;
}

foldOutcome.help = ANSWER_WITHOUT_EFFECT;

function ownDecision({ blockers, verdicts }: Fold, hookOutcome: HookOutcome): DispatchDecision {
  const { event, contract } = hookOutcome;
  if (blockers.has(hookOutcome)) return decisionOf(event, { allowed: false });
  const verdict = verdicts.find(({ by }) => by === hookOutcome)?.decision ?? "none";
  return contract.verdict === "permission" && verdict === "ask" ? "none" : verdict;
}

const WOULD: Partial<Record<DispatchDecision, string>> = { ask: "asked", deny: "denied", block: "blocked" };

/** Adds the notice that a hook that only observes would have stopped its event. Returns what it would have decided. */
function foldObserved(fold: Fold, hookOutcome: HookOutcome, observed: Outcome): DispatchDecision {
  const { event, contract, hook } = hookOutcome;
  const { result } = aggregate([{ event, contract, hook, outcome: observed }]);
  const decision = decisionOf(event, result);
  const { message, decision_reason: reason = message, transition } = result;
  const would = transition ? `routed to ${transition.agent}` : WOULD[decision];
  if (would === undefined) return decision;
  const start = `${event} hook ${JSON.stringify(displayName(hook))} only observes: it would have ${would}`;
  warn(fold, reason === undefined ? start : `${start}: ${reason}`);
  return decision;
}

/**
 * How the failure of a hook is handled. A hook whose input could not be written never ran, so it blocks if its event
 * can block.
 */
export function effectivePolicy(
  { contract, hook }: HookOutcome,
  { reason }: Outcome & { kind: "failed" },
): FailurePolicy {
  return failurePolicy(contract, reason === "unreadable" ? { ...hook, on_error: "block" } : hook);
}

function foldFailure(fold: Fold, hookOutcome: HookOutcome, outcome: Outcome & { kind: "failed" }): void {
  const { contract } = hookOutcome;
  // A rejected text is told to the model, so nothing that a guard printed about it is repeated there.
  const { error, said = "" } = outcome;
  const isQuoted = said !== "" && contract.rejection === undefined;
  const text = failureText(hookOutcome, isQuoted ? `${error}: ${said}` : error);
  const policy = effectivePolicy(hookOutcome, outcome);
  if (policy === "block") {
    block(fold, hookOutcome, text, -1, outcome.stderr);
    return;
  }
  if (outcome.text !== undefined) addContext(fold, contract, outcome.text);
  if (policy === "warn") warn(fold, text);
}

function foldOutput(fold: Fold, hookOutcome: HookOutcome, output: HookOutput): void {
  const { event, contract, hook } = hookOutcome;
  const name = JSON.stringify(displayName(hook));
  const specific = output.hook_specific_output ?? {};
  const accepts = (answer: EventContract["accepts"][number]) => contract.accepts.includes(answer);
  if (isBlocked(output)) {
    if (!contract.canBlock) warn(fold, `${event} hook ${name} returned a block, but this event cannot block`);
    else {
      fold.blockers.add(hookOutcome);
      if (!shouldContinue(output)) say(fold, output.stop_reason);
      if (output.decision === "block") say(fold, output.reason);
    }
  }
  warn(fold, output.system_message ?? "");
  const verdict = DECISIONS.find((decision) => decision === specific.permission_decision);
  if (verdict !== undefined) {
    if (contract.verdict === undefined) {
      warn(
        fold,
        `${event} hook ${name} returned permission_decision, but this event does not support approval decisions`,
      );
    } else foldVerdict(fold, hookOutcome, verdict, specific.permission_decision_reason ?? "");
  }
  addContext(fold, contract, specific.additional_context ?? "");
  const fragments = accepts("instruction_context") ? specific.instruction_context : undefined;
  for (const item of fragments ?? []) addContext(fold, contract, item.content ?? "");
  if (accepts("summary")) fold.summary ||= specific.summary ?? "";
  if (accepts("transition") && specific.transition?.agent) fold.routes.add(specific.transition.agent);
  if (accepts("metadata")) Object.assign(fold.metadata, specific.metadata);
}

foldOutput.help = ANSWER_WITHOUT_EFFECT;

function foldVerdict(fold: Fold, by: HookOutcome, decision: Decision, reason: string): void {
  fold.verdicts.push({ by, decision, reason });
  if (decision !== "deny") return;
  fold.blockers.add(by);
  say(fold, reason);
}

function block(fold: Fold, by: HookOutcome, message: string, exitCode: -1 | 2, stderr: string): void {
  fold.blockers.add(by);
  say(fold, message);
  if (fold.exitCode !== -1) fold.exitCode = exitCode;
  if (stderr.trim() !== "") fold.stderr = stderr.replace(/\r?\n$/, "");
}

function say(fold: Fold, message: string | undefined): void {
  if (message) fold.messages.push(message);
}

function warn(fold: Fold, message: string): void {
  if (message !== "") fold.systemMessages.push(message);
}

function addContext(fold: Fold, contract: EventContract, text: string): void {
  const trimmed = text.trim();
  if (contract.context !== undefined && trimmed !== "") fold.contexts.push(trimmed);
}

function toResult(fold: Fold, first: HookOutcome | undefined): AnyResult {
  const contract = first?.contract;
  const isConflict = fold.routes.size > 1;
  if (isConflict) {
    say(fold, `${first?.event} hooks returned conflicting route transitions`);
    fold.exitCode = -1;
  }
  const result: AnyResult = { allowed: fold.blockers.size === 0 && !isConflict };
  const messages = contract?.rejection === undefined ? fold.messages : [...new Set(fold.messages)];
  if (messages.length > 0) result.message = messages.join("\n");
  if (contract?.verdict === "permission") addPermission(result, fold.verdicts);
  if (contract?.verdict === "decision") addDecision(result, fold.verdicts);
  if (fold.contexts.length > 0) result.additional_context = fold.contexts.join("\n");
  if (fold.systemMessages.length > 0) result.system_message = fold.systemMessages.join("\n");
  if (fold.summary !== "") result.summary = fold.summary;
  if (Object.keys(fold.metadata).length > 0) result.metadata = fold.metadata;
  const [agent] = fold.routes;
  if (agent !== undefined && result.allowed) result.transition = { action: "route", agent };
  if (fold.exitCode !== 0) result.exit_code = fold.exitCode;
  if (fold.stderr !== "") result.stderr = fold.stderr;
  return result;
}

function addPermission(result: AnyResult, verdicts: Fold["verdicts"]): void {
  const allows = verdicts.filter(({ decision }) => decision === "allow");
  if (allows.length === 0) return;
  result.permission_allowed = true;
  const reason = allows.find((allow) => allow.reason !== "")?.reason;
  if (reason !== undefined) result.decision_reason = reason;
}

function addDecision(result: AnyResult, verdicts: Fold["verdicts"]): void {
  const [winner] = verdicts.toSorted((a, b) => DECISIONS.indexOf(b.decision) - DECISIONS.indexOf(a.decision));
  if (winner === undefined) return;
  result.decision = winner.decision;
  if (winner.reason !== "") result.decision_reason = winner.reason;
}
