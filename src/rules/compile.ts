import type { EventFacts, Step } from "../facts/facts.ts";
import { HOLE } from "../shell/steps/invocation.ts";
import { compileCondition, isBranch, literalsOf, type Tree } from "./evaluate/condition.ts";
import type { Literal } from "./evaluate/literal.ts";
import { compileText } from "./evaluate/text-pattern.ts";
import { FACT_TABLE } from "./fact-table.ts";
import type { PlacedRule } from "./history-view.ts";
import { type MessagePart, splitMessage } from "./message-template.ts";

export type { PlacedRule } from "./history-view.ts";

/** A rule ready to be evaluated. */
export interface CompiledRule {
  rule: PlacedRule;
  /** Its position among all rules. */
  index: number;
  /** False for `allow`. */
  restricting: boolean;
  /** Undefined if it has no `when`. */
  tree: Tree | undefined;
  /** True if it tests whether the work tree is dirty. */
  asksDirty: boolean;
  isAgent: ((agent: string) => boolean) | undefined;
  message: readonly MessagePart[];
}

/** The rules of an event, found by what they need of a step. */
interface EventRules {
  all: readonly CompiledRule[];
  /** Rules that may hold whatever the step is. */
  always: readonly CompiledRule[];
  /** The others, by a fact and the value that the step must have, or by `has` and a fact that must not be empty. */
  byKey: ReadonlyMap<string, ReadonlyMap<string, readonly CompiledRule[]>>;
  /** The same, without the values: for a step that an expansion may give any value. */
  byFact: ReadonlyMap<string, readonly CompiledRule[]>;
}

export interface CompiledRules {
  rules: readonly CompiledRule[];
  byEvent: ReadonlyMap<string, EventRules>;
}

/** Compiles rules, and the index by which the few that can hold for a step are found. */
export function compileRules(rules: readonly PlacedRule[]): CompiledRules {
  const compiled = rules.map(compileRule);
  const events = new Set(rules.flatMap(({ on }) => on));
  const byEvent = new Map([...events].map((event) => [event as string, indexRules(event, compiled)]));
  return { rules: compiled, byEvent };
}

function compileRule(rule: PlacedRule, index: number): CompiledRule {
  const restricting = rule.verdict !== "allow";
  const tree = rule.when && compileCondition(rule.when, { restricting, sets: rule.sets });
  const agents = rule.agents?.map((pattern) => compileText(pattern));
  return {
    rule,
    index,
    restricting,
    tree,
    asksDirty: tree !== undefined && literalsOf(tree).some(({ fact }) => fact === "dirty"),
    isAgent: agents && ((agent) => agents.some((fits) => fits(agent) === "all")),
    message: splitMessage(rule.message) ?? [rule.message],
  };
}

function indexRules(event: string, rules: readonly CompiledRule[]): EventRules {
  const all = rules.filter(({ rule }) => (rule.on as readonly string[]).includes(event));
  const always: CompiledRule[] = [];
  const byKey = new Map<string, Map<string, CompiledRule[]>>();
  const byFact = new Map<string, CompiledRule[]>();
  for (const rule of all) {
    const keys = rule.tree && keysOf(rule.tree);
    if (!keys) always.push(rule);
    for (const [fact, value] of keys ?? []) {
      const values = byKey.get(fact) ?? new Map<string, CompiledRule[]>();
      byKey.set(fact, values);
      append(values, value, rule);
      append(byFact, fact, rule);
    }
  }
  return { all, always, byKey, byFact };
}

function append(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const list = map.get(key);
  if (!list) map.set(key, [rule]);
  else if (list.at(-1) !== rule) list.push(rule);
}

/** A fact and its value, or `has` and a fact. */
type Key = readonly [fact: string, value: string];

/** Facts by whose values rules are found, the ones that tell most calls apart first. */
const KEYED = ["program", "effect", "verb", "tool", "class"] as const;

/** Facts that must have a value for a test of it to hold. */
const NOT_EMPTY = ["reads", "writes", "paths", "hosts", "sends", "ref", "target", "env", "flags", "args"] as const;

