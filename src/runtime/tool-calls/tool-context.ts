import { errorText } from "../../lib/errors.ts";
import { untilAborted } from "../../lib/settle-within.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { tracedEnv } from "../../trace/active.ts";
import { redactorOf } from "../agent/agent-redaction.ts";
import type { FrontEnd } from "../events/front-end.ts";
import { queueSteering } from "../session/queues.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { report } from "../stream/runtime.ts";
import { dispatchScopeOf, isRoot, type Turn } from "../stream/stream-state.ts";
import { type LiveOutput, liveOutput } from "./live-output.ts";
import { type PendingCall, toolReport } from "./pending-call.ts";

/** Returns the context of a tool call: its session, and ways to reach the user. End the live output after the call. */
export function toolContext(
  turn: Turn,
  { id, tool }: PendingCall,
): { context: ToolContext; live: LiveOutput | undefined } {
  const { stream, agent } = turn;
  const { runtime, session, signal } = stream;
  const shown = { tool_call_id: id, tool_definition: toolReport(tool.name, tool) };
  const live = liveOutput(agent, (output) => report(runtime, agent, { type: "tool_call_output", ...shown, output }));
  const { askUser } = runtime.frontEnd;
  const redact = redactorOf(agent);
  const context: ToolContext = {
    sessionId: session.id,
    workingDir: session.workingDir,
    env: tracedEnv(runtime.env),
    signal,
    ...(redact ? { redact } : {}),
    ...(live ? { onOutput: (output) => live.push(output) } : {}),
    ...(isRoot(stream) ? { steer: (text) => steerInto(turn, text) } : {}),
    ...(askUser ? { askUser: questioner(turn, tool.name, askUser.bind(runtime.frontEnd)) } : {}),
  };
  return { context, live };
}

/** Queues a message of a tool. If the queue is full, warns the user, because the tool may have ended already. */
function steerInto({ stream: { runtime }, agent }: Turn, text: string): void {
  try {
    queueSteering(runtime.queues, text);
  } catch (error) {
    report(runtime, agent, { type: "warning", message: `A tool's message is lost: ${errorText(error)}` });
  }
}

/** Returns a function that asks the user, after dispatching `on_user_input` because the run waits. */
function questioner(
  { stream, agent }: Turn,
  toolName: string,
  askUser: NonNullable<FrontEnd["askUser"]>,
): NonNullable<ToolContext["askUser"]> {
  return async (question, signal) => {
    await dispatch(dispatchScopeOf(stream), agent, "on_user_input", {});
    const toolQuestion = { ...question, toolName, agentName: agent.name, sessionId: stream.session.id };
    return (await untilAborted(askUser(toolQuestion, signal), signal)) ?? { action: "cancel" };
  };
}
