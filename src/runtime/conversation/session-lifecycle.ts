import { type CompactionOutcome, compact } from "../compaction/compaction.ts";
import { seenHooks } from "../routing/activate.ts";
import { type AttachedFile, userMessage } from "../session/attached-file.ts";
import type { Session } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { agentNamed, agentOf, type Runtime, report } from "../stream/runtime.ts";
import { recordUserMessage } from "../stream/user-messages.ts";
import { createStream, runStream, type StreamEnd } from "../turns/run-stream.ts";

/** How a session starts: for the first time, resumed, or replacing one that was cleared. */
export type StartSource = "startup" | "resume" | "clear";

/** Why a session ends. */
export type EndReason = "clear" | "logout" | "prompt_input_exit" | "other";

/**
 * Starts a session or resumes a stored one: dispatches `session_start` once. The context from its hooks replaces the
 * earlier one and is sent with every request from then on.
 */
export async function startSession(
  runtime: Runtime,
  session: Session,
  source: StartSource,
  signal: AbortSignal,
): Promise<void> {
  const agent = agentOf(runtime, session);
  runtime.started.set(session, { source, names: new Set([agent.name]) });
  const started = await dispatch({ runtime, session, signal }, agent, "session_start", { source });
  if (signal.aborted) return;
  session.startContext = started?.additional_context ?? "";
  if (session.items.length > 0) runtime.journal?.update(session);
}

/**
 * Passes a message of the user, with files, to the agent and runs until everything is answered. Never throws because of a hook, a
 * tool or a model.
 */
export function submitMessage(
  runtime: Runtime,
  session: Session,
  text: string,
  signal: AbortSignal,
  files: readonly AttachedFile[] = [],
): Promise<StreamEnd> {
  recordUserMessage(runtime, session, agentOf(runtime, session), userMessage(text, files));
  return runStream(runtime, session, signal);
}

/**
 * Ends a session: dispatches `session_end` once, and never cancels it. In a routed conversation also to the other agents for
 * which it started, to each hook once.
 */
export async function endSession(runtime: Runtime, session: Session, reason: EndReason): Promise<void> {
  const ended: string[] = [];
  const [, ...others] = runtime.started.get(session)?.names ?? [];
  for (const name of [agentOf(runtime, session).name, ...others]) {
    const seen = seenHooks(runtime, ended, "session_end");
    await dispatch({ runtime, session, seen }, agentNamed(runtime, name), "session_end", { reason });
    ended.push(name);
  }
}

/** Compacts a session at the request of the user, whose `instructions` say what the summary must keep. */
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
