import type { EVENTS, EventName } from "./events.ts";
import type { Message } from "./fields.ts";

/** A verdict on a tool call, weakest first. */
export const DECISIONS = ["allow", "ask", "deny"] as const;

/** See {@link DECISIONS}. */
export type Decision = (typeof DECISIONS)[number];

/**
 * The folded outcomes of one dispatch. A key is absent when nothing was said about it; `allowed` is always there.
 */
export interface AnyResult {
  /** False when the guarded operation must not go on. */
  allowed: boolean;
  /** Why it is blocked, one line a hook. */
  message?: string;
  /** A `permission_request` hook answered in the user's place. */
  permission_allowed?: boolean;
  /** The strongest verdict of all hooks. */
  decision?: Decision;
  decision_reason?: string;
  /** The complete arguments after all patches. */
  modified_input?: Record<string, unknown>;
  updated_messages?: Message[];
  updated_tool_response?: string;
  additional_context?: string;
  /** Warnings for the user. */
  system_message?: string;
  summary?: string;
  metadata?: Record<string, string>;
  /** Worst seen: -1 a blocking failure, 2 a blocking exit, 0 (absent) otherwise. */
  exit_code?: number;
  /** Standard error of the last hook that blocked through exit 2 or failure and wrote any. */
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
  | (C extends { context: string } ? "additional_context" : never)
  | (C extends { accepts: readonly (infer A)[] } ? Extract<A, "summary" | "metadata"> : never);

/** The result of an event: only what its contract can bring about, so that reading anything else does not compile. */
export type Result<E extends EventName> = Pick<AnyResult, KeysOf<(typeof EVENTS)[E]>>;
