import { once } from "../../lib/once.ts";
import { compileCondition, literalsOf, type Tree, truthOfTree } from "../evaluate/condition.ts";
import type { RuleTests } from "../evaluate/rule-tests.ts";
import { CERTAIN, type Condition, NO, POSSIBLE, type Truth } from "../rule.ts";
import type { HoldsAt } from "./session-history.ts";

/** Conditions belong to rules, which are read once, so each is compiled once. Its sets are those of its rule. */
const compiled = once(() => new WeakMap<Condition, { tree: Tree; asksDirty: boolean }>());

/** Returns how the conditions of history keys are tested on an event: the greatest truth of its steps. */
export function holdsWith(tests: RuleTests): HoldsAt {
  return async (condition, facts, sets) => {
    let known = compiled().get(condition);
    if (!known) {
      const tree = compileCondition(condition, { restricting: true, sets });
      known = { tree, asksDirty: literalsOf(tree).some(({ fact }) => fact === "dirty") };
      compiled().set(condition, known);
    }
    const { tree, asksDirty } = known;
    const answer = asksDirty ? await facts.dirty() : false;
    const dirty = answer === "possible" ? POSSIBLE : answer ? CERTAIN : NO;
    const { steps = [], readable = false } = facts.call ?? {};
    const run = readable ? steps.filter(({ allowOnly }) => allowOnly !== true) : [];
    const truths = (run.length > 0 ? run : [undefined]).map((step) => truthOfTree(tree, { facts, step, tests, dirty }));
    return Math.max(...truths) as Truth;
  };
}
