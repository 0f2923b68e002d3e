import type { Place } from "../facts/place.ts";
import { memoize } from "../lib/once.ts";
import { compileCondition, literalsOf, truthOfTree } from "./evaluate/condition.ts";
import { dirtyOf } from "./evaluate/fact-values.ts";
import { isAllowOnly, judgedSteps } from "./evaluate/judged-steps.ts";
import { type RuleTests, testsAt } from "./evaluate/rule-tests.ts";
import { either } from "./evaluate/truth.ts";
import type { HoldsAt } from "./history/session-history.ts";
import { type Condition, NO, type OwnSets } from "./rule.ts";

/** Returns the test of conditions on events that become part of a history: the greatest value of the steps counts. */
export function holdsAtPlace(place: Place): HoldsAt {
  return holdsWith(testsAt(place));
}

/** {@link holdsAtPlace} with tests of paths, hosts and flags. */
export function holdsWith(tests: RuleTests): HoldsAt {
  return async (condition, facts, sets) => {
    const tree = compiled(sets)(condition);
    const dirty = literalsOf(tree).some(({ fact }) => fact === "dirty") ? await dirtyOf(facts) : NO;
    const steps = judgedSteps(facts).filter((step) => !isAllowOnly(step));
    return steps.map((step) => truthOfTree(tree, { facts, step, tests, dirty })).reduce(either, NO);
  };
}

/** The conditions of a file are compiled once. */
const compiled = memoize((sets: OwnSets) =>
  memoize((condition: Condition) => compileCondition(condition, { restricting: true, sets })),
);
