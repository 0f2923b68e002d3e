import type { Message } from "../../model/messages/message.ts";
import type { Agent } from "../agent/agent.ts";
import { messagesOf, type Session, withholdFromModels } from "../session/session.ts";
import { type Runtime, recordItem, report } from "./runtime.ts";
import type { Stream } from "./stream-state.ts";

export function recordUserMessage(runtime: Runtime, session: Session, agent: Agent, given: Message): void {
  const message = { ...given, createdAt: new Date().toISOString() };
  recordItem(runtime, session, { kind: "message", agent: agent.name, message });
}

/** Reports the message that was recorded last. */
export function reportUserMessage(stream: Stream, agent: Agent, text: string): void {
  const { runtime, session } = stream;
  report(runtime, agent, {
    type: "user_message",
    message: text,
    session_id: session.id,
    session_position: messagesOf(session).length - 1,
  });
}

/** Withholds the user's messages from an item on, because a hook blocked them. */
export function withholdUserMessages(stream: Stream, firstItem: number): void {
  for (const item of stream.session.items.slice(firstItem)) {
    if (item.kind === "message" && item.message.role === "user") withholdFromModels(stream.session, item);
  }
  stream.runtime.journal?.update(stream.session);
}
