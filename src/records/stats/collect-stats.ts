import { basename } from "node:path";
import { type AuditEntry, type AuditHook, fileOf } from "../../audit/entry.ts";
import type { ScanCounts } from "../../audit/scan-entries.ts";
import { omitEmpty } from "../../lib/json.ts";
import { HISTOGRAM_ERROR, Histogram, percentile } from "../../lib/percentiles.ts";
import { roundedMilliseconds } from "../../lib/text/duration.ts";
import { RuleHits } from "./rule-figures.ts";
import type { HookFigures, SessionFigures, StatsReport } from "./stats-report.ts";

/** Most hooks (on each event) and most sessions whose figures are kept, so that memory has a limit: about 100 MB. */
const MOST_HOOKS = 5000;
const MOST_SESSIONS = 200_000;

/** Which hooks to count. */
export interface HookSelection {
  /** The name of the hook, or the file name of the script it runs. */
  hook?: string | undefined;
  event?: string | undefined;
}

interface Group {
  name: string;
  source: string;
  type: string;
  event: string;
  durations: Histogram;
  failed: number;
  timedOut: number;
  blocked: number;
  asked: number;
  wouldBlock: number;
  nearTimeouts: number;
  timeoutSeconds: number;
}

interface Session {
  first: number;
  last: number;
  hooksMs: number;
  entries: number;
}

/** Adds up the figures of entries. */
export class StatsCollector {
  readonly #selection: HookSelection;
  /** By event, name and file: a hook that moved to another line is the same. */
  readonly #groups = new Map<string, Group>();
  /** The groups by event, name and source, because finding the file of a source takes longer than all the rest. */
  readonly #bySource = new Map<string, Group>();
  readonly #rules = new RuleHits();
  readonly #sessions = new Map<string, Session>();
  readonly #leftOut = { runs: 0, session_entries: 0 };
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  readonly #clock = new Clock();

  constructor(selection: HookSelection) {
    this.#selection = selection;
  }

  add(entry: AuditEntry): void {
    const time = this.#clock.parse(entry.time);
    const hooksMs = this.#addHooks(entry);
    this.#rules.add(entry, (name) => isSelected(this.#selection, entry.event, name));
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
    if (entry.session !== "") this.#addToSession(entry, time, hooksMs);
  }

  /** Adds the hooks of an entry. Returns the milliseconds that the selected ones took. */
  #addHooks({ event, hooks, ms }: AuditEntry): number {
    let took = 0;
    for (const hook of hooks) {
      const group = isSelected(this.#selection, event, hook.name) ? this.#groupOf(event, hook) : undefined;
      if (!group) continue;
      addRun(group, hook);
      took += hook.ms;
    }
    // Hooks that run at the same time take no longer than their dispatch.
    return Math.min(ms, took);
  }

  /** Undefined if there are too many groups. */
  #groupOf(event: string, { name, source, type }: AuditHook): Group | undefined {
    const place = `${event}\0${name}\0${source}`;
    const known = this.#bySource.get(place);
    if (known) return known;
    const key = `${event}\0${name}\0${fileOf(source)}`;
    const group = this.#groups.get(key) ?? newGroup(event, name, type);
    if (!this.#groups.has(key) && this.#groups.size >= MOST_HOOKS) {
      this.#leftOut.runs++;
      return undefined;
    }
    this.#groups.set(key, group);
    if (this.#bySource.size >= MOST_HOOKS) this.#bySource.clear();
    this.#bySource.set(place, group);
    return group;
  }

