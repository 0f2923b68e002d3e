import { untilAborted } from "../../lib/settle-within.ts";
import { counted } from "../../lib/text/counted.ts";
import { textMessage } from "../../model/messages/message.ts";
import type { Agent } from "../agent/agent.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { report } from "../stream/runtime.ts";
import { dispatchScopeOf, isRoot, recordMessage, type Stream } from "../stream/stream-state.ts";

const EXTRA_ITERATIONS = 10;

/**
 * Returns true if the stream may take another iteration. At the limit, asks the user to extend it; if the user declines
 * or cannot be asked, records a message that says why the run stopped. The limit then ends the run too, unless a prompt
 * stays open or the stream is that of a sub-agent; these get a warning.
 */
export async function checkIterationLimit(stream: Stream, agent: Agent): Promise<boolean> {
  const { runtime, signal, iteration, maxIterations } = stream;
  if (maxIterations <= 0 || iteration < maxIterations) return true;
  report(runtime, agent, { type: "max_iterations_reached", max_iterations: maxIterations });
  const payload = {
    notification_level: "warning",
    notification_message: `Maximum iterations reached (${maxIterations})`,
  } as const;
  await dispatch(dispatchScopeOf(stream), agent, "notification", payload);
  await dispatch(dispatchScopeOf(stream), agent, "on_max_iterations", payload);
  if (await isExtended(stream, agent)) return extend(stream, agent);
  if (signal.aborted) return false;
  const used = `${agent.name} has taken ${counted(iteration, "iteration")}`;
  if (isRoot(stream) && !runtime.interactive) runtime.meter.stopAtIterations(agent.limits.maxIterations, used);
  else report(runtime, agent, { type: "warning", message: `${used} and stops, as max_iterations says` });
  const text = `Execution stopped: the configured limit of ${maxIterations} iterations was reached.`;
  recordMessage(stream, agent, textMessage("assistant", text), { implicit: true });
  return false;
}

async function isExtended(stream: Stream, agent: Agent): Promise<boolean> {
  const {
    runtime: { frontEnd },
    signal,
    maxIterations,
  } = stream;
  if (!frontEnd.askContinue) return false;
  await dispatch(dispatchScopeOf(stream), agent, "on_user_input", {});
  return (await untilAborted(frontEnd.askContinue(maxIterations, signal), signal)) ?? false;
}

async function extend(stream: Stream, agent: Agent): Promise<boolean> {
  const previous = stream.maxIterations;
  stream.maxIterations = stream.iteration + EXTRA_ITERATIONS;
  await dispatch(dispatchScopeOf(stream), agent, "on_session_resume", {
    previous_max_iterations: previous,
    new_max_iterations: stream.maxIterations,
  });
  return true;
}
