import { memoize } from "../lib/once.ts";
import { matchesText } from "./evaluate/text-pattern.ts";
import type { PlacedRule } from "./history-view.ts";
import type { Condition, Rule } from "./rule.ts";

/** What is known of a call before its input is read. */
export interface NamedCall {
  /** Its names, see `tools` of `CallFacts`. */
  tools: readonly string[];
  class: string;
}

/** Lists of rules that are kept for the next call. Agents have fewer tools, but may make names up. */
const MAX_KNOWN = 200;

const listsOf = memoize((_rules: readonly PlacedRule[]) => new Map<string, readonly PlacedRule[]>());

/**
 * The rules on an event that may hold for a tool; for an event without a call, all that are on it. The same list for the
 * same names, so that it is compiled once.
 */
export function rulesThatMayHold(
  rules: readonly PlacedRule[],
  event: PlacedRule["on"][number],
  call: NamedCall | undefined,
): readonly PlacedRule[] {
  const lists = listsOf(rules);
  const key = call ? JSON.stringify([event, call.class, call.tools]) : event;
  let list = lists.get(key);
  if (!list) {
    list = rules.filter((rule) => rule.on.includes(event) && (!call || mayHold(rule, call)));
    if (lists.size >= MAX_KNOWN) lists.clear();
    lists.set(key, list);
  }
  return list;
}

/**
 * False if a rule cannot hold for a call, whatever its input says. Tells without the code that reads command lines and
 * compiles rules (cold start).
 */
export function mayHold({ when }: Pick<Rule, "when">, call: NamedCall): boolean {
  return when === undefined || mayBe(when, true, call);
}

/** False if a condition cannot have a value. */
function mayBe(condition: Condition, wanted: boolean, call: NamedCall): boolean {
  if (condition.kind === "not") return mayBe(condition.of, !wanted, call);
  if (condition.kind !== "fact") {
    const part = (of: Condition) => mayBe(of, wanted, call);
    return (condition.kind === "all") === wanted ? condition.of.every(part) : condition.of.some(part);
  }
  const { fact, test } = condition;
  const { in: names, ...others } = test;
  if (names === undefined || Object.keys(others).length > 0) return true;
  if (fact === "class") return names.includes(call.class) === wanted;
  if (fact !== "tool") return true;
  const tools = call.tools.map((tool) => tool.toLowerCase());
  return names.some((name) => tools.some((tool) => matchesText(name.toLowerCase(), tool))) === wanted;
}
