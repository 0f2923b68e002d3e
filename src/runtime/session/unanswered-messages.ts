import { textOf } from "../../model/messages/message.ts";
import { dispatch } from "../dispatch-event.ts";
import { agentOf, type Runtime, report } from "../runtime.ts";
import { type MessageItem, type Session, withholdFromModels } from "./session.ts";

/**
 * Asks `user_prompt_submit` about the messages at the end of a stored session that nobody answered. The process that
 * stored them may have been killed before the hooks objected; what they object to now is withheld from every model.
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
    const message = `a message from before is left out: ${result.message || "a hook objected"}`;
    report(runtime, agent, { type: "warning", message, hook_event: "user_prompt_submit" });
  }
}

/** The user's messages behind everything else. */
function unansweredOf({ items }: Session): MessageItem[] {
  const last = items.findLastIndex((item) => item.kind !== "message" || item.message.role !== "user");
  const messages = items.slice(last + 1).filter((item) => item.kind === "message");
  return messages.filter(({ implicit, withheld }) => !implicit && !withheld);
}
