import { basename } from "node:path";
import type { AuditHook } from "../../audit/entry.ts";
import { ownText } from "../../audit/recent-texts.ts";
import type { ScanCounts } from "../../audit/scan-entries.ts";
import { decodeText, parseLatin1, type ScannedEntry, type ScannedHook } from "../../audit/scan-line.ts";
import { fileOf } from "../../audit/source-file.ts";
import { HISTOGRAM_ERROR, Histogram, percentile } from "../../lib/percentiles.ts";
import { roundedMilliseconds } from "../../lib/text/duration.ts";
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
  /** By event, then by the identity of the hook, as they are in the log; `undefined` for a hook that is not selected. */
  readonly #byEvent = new Map<string, Map<string, Group | undefined>>();
  /** By event, name and file: a hook that moved to another line is the same. */
  readonly #groups = new Map<string, Group>();
  readonly #sessions = new Map<string, Session>();
  readonly #leftOut = { runs: 0, session_entries: 0 };
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(selection: HookSelection) {
    this.#selection = selection;
  }

  add(entry: ScannedEntry): void {
    const time = parseTime(entry.time);
    const hooksMs = this.#addHooks(entry);
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
    if (entry.session !== "") this.#addToSession(entry, time, hooksMs);
  }

  /** Adds the hooks of an entry. Returns the milliseconds that the selected ones took. */
  #addHooks({ event, hooks, ms }: ScannedEntry): number {
    let took = 0;
    for (const hook of hooks) {
      const group = this.#groupOf(event, hook.identity);
      if (!group) continue;
      addRun(group, hook);
      took += hook.ms;
    }
    // Hooks that run at once take no longer than their dispatch.
    return Math.min(ms, took);
  }

  #groupOf(event: string, identity: string): Group | undefined {
    let groups = this.#byEvent.get(event);
    if (!groups) this.#byEvent.set(ownText(event), (groups = new Map<string, Group | undefined>()));
    const found = groups.get(identity);
    if (found !== undefined || groups.has(identity)) return found;
    if (this.#groups.size >= MOST_HOOKS) {
      this.#leftOut.runs++;
      return undefined;
    }
    const made = this.#makeGroup(decodeText(event), identity);
    groups.set(ownText(identity), made);
    return made;
  }

  /** Undefined if the hook is not selected. */
  #makeGroup(event: string, identity: string): Group | undefined {
    const { name, source, type } = parseLatin1(`${identity}}`) as Pick<AuditHook, "name" | "source" | "type">;
    if (!isSelected(this.#selection, event, name)) return undefined;
    const key = [event, name, fileOf(source)].join("\0");
    const group = this.#groups.get(key) ?? newGroup(event, name, type);
    this.#groups.set(key, group);
    group.source = source;
    return group;
  }

  #addToSession({ session, ms }: ScannedEntry, time: number, hooksMs: number): void {
    const known = this.#sessions.get(session);
    if (known) {
      known.first = Math.min(known.first, time - ms);
      known.last = Math.max(known.last, time);
      known.hooksMs += hooksMs;
      known.entries++;
    } else if (this.#sessions.size < MOST_SESSIONS) {
      this.#sessions.set(ownText(session), { first: time - ms, last: time, hooksMs, entries: 1 });
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
      ...(sessions ? { sessions } : {}),
      left_out: this.#leftOut,
    };
  }
}

function isSelected({ hook, event: wanted }: HookSelection, event: string, name: string): boolean {
  if (wanted !== undefined && wanted !== event) return false;
  return hook === undefined || hook === name || hook === basename(name.split(/\s/)[0] ?? "");
}

function addRun(group: Group, { ms, outcome, decision, would, timeoutSeconds }: ScannedHook): void {
  group.durations.add(ms);
  if (outcome === "failed" || outcome === "timed_out") group.failed++;
  if (outcome === "timed_out") group.timedOut++;
  if (would !== "") {
    if (isRefusal(would)) group.wouldBlock++;
  } else if (isRefusal(decision)) group.blocked++;
  else if (decision === "ask") group.asked++;
  if (timeoutSeconds > 0) {
    group.nearTimeouts++;
    group.timeoutSeconds = timeoutSeconds;
  }
}

function isRefusal(decision: string): boolean {
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
let day = { text: "", start: 0 };

/** Parses the time of an entry. Remembers the last day, which saves most of the work for the entries of a log. */
function parseTime(time: string): number {
  if (!time.startsWith(day.text) || day.text === "") {
    const text = ownText(time.slice(0, DAY_LENGTH));
    day = { text, start: Date.parse(text) };
  }
  const digit = (at: number) => time.charCodeAt(at) - 48;
  const pair = (at: number) => digit(at) * 10 + digit(at + 1);
  const seconds = pair(11) * 3600 + pair(14) * 60 + pair(17);
  return day.start + seconds * 1000 + digit(20) * 100 + pair(21);
}
