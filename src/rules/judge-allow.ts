import type { EventFacts, Step } from "../facts/facts.ts";
import type { CompiledRule } from "./compile.ts";
import { literalsOf, truthOfTree } from "./evaluate/condition.ts";
import type { At } from "./evaluate/fact-values.ts";
import { existentialTruth, type Literal, truthOfLiteral } from "./evaluate/literal.ts";
import type { RuleTests } from "./evaluate/rule-tests.ts";
import { CERTAIN, type FactName, NO, type Truth } from "./rule.ts";

/** The rules that together cover every step of a call; none if a step is left, or if nothing needs a rule. */
export function coveringRules(
  rules: readonly CompiledRule[],
  { facts, tests, dirty }: { facts: EventFacts; tests: RuleTests; dirty: Truth | undefined },
): CompiledRule[] {
  const { call } = facts;
  if (!call?.exact || !call.readable) return [];
  const covering = new Set<CompiledRule>();
  for (const step of call.steps) {
    if (step.cover === "free") continue;
    const at: At = { facts, step, tests, dirty: dirty ?? NO };
    const found = step.cover === "never" ? [] : rules.filter((rule) => covers(rule, step, at));
    if (found.length === 0) return [];
    for (const rule of found) covering.add(rule);
  }
  return [...covering];
}

/** True if a rule covers a step: it holds there, and names what more the step does. */
function covers({ tree }: CompiledRule, step: Step, at: At): boolean {
  if (tree && truthOfTree(tree, at) !== CERTAIN) return false;
  const named = (facts: readonly FactName[]) =>
    (tree ? literalsOf(tree) : []).filter(({ fact, negated }) => !negated && facts.includes(fact));
  // A redirection alone: a rule about anything else was not meant for it.
  if (step.program.length === 0 && step.command !== undefined && step.writes.length > 0) {
    if (!named(["writes", "paths"]).some((literal) => truthOfLiteral(literal, at) === CERTAIN)) return false;
  }
  const variables = named(["env"]);
  return step.assigns.every((name) => variables.some((literal) => namesVariable(literal, name, at)));
}

function namesVariable(literal: Literal, name: string, at: At): boolean {
  const { fits } = literal;
  const value = { text: name, sure: true };
  if (fits.only) return fits.only(value, at, "both") === "all";
  return (fits.in ?? fits.matches) !== undefined && existentialTruth(literal, value, at) === CERTAIN;
}
