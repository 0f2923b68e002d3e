import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import { hasFact } from "../event-table.ts";
import { FACT_TABLE } from "../fact-table.ts";
import { FACTS, type RulePath, type RuleVerdict } from "../rule.ts";
import { kindOf, type Reading, unknownKey, unknownName } from "./reading.ts";

/** Checks the shape of `examples: { VERDICT: [...], pass: [...] }`. They are evaluated only on request. */
export function readExamples(
  value: unknown,
  path: RulePath,
  reading: Reading,
  rule: { verdict: RuleVerdict; on: readonly EventName[] },
): void {
  const names = [rule.verdict, "pass"];
  if (!isObject(value) || Object.keys(value).length === 0) {
    const message = `expected a mapping with ${rule.verdict} and pass but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return;
  }
  for (const [key, items] of Object.entries(value)) {
    if (!names.includes(key)) unknownKey(reading, path, key, unknownName("key", key, names));
    else if (!Array.isArray(items) || items.length === 0) {
      reading.problems.push({ path: [...path, key], message: `expected a list of calls but got ${kindOf(items)}` });
    } else for (const [index, item] of items.entries()) readExample(item, [...path, key, index], reading, rule.on);
  }
}

function readExample(value: unknown, path: RulePath, reading: Reading, on: readonly EventName[]): void {
  if (typeof value === "string" && value.trim() !== "") return;
  if (!isObject(value) || Object.keys(value).length === 0) {
    const message = `expected a command line, or {tool: NAME, input: {...}}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return;
  }
  const isOfEvent = (fact: (typeof FACTS)[number]) =>
    FACT_TABLE[fact].of === "event" && on.some((event) => hasFact(event, fact));
  const isCall = on.some((event) => hasFact(event, "tool"));
  const keys = [...(isCall ? ["tool", "input"] : []), ...FACTS.filter(isOfEvent)];
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (!keys.includes(key)) unknownKey(reading, path, key, unknownName("key", key, keys, OTHER_KEYS));
    else if (key === "input" ? !isObject(inner) : key === "tool" && typeof inner !== "string") {
      reading.problems.push({
        path: at,
        message: `expected a ${key === "tool" ? "text" : "mapping"} but got ${kindOf(inner)}`,
      });
    }
  }
  if (isCall && !("tool" in value))
    reading.problems.push({ path, message: "the tool is missing: {tool: NAME, input: {...}}" });
}

const OTHER_KEYS = { tool_name: "tool", tool_input: "input", cmd: 'write the command line itself: "git push"' };
