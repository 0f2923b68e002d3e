import { contractOf, type EVENTS, type EventName } from "./events.ts";
import type { Message } from "./fields.ts";
import type { Transition } from "./output.ts";

/** A verdict on a tool call, weakest first. */
export const DECISIONS = ["allow", "ask", "deny"] as const;

/** See {@link DECISIONS}. */
export type Decision = (typeof DECISIONS)[number];

/**
 * The folded outcomes of one dispatch. `allowed` is always present; any other key is absent if no hook set it.
 */
export interface AnyResult {
  /** False if the guarded operation must not continue. */
  allowed: boolean;
  /** Why the operation is blocked, one line per hook. */
  message?: string;
  /** A `permission_request` hook approved the call in place of the user. */
  permission_allowed?: boolean;
  /** The strongest verdict of all hooks. */
  decision?: Decision;
  /** The reason of the first hook with that verdict. */
  decision_reason?: string;
  /** The complete arguments after all patches. */
  modified_input?: Record<string, unknown>;
  /** The conversation to send in this model call. */
  updated_messages?: Message[];
  /** What everything else reads in place of the tool's response. */
  updated_tool_response?: string;
  /** What everything else reads in place of the model's answer. */
  updated_response?: string;
  /** Text for the model: that of all hooks, joined with line ends. */
  additional_context?: string;
  /** Warnings for the user, joined with line ends. */
  system_message?: string;
  /** The summary of the first hook that gives one. */
  summary?: string;
  /** Details for the question to the user; of two values for a key, the last counts. */
  metadata?: Record<string, string>;
  /** The agent that goes on; absent without a route and when blocked. */
  transition?: Transition;
  /** The worst exit code: -1 for a blocking failure, 2 for a blocking exit; absent otherwise. */
  exit_code?: number;
  /** Standard error of the last hook that blocked by exit code 2 or by failing, and wrote to it. */
  stderr?: string;
}

type KeysOf<C> =
  | "allowed"
  | "system_message"
  | (C extends { canBlock: true } ? "message" | "exit_code" | "stderr" : never)
  | (C extends { verdict: "decision" } ? "decision" | "decision_reason" : never)
  | (C extends { verdict: "permission" } ? "permission_allowed" | "decision_reason" : never)
  | (C extends { rewrites: "tool_input" } ? "modified_input" : never)
  | (C extends { rewrites: "messages" } ? "updated_messages" : never)
  | (C extends { rewrites: "tool_response" } ? "updated_tool_response" : never)
  | (C extends { rewrites: "stop_response" } ? "updated_response" : never)
  | (C extends { context: string } ? "additional_context" : never)
  | (C extends { accepts: readonly (infer A)[] } ? Extract<A, "summary" | "metadata" | "transition"> : never);

/** The result of an event. It only has the keys that the contract allows, so reading any other key does not compile. */
export type Result<E extends EventName> = Pick<AnyResult, KeysOf<(typeof EVENTS)[E]>>;

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

export function isDispatchDecision(name: string): name is DispatchDecision {
  return (DISPATCH_DECISIONS as readonly string[]).includes(name);
}

/** The beginning of a message about a hook that failed; its groups are the event and the hook in quotes. */
const FAILED_HOOK = /^(\w+) hook failed to execute: hook ("(?:[^"\\\n]|\\.)*"): /gm;

/** Returns the message of a result for a place that names the event or the hook already: `as` is what it does not name. */
export function withoutPlace(message: string, as: "hook" | "event" | "" = "hook"): string {
  const heads = { hook: "hook $2 failed: ", event: "$1 hook failed: ", "": "" };
  return message.replace(FAILED_HOOK, heads[as]);
}
