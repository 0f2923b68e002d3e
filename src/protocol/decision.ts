import { contractOf, type EventName } from "./events.ts";
import type { AnyResult } from "./result.ts";

/**
 * What a dispatch, or one of its hooks, decided: `none` is no opinion, `deny` refuses a tool call, and `block` stops any
 * other event.
 */
export const DISPATCH_DECISIONS = ["none", "allow", "ask", "deny", "block"] as const;

/** See {@link DISPATCH_DECISIONS}. */
export type DispatchDecision = (typeof DISPATCH_DECISIONS)[number];

/** Returns the decision in a result: a refusal is `deny` where hooks give verdicts on tool calls, else `block`. */
export function decisionOf(event: EventName, result: AnyResult): DispatchDecision {
  if (!result.allowed) return contractOf(event).verdict === undefined ? "block" : "deny";
  if (result.permission_allowed) return "allow";
  return result.decision ?? "none";
}

/** Returns the reason of the decision in a result: the message of a refusal, else the reason that hooks gave. */
export function reasonOf(result: AnyResult): string | undefined {
  return result.allowed ? result.decision_reason : result.message;
}

/** True for the name of a decision. */
export function isDispatchDecision(name: string): name is DispatchDecision {
  return (DISPATCH_DECISIONS as readonly string[]).includes(name);
}
