import type { EventFacts, PathValue, Step } from "../facts/facts.ts";
import { isPathSet } from "../facts/sets/set-names.ts";
import { memoize } from "../lib/once.ts";
import { HOLE } from "../shell/steps/invocation.ts";
import { compileCondition, isBranch, literalsOf, type Tree } from "./evaluate/condition.ts";
import type { Literal } from "./evaluate/literal.ts";
import { compileText } from "./evaluate/text-pattern.ts";
import type { PlacedRule } from "./history-view.ts";
import { type MessagePart, splitMessage } from "./message-template.ts";
import type { FactName, OwnSets } from "./rule.ts";

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

/** Rules by the value that a fact must have. */
type ByValue = Map<string, CompiledRule[]>;

/** The rules of an event, found by what they need of a step. */
interface EventRules {
  all: readonly CompiledRule[];
  /** Rules that may hold whatever the step is. */
  always: readonly CompiledRule[];
  /** The others, by a fact and its value: of a path, by the name of one of its directories or of the file. */
  byKey: readonly (readonly [KeyedFact, ByValue])[];
  /** The same, without the values: for a step that an expansion may give any value. */
  byFact: ReadonlyMap<KeyedFact, readonly CompiledRule[]>;
  /** Rules that hold only where a fact has a value, whichever it is. */
  byPresence: readonly (readonly [PresentFact, readonly CompiledRule[]])[];
}

export interface CompiledRules {
  rules: readonly CompiledRule[];
  byEvent: ReadonlyMap<string, EventRules>;
}

/** Compiles rules, and the index by which the few that can hold for a step are found. The same list is compiled once. */
export const compileRules = memoize((rules: readonly PlacedRule[]): CompiledRules => {
  const compiled = rules.map(compileRule);
  const events = new Set(rules.flatMap(({ on }) => on));
  const byEvent = new Map([...events].map((event) => [event as string, indexRules(event, compiled)]));
  return { rules: compiled, byEvent };
});

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
  const byKey = new Map<KeyedFact, ByValue>();
  const byFact = new Map<KeyedFact, CompiledRule[]>();
  const byPresence = new Map<PresentFact, CompiledRule[]>();
  for (const rule of all) {
    const keys = rule.tree && keysOf(rule.tree);
    if (!keys) always.push(rule);
    for (const key of keys ?? []) {
      if ("present" in key) {
        append(byPresence, key.present, rule);
        continue;
      }
      const values = byKey.get(key.fact) ?? new Map<string, CompiledRule[]>();
      byKey.set(key.fact, values);
      append(values, key.value, rule);
      append(byFact, key.fact, rule);
    }
  }
  return { all, always, byKey: [...byKey], byFact, byPresence: [...byPresence] };
}

function append<K>(map: Map<K, CompiledRule[]>, key: K, rule: CompiledRule): void {
  const list = map.get(key);
  if (!list) map.set(key, [rule]);
  else if (list.at(-1) !== rule) list.push(rule);
}

/** What a step must have: a value of a fact, or any value of it. */
type Key = { fact: KeyedFact; value: string } | { present: PresentFact };

/** Facts by whose values rules are found, the ones that tell most calls apart first. */
const KEYED = ["program", "effect", "verb", "reads", "writes", "paths"] as const;
type KeyedFact = (typeof KEYED)[number];

/** Facts that must have a value for a test of it to hold. */
const PRESENT = ["reads", "writes", "paths", "hosts", "sends", "ref", "target", "env", "flags", "args"] as const;
type PresentFact = (typeof PRESENT)[number];

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
  return Math.max(-1, ...keys.map((key) => ("fact" in key ? KEYED.indexOf(key.fact) : KEYED.length)));
}

function keysOfLiteral({ fact, test, negated, sets }: Literal): readonly Key[] | undefined {
  if (negated) return undefined;
  const values = test.in && (isPathFact(fact) ? namesInPaths(test.in, sets) : namesIn(fact, test.in));
  if (values) return values.map((value) => ({ fact: fact as KeyedFact, value }));
  const needsValue = (test.in ?? test.notIn ?? test.matches) !== undefined || test.is === true;
  return needsValue && (PRESENT as readonly string[]).includes(fact) ? [{ present: fact as PresentFact }] : undefined;
}