  #addToSession({ session, ms }: AuditEntry, time: number, hooksMs: number): void {
    const known = this.#sessions.get(session);
    if (known) {
      known.first = Math.min(known.first, time - ms);
      known.last = Math.max(known.last, time);
      known.hooksMs += hooksMs;
      known.entries++;
    } else if (this.#sessions.size < MOST_SESSIONS) {
      this.#sessions.set(session, { first: time - ms, last: time, hooksMs, entries: 1 });
    } else this.#leftOut.session_entries++;
  }

  /** Returns the figures of everything that was added. `entries` and `unreadable` are the numbers of lines. */
  report(since: number, { entries, unreadable }: ScanCounts): StatsReport {
    const sessions = sessionFigures([...this.#sessions.values()].filter((session) => session.entries > 1));
    return {
      since: new Date(since).toISOString(),
      ...(entries === 0
        ? {}
        : { first: new Date(this.#first).toISOString(), last: new Date(this.#last).toISOString() }),
      entries,
      unreadable,
      percentile_error: HISTOGRAM_ERROR,
      hooks: [...this.#groups.values()].map(figuresOf),
      ...omitEmpty({ rules: this.#rules.figures() }),
      ...(sessions ? { sessions } : {}),
      left_out: this.#leftOut,
    };
  }
}

function isSelected({ hook, event: wanted }: HookSelection, event: string, name: string): boolean {
  if (wanted !== undefined && wanted !== event) return false;
  return hook === undefined || hook === name || hook === basename(name.split(/\s/)[0] ?? "");
}

function addRun(group: Group, { source, ms, outcome, decision, would, timeout_s: timeoutSeconds }: AuditHook): void {
  group.source = source;
  group.durations.add(ms);
  if (outcome === "failed" || outcome === "timed_out") group.failed++;
  if (outcome === "timed_out") group.timedOut++;
  if (would !== undefined) {
    if (isRefusal(would)) group.wouldBlock++;
  } else if (isRefusal(decision)) group.blocked++;
  else if (decision === "ask") group.asked++;
  if (timeoutSeconds) {
    group.nearTimeouts++;
    group.timeoutSeconds = timeoutSeconds;
  }
}

function isRefusal(decision: string | undefined): boolean {
  return decision === "deny" || decision === "block";
}

function newGroup(event: string, name: string, type: string): Group {
  const counts = { failed: 0, timedOut: 0, blocked: 0, asked: 0, wouldBlock: 0, nearTimeouts: 0, timeoutSeconds: 0 };
  return { name, source: "", type, event, durations: new Histogram(), ...counts };
}

function figuresOf({ name, source, type, event, durations, ...counts }: Group): HookFigures {
  return {
    hook: name,
    source,
    type,
    event,
    runs: durations.count,
    failed: counts.failed,
    timed_out: counts.timedOut,
    blocked: counts.blocked,
    asked: counts.asked,
    would_block: counts.wouldBlock,
    p50_ms: roundedMilliseconds(durations.percentile(0.5) ?? 0),
    p95_ms: roundedMilliseconds(durations.percentile(0.95) ?? 0),
    max_ms: durations.greatest ?? 0,
    total_ms: roundedMilliseconds(durations.total),
    near_timeouts: counts.nearTimeouts,
    ...(counts.timeoutSeconds > 0 ? { timeout_s: counts.timeoutSeconds } : {}),
    durations: [...durations.buckets()],
  };
}

function sessionFigures(sessions: readonly Session[]): SessionFigures | undefined {
  const timed = sessions.filter(({ first, last }) => last > first);
  if (timed.length === 0) return undefined;
  const sum = (of: (session: Session) => number) => timed.reduce((total, session) => total + of(session), 0);
  const [sessionMs, hooksMs] = [sum(({ first, last }) => last - first), sum((session) => session.hooksMs)];
  const shares = timed.map(({ first, last, hooksMs: took }) => took / (last - first)).sort((a, b) => a - b);
  return {
    sessions: timed.length,
    session_ms: roundedMilliseconds(sessionMs),
    hooks_ms: roundedMilliseconds(hooksMs),
    share: hooksMs / sessionMs,
    p50_share: percentile(shares, 0.5) ?? 0,
    p95_share: percentile(shares, 0.95) ?? 0,
  };
}

const DAY_LENGTH = "2026-11-23".length;

/** Parses the times of entries. Remembers the last day, which saves most of the work for the entries of a log. */
class Clock {
  #day = "";
  #start = 0;

  parse(time: string): number {
    if (this.#day === "" || !time.startsWith(this.#day)) {
      this.#day = time.slice(0, DAY_LENGTH);
      this.#start = Date.parse(this.#day);
    }
    const digit = (at: number) => time.charCodeAt(at) - 48;
    const pair = (at: number) => digit(at) * 10 + digit(at + 1);
    const seconds = pair(11) * 3600 + pair(14) * 60 + pair(17);
    return this.#start + seconds * 1000 + digit(20) * 100 + pair(21);
  }
}
