import type { FlagSpecs, Flags } from "../cli/flags.ts";
import { StopReason, UsageError } from "../lib/errors.ts";
import { parseDuration } from "../lib/text/duration.ts";
import type { ReachedLimit } from "../runtime/budgets/budget.ts";
import type { RunLimits } from "../runtime/stream/run-meter.ts";

/** The flags that limit a run. */
export const LIMIT_FLAGS = {
  "max-cost": {
    kind: "value",
    hint: "USD",
    description: "Send no further request to a model once this run, with its sub-agents, has cost this much (exit 124)",
  },
  "max-turns": {
    kind: "value",
    hint: "N",
    description: "Take at most N model turns in this run, including those of sub-agents (exit 124)",
  },
  "max-iterations": {
    kind: "value",
    hint: "N",
    description:
      "Take at most N model turns for each message and agent, instead of the agent's max_iterations (exit 124; 0: no limit)",
  },
  timeout: {
    kind: "value",
    hint: "DURATION",
    description: "Stop the run after this time, such as 90s or 10m (exit 124)",
  },
} as const satisfies FlagSpecs;

type LimitFlags = Flags<typeof LIMIT_FLAGS>;

/** Returns the limits that the flags set. Throws a {@link UsageError} for an invalid one. */
export function runLimits(flags: LimitFlags): RunLimits {
  return {
    maxCost: costOf(flags["max-cost"]),
    maxTurns: turnsOf(flags["max-turns"]),
    maxIterations: iterationsOf(flags["max-iterations"]),
  };
}

function costOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(given) || Number(given) === 0)
    throw new UsageError(`--max-cost takes US dollars such as 0.50, more than 0, not ${JSON.stringify(given)}`);
  return Number(given);
}

function turnsOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(given))
    throw new UsageError(`--max-turns takes a whole number from 1, not ${JSON.stringify(given)}`);
  return Number(given);
}

function iterationsOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given))
    throw new UsageError(`--max-iterations takes a whole number, not ${JSON.stringify(given)}`);
  return Number(given);
}

/** The longest delay of a timer, in milliseconds: almost 25 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The end that `--timeout` sets for a run. */
export interface Deadline {
  /** Aborted by a signal of the system, or when the time is over. */
  readonly signal: AbortSignal;
  /** Set when the time is over, unless a signal of the system came first. */
  readonly passed: ReachedLimit | undefined;
  close(): void;
}

/** Starts the timer of `--timeout`. Throws a {@link UsageError} for an invalid duration. */
export function openDeadline({ timeout }: LimitFlags, interrupted: AbortSignal): Deadline {
  const ms = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeout !== undefined && (ms === undefined || ms < 1 || ms > LONGEST_TIMER))
    throw new UsageError(`--timeout takes a duration such as 90s or 1h30m, not ${JSON.stringify(timeout)}`);
  const end = new AbortController();
  let passed: ReachedLimit | undefined;
  const timer = setTimeout(() => {
    if (interrupted.aborted) return;
    passed = { flag: `--timeout ${timeout}`, message: "the time is over" };
    end.abort(new StopReason(`the run's time limit of ${timeout} is over (--timeout)`));
  }, ms ?? LONGEST_TIMER);
  if (ms === undefined) clearTimeout(timer);
  return {
    signal: AbortSignal.any([interrupted, end.signal]),
    get passed() {
      return passed;
    },
    close: () => clearTimeout(timer),
  };
}
