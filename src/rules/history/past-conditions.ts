import type { EventFacts } from "../../facts/facts.ts";
import { canonicalJson } from "../../lib/json.ts";
import { memoize } from "../../lib/once.ts";
import { sha256 } from "../../lib/platform.ts";
import type { Condition, OwnSets, PastEvent, Rule } from "../rule.ts";

/**
 * What a condition on the past is tested on: `call` a tool call whenever it was first seen, `pre_tool_use` and `post_tool_use`
 * that event of it, and any other event itself.
 */
export type Stage = "call" | (string & {});

/** A condition that events are tested with when they happen, because no text of them is kept. */
export interface PastCondition {
  /** A digest of the condition, its stage and its sets: equal in every process. */
  key: string;
  stage: Stage;
  when: Condition;
  sets: OwnSets;
}

/** A {@link PastEvent} ready to be looked up. */
export interface CompiledPast {
  past: PastEvent;
  stage: Stage;
  /** Undefined if every event of the stage fits. */
  condition: PastCondition | undefined;
  since: CompiledPast | undefined;
}

/** The history keys of a rule, ready to be looked up. */
export interface CompiledHistory {
  after: readonly CompiledPast[] | undefined;
  unlessAfter: readonly CompiledPast[] | undefined;
  /** The stage and condition of `more_than` on an event. */
  counted: (event: string) => Pick<CompiledPast, "stage" | "condition">;
}

const CALL_EVENTS: readonly string[] = ["pre_tool_use", "post_tool_use", "permission_request"];

/** True if a rule has a history key. */
export function hasHistory({ history }: Rule): boolean {
  return history.after !== undefined || history.unlessAfter !== undefined || history.moreThan !== undefined;
}

/** Prepares the history keys of a rule. */
export const compileHistory: (rule: Rule) => CompiledHistory = memoize((rule) => {
  const { history, when, sets } = rule;
  const compile = (past: PastEvent): CompiledPast => {
    const stage = stageOf(past.event === "tool calls" ? "call" : past.event, past.when);
    return {
      past,
      stage,
      condition: past.when && conditionOf(stage, past.when, sets),
      since: past.since && compile(past.since),
    };
  };
  const counted = new Map<string, Pick<CompiledPast, "stage" | "condition">>();
  return {
    after: history.after?.map(compile),
    unlessAfter: history.unlessAfter?.map(compile),
    counted: (event) => {
      let found = counted.get(event);
      if (!found) {
        const stage = stageOf(CALL_EVENTS.includes(event) ? "call" : event, when);
        // Calls that are the same have the same facts: their inputs are compared instead.
        const isAny = history.moreThan?.sameCall === true;
        found = { stage, condition: when && !isAny ? conditionOf(stage, when, sets) : undefined };
        counted.set(event, found);
      }
      return found;
    },
  };
});

/** The conditions that an event is tested with, and whether the event is kept at all. */
export interface Interest {
  keeps: boolean;
  conditions: readonly PastCondition[];
}

/** Returns what the history keys of rules ask about an event. */
export function interestIn(rules: readonly Rule[], event: string): Interest {
  const stages: readonly string[] = event === "pre_tool_use" || event === "post_tool_use" ? ["call", event] : [event];
  return interests(rules)(stages);
}

const interests = memoize((rules: readonly Rule[]) => {
  const asked = rules.filter(hasHistory).flatMap(conditionsOf);
  const known = new Map<string, Interest>();
  return (stages: readonly string[]): Interest => {
    const name = stages.join();
    let found = known.get(name);
    if (!found) {
      const isCall = stages.includes("call");
      // The start of a call counts even if only its result is asked for.
      const relevant = asked.filter(({ stage }) => stages.includes(stage));
      const keeps = relevant.length > 0 || (isCall && asked.some(({ stage }) => isOfCall(stage)));
      const conditions = new Map(relevant.flatMap(({ condition: it }) => (it ? [[it.key, it] as const] : [])));
      known.set(name, (found = { keeps, conditions: [...conditions.values()] }));
    }
    return found;
  };
});

function conditionsOf(rule: Rule): Pick<CompiledPast, "stage" | "condition">[] {
  const { after = [], unlessAfter = [], counted } = compileHistory(rule);
  const all: Pick<CompiledPast, "stage" | "condition">[] = [];
  for (let open: readonly CompiledPast[] = [...after, ...unlessAfter]; open.length > 0; ) {
    all.push(...open);
    open = open.flatMap(({ since }) => since ?? []);
  }
  return rule.history.moreThan ? [...all, ...rule.on.map(counted)] : all;
}

function isOfCall(stage: Stage): boolean {
  return stage === "call" || stage === "pre_tool_use" || stage === "post_tool_use";
}

/** A condition on the result can only be tested when there is one: before, `ok: false` would hold of every call. */
function stageOf(stage: Stage, when: Condition | undefined): Stage {
  return stage === "call" && when && namesResult(when) ? "post_tool_use" : stage;
}

function namesResult(condition: Condition): boolean {
  if (condition.kind === "fact") return condition.fact === "ok" || condition.fact === "text";
  return condition.kind === "not" ? namesResult(condition.of) : condition.of.some(namesResult);
}

function conditionOf(stage: Stage, when: Condition, sets: OwnSets): PastCondition {
  return { key: sha256(canonicalJson([stage, when, sets])).slice(0, 16), stage, when, sets };
}

/** The name under which the tool of a call is kept. */
export function toolOf({ call }: EventFacts): string | undefined {
  return call?.tools[0];
}
