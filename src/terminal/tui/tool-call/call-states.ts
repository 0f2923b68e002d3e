import type { CallOutcome } from "../../../runtime/events/run-events.ts";
import type { Role } from "../../theme.ts";

/** How far a call has come. */
export type CallState = "running" | CallOutcome;

/** How a state is shown: a mark, the role that styles it, and a word unless the mark says enough. */
export interface StateStyle {
  mark: string;
  role: Role;
  word: string;
}

/** How each state is shown. The word says what the colour says, for terminals without colours. */
export const CALL_STATES: Readonly<Record<CallState, StateStyle>> = {
  running: { mark: "●", role: "accent", word: "" },
  completed: { mark: "✓", role: "success", word: "" },
  failed: { mark: "✗", role: "error", word: "failed" },
  blocked: { mark: "✗", role: "error", word: "denied" },
  denied: { mark: "✗", role: "error", word: "denied" },
  refused: { mark: "✗", role: "warning", word: "denied" },
  rejected: { mark: "✗", role: "warning", word: "denied by you" },
  unknown_tool: { mark: "✗", role: "error", word: "no such tool" },
  malformed_arguments: { mark: "✗", role: "error", word: "malformed arguments" },
  canceled: { mark: "○", role: "warning", word: "canceled" },
  skipped: { mark: "○", role: "dim", word: "skipped" },
};
