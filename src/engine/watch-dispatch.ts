import type { HostCall } from "../dialects/dialect.ts";
import { errorText } from "../lib/errors.ts";
import type { EventContract, EventName } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { ownDecision } from "./aggregate.ts";
import { observesOnly, stageOf } from "./hook-policy.ts";
import { exitCodeOf, gaveVerdict, type LaneRun, ranHooks } from "./details.ts";
import type { DispatchRecord, DispatchWatch, HookRun } from "./dispatch-record.ts";
import type { Log } from "./handler.ts";
import type { ExecutorSettings } from "./invoke-hook.ts";
import type { CompiledHook } from "./match.ts";

/** Returns the settings of a dispatch: with the variables of its watches in the environment of hooks. */
export function withVariables(settings: ExecutorSettings, watches: readonly DispatchWatch[]): ExecutorSettings {
  const variables = watches.map(({ env }) => env).filter((env) => env !== undefined);
  return variables.length === 0 ? settings : { ...settings, env: Object.assign({}, settings.env, ...variables) };
}

/** Runs the hooks of a dispatch inside its watches. */
export function runWithin<T>(watches: readonly DispatchWatch[], run: () => Promise<T>): Promise<T> {
  return watches.reduce((inner, watch) => () => watch.within?.(inner) ?? inner(), run)();
}

/** The parts of a dispatch that a record is made of. */
export interface Dispatched {
  event: EventName;
  payload: Payload;
  toolNames: readonly string[];
  result: AnyResult;
  started: number;
  host: HostCall | undefined;
  lanes: readonly LaneRun[];
  hooks: readonly CompiledHook[];
}

/**
 * Passes a dispatch to its watches, one after another. Adds their reasons to block to the result. An error in a watch is
 * logged and changes nothing.
 */
export async function settleWatches(
  watches: readonly DispatchWatch[],
  dispatched: Dispatched,
  { canBlock, log }: { canBlock: EventContract["canBlock"]; log: Log },
): Promise<void> {
  const { result } = dispatched;
  const traceId = watches.map((watch) => watch.traceId).find((id) => id !== undefined);
  for (const watch of watches) {
    try {
      const reason = await watch.settled(recordOf(dispatched, traceId));
      if (reason === undefined || !canBlock) continue;
      result.allowed = false;
      result.message = result.message === undefined ? reason : `${result.message}\n${reason}`;
    } catch (error) {
      log("warn", `cannot record ${dispatched.event}: ${errorText(error)}`);
    }
  }
}

function recordOf(dispatched: Dispatched, traceId: string | undefined): DispatchRecord {
  const { event, payload, toolNames, result, started, host, lanes, hooks } = dispatched;
  return {
    event,
    payload,
    enforced: lanes.findLast(({ rewritten }) => rewritten)?.payload ?? payload,
    toolNames,
    result,
    startedAt: performance.timeOrigin + started,
    milliseconds: performance.now() - started,
    traceId,
    host,
    runs: hookRuns(hooks, lanes, result),
    hooks,
  };
}

function hookRuns(hooks: readonly CompiledHook[], lanes: readonly LaneRun[], result: AnyResult): HookRun[] {
  return ranHooks(hooks, lanes).flatMap(({ run, outcome, hook }): HookRun[] => {
    const ran = run.ran.get(hook);
    if (!ran) return [];
    const { startedAt, milliseconds, input, output } = ran;
    return [
      {
        hook,
        lane: run.lane,
        stage: stageOf(outcome.contract, run.lane, run.declared(hook)),
        startedAt,
        milliseconds,
        exitCode: exitCodeOf(output),
        input,
        output,
        outcome: ran.outcome,
        decision: ownDecision(outcome),
        observes: observesOnly(outcome.hook),
        decided: gaveVerdict(outcome, result),
      },
    ];
  });
}
