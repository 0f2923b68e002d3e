import { isObject } from "../../lib/json.ts";
import type { Condition, OwnSets, Rule, RulePath } from "../rule.ts";
import { readCondition } from "./read-condition.ts";
import type * as Include from "./read-include.ts";
import { readRule } from "./read-rule.ts";
import { kindOf, quoted, type Reading, type RuleProblem } from "./reading.ts";

export { readSets } from "./read-sets.ts";
export type { RuleProblem } from "./reading.ts";

/** The rules of a file, what is wrong with them, and advice. */
export interface ReadRules {
  rules: Rule[];
  problems: RuleProblem[];
  notices: RuleProblem[];
}

/**
 * Reads a list of rules. It reports every mistake but those of `if`, for which `checkExpressions` is. `agents` are those
 * of the team, undefined without an agent file.
 */
export function readRules(
  value: unknown,
  path: RulePath,
  { agents, sets }: { agents?: readonly string[] | undefined; sets: OwnSets },
): ReadRules {
  const reading: Reading = { problems: [], notices: [], sets, agents };
  if (!Array.isArray(value)) {
    reading.problems.push({ path, message: `expected a list of rules but got ${kindOf(value)}` });
    return { rules: [], problems: reading.problems, notices: [] };
  }
  const rules = value.flatMap((item: unknown, index): Rule[] => {
    const at = [...path, index];
    if (isObject(item) && "include" in item) {
      // Most files include no set, and the sets are long (cold start).
      const { readInclude } = require("./read-include.ts") as typeof Include;
      return readInclude(item, at, reading);
    }
    const rule = readRule(item, at, `rules[${index}]`, reading);
    return rule ? [rule] : [];
  });
  reportRepeated(value, path, reading);
  return { rules, problems: reading.problems, notices: reading.notices };
}

/** Reports names that occur twice, and sets that are included twice. */
function reportRepeated(value: readonly unknown[], path: RulePath, reading: Reading): void {
  const first = new Map<string, number>();
  for (const [index, item] of value.entries()) {
    for (const key of ["name", "include"]) {
      const name = isObject(item) ? item[key] : undefined;
      if (typeof name !== "string") continue;
      const known = first.get(`${key} ${name}`);
      if (known === undefined) first.set(`${key} ${name}`, index);
      else {
        const message = key === "name" ? `has the name ${quoted(name)} already` : `includes ${quoted(name)} already`;
        reading.problems.push({ path: [...path, index, key], message: `rules[${known}] ${message}` });
      }
    }
  }
}

/** Reads the conditions of a question about calls, as the `when` of a rule on `pre_tool_use`. */
export function readQuestion(
  value: unknown,
  path: RulePath,
  sets: OwnSets,
): { condition: Condition | undefined; problems: RuleProblem[] } {
  const reading: Reading = { problems: [], notices: [], sets, agents: undefined };
  const condition = readCondition(value, path, reading, { on: ["pre_tool_use"] });
  return { condition, problems: reading.problems };
}
