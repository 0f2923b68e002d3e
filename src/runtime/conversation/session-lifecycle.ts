import { textOf } from "../../model/messages/message.ts";
import { type CompactionOutcome, compact } from "../compaction/compaction.ts";
import { seenHooks } from "../routing/activate.ts";
import { type AttachedFile, userMessage } from "../session/attached-file.ts";
import { type MessageItem, type Session, withholdFromModels } from "../session/session.ts";
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

/**
 * Dispatches `user_prompt_submit` for the unanswered messages at the end of a stored session. The process that stored
 * them may have been killed before the hooks could block them; messages that hooks block now are withheld from all
 * models.
 */
export async function recheckUnanswered(runtime: Runtime, session: Session, signal: AbortSignal): Promise<void> {
  const agent = agentOf(runtime, session);
  for (const item of unansweredOf(session)) {
    const payload = { prompt: textOf(item.message) };
    const result = await dispatch({ runtime, session, signal }, agent, "user_prompt_submit", payload);
    if (signal.aborted) return;
    if (!result || result.allowed) continue;
    withholdFromModels(session, item);
    runtime.journal?.update(session);
    const message = `an earlier message is left out: ${result.message || "a hook blocked it"}`;
    report(runtime, agent, { type: "warning", message, hook_event: "user_prompt_submit" });
  }
}

/** Returns the user's messages that follow everything else. */
function unansweredOf({ items }: Session): MessageItem[] {
  const last = items.findLastIndex((item) => item.kind !== "message" || item.message.role !== "user");
  const messages = items.slice(last + 1).filter((item) => item.kind === "message");
  return messages.filter(({ implicit, withheld }) => !implicit && !withheld);
}
