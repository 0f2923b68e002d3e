import { omitEmpty } from "../../lib/json.ts";
import { textMessage } from "../../model/messages/message.ts";
import { type ToolResult, toolError } from "../../tools/tool.ts";
import { type Agent, needsRouting } from "../agent/agent.ts";
import { createSession, lastAnswer, lastAssistantText, type Session } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { type Runtime, recordItem, report } from "../stream/runtime.ts";
import type { Stream, StreamError, StreamOptions } from "../stream/stream-state.ts";

/** Runs the loop on a child session; passed in by the loop, which this file must not import. */
export type RunStream = (
  runtime: Runtime,
  session: Session,
  signal: AbortSignal,
  options: StreamOptions,
) => Promise<{ error?: StreamError }>;

/** A child session to run for its parent. */
export interface ChildRun {
  /** The runtime of the child, whose front end may differ from the parent's. */
  runtime: Runtime;
  parent: Stream;
  /** The agent whose hooks are notified of the end. */
  caller: Agent;
  /** The agent that works in the child session. */
  agent: Agent;
  session: Session;
  signal: AbortSignal;
  options: StreamOptions;
}

/**
 * Returns a session below another one. It copies the mode and the rules of the parent; what the user grants it does not
 * apply to the parent.
 */
export function createChildSession(parent: Session, title: string, pinnedTo: Agent | undefined): Session {
  const { safetyMode, permissions, id, workingDir } = parent;
  const child = createSession(workingDir, {
    parentId: id,
    title,
    permissions,
    ...(safetyMode === undefined ? {} : { safetyMode }),
  });
  if (pinnedTo) child.pinnedAgent = pinnedTo.name;
  return child;
}

/** Records the task of a child. The user did not write it, so no `user_prompt_submit` is dispatched. */
export function recordChildTask(
  runtime: Runtime,
  child: Session,
  agent: Agent,
  { system, user }: { system: string; user: string },
): void {
  for (const message of [textMessage("system", system), textMessage("user", user)]) {
    recordItem(runtime, child, { kind: "message", agent: agent.name, message, implicit: true });
  }
}

/**
 * Runs a child from its `session_start` to `subagent_stop`, which is dispatched to the caller's hooks even if the child
 * fails. Returns the child's last text, or its first error; no child starts for an agent whose hooks route. See docs/design/contract.md#delegation.
 */
export async function runChildSession(child: ChildRun, runStream: RunStream): Promise<ToolResult> {
  const { runtime, agent, session, signal, options } = child;
  const refusal = needsRouting(agent);
  if (refusal !== undefined) return toolError(refusal);
  let end: { error?: StreamError } = {};
  try {
    const started = await dispatch({ runtime, session, signal }, agent, "session_start", { source: "startup" });
    session.startContext = started?.additional_context ?? "";
    end = await runStream(runtime, session, signal, options);
  } finally {
    await dispatch({ runtime, session }, agent, "session_end", { reason: "other" });
    await reportChildEnd(child);
  }
  return end.error ? toolError(end.error.message) : { text: answerOf(session) };
}

/** Returns the answer of a child session, with a note for the parent if it was cut off. */
function answerOf(session: Session): string {
  const text = lastAssistantText(session);
  return lastAnswer(session)?.finishReason === "length" ? `${text}\n\n${CUT_OFF}` : text;
}

const CUT_OFF = "[the answer is incomplete: it reached the output limit of the model]";

async function reportChildEnd({ runtime, parent, caller, agent, session }: ChildRun): Promise<void> {
  recordItem(parent.runtime, parent.session, { kind: "subsession", agent: agent.name, session });
  report(runtime, caller, {
    type: "sub_session_completed",
    parent_session_id: parent.session.id,
    sub_session: { id: session.id, title: session.title, agent_name: agent.name },
  });
  await dispatch({ runtime: parent.runtime, session: parent.session }, caller, "subagent_stop", {
    session_id: session.id,
    agent_name: agent.name,
    parent_session_id: parent.session.id,
    ...omitEmpty({ stop_response: lastAssistantText(session) }),
  });
}
