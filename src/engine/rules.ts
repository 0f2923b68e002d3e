import { basename, join } from "node:path";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { eventsOfRules, type PlacedRule } from "../config/rules/load-rules.ts";
import type { HostCall } from "../dialects/dialect.ts";
import type { SessionFacts } from "../facts/event-facts.ts";
import type { EventFacts } from "../facts/facts.ts";
import type { Place } from "../facts/place.ts";
import type { Directories, Env } from "../lib/env.ts";
import { errorText } from "../lib/errors.ts";
import { memoize, once } from "../lib/once.ts";
import { contractOf, type EventName, type Lane, lanesOf } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { Histories } from "../rules/history/histories.ts";
import type { SessionHistory } from "../rules/history/session-history.ts";
import type { RulesVerdict } from "../rules/verdict.ts";

export type { RuleHit, RulesVerdict } from "../rules/verdict.ts";

/** The settings of an executor that rules read; see there. */
export interface RuleSurroundings {
  env: Env;
  directories: Directories;
  host?: HostCall | undefined;
  agent?: string | undefined;
  keepsHistory: boolean;
  stated?: Readonly<Record<string, unknown>> | undefined;
}

/** What judging an event by rules needs besides the event. */
export interface RuleSetting {
  rules: readonly PlacedRule[];
  /** The hooks beside the rules, whose files are guards too. */
  entries: readonly HookEntry[];
  toolNames: readonly string[];
  settings: RuleSurroundings;
  /** What a run knows of the session of the event. */
  session?: (() => SessionState) | undefined;
}

/** What a run knows of a session and no payload has. */
export interface SessionState extends SessionFacts {
  /** The session that delegated to it. */
  parent?: string | undefined;
}

/** True if rules deny an event, so that no hook of it runs. */
export function rulesDeny(verdict: Pick<RulesVerdict, "decision"> | undefined): boolean {
  return verdict?.decision === "deny" || verdict?.decision === "stop";
}

/** True if an event may be judged by rules. They run once for an event, before its first lane. */
export function hasRules(rules: readonly PlacedRule[], event: EventName, lane?: Lane): boolean {
  return isFirst(event, lane) && rules.some(({ on }) => on.includes(event));
}

/** True if rules judge an event, or ask about events like it later. */
export function needsEvent(rules: readonly PlacedRule[], event: EventName, lane?: Lane): boolean {
  return rules.length > 0 && isFirst(event, lane) && eventsOf(rules).has(event);
}

function isFirst(event: EventName, lane: Lane | undefined): boolean {
  return lane === undefined || lane === lanesOf(event)[0];
}

const eventsOf = memoize(eventsOfRules);

// Code that is loaded already takes time to be asked for.
const gateModules = once(() =>
  Promise.all([import("../rules/may-hold.ts"), import("../facts/tool-use.ts"), import("../facts/quiet-line.ts")]),
);
const factModules = once(() => Promise.all([import("../facts/event-facts.ts"), import("../facts/place.ts")]));
const judgeModules = once(() => Promise.all([import("../rules/judge.ts"), import("../rules/compile.ts")]));

/**
 * Judges an event by rules. The code for it is loaded only if there are rules on the event (cold start). Never rejects: if
 * the rules cannot be evaluated, an event that one of them may stop is denied.
 */
export async function judgeByRules(event: EventName, payload: Payload, setting: RuleSetting): Promise<RulesVerdict> {
  try {
    return await judge(event, payload, setting);
  } catch (error) {
    const problem = `the rules on ${event} could not be evaluated: ${errorText(error)}`;
    const mayStop = setting.rules.some((rule) => rule.on.includes(event) && !rule.observe && STOPS.has(rule.verdict));
    const isDenied = mayStop && contractOf(event).canBlock;
    return isDenied
      ? { decision: "deny", messages: [problem], warnings: [], contexts: [], hits: [] }
      : { decision: undefined, messages: [], warnings: [problem], contexts: [], hits: [] };
  }
}

const STOPS: ReadonlySet<string> = new Set(["stop", "deny", "ask"]);

async function judge(event: EventName, payload: Payload, setting: RuleSetting): Promise<RulesVerdict> {
  const rules = await candidates(event, payload, setting);
  if (rules.length === 0) return (await import("../rules/verdict.ts")).nothingHit();
  const [[{ judgeRules }, { compileRules }], { facts, place }, history] = await Promise.all([
    judgeModules(),
    factsOf(event, payload, setting),
    historyOf(payload, setting),
  ]);
  return judgeRules(compileRules(rules), facts, { place, history });
}

