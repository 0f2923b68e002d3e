import { type CompactionOutcome, compact } from "../compaction/compaction.ts";
import { dispatch } from "../dispatch-event.ts";
import { agentOf, type Runtime, report } from "../runtime.ts";
import { recordUserMessage } from "../turns/queued-messages.ts";
import { createStream, runStream, type StreamEnd } from "../turns/run-stream.ts";
import type { Session } from "./session.ts";

/**
 * How a session begins: for the first time, taken up again, or in the place of one that was cleared.
 *
 * Source: hooks 2.5.
 */
export type StartSource = "startup" | "resume" | "clear";

/** Why a session ends. Source: the specification's rulings. */
export type EndReason = "clear" | "logout" | "prompt_input_exit" | "other";

/**
 * Begins a session, or takes a stored one up again: `session_start`, once. What its hooks say takes the place of what
 * they said before and is sent with every request from then on.
 */
export async function startSession(
  runtime: Runtime,
  session: Session,
  source: StartSource,
  signal: AbortSignal,
): Promise<void> {
  const started = await dispatch({ runtime, session, signal }, agentOf(runtime, session), "session_start", { source });
  if (signal.aborted) return;
  session.startContext = started?.additional_context ?? "";
  if (session.items.length > 0) runtime.journal?.update(session);
}

/**
 * Hands a message of the user to the agent and runs until everything is answered. Never throws for what a hook, a tool
 * or a model did.
 */
export function submitMessage(
  runtime: Runtime,
  session: Session,
  text: string,
  signal: AbortSignal,
): Promise<StreamEnd> {
  recordUserMessage(runtime, session, agentOf(runtime, session), text);
  return runStream(runtime, session, signal);
}

/** Ends a session: `session_end`, once, never cancelled. */
export async function endSession(runtime: Runtime, session: Session, reason: EndReason): Promise<void> {
  await dispatch({ runtime, session }, agentOf(runtime, session), "session_end", { reason });
}

/** Compacts a session because the user asked for it, with what the user wants kept. Source: runtime 11. */
export async function compactSession(
  runtime: Runtime,
  session: Session,
  instructions: string,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const agent = agentOf(runtime, session);
  const stream = createStream(runtime, session, signal);
  const cause = { source: "manual", reason: "manual", ...(instructions ? { instructions } : {}) } as const;
  const outcome = await compact({ stream, agent, model: agent.chooseModel() }, cause);
  if (outcome === "vetoed") {
    const ended = { status: "completed", outcome: "skipped" } as const;
    report(runtime, agent, { type: "session_compaction", session_id: session.id, ...ended });
  }
  return outcome;
}
