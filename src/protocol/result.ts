import type { EVENTS, EventName } from "./events.ts";
import type { Message } from "./fields.ts";

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
  decision_reason?: string;
  /** The complete arguments after all patches. */
  modified_input?: Record<string, unknown>;
  updated_messages?: Message[];
  updated_tool_response?: string;
  updated_response?: string;
  additional_context?: string;
  /** Warnings for the user. */
  system_message?: string;
  summary?: string;
  metadata?: Record<string, string>;
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
  | (C extends { accepts: readonly (infer A)[] } ? Extract<A, "summary" | "metadata"> : never);

/** The result of an event. It only has the keys that the contract allows, so reading any other key does not compile. */
export type Result<E extends EventName> = Pick<AnyResult, KeysOf<(typeof EVENTS)[E]>>;
