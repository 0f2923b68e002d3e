import type { Bucket } from "../../lib/percentiles.ts";
import type { RuleFigures } from "./rule-figures.ts";

/** The figures of one hook on one event. Times are in milliseconds. */
export interface HookFigures {
  hook: string;
  /** Where it was configured when it ran last: `file:line`, a flag or a setting. */
  source: string;
  type: string;
  event: string;
  runs: number;
  /** Failures, time-outs included. */
  failed: number;
  timed_out: number;
  /** Denials and blocks that took effect. */
  blocked: number;
  asked: number;
  /** Denials and blocks of a hook that only observes. */
  would_block: number;
  p50_ms: number;
  p95_ms: number;
  max_ms: number;
  total_ms: number;
  /** Runs that took 80 % of the timeout or more, and the timeout in seconds. */
  near_timeouts: number;
  timeout_s?: number;
  /** How many runs took more than `from` and at most `to`. */
  durations: readonly Bucket[];
}

/** The share of the time of sessions that their hooks took. Only sessions with two entries or more count. */
export interface SessionFigures {
  sessions: number;
  /** From the first to the last entry of each session, added up. */
  session_ms: number;
  hooks_ms: number;
  /** From 0 to 1; also of the median session, and of the one at the 95th percentile. */
  share: number;
  p50_share: number;
  p95_share: number;
}

/** The result of `hooksh stats`. */
export interface StatsReport {
  /** The time that `--since` names. */
  since: string;
  /** The times of the first and last entry; absent if there is none. */
  first?: string;
  last?: string;
  entries: number;
  /** The number of lines that are not entries. */
  unreadable: number;
  /** How far a percentile may be from the exact one, as a share of it. */
  percentile_error: number;
  hooks: readonly HookFigures[];
  /** Absent if no rule hit. */
  rules?: readonly RuleFigures[];
  /** Absent if no session has two entries. */
  sessions?: SessionFigures;
  /** Runs of hooks, and entries of sessions, beyond the most hooks and sessions that are counted. */
  left_out: { runs: number; session_entries: number };
}