/**
 * The keys of which a step must have one for a condition to hold or to be possible. Undefined if it may hold for any step.
 * Only a fact that a literal text can name, or a fact that must be there, gives keys.
 */
function keysOf(tree: Tree): readonly Key[] | undefined {
  if (!isBranch(tree)) return keysOfLiteral(tree);
  const parts = tree.of.map(keysOf);
  if (tree.kind === "any") return parts.some((keys) => !keys) ? undefined : parts.flatMap((keys) => keys ?? []);
  return parts.reduce<readonly Key[] | undefined>(
    (found, keys) => (keys && (!found || rankOf(keys) < rankOf(found)) ? keys : found),
    undefined,
  );
}

/** How little keys tell calls apart. */
function rankOf(keys: readonly Key[]): number {
  const ranks = keys.map(([fact]) => (KEYED as readonly string[]).indexOf(fact));
  return Math.max(-1, ...ranks.map((rank) => (rank < 0 ? KEYED.length : rank)));
}

function keysOfLiteral({ fact, test, negated }: Literal): readonly Key[] | undefined {
  if (negated) return undefined;
  if (test.in && (KEYED as readonly string[]).includes(fact) && !test.in.some((text) => /[*?[\\]/.test(text))) {
    const foldCase = FACT_TABLE[fact].anyCase === true;
    return test.in.map((text) => [
      fact,
      fact === "verb" ? firstLevel(text.trim()) : foldCase ? text.toLowerCase() : text,
    ]);
  }
  const needsValue = (test.in ?? test.notIn ?? test.matches) !== undefined || test.is === true;
  return needsValue && (NOT_EMPTY as readonly string[]).includes(fact) ? [["has", fact]] : undefined;
}

function firstLevel(verb: string): string {
  const end = verb.indexOf(" ");
  return end < 0 ? verb : verb.slice(0, end);
}

/** The rules of an event that may hold at a step, in the order of the files. */
export function rulesFor(
  { byEvent }: CompiledRules,
  { event, call }: EventFacts,
  step: Step | undefined,
): readonly CompiledRule[] {
  const rules = byEvent.get(event);
  if (!rules) return [];
  if (call?.readable === false) return rules.all;
  const found: CompiledRule[] = [];
  for (const [fact, byValue] of rules.byKey) {
    if (fact === "class") addTo(found, call && byValue.get(call.class));
    else if (fact === "tool") for (const tool of call?.tools ?? []) addTo(found, byValue.get(tool.toLowerCase()));
    // A step computes its facts when they are asked for: only those that a rule is found by.
    else if (step) addAtStep(found, fact, byValue, rules, step);
  }
  if (found.length === 0) return rules.always;
  return [...new Set([...rules.always, ...found])].sort((a, b) => a.index - b.index);
}

function addTo(found: CompiledRule[], rules: readonly CompiledRule[] | undefined): void {
  if (rules) found.push(...rules);
}

function addAtStep(
  found: CompiledRule[],
  fact: string,
  byValue: ReadonlyMap<string, readonly CompiledRule[]>,
  { byFact }: EventRules,
  step: Step,
): void {
  if (fact === "has") {
    for (const [name, rules] of byValue) if (hasValue(step[name as (typeof NOT_EMPTY)[number]])) addTo(found, rules);
  } else if (fact === "effect") {
    if (step.effect.open) addTo(found, byFact.get(fact));
    else for (const { text } of step.effect.values) addTo(found, byValue.get(text));
  } else {
    for (const { text } of step[fact as "program" | "verb"]) {
      if (text.includes(HOLE)) addTo(found, byFact.get(fact));
      else addTo(found, byValue.get(fact === "verb" ? firstLevel(text) : text.toLowerCase()));
    }
  }
}

function hasValue(values: Step[(typeof NOT_EMPTY)[number]]): boolean {
  return "open" in values ? values.open || values.values.length > 0 : values.length > 0;
}
