import type { EventFacts } from "../../facts/facts.ts";
import { memoize } from "../../lib/once.ts";
import { CERTAIN, type Condition, NO, type OwnSets, POSSIBLE, type Truth } from "../rule.ts";
import { compileCondition, literalsOf, type Tree, truthOfTree } from "./condition.ts";
import { judgedSteps } from "./judged-steps.ts";
import type { RuleTests } from "./rule-tests.ts";

/** A condition belongs to one file, so its sets need no key of their own. */
const compiled = memoize((_condition: Condition): { tree?: Tree } => ({}));

/** The value of a condition for an event as a whole: the greatest of its steps. */
export async function holdsAt(
  condition: Condition,
  facts: EventFacts,
  { sets, tests }: { sets: OwnSets; tests: RuleTests },
): Promise<Truth> {
  const known = compiled(condition);
  const tree = (known.tree ??= compileCondition(condition, { restricting: true, sets }));
  const greatest = (dirty: Truth) =>
    judgedSteps(facts).reduce<Truth>((most, step) => {
      const truth = step?.allowOnly ? NO : truthOfTree(tree, { facts, step, tests, dirty });
      return truth > most ? truth : most;
    }, NO);
  if (!literalsOf(tree).some(({ fact }) => fact === "dirty")) return greatest(NO);
  const dirty = await facts.dirty();
  return greatest(dirty === "possible" ? POSSIBLE : dirty ? CERTAIN : NO);
}
