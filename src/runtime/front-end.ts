import type { DecidingHook } from "../protocol/fields.ts";
import type { UserAnswer, UserQuestion } from "../tools/tool.ts";
import type { RunEvent } from "./run-events.ts";

/** A question to the user: may this call run? */
export interface ApprovalRequest {
  toolCallId: string;
  toolName: string;
  /** The arguments the call would run with. */
  input: Readonly<Record<string, unknown>>;
  /** What hooks and the safety label say about it: `safety_label`, `blast_radius`, `category`, `reason` ... */
  metadata: Readonly<Record<string, string>>;
  /** The hooks that want the user asked. */
  hooks: readonly DecidingHook[];
  agentName: string;
  sessionId: string;
}

/**
 * The user's answer: yes to this call, to this tool from now on, to everything that looks safe, to everything in this
 * session; no; or no to this call and the rest of its batch.
 *
 * Source: runtime 8.6.
 */
export type ApprovalAnswer =
  | { kind: "once" }
  | { kind: "tool" }
  | { kind: "balanced" }
  | { kind: "session" }
  | { kind: "reject"; reason?: string }
  | { kind: "cancel_batch" };

/** A question that a tool asks the user while it runs. */
export interface ToolQuestion extends UserQuestion {
  toolName: string;
  agentName: string;
  sessionId: string;
}

/** Whoever watches a run, and answers for the user where there is one. */
export interface FrontEnd {
  /** Told of everything in order. Must not throw. */
  report(event: RunEvent): void;
  /** Asks the user; absent when there is nobody to ask. The promise may stay open when the signal is aborted. */
  askApproval?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Asks the user what a tool wants to know; absent when there is nobody to ask, and the tool is told so. */
  askUser?(question: ToolQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Asks whether to go on past `max_iterations`; absent when there is nobody to ask, which means no. */
  askContinue?(maxIterations: number, signal: AbortSignal): Promise<boolean>;
}
