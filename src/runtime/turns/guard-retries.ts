import { omitEmpty } from "../../lib/json.ts";
import type { Turn } from "../stream/stream-state.ts";

/** An event whose hooks may send the agent back to work. */
export type Guard = "stop_guard" | "response_guard";

/** Returns the fields of a guard's input that say how often it has sent the agent back, and how often it may. */
export function retryFields({ stream, agent }: Turn, guard: Guard) {
  return {
    ...omitEmpty({ parent_session_id: stream.session.parentId }),
    guard_retries: stream.guardRetries.get(keyOf(agent.name, guard)) ?? 0,
    max_guard_retries: agent.limits.maxGuardRetries,
  };
}

/**
 * Counts a retry and returns its number, from 1. Returns undefined if the guard has used up the retries of this agent
 * for the user's message. Tool calls in between do not reset the count, or a run could go on for ever.
 */
export function takeRetry(turn: Turn, guard: Guard): number | undefined {
  const { guard_retries: taken, max_guard_retries: limit } = retryFields(turn, guard);
  if (taken >= limit) return undefined;
  turn.stream.guardRetries.set(keyOf(turn.agent.name, guard), taken + 1);
  return taken + 1;
}

function keyOf(agent: string, guard: Guard): string {
  return `${guard} ${agent}`;
}
