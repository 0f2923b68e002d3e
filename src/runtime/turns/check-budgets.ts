import { untilAborted } from "../../lib/settle-within.ts";
import { textMessage } from "../../model/messages/message.ts";
import type { Agent } from "../agent/agent.ts";
import type { ReachedLimit } from "../budgets/budget.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { budgetsIn, reachedLimit } from "../stream/draw-from-budgets.ts";
import { report } from "../stream/runtime.ts";
import { dispatchScopeOf, isRoot, recordMessage, type Stream } from "../stream/stream-state.ts";

/**
 * Returns true if the agent may take another turn. At the end of a budget, asks the user to grant it once more; if the user
 * declines or cannot be asked, records a message that says why the run stopped.
 */
export async function checkBudgets(stream: Stream, agent: Agent): Promise<boolean> {
  const { runtime, signal } = stream;
  const budgets = budgetsIn(stream, agent);
  for (let end = reachedLimit(budgets); end; end = reachedLimit(budgets)) {
    const { budget, limit } = end;
    const text = `stopped by ${limit.flag}: ${limit.message}`;
    report(runtime, agent, {
      type: "budget_exceeded",
      budget: budget.name,
      message: `${limit.flag}: ${limit.message}`,
    });
    await dispatch(dispatchScopeOf(stream), agent, "notification", {
      notification_level: "warning",
      notification_message: text,
    });
    if (await isGranted(stream, agent, limit)) {
      budget.extend();
      continue;
    }
    if (signal.aborted) return false;
    stream.lastReason = "budget_exceeded";
    if (isRoot(stream) && !runtime.interactive) runtime.meter.stoppedBy ??= limit;
    else report(runtime, agent, { type: "warning", message: text });
    recordMessage(stream, agent, textMessage("assistant", `Execution ${text}.`), { implicit: true });
    return false;
  }
  return true;
}

async function isGranted(stream: Stream, agent: Agent, { flag, message }: ReachedLimit): Promise<boolean> {
  const { frontEnd } = stream.runtime;
  if (!frontEnd.askBudget) return false;
  await dispatch(dispatchScopeOf(stream), agent, "on_user_input", {});
  const asked = frontEnd.askBudget(`${flag} is used up: ${message}.`, stream.signal);
  return (await untilAborted(asked, stream.signal)) ?? false;
}
