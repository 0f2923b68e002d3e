import type { HostCall } from "../dialects/dialect.ts";
import type { Env } from "../lib/env.ts";
import type { DispatchDecision } from "../protocol/decision.ts";
import type { EventName, Lane } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { Stage } from "./hook-policy.ts";
import type { HandlerResult, Outcome } from "./handler.ts";
import type { CompiledHook } from "./match.ts";

/** One dispatch after its hooks ran: for the audit log, traces, recordings and tests. */
export interface DispatchRecord {
  event: EventName;
  /** The payload as the first hook read it. */
  payload: Payload;
  /** The payload after all rewrites. */
  enforced: Payload;
  /** The names of the tool that matchers were tried against; empty on events without a tool call. */
  toolNames: readonly string[];
  result: AnyResult;
  /** Milliseconds since 1970, with a fraction. */
  startedAt: number;
  milliseconds: number;
  /** The trace of the dispatch, as W3C Trace Context writes its id; undefined if it is not traced. */
  traceId: string | undefined;
  /** The event of another agent that this one was decoded from. */
  host: HostCall | undefined;
  /** Every hook that ran, in configuration order. */
  runs: readonly HookRun[];
  /** Every hook of the executor, also of other events; see `matchHooks` for why one did not run. */
  hooks: readonly CompiledHook[];
}

/** One hook of a dispatch. */
export interface HookRun {
  hook: CompiledHook;
  lane: Lane;
  stage: Stage;
  /** Milliseconds since 1970, with a fraction. */
  startedAt: number;
  milliseconds: number;
  /** Undefined unless the hook was a process that ended by itself. */
  exitCode: number | undefined;
  /** What the hook read: the payload after the rewrites of the hooks before it. */
  input: Payload;
  /** What it printed or returned; undefined if it was stopped or could not start. */
  output: HandlerResult | undefined;
  /** Its real outcome, also if it only observes. */
  outcome: Outcome;
  /** Its own decision, before it was combined with those of other hooks. */
  decision: DispatchDecision;
  /** It only observes: its outcome had no effect. */
  observes: boolean;
  /** It gave the verdict of the dispatch: it blocked, or its decision won. */
  decided: boolean;
}

/** Watches dispatches: called when one begins. */
export type DispatchObserver = (event: EventName, payload: Payload) => DispatchWatch | undefined;

/** Watches one dispatch. */
export interface DispatchWatch {
  /** See `traceId` of {@link DispatchRecord}. */
  traceId?: string;
  /** Variables for the hooks of the dispatch; they replace inherited ones. */
  env?: Env;
  /** Runs the hooks of the dispatch; must call `run` once and return its result. */
  within?<T>(run: () => Promise<T>): Promise<T>;
  /**
   * Called after the hooks ran, before the dispatch returns. A returned text is a reason to block the event; it has no
   * effect on an event that cannot be blocked. Must not throw.
   */
  settled(record: DispatchRecord): Promise<string | undefined> | string | undefined;
}
