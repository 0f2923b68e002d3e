import { type AuditEntry, type AuditHook, fileOf } from "../../audit/entry.ts";
import { auditEntries } from "../../audit/read-entries.ts";
import { yieldsToRules } from "../../config/hooks/read-hooks.ts";
import type { CompiledHook } from "../../engine/match.ts";

/** A configured hook that is looked for in the audit log. */
export interface SoughtHook {
  hook: CompiledHook;
  name: string;
  /** Its source as the audit log has it. */
  source: string;
  /** When its file changed, in milliseconds since 1970; undefined if no file declares it. */
  changed: number | undefined;
  /** True if it applies to every dispatch of this user; else only sessions count in which a hook of its file ran. */
  isGlobal: boolean;
}

/** A run of a hook. */
export interface LastRun {
  time: string;
  outcome: string;
  decision?: string;
  would?: string;
  session: string;
  host?: string;
  /** Several hooks of the file have this name, and the file has changed: it may have been any of them. */
  ambiguous?: true;
}

/** Events that a hook did not run on, although they and their tools match. */
export interface MissedEvents {
  count: number;
  /** The time and the tool of the last one. */
  last: string;
  tool?: string;
}

/** What the log says about one hook. */
export interface HookTrace {
  last?: LastRun;
  missed?: MissedEvents;
}

/** How far the log was read. */
export interface LookBack {
  entries: number;
  /** The time of the oldest entry that was read; absent if there was none. */
  until?: string;
  /** False if the reading stopped at {@link MOST_ENTRIES}, so that hooks may have run before. */
  complete: boolean;
}

/** Entries that are read at most, in about a fifth of a second. */
const MOST_ENTRIES = 20_000;

/** Searches the audit log, backwards, for the last run of each hook. Stops when every hook was found. */
export function findLastRuns(
  dataDir: string,
  hooks: readonly SoughtHook[],
): { traces: ReadonlyMap<SoughtHook, HookTrace>; lookBack: LookBack } {
  const search = new Search(hooks);
  const lookBack: LookBack = { entries: 0, complete: true };
  for (const entry of auditEntries(dataDir, { order: "newest" })) {
    if (search.isDone) break;
    if (lookBack.entries === MOST_ENTRIES) {
      lookBack.complete = false;
      break;
    }
    lookBack.entries++;
    lookBack.until = entry.time;
    search.read(entry);
  }
  return { traces: search.traces(), lookBack };
}

/** A hook without a run so far. `missed` has the events it did not run on, by session. */
interface Open {
  sought: SoughtHook;
  missed: Map<string, MissedEvents>;
}

class Search {
  readonly #open: Open[];
  readonly #all: readonly Open[];
  readonly #found = new Map<SoughtHook, LastRun>();
  /** The sessions in which a hook of a file ran. */
  readonly #sessions = new Map<string, Set<string>>();

  constructor(hooks: readonly SoughtHook[]) {
    this.#all = hooks.map((sought) => ({ sought, missed: new Map() }));
    this.#open = [...this.#all];
  }

  get isDone(): boolean {
    return this.#open.length === 0;
  }

  read(entry: AuditEntry): void {
    for (const { source } of entry.hooks) sessionsOf(this.#sessions, fileOf(source)).add(entry.session);
    for (const open of this.#open.filter(({ sought }) => sought.hook.entry.event === entry.event)) {
      const run = this.#runOf(open.sought, entry);
      if (run) {
        this.#found.set(open.sought, run);
        this.#open.splice(this.#open.indexOf(open), 1);
      } else if (wouldRun(open.sought, entry)) addMissed(open.missed, entry);
    }
  }

  #runOf(sought: SoughtHook, entry: AuditEntry): LastRun | undefined {
    const named = entry.hooks.filter(({ name }) => name === sought.name);
    const exact = named.find(({ source }) => source === sought.source);
    if (exact) return lastRun(exact, entry);
    const twins = this.#all.filter((other) => isSameName(other.sought, sought));
    const isTwin = ({ source }: AuditHook) => twins.some((twin) => twin.sought.source === source);
    const moved = named.find((run) => fileOf(run.source) === fileOf(sought.source) && !isTwin(run));
    if (!moved) return undefined;
    return { ...lastRun(moved, entry), ...(twins.length > 1 ? { ambiguous: true } : {}) };
  }

  traces(): Map<SoughtHook, HookTrace> {
    return new Map(
      this.#all.map(({ sought, missed }) => {
        const last = this.#found.get(sought);
        const sum = sumOf(missed, (session) => sought.isGlobal || this.#hasRun(sought, session));
        return [sought, { ...(last ? { last } : {}), ...(sum ? { missed: sum } : {}) }];
      }),
    );
  }

  #hasRun({ source }: SoughtHook, session: string): boolean {
    return this.#sessions.get(fileOf(source))?.has(session) === true;
  }
}

/** True if two hooks differ only in their place in a file, so that a run in the log does not tell them apart. */
function isSameName(a: SoughtHook, b: SoughtHook): boolean {
  return a.name === b.name && a.hook.entry.event === b.hook.entry.event && fileOf(a.source) === fileOf(b.source);
}

/** True if a hook, as it is configured now, would have run on the event of an entry. */
function wouldRun({ hook, name, changed = Number.POSITIVE_INFINITY }: SoughtHook, entry: AuditEntry): boolean {
  const { event, tool, hooks, time } = entry;
  if (event !== hook.entry.event || Date.parse(time) <= changed || isCutShort(entry)) return false;
  // A judge is not asked about a call that an allow rule covers; of equal hooks, one runs.
  if (yieldsToRules(hook.entry) || hooks.some((run) => run.name === name)) return false;
  return hook.matches(tool === undefined ? [] : [tool]);
}

/** True if the event was refused before its hooks ran: by hooksh itself, or by a hook on the preempt lane. */
function isCutShort({ decision, hooks }: AuditEntry): boolean {
  const isRefused = decision === "deny" || decision === "block";
  return isRefused && (hooks.length === 0 || hooks.some(({ stage }) => stage === "preempt"));
}

function lastRun({ outcome, decision, would }: AuditHook, { time, session, host }: AuditEntry): LastRun {
  return {
    time,
    outcome,
    ...(decision === undefined ? {} : { decision }),
    ...(would === undefined ? {} : { would }),
    session,
    ...(host === undefined ? {} : { host }),
  };
}

function addMissed(missed: Map<string, MissedEvents>, { session, time, tool }: AuditEntry): void {
  const known = missed.get(session);
  if (known) known.count++;
  else missed.set(session, { count: 1, last: time, ...(tool === undefined ? {} : { tool }) });
}

function sumOf(missed: Map<string, MissedEvents>, counts: (session: string) => boolean): MissedEvents | undefined {
  const own = [...missed].filter(([session]) => counts(session)).map(([, events]) => events);
  const count = own.reduce((sum, events) => sum + events.count, 0);
  const latest = own.reduce<MissedEvents | undefined>((a, b) => (a && a.last > b.last ? a : b), undefined);
  return latest && { ...latest, count };
}

function sessionsOf(sessions: Map<string, Set<string>>, file: string): Set<string> {
  const known = sessions.get(file) ?? new Set();
  sessions.set(file, known);
  return known;
}
