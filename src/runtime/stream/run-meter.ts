import type { Help } from "../../lib/errors.ts";
import { counted } from "../../lib/text/counted.ts";
import { roundedCost } from "../../model/catalog/cost.ts";
import type { Usage } from "../../model/messages/message.ts";
import type { ReachedLimit } from "../budgets/budget.ts";

const RUN_LIMIT_REACHED: Help = {
  cause: "`--max-cost`, `--max-turns` or the limit of iterations ended the run, or its cost is not known.",
  cure: "Raise the limit. For a model or an evaluator without a price, set `cost` in its entry: prices in US dollars per million tokens, or `{}` if it is free.",
};

/** The limits of a run; an absent one does not apply. */
export interface RunLimits {
  /** In US dollars. */
  maxCost?: number | undefined;
  /** Model turns of all agents and sessions of the run. */
  maxTurns?: number | undefined;
  /** Iterations of each agent for each message, instead of those that the agent sets. */
  maxIterations?: number | undefined;
}

/** The tokens of all model calls of a run. */
type TokenCounts = Record<"input_tokens" | "output_tokens" | "cached_input_tokens" | "cached_write_tokens", number>;

/** Counts what a run uses, over all of its agents, sessions and hooks, and compares it with the limits. */
export class RunMeter {
  static readonly help: Help = RUN_LIMIT_REACHED;
  readonly limits: RunLimits;
  /** Model turns that have started. */
  turns = 0;
  /** US dollars. */
  cost = 0;
  readonly tokens: TokenCounts = {
    input_tokens: 0,
    output_tokens: 0,
    cached_input_tokens: 0,
    cached_write_tokens: 0,
  };
  /** The models of calls whose cost is unknown. */
  readonly unpriced = new Set<string>();
  /** The first limit that stopped work. */
  stoppedBy: ReachedLimit | undefined;

  constructor(limits: RunLimits = {}) {
    this.limits = limits;
  }

  /** Counts a model call; its cost is undefined if unknown. */
  addCall(model: string, usage: Usage | undefined, cost: number | undefined): void {
    if (cost === undefined) this.unpriced.add(model);
    else this.cost += cost;
    for (const name of Object.keys(this.tokens) as (keyof TokenCounts)[]) this.tokens[name] += usage?.[name] ?? 0;
  }

  /** Counts a model turn that is about to start. Returns the limit that forbids it, if there is one. */
  startTurn(): ReachedLimit | undefined {
    const { maxTurns = Number.POSITIVE_INFINITY } = this.limits;
    const limit =
      this.turns < maxTurns
        ? this.reachedCost()
        : { flag: `--max-turns ${maxTurns}`, message: `the run has taken ${counted(this.turns, "model turn")}` };
    if (!limit) this.turns++;
    else this.stoppedBy ??= limit;
    return limit;
  }

  /** Records that the limit of iterations, which a flag or the agent sets, has ended the work on a message. */
  stopAtIterations(limit: number, message: string): void {
    const flag = this.limits.maxIterations === undefined ? "max_iterations" : "--max-iterations";
    this.stoppedBy ??= { flag: `${flag} ${limit}`, message };
  }

  /** Returns the cost limit if no further request may be sent: it is reached, or the cost so far is unknown. */
  reachedCost(): ReachedLimit | undefined {
    const { maxCost } = this.limits;
    if (maxCost === undefined) return undefined;
    const flag = `--max-cost ${maxCost}`;
    if (this.unpriced.size > 0) {
      const models = [...this.unpriced].join(", ");
      return {
        flag,
        message: `the cost so far is unknown: ${models} has no price or reported no tokens`,
      };
    }
    return this.cost < maxCost ? undefined : { flag, message: `the run has cost $${roundedCost(this.cost)}` };
  }
}
