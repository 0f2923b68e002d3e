import { omitEmpty } from "../../lib/json.ts";
import { textMessage } from "../../model/messages/message.ts";
import type { Agent } from "../agent/agent.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { changeAgent } from "../stream/runtime.ts";
import { dispatchScopeOf, recordMessage, type Stream } from "../stream/stream-state.ts";

/** Makes another agent continue the conversation, and notifies the hooks of the agent that it leaves. */
export async function continueWith(
  stream: Stream,
  from: Agent,
  to: string,
  kind: "handoff" | "force_handoff" | "route",
): Promise<void> {
  await dispatch(dispatchScopeOf(stream), from, "on_agent_switch", {
    from_agent: from.name,
    to_agent: to,
    agent_switch_kind: kind,
    ...omitEmpty({ from_agent_models: [...from.modelEndpoints] }),
  });
  changeAgent(stream.runtime, stream.session, to);
}

/** Records the message with which an agent takes over after the answer of another one, which must not be the last message. */
export function recordTakeover(stream: Stream, from: Agent): void {
  const text = `The agent ${from.name} has finished its part. Take over the conversation from here.`;
  recordMessage(stream, from, textMessage("user", text), { implicit: true });
}
