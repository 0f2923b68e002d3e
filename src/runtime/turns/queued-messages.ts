import { textMessage } from "../../model/messages/message.ts";
import { type CompactionScope, compactIfFull } from "../compaction/compaction.ts";
import { dispatch, type Verdict } from "../dispatch-event.ts";
import { type Runtime, recordItem, report } from "../runtime.ts";
import { takeFollowUp, takeSteering } from "../session/queues.ts";
import { messagesOf, type Session, withholdFromModels } from "../session/session.ts";
import type { Agent } from "../team/agent.ts";
import { dispatchInTurn, dispatchScopeOf, endBlockedStream, isRoot, type Stream, type Turn } from "./stream-state.ts";

/** What taking up queued messages came to. */
export type InjectionOutcome = "nothing" | "injected" | "blocked";

/** Records a message of the user. */
export function recordUserMessage(runtime: Runtime, session: Session, agent: Agent, text: string): void {
  const message = { ...textMessage("user", text), createdAt: new Date().toISOString() };
  recordItem(runtime, session, { kind: "message", agent: agent.name, message });
}

/** Shows the message that was recorded last. */
export function reportUserMessage(stream: Stream, agent: Agent, text: string): void {
  const { runtime, session } = stream;
  report(runtime, agent, {
    type: "user_message",
    message: text,
    session_id: session.id,
    session_position: messagesOf(session).length - 1,
  });
}

/** Keeps the messages a hook blocked away from every model, from an item on. Source: hooks D15. */
export function withholdUserMessages(stream: Stream, firstItem: number): void {
  for (const item of stream.session.items.slice(firstItem)) {
    if (item.kind === "message" && item.message.role === "user") withholdFromModels(stream.session, item);
  }
  stream.runtime.journal?.update(stream.session);
}

/** Takes up all steering messages at once. Only the conversation with the user has a queue. Source: runtime 14. */
export async function injectSteering(scope: CompactionScope): Promise<InjectionOutcome> {
  const { stream, agent } = scope;
  const texts = isRoot(stream) ? takeSteering(stream.runtime.queues) : [];
  if (texts.length === 0) return "nothing";
  const firstItem = stream.session.items.length;
  for (const [index, text] of texts.entries()) {
    recordUserMessage(stream.runtime, stream.session, agent, index < texts.length - 1 ? `${text}\n` : text);
    reportUserMessage(stream, agent, text);
  }
  const result = await dispatch(dispatchScopeOf(stream), agent, "user_steering_messages_submit", {
    steering_messages: texts,
  });
  return settleInjection(scope, firstItem, result);
}

/** Takes up one follow-up. Source: runtime 3.3, T21. */
export async function injectFollowUp(turn: Turn): Promise<InjectionOutcome> {
  const { stream, agent } = turn;
  const text = isRoot(stream) ? takeFollowUp(stream.runtime.queues) : undefined;
  if (text === undefined) return "nothing";
  const firstItem = stream.session.items.length;
  recordUserMessage(stream.runtime, stream.session, agent, text);
  reportUserMessage(stream, agent, text);
  return settleInjection(turn, firstItem, await dispatchInTurn(turn, "user_followup_submit", { prompt: text }));
}

async function settleInjection(
  scope: CompactionScope,
  firstItem: number,
  result: Verdict<"user_steering_messages_submit"> | undefined,
): Promise<InjectionOutcome> {
  const { stream, agent } = scope;
  if (stream.signal.aborted) return "injected";
  if (result && !result.allowed) {
    withholdUserMessages(stream, firstItem);
    await endBlockedStream(stream, agent, result);
    return "blocked";
  }
  stream.promptContext = result?.additional_context ?? "";
  await compactIfFull(scope, "auto", firstItem);
  return "injected";
}
