import type { Condition, Test } from "../rule.ts";

/** A condition as it is written. */
export function shownCondition(condition: Condition): Record<string, unknown> {
  switch (condition.kind) {
    case "not":
      return { not: shownCondition(condition.of) };
    case "fact": {
      const { fact, key, test } = condition;
      return { [fact]: key === undefined ? shownTest(test) : { [key]: shownTest(test) } };
    }
    default: {
      const parts = condition.of.map(shownCondition);
      const keys = parts.flatMap(Object.keys);
      const isPlain = condition.kind === "all" && new Set(keys).size === keys.length;
      return isPlain ? Object.assign({}, ...parts) : { [condition.kind]: parts };
    }
  }
}

function shownTest(test: Test): unknown {
  const { in: some, is, notIn, only, matches, moreThan, lessThan } = test;
  const rest = { not_in: notIn, only, matches, more_than: moreThan, less_than: lessThan };
  const written = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (Object.keys(written).length > 0) return { ...written, ...(some ? { in: some } : {}) };
  if (is !== undefined) return is;
  return some?.length === 1 ? some[0] : (some ?? []);
}
