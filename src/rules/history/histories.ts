import { join } from "node:path";
import type { EventFacts } from "../../facts/facts.ts";
import { canonicalJson, isDeeperThan } from "../../lib/json.ts";
import { memoize, once } from "../../lib/once.ts";
import { sha256 } from "../../lib/platform.ts";
import type { Redactor } from "../../redaction/redact.ts";
import type { HistoryAnswer } from "../history-view.ts";
import { CERTAIN, POSSIBLE, type Rule, type RuleVerdict, type Truth } from "../rule.ts";
import { answerFrom, type Present } from "./answer.ts";
import { hasHistory, interestIn, type PastCondition } from "./past-conditions.ts";
import { rootOf, storedName } from "./root-session.ts";
import type { HoldsAt, SessionHistory } from "./session-history.ts";
import { FileStore, memoryStore, problem, type SessionStore } from "./session-store.ts";
import { conditionSet, type Sight } from "./sight.ts";
import { openStoreFolder } from "./store-folder.ts";
import type { Timeline } from "./timeline.ts";

/** The sessions whose history stays in memory. */
const MOST_SESSIONS = 32;

/** The session of an event, as the event names it. */
export interface NamedSession {
  /** Undefined if the event names none. A generated id is none. */
  session: string | undefined;
  /** The session that delegated to it. */
  parent?: string | undefined;
}

/** The histories of all sessions. */
export interface Histories {
  /** The history of the root of a session. Reads and writes nothing before it is asked. */
  of(named: NamedSession): SessionHistory;
}

/**
 * The histories in `history` of the data directory, which all processes share. Keep what this returns as long as the
 * process: it remembers what it has read.
 */
export function openHistories(data: string): Histories {
  const stores = new Map<string, FileStore>();
  return {
    of: ({ session, parent }) =>
      viewOf(() => {
        if (session === undefined) return NO_SESSION;
        try {
          const folder = openStoreFolder(data);
          const root = rootOf(folder, session, parent);
          const store = stores.get(root) ?? new FileStore(folder, root);
          stores.delete(root);
          stores.set(root, store);
          for (const [oldest] of stores) if (stores.size > MOST_SESSIONS) stores.delete(oldest);
          return store;
        } catch (error) {
          return problem(join(data, "history"), error);
        }
      }),
  };
}

/** Histories that begin empty and end with the process: for `test` and `rules explain`. */
export function memoryHistories(): Histories {
  const stores = new Map<string, SessionStore>();
  const roots = new Map<string, string>();
  return {
    of: ({ session, parent }) =>
      viewOf(() => {
        if (session === undefined) return NO_SESSION;
        const own = storedName(session);
        if (parent !== undefined && !roots.has(own)) {
          const above = storedName(parent);
          roots.set(own, roots.get(above) ?? above);
        }
        const root = roots.get(own) ?? own;
        const store = stores.get(root) ?? memoryStore();
        stores.set(root, store);
        return store;
      }),
  };
}

const NO_SESSION = "the event names no session, so its history is not known";

/** Rules of these verdicts hold if the history cannot be asked, and others do not. */
const HOLD_IN_DOUBT: readonly RuleVerdict[] = ["deny", "ask", "stop"];

function viewOf(find: () => SessionStore | string): SessionHistory {
  const store = once(find);
  return {
    holds: async (rule, facts): Promise<HistoryAnswer> => {
      if (!hasHistory(rule)) return { truth: true, says: [] };
      const found = store();
      const { timeline, failed } = typeof found === "string" ? { timeline: undefined, failed: found } : found.read();
      if (!timeline || failed !== undefined)
        return { truth: HOLD_IN_DOUBT.includes(rule.verdict), says: [], ...(failed === undefined ? {} : { failed }) };
      return answerFrom(timeline, rule, await presentOf(timeline, rule, facts));
    },
    record: async (rules, facts, holdsAt) => {
      const { keeps, conditions } = interestIn(rules, facts.event);
      if (!keeps) return undefined;
      const found = store();
      return typeof found === "string" ? found : found.add(await sightOf(facts, conditions, holdsAt));
    },
  };
}

async function presentOf(timeline: Timeline, rule: Rule, facts: EventFacts): Promise<Present> {
  const { event, now, call } = facts;
  const tool = call?.tools[0];
  const id = idOf(facts);
  // A call that begins is none that was seen before, even if it equals one, unless they share an id.
  const mayBeKnown = id !== undefined || (call !== undefined && event !== "pre_tool_use");
  const needsInput = rule.history.moreThan?.sameCall === true || (mayBeKnown && id === undefined);
  const input = call && needsInput ? await inputOf(facts) : undefined;
  const known = { event, time: now, ...(id === undefined ? {} : { id }), ...named({ tool, input }) };
  return { event, now, tool, input, itself: mayBeKnown ? timeline.find(known) : undefined };
}

async function sightOf(facts: EventFacts, conditions: readonly PastCondition[], holdsAt: HoldsAt): Promise<Sight> {
  const certain: string[] = [];
  const possible: string[] = [];
  for (const { key, when, sets } of conditions) {
    const truth = await truthOf(() => holdsAt(when, facts, sets));
    if (truth === CERTAIN) certain.push(key);
    else if (truth === POSSIBLE) possible.push(key);
  }
  const { event, now: time, agent, call, ok } = facts;
  const id = idOf(facts);
  return {
    time,
    event,
    set: setOf(conditions),
    certain,
    possible,
    ...named({ tool: call?.tools[0], agent, id, input: call ? await inputOf(facts) : undefined }),
    ...(event === "post_tool_use" && ok !== undefined ? { ok } : {}),
  };
}

const setOf = memoize((conditions: readonly PastCondition[]) => conditionSet(conditions.map(({ key }) => key)));

/** A condition that cannot be tested may hold. */
async function truthOf(test: () => Truth | Promise<Truth>): Promise<Truth> {
  try {
    return await test();
  } catch {
    return POSSIBLE;
  }
}

function idOf({ call, payload }: EventFacts): string | undefined {
  const id = payload["tool_use_id"];
  return call && typeof id === "string" && id !== "" ? sha256(id).slice(0, 16) : undefined;
}

/** A digest of the input without its secrets; undefined if the input nests too deep for one. */
async function inputOf({ call }: EventFacts): Promise<string | undefined> {
  if (!call) return undefined;
  const [{ redactDeep }, { createRedactor }] = await Promise.all([
    import("../../redaction/redact-deep.ts"),
    import("../../redaction/redact.ts"),
  ]);
  if (isDeeperThan(call.input, MOST_DEPTH)) return undefined;
  redactor ??= createRedactor();
  return sha256(canonicalJson(redactDeep(call.input, redactor))).slice(0, 32);
}

const MOST_DEPTH = 500;

let redactor: Redactor | undefined;

/** Leaves out fields that are undefined. */
function named<T extends Record<string, string | undefined>>(fields: T): { [Key in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: string;
  };
}
