import { displayName, type HookDefinition } from "../config/hooks/read-hooks.ts";
import { type DispatchDecision, decisionOf } from "../protocol/decision.ts";
import type { EventName } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";

const WOULD: Partial<Record<DispatchDecision, string>> = { ask: "asked", deny: "denied", block: "blocked" };

/** The notice that a hook that only observes would have stopped its event; empty if it would not. */
export function observedText(
  { event, hook }: { event: EventName; hook: Pick<HookDefinition, "name" | "command" | "type"> },
  result: AnyResult,
): string {
  const { message, decision_reason: reason = message, transition } = result;
  const would = transition ? `routed to ${transition.agent}` : WOULD[decisionOf(event, result)];
  if (would === undefined) return "";
  const start = `${event} hook ${JSON.stringify(displayName(hook))} only observes: it would have ${would}`;
  return reason === undefined ? start : `${start}: ${reason}`;
}
