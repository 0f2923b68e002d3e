import { EXIT_CODES } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import type { ReachedLimit } from "../../runtime/budgets/budget.ts";
import type { END_REASONS, RunEvent } from "../../runtime/events/run-events.ts";
import { knownCost } from "../../runtime/session/session-cost.ts";
import type { RunLedger } from "../run-ledger.ts";

/** How a run ended. */
export interface RunAccount {
  readonly ledger: RunLedger;
  readonly exitCode: number;
  readonly reason: (typeof END_REASONS)[number];
  readonly limit: ReachedLimit | undefined;
  /** `--fail-on-denied` */
  readonly failsOnDenied: boolean;
}

/** The end of a run: the exit code without the flags, and the time limit if it has passed. */
export interface RawEnd {
  code: number;
  passed: ReachedLimit | undefined;
  failsOnDenied: boolean;
}

/**
 * Returns the account of a run. If several exit codes apply, the first counts: interrupted and closed output (130, 131
 * and 141), denied calls with `--fail-on-denied` (3), a limit (124), any other. A program that repeats a run after an error
 * must not overlook that a call was denied.
 */
export function accountOf(ledger: RunLedger, { code, passed, failsOnDenied }: RawEnd): RunAccount {
  const isInterrupted = code === EXIT_CODES.interrupted || code === EXIT_CODES.quit;
  const isCutOff = (isInterrupted && !passed) || code === EXIT_CODES.outputClosed;
  const limit = isCutOff ? undefined : (passed ?? ledger.meter.stoppedBy);
  const ended = limit ? EXIT_CODES.limited : code;
  const exitCode = !isCutOff && failsOnDenied && ledger.deniedCount > 0 ? EXIT_CODES.denied : ended;
  return { ledger, exitCode, reason: limit ? "limit" : reasonOf(code), limit, failsOnDenied };
}

function reasonOf(code: number): RunAccount["reason"] {
  switch (code) {
    case EXIT_CODES.ok:
      return "answered";
    case EXIT_CODES.interrupted:
    case EXIT_CODES.quit:
      return "interrupted";
    case EXIT_CODES.outputClosed:
      return "output_closed";
    default:
      return "error";
  }
}

/** Returns the last event of a run. */
export function runEnded({ ledger, exitCode, reason, limit }: RunAccount): RunEvent {
  const { meter, agent, sessionId } = ledger;
  return {
    type: "run_ended",
    exit_code: exitCode,
    reason,
    ...omitEmpty({
      session_id: sessionId,
      answer: reason === "answered" ? ledger.answer?.text : undefined,
      error: ledger.errors[0]?.message,
      limit,
      unpriced_models: [...meter.unpriced],
    }),
    duration_ms: Math.round(performance.now() - ledger.startedAt),
    turns: meter.turns,
    cost: knownCost(meter.cost, meter.unpriced.size > 0),
    usage: { ...meter.tokens },
    calls: Object.fromEntries(ledger.counts),
    denied: ledger.denied.map(({ text, agent: caller, reason: why, hint, hooks, tool, outcome }) => ({
      tool,
      call: text,
      outcome,
      ...omitEmpty({ agent_name: caller, reason: why, hint, hooks: [...hooks] }),
    })),
    ...omitEmpty({ agent_name: agent }),
    timestamp: new Date().toISOString(),
  };
}
