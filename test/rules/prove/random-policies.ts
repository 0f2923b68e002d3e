import { placeOf } from "../../../src/facts/place.ts";
import { newBudget, within } from "../../../src/rules/prove/budget.ts";
import { isEnforced, severityOf } from "../../../src/rules/prove/call.ts";
import { findModel } from "../../../src/rules/prove/find-model.ts";
import { allOf, negated } from "../../../src/rules/prove/formula.ts";
import { conditionFormula, ruleFormula } from "../../../src/rules/prove/rule-formula.ts";
import { wordFinder } from "../../../src/rules/prove/shortest-word.ts";
import type { Condition, Rule } from "../../../src/rules/rule.ts";
import {
  allSteps,
  HITS,
  randomCondition,
  randomNumbers,
  randomRule,
  SMALL_TABLES,
  type SmallStep,
  stepOf,
  valueOf,
} from "./small-world.ts";

/** What a comparison with brute force found. */
export interface Compared {
  wrong: string[];
  proved: number;
  refuted: number;
}

/** Proves about random policies, and tries every step of a small world: what is proved must hold, what is refuted must fail. */
export function compareWithBruteForce(count: number, seed: number): Compared {
  const random = randomNumbers(seed);
  const steps = allSteps();
  const result: Compared = { wrong: [], proved: 0, refuted: 0 };
  for (let policy = 0; policy < count; policy++) {
    const rules = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => randomRule(random, index));
    const question = randomCondition(random);
    const stopping = rules.filter((rule) => isEnforced(rule) && severityOf(rule.verdict) > 0);
    const model = within(() => {
      const budget = newBudget();
      const formula = allOf([
        conditionFormula(question, SETS, PLACE),
        ...stopping.map((rule) => negated(ruleFormula(rule, PLACE))),
      ]);
      return findModel(formula, { tables: SMALL_TABLES, find: wordFinder(budget), budget });
    });
    if (model === "limit") continue;
    const passes = (step: SmallStep): boolean => isPass(step, question, stopping);
    const text = () => JSON.stringify({ question, rules: stopping.map(({ when }) => when) });
    if (model) {
      result.refuted++;
      if (!passes(stepOf(model))) result.wrong.push(`no witness: ${JSON.stringify(stepOf(model))} of ${text()}`);
    } else {
      result.proved++;
      const step = steps.find(passes);
      if (step) result.wrong.push(`not proved: ${JSON.stringify(step)} of ${text()}`);
    }
  }
  return result;
}

const PLACE = placeOf({ cwd: "/", env: {} });
const SETS = { paths: {}, hosts: {} };

function isPass(step: SmallStep, question: Condition, rules: readonly Rule[]): boolean {
  const hits = (condition: Condition) => valueOf(condition, step) >= HITS;
  return hits(question) && !rules.some(({ when }) => when && hits(when));
}
