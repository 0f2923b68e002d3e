import { textMessage } from "../../model/messages/message.ts";
import type { Agent } from "../agent/agent.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { report } from "../stream/runtime.ts";
import { dispatchScopeOf, recordMessage, type Stream } from "../stream/stream-state.ts";

/**
 * Counts the model turn that is about to start. Returns false if a limit of the run forbids it; the session then holds
 * a message that says so, which is also the answer of a sub-agent. The front end learns of it from the meter at the end
 * of the run, and at a prompt, which stays open, from a warning.
 */
export async function checkRunLimits(stream: Stream, agent: Agent): Promise<boolean> {
  const { runtime } = stream;
  const limit = runtime.meter.startTurn();
  if (!limit) return true;
  const text = `stopped by ${limit.flag}: ${limit.message}`;
  if (runtime.interactive) report(runtime, agent, { type: "warning", message: text });
  await dispatch(dispatchScopeOf(stream), agent, "notification", {
    notification_level: "warning",
    notification_message: text,
  });
  recordMessage(stream, agent, textMessage("assistant", `Execution ${text}.`), { implicit: true });
  return false;
}
