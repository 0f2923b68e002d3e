import { textOf } from "../../model/messages/message.ts";
import { type MessageItem, type Session, withholdFromModels } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { agentOf, type Runtime, report } from "../stream/runtime.ts";

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
