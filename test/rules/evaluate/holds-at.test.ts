import { expect, test } from "bun:test";
import { holdsAt } from "../../../src/rules/evaluate/holds-at.ts";
import { TRUTH_NAMES } from "../../../src/rules/evaluate/truth.ts";
import { event, HOLE, placedRules, type ShortStep, TESTS } from "../../helpers/rule-facts.ts";

test.each<[unknown, ShortStep[], string]>([
  [{ program: "npm", verb: "test" }, [{ program: ["ls"] }, { program: ["npm"], verb: ["test"] }], "certain"],
  [{ program: "npm", verb: "test" }, [{ program: ["npm"], verb: [`?${HOLE}`] }], "possible"],
  [{ program: "npm", verb: "test" }, [{ program: ["npm"] }, { program: ["ls"], verb: ["test"] }], "no"],
  [{ class: "runs-commands" }, [], "certain"],
  [{ env: "X" }, [{ env: ["X"], allowOnly: true }], "no"],
  [{ dirty: true }, [{ program: ["git"] }], "possible"],
])("%j at %j: %s", async (when, steps, expected) => {
  const [rule] = placedRules([{ deny: "no", when }]);
  if (!rule?.when) throw new Error("no condition");
  const facts = event(steps, { dirty: async () => "possible" });
  expect(TRUTH_NAMES[await holdsAt(rule.when, facts, { sets: rule.sets, tests: TESTS })]).toBe(expected);
});
