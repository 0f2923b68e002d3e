import type { DecidingHook } from "../../protocol/fields.ts";
import type { UserAnswer, UserQuestion } from "../../tools/tool.ts";
import type { RunEvent } from "./run-events.ts";

/** The arguments of a call as the model wrote them, as JSON and without secrets, and the hooks that changed them. */
export interface CallRewrite {
  arguments: string;
  hooks: readonly DecidingHook[];
}

/** A question to the user: may this call run? */
export interface ApprovalRequest {
  toolCallId: string;
  toolName: string;
  /** `shell`, `filesystem`, `mcp` ...: see `Tool` in src/tools/tool.ts. */
  toolCategory: string;
  /** The arguments the call would run with. */
  input: Readonly<Record<string, unknown>>;
  /** From hooks and the safety label: `safety_label`, `blast_radius`, `category`, `reason` ... */
  metadata: Readonly<Record<string, string>>;
  /** The hooks that want the user asked. */
  hooks: readonly DecidingHook[];
  /** Absent if no hook changed the arguments. */
  rewritten?: CallRewrite;
  /** What the answer `tool` allows from now on, in words: `touch *`, `exactly this line`, `write_file`. */
  grant: string;
  agentName: string;
  sessionId: string;
  /** True if the tool itself may read a file, so that the question may show it. */
  mayRead?: (path: string) => boolean;
}

/**
 * The user's answer: allow this call, this tool from now on, everything that looks safe, or everything in this session;
 * reject this call; or reject it with the rest of its batch.
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

/** Shows a run to the user, and asks the user questions. */
export interface FrontEnd {
  /** Receives every event of the run, in order. Must not throw. */
  report(event: RunEvent): void;
  /**
   * Receives the tool calls of agents that work in the background, their ends, errors and warnings, between the other
   * events; absent if the front end does not show them.
   */
  reportBackground?(event: RunEvent): void;
  /** Asks the user; absent if no user can be asked. The promise may stay pending after the signal is aborted. */
  askApproval?(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** The flag for which no user is asked, such as `--json`; absent if there is none. */
  unaskedFor?: string | undefined;
  /** Asks the user a question of a tool; absent if no user can be asked. */
  askUser?(question: ToolQuestion, signal: AbortSignal): Promise<UserAnswer>;
  /** Asks whether to continue past `max_iterations`; absent if no user can be asked, which means no. */
  askContinue?(maxIterations: number, signal: AbortSignal): Promise<boolean>;
  /** Asks whether a budget that is used up, as the text says, is granted once more; absent if no user can be asked. */
  askBudget?(text: string, signal: AbortSignal): Promise<boolean>;
}
