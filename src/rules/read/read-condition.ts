import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import { eventsWith, factsOf, hasFact } from "../event-table.ts";
import { type Condition, FACTS, type FactName, type RulePath } from "../rule.ts";
import { readTest, type TestOptions } from "./read-test.ts";
import { kindOf, listed, quoted, type Reading, unknownKey, unknownName } from "./reading.ts";

/** What people write for a fact. A text with a blank is advice. */
const OTHER_FACTS: Readonly<Record<string, string>> = {
  does: "effect",
  action: "effect",
  category: "effect",
  effects: "effect",
  runs: "command",
  cmd: "command",
  path: "paths",
  file: "paths",
  files: "paths",
  read: "reads",
  write: "writes",
  host: "hosts",
  url: "hosts",
  urls: "hosts",
  domain: "hosts",
  flag: "flags",
  option: "flags",
  options: "flags",
  arg: "args",
  refs: "ref",
  user: "agent",
  tools: "tool",
  tool_name: "tool",
  matcher: "tool",
  tool_input: "input",
  prompt: "text",
  message: "text",
  secret: "secrets",
  subcommand: "verb",
  or: "any",
  and: "all",
  none: "not",
  if: "it belongs beside when, not into it",
  after: "it belongs beside when, not into it",
  unless_after: "it belongs beside when, not into it",
  more_than: "it belongs beside when, not into it",
  on: "it belongs beside when, not into it",
  same_call: "it may stand only at the top of the when of a rule",
};

/** How deep `all`, `any` and `not` may stand in each other. */
const MAX_DEPTH = 8;

/** What applies to a whole condition. */
export interface ConditionOptions extends TestOptions {
  /** The events that must have its facts. */
  on: readonly EventName[];
}

/** Reads a map of conditions. Undefined if it has a mistake, which is reported. */
export function readCondition(
  value: unknown,
  path: RulePath,
  reading: Reading,
  options: ConditionOptions,
  depth = 0,
): Condition | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) {
    reading.problems.push({ path, message: `expected a mapping of facts but got ${kindOf(value)}` });
    return undefined;
  }
  if (depth > MAX_DEPTH) {
    reading.problems.push({ path, message: `all, any and not stand in each other more than ${MAX_DEPTH} times` });
    return undefined;
  }
  const before = reading.problems.length;
  const parts = Object.entries(value).flatMap(([key, inner]) => readEntry(key, inner, path, reading, options, depth));
  return reading.problems.length === before ? allOf(parts) : undefined;
}

function allOf(parts: readonly Condition[]): Condition {
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind: "all", of: parts };
}

function readEntry(
  key: string,
  value: unknown,
  path: RulePath,
  reading: Reading,
  options: ConditionOptions,
  depth: number,
): Condition[] {
  const at = [...path, key];
  if (key === "not") {
    const of = readCondition(value, at, reading, options, depth + 1);
    return of ? [{ kind: "not", of }] : [];
  }
  if (key === "all" || key === "any") {
    if (!Array.isArray(value) || value.length === 0) {
      reading.problems.push({ path: at, message: `expected a list of mappings but got ${kindOf(value)}` });
      return [];
    }
    const of = value.map((item, index) => readCondition(item, [...at, index], reading, options, depth + 1));
    return [{ kind: key, of: of.filter((part) => part !== undefined) }];
  }
  if (!isFact(key)) {
    unknownKey(reading, path, key, unknownName("fact", key, [...FACTS, "all", "any", "not"], OTHER_FACTS));
    return [];
  }
  const without = options.on.filter((event) => !hasFact(event, key));
  if (without.length > 0) {
    reading.problems.push({ path: at, at: "key", message: missingFact(key, without) });
    return [];
  }
  if (key === "input") return readInput(value, at, reading, options);
  const test = readTest(key, value, at, reading, options);
  return test ? [{ kind: "fact", fact: key, test }] : [];
}

function isFact(key: string): key is FactName {
  return (FACTS as readonly string[]).includes(key);
}

function missingFact(fact: FactName, events: readonly EventName[]): string {
  const has = eventsWith(fact);
  const each = events.map((event) => `${event}, which has ${listed(factsOf(event))}`);
  return `there is no fact ${quoted(fact)} on ${each.join("; nor on ")}; ${listed(has)} ${has.length === 1 ? "has" : "have"} it`;
}

/** Reads `input: { KEY: condition }`. */
function readInput(value: unknown, path: RulePath, reading: Reading, options: ConditionOptions): Condition[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    const message = `expected a mapping, such as {path: "src/*"}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return [];
  }
  return Object.entries(value).flatMap(([key, inner]): Condition[] => {
    const at = [...path, key];
    if (key.split(".").includes("")) {
      reading.problems.push({ path: at, at: "key", message: `${quoted(key)} is no dotted path` });
      return [];
    }
    const test = readTest("input", inner, at, reading, options);
    return test ? [{ kind: "fact", fact: "input", key, test }] : [];
  });
}
