import type { Agent } from "../agent/agent.ts";
import type { Budget, ReachedLimit } from "../budgets/budget.ts";
import type { RunMeter } from "./run-meter.ts";
import { agentNamed } from "./runtime.ts";
import { isRoot, type Stream } from "./stream-state.ts";

/** Counts the calls of models, and says when no further one may be sent. */
export type CallMeter = Pick<RunMeter, "addCall" | "reachedCost">;

/** Returns a meter that counts for budgets too. */
export function meterWith(meter: CallMeter | undefined, budgets: readonly Budget[]): CallMeter {
  return {
    addCall: (...call) => {
      for (const each of [...(meter ? [meter] : []), ...budgets]) each.addCall(...call);
    },
    reachedCost: () => meter?.reachedCost() ?? reachedLimit(budgets)?.limit,
  };
}

/** Returns the budgets from which an agent draws in a stream: in a sub-session also those of the agents that delegated. */
export function budgetsIn(stream: Stream, agent: Agent): readonly Budget[] {
  const above = isRoot(stream) ? [] : stream.delegationChain.map((name) => agentNamed(stream.runtime, name));
  return [...new Set([...above, agent].flatMap(({ budgets = [] }) => budgets))];
}

/** Returns the meter of the calls that an agent makes in a stream. */
export function meterIn(stream: Stream, agent: Agent): CallMeter {
  return meterWith(stream.runtime.meter, budgetsIn(stream, agent));
}

/** Runs a turn of an agent, whose time counts. */
export function duringTurn<T>(stream: Stream, agent: Agent, turn: () => Promise<T>): Promise<T> {
  return budgetsIn(stream, agent).reduce((run, budget) => () => budget.during(run), turn)();
}

/** Returns the first budget that is used up, and its limit. */
export function reachedLimit(budgets: readonly Budget[]): { budget: Budget; limit: ReachedLimit } | undefined {
  for (const budget of budgets) {
    const limit = budget.reached();
    if (limit) return { budget, limit };
  }
  return undefined;
}
