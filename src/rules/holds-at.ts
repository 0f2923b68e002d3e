import type { EventFacts } from "../facts/facts.ts";
import type { Place } from "../facts/place.ts";
import { memoize } from "../lib/once.ts";
import { compileCondition, literalsOf, truthOfTree } from "./evaluate/condition.ts";
import { testsAt } from "./evaluate/rule-tests.ts";
import type { HoldsAt } from "./history/session-history.ts";
import { CERTAIN, type Condition, NO, type OwnSets, POSSIBLE, type Truth } from "./rule.ts";

/** Returns the test of conditions on events that become part of a history: the greatest value of the steps counts. */
export function holdsAtPlace(place: Place): HoldsAt {
  const tests = testsAt(place);
  return async (condition, facts, sets) => {
    const tree = compiled(sets)(condition);
    const dirty = literalsOf(tree).some(({ fact }) => fact === "dirty") ? await dirtyOf(facts) : NO;
    const steps = facts.call?.steps.filter(({ allowOnly }) => !allowOnly) ?? [];
    const values = (steps.length > 0 ? steps : [undefined]).map((step) =>
      truthOfTree(tree, { facts, step, tests, dirty }),
    );
    return values.reduce((most, value) => (value > most ? value : most), NO as Truth);
  };
}

/** The conditions of a file are compiled once. */
const compiled = memoize((sets: OwnSets) =>
  memoize((condition: Condition) => compileCondition(condition, { restricting: true, sets })),
);

async function dirtyOf(facts: EventFacts): Promise<Truth> {
  const dirty = await facts.dirty();
  if (dirty === "possible") return POSSIBLE;
  return dirty ? CERTAIN : NO;
}
