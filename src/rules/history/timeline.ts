import type { PastCondition, Stage } from "./past-conditions.ts";
import type { ConditionSet, Sight } from "./sight.ts";

/** How many calls and other events of a session are kept, and for how long. */
export const MOST_ENTRIES = 10_000;
export const MOST_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Without an id, the same tool and input within this time are one call. */
const SAME_CALL_MS = 10 * 60 * 1000;

/** When something was seen: its place in the order of the store, and its time. */
export interface Moment {
  order: number;
  time: number;
}

/** One call, which may have been seen before and after it ran, or one other event. */
export interface Entry {
  readonly event: string;
  readonly tool: string | undefined;
  readonly id: string | undefined;
  readonly first: Moment;
  last: Moment;
  isCall: boolean;
  /** Seen on `pre_tool_use`, and on `post_tool_use`. */
  started: boolean;
  ended: Moment | undefined;
  ok: boolean | undefined;
  /** True once it is dropped. */
  gone: boolean;
  /** What it was tested with at each event. */
  readonly tests: { event: string; set: ConditionSet }[];
  /** The conditions that held, possibly at least, at one of its events; true if it certainly held at each that was tested. */
  readonly held: Map<string, boolean>;
}

/** The past of a session in memory, with an index of what conditions ask. */
export class Timeline {
  #entries: Entry[] = [];
  #dropped = 0;
  #order = 0;
  readonly #byId = new Map<string, Entry>();
  readonly #byInput = new Map<string, Entry[]>();
  readonly #byCondition = new Map<string, Entry[]>();
  /** Every set that events of a name were tested with. */
  readonly #sets = new Map<string, Set<ConditionSet>>();

  /** Adds an event, and returns the entry that it belongs to. */
  add(sight: Sight): Entry {
    const order = this.#order++;
    const moment = { order, time: sight.time };
    const isCall = sight.event === "pre_tool_use" || sight.event === "post_tool_use";
    const entry = (isCall ? this.find(sight) : undefined) ?? this.#append(sight, moment, isCall);
    entry.last = moment;
    if (sight.event === "pre_tool_use") entry.started = true;
    if (sight.event === "post_tool_use") {
      // Two reports that differ are no success.
      entry.ok = entry.ended && entry.ok !== sight.ok ? false : sight.ok;
      entry.ended = moment;
    }
    this.#test(entry, sight);
    return entry;
  }

  /**
   * Returns the call that an event belongs to: the one with its id, else the last one with its tool and input within ten
   * minutes, unless that has ended before this one starts.
   */
  find({ event, id, tool, input, time }: Pick<Sight, "event" | "id" | "tool" | "input" | "time">): Entry | undefined {
    if (id !== undefined) return this.#byId.get(id);
    const entry = this.#byInput.get(inputKey(tool, input))?.at(-1);
    if (!entry || entry.gone || Math.abs(time - entry.last.time) > SAME_CALL_MS) return undefined;
    if (entry.ended && (event !== "post_tool_use" || entry.id !== undefined)) return undefined;
    return entry.id !== undefined && event === "pre_tool_use" ? undefined : entry;
  }

  /** The entries that a condition may hold for, oldest first; without a condition all. */
  candidates(stage: Stage, condition: PastCondition | undefined, withUntested: boolean): Iterable<Entry> {
    if (!condition || (withUntested && this.#hasUntested(stage, condition.key))) return this.#live();
    return live(this.#byCondition, condition.key);
  }

  /** The calls with a tool and an input, oldest first. */
  sameCalls(tool: string | undefined, input: string): readonly Entry[] {
    return live(this.#byInput, inputKey(tool, input));
  }

  get size(): number {
    return this.#entries.length - this.#dropped;
  }

  #append(sight: Sight, moment: Moment, isCall: boolean): Entry {
    const { event, tool, id, input } = sight;
    const entry: Entry = {
      event,
      tool,
      id,
      first: moment,
      last: moment,
      isCall,
      started: false,
      ended: undefined,
      ok: undefined,
      gone: false,
      tests: [],
      held: new Map(),
    };
    this.#entries.push(entry);
    if (isCall && id !== undefined) this.#byId.set(id, entry);
    if (isCall && input !== undefined) push(this.#byInput, inputKey(tool, input), entry);
    if (this.size > MOST_ENTRIES) this.#dropOldest();
    return entry;
  }

  #test(entry: Entry, { event, set, certain, possible }: Sight): void {
    const isTested = (key: string) => entry.tests.some((test) => test.set.has(key));
    for (const [key, isSure] of entry.held) {
      if (isSure && set.has(key) && !certain.includes(key)) entry.held.set(key, false);
    }
    const hold = (key: string, isSure: boolean) => {
      if (entry.held.has(key)) return;
      entry.held.set(key, isSure && !isTested(key));
      push(this.#byCondition, key, entry);
    };
    for (const key of certain) hold(key, true);
    for (const key of possible) hold(key, false);
    if (entry.tests.some((test) => test.set === set && test.event === event)) return;
    entry.tests.push({ event, set });
    const sets = this.#sets.get(event);
    if (sets) sets.add(set);
    else this.#sets.set(event, new Set([set]));
  }

  /** True if events may be there that were not tested with a condition, because no rule had it then. */
  #hasUntested(stage: Stage, key: string): boolean {
    const events = stage === "call" ? ["pre_tool_use", "post_tool_use"] : [stage];
    return events.some((event) => [...(this.#sets.get(event) ?? [])].some((set) => !set.has(key)));
  }

  *#live(): Iterable<Entry> {
    for (let at = this.#dropped; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (entry) yield entry;
    }
  }

  #dropOldest(): void {
    const entry = this.#entries[this.#dropped];
    this.#dropped++;
    if (entry) {
      entry.gone = true;
      if (entry.id !== undefined && this.#byId.get(entry.id) === entry) this.#byId.delete(entry.id);
    }
    if (this.#dropped <= MOST_ENTRIES / 4) return;
    this.#entries = this.#entries.slice(this.#dropped);
    this.#dropped = 0;
    for (const index of [this.#byInput, this.#byCondition]) {
      for (const key of [...index.keys()]) if (live(index, key).length === 0) index.delete(key);
    }
  }
}

function inputKey(tool: string | undefined, input: string | undefined): string {
  return `${tool ?? ""}\0${input ?? ""}`;
}

function push(index: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = index.get(key);
  if (list) list.push(entry);
  else index.set(key, [entry]);
}

/** Returns the entries of a list that are still there, and removes the others from it. */
function live(index: Map<string, Entry[]>, key: string): readonly Entry[] {
  const list = index.get(key);
  if (!list) return [];
  if (!list[0]?.gone) return list;
  const left = list.filter(({ gone }) => !gone);
  index.set(key, left);
  return left;
}
