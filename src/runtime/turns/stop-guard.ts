import type { Help } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { textMessage } from "../../model/messages/message.ts";
import { lastUserMessage } from "../session/session.ts";
import { report } from "../stream/runtime.ts";
import { dispatchInTurn, recordMessage, type Turn } from "../stream/stream-state.ts";
import { retryFields, takeRetry } from "./guard-retries.ts";

const AGENT_SENT_BACK: Help = {
  cause: "A hook on `stop_guard` does not let the agent stop yet.",
  cure: "Read the reason; to change the rule, change the hook. `max_guard_retries` limits how often.",
};

/**
 * Dispatches `stop_guard` before an agent ends its turn. Returns true if hooks refused: their reason is recorded as a
 * message to the model, and another turn must follow. Returns false once the retries are used up, and warns. See
 * docs/design/turn.md#guards.
 */
export async function mustGoOn(turn: Turn, text: string): Promise<boolean> {
  const { stream, agent } = turn;
  const { runtime, session, signal } = stream;
  const retries = retryFields(turn, "stop_guard");
  const verdict = await dispatchInTurn(turn, "stop_guard", {
    ...omitEmpty({ stop_response: text, last_user_message: lastUserMessage(session) }),
    stop_hook_active: retries.guard_retries > 0,
    ...retries,
  });
  if (!verdict || verdict.allowed || signal.aborted) return false;
  const reason = verdict.message || "a hook refused, without a reason";
  const warn = (message: string) => report(runtime, agent, { type: "warning", message, hook_event: "stop_guard" });
  const retry = takeRetry(turn, "stop_guard");
  if (retry === undefined) {
    warn(
      `the agent stops although hooks refuse, max_guard_retries (${retries.max_guard_retries}) is reached: ${reason}`,
    );
    return false;
  }
  warn(`the agent goes on (${retry} of ${retries.max_guard_retries}): ${reason}`);
  recordMessage(stream, agent, textMessage("user", `You cannot stop yet: ${reason}`), { implicit: true });
  return true;
}

mustGoOn.help = AGENT_SENT_BACK;