/** The rules that may hold for the tool of an event. If there are none, nothing else about the call is read. */
async function candidates(
  event: EventName,
  payload: Payload,
  { rules, toolNames, settings: { host, env, stated } }: RuleSetting,
): Promise<readonly PlacedRule[]> {
  const [{ rulesThatMayHold }, { namesOf, toolUse }, { quietCall }] = await gateModules();
  if (!contractOf(event).matcher) return rulesThatMayHold(rules, event, undefined);
  const use = toolUse(payload, host?.tool, toolNames);
  // Stated facts may be any.
  const quietOf = () => (stated === undefined ? quietCall(use, host?.tool, env) : undefined);
  return rulesThatMayHold(rules, event, { tools: namesOf(payload, toolNames), class: use.class }, quietOf);
}

/**
 * Adds an event to the history of its session, if rules ask about events like it. Returns why it could not be kept. Never
 * rejects.
 */
export async function recordForRules(
  event: EventName,
  payload: Payload,
  setting: RuleSetting,
): Promise<string | undefined> {
  try {
    const history = await historyOf(payload, setting);
    if (history === undefined) return undefined;
    const { holdsAtPlace } = await import("../rules/holds-at.ts");
    const { facts, place } = await factsOf(event, payload, setting);
    return await history.record(setting.rules, facts, holdsAtPlace(place));
  } catch (error) {
    return errorText(error);
  }
}

interface FactsAtPlace {
  facts: EventFacts;
  place: Place;
}

/** An event that is judged and then recorded is read once. */
const factsOfPayloads = new WeakMap<Payload, Promise<FactsAtPlace>>();

function factsOf(event: EventName, payload: Payload, setting: RuleSetting): Promise<FactsAtPlace> {
  const known = factsOfPayloads.get(payload) ?? readFacts(event, payload, setting);
  factsOfPayloads.set(payload, known);
  return known;
}

async function readFacts(event: EventName, payload: Payload, setting: RuleSetting): Promise<FactsAtPlace> {
  const { rules, entries, settings, toolNames, session } = setting;
  const { env, directories, host, agent, stated } = settings;
  const [{ eventFacts }, { placeOf }] = await factModules();
  const place = placeOf({ cwd: String(payload["cwd"]), env, directories, policy: policyFiles(rules, entries) });
  const own = host === undefined && agent !== undefined && !payload["agent_name"] ? { agent_name: agent } : {};
  const known = session && { session: session() };
  const facts = eventFacts(event, { ...payload, ...own }, { toolNames, host, place, ...known });
  if (stated === undefined) return { facts, place };
  const { withStated } = await import("../facts/stated-facts.ts");
  return { facts: withStated(facts, stated), place };
}

/** True if a rule asks about the past. */
export function asksHistory(rules: readonly PlacedRule[]): boolean {
  return rules.some(({ history }) => Object.values(history).some((value) => value !== undefined));
}

/** The stores of this process, by data directory, or by the rules for histories that end with them. */
const histories = new Map<unknown, Promise<Histories>>();

async function historyOf(payload: Payload, setting: RuleSetting): Promise<SessionHistory | undefined> {
  const { rules, settings, session } = setting;
  if (!asksHistory(rules)) return undefined;
  const { data } = settings.directories;
  const key = settings.keepsHistory ? data : rules;
  const opened =
    histories.get(key) ??
    import("../rules/history/histories.ts").then(({ openHistories, memoryHistories }) =>
      settings.keepsHistory ? openHistories(data) : memoryHistories(),
    );
  histories.set(key, opened);
  const { session_id: id, parent_session_id: parent = session?.().parent } = payload;
  // An id that `dispatch` made up is that of no session.
  const isNamed = typeof id === "string" && id !== "" && !id.startsWith("dispatch-");
  return (await opened).of({
    session: isNamed ? id : undefined,
    parent: typeof parent === "string" ? parent : undefined,
  });
}

/** The files that decide what an agent may do: those that hold the rules and hooks. */
export function policyFiles(rules: readonly PlacedRule[], entries: readonly HookEntry[]): readonly string[] {
  return filesOf(rules)(entries);
}

const filesOf = memoize((rules: readonly PlacedRule[]) =>
  memoize((entries: readonly HookEntry[]): readonly string[] => {
    const files = [...rules, ...entries].flatMap(({ document }) =>
      document?.directory === undefined ? [] : [join(document.directory, basename(document.file))],
    );
    return [...new Set(files)];
  }),
);