/** The values that a fact must have one of; undefined if a pattern leaves that open. */
function namesIn(fact: FactName, patterns: readonly string[]): readonly string[] | undefined {
  if (!(KEYED as readonly string[]).includes(fact) || patterns.some((text) => /[*?[\\]/.test(text))) return undefined;
  return patterns.map((text) =>
    fact === "verb" ? firstLevel(text.trim()) : fact === "program" ? text.toLowerCase() : text,
  );
}

function firstLevel(verb: string): string {
  const end = verb.indexOf(" ");
  return end < 0 ? verb : verb.slice(0, end);
}

function isPathFact(fact: FactName): fact is "reads" | "writes" | "paths" {
  return fact === "reads" || fact === "writes" || fact === "paths";
}

/** For each pattern of paths the last name that a path must have as it is; undefined if one has none, or is a set. */
function namesInPaths(patterns: readonly string[], { paths }: OwnSets): readonly string[] | undefined {
  const names = patterns
    .flatMap((pattern) => (Object.hasOwn(paths, pattern) ? (paths[pattern] ?? []) : [pattern]))
    .map((pattern) =>
      isPathSet(pattern)
        ? undefined
        : pattern.split("/").findLast((name) => /^[\w@+ .-]+$/.test(name) && !/^\.*$/.test(name)),
    );
  return names.includes(undefined) ? undefined : names.map((name = "") => name.toLowerCase());
}

/** The rules of an event that may hold at a step. */
export function rulesFor(
  { byEvent }: CompiledRules,
  { event, call }: EventFacts,
  step: Step | undefined,
): readonly CompiledRule[] {
  const rules = byEvent.get(event);
  if (!rules) return [];
  if (call?.readable === false) return rules.all;
  if (!step) return rules.always;
  const found: CompiledRule[] = [];
  // A step computes its facts when they are asked for: only those that a rule is found by.
  for (const [fact, byValue] of rules.byKey) {
    if (fact === "effect") addByEffect(found, byValue, rules, step);
    else if (isPathFact(fact)) addByPath(found, step[fact], byValue, rules.byFact.get(fact));
    else addByName(found, fact, byValue, rules, step);
  }
  for (const [fact, some] of rules.byPresence) if (hasValue(step[fact])) found.push(...some);
  if (found.length === 0) return rules.always;
  return [...new Set([...rules.always, ...found])];
}

function addByEffect(found: CompiledRule[], byValue: ByValue, { byFact }: EventRules, { effect }: Step): void {
  if (effect.open) found.push(...(byFact.get("effect") ?? []));
  for (const { text } of effect.values) {
    const some = byValue.get(text);
    if (some) found.push(...some);
  }
}

function addByName(
  found: CompiledRule[],
  fact: "program" | "verb",
  byValue: ByValue,
  { byFact }: EventRules,
  step: Step,
): void {
  for (const { text } of step[fact]) {
    const some = text.includes(HOLE)
      ? byFact.get(fact)
      : byValue.get(fact === "verb" ? firstLevel(text) : text.toLowerCase());
    if (some) found.push(...some);
  }
}

function addByPath(
  found: CompiledRule[],
  values: readonly PathValue[],
  byValue: ByValue,
  all: readonly CompiledRule[] = [],
): void {
  for (const { path, resolved = path, extent, glob } of values) {
    // A pattern, or a directory with all that is in it, has names that are not spelled.
    if (glob || extent !== "itself" || /[\0\\]/.test(path + resolved)) {
      found.push(...all);
      return;
    }
    for (const name of `${path}/${resolved}`.toLowerCase().split("/")) {
      const some = byValue.get(name);
      if (some) found.push(...some);
    }
  }
}

function hasValue(values: Step[PresentFact]): boolean {
  return "open" in values ? values.open || values.values.length > 0 : values.length > 0;
}
