import { HOST_SETS, PATH_SETS } from "../../facts/sets/set-names.ts";
import type { JsonObject } from "../../lib/json.ts";
import { RULE_EVENT_NAMES } from "../../rules/event-table.ts";
import { FACT_MEANINGS, FACT_TABLE, type FactFacts } from "../../rules/fact-table.ts";
import { RULE_SETS } from "../../rules/include/rule-sets.ts";
import { FACTS, type FactName, RULE_VERDICTS } from "../../rules/rule.ts";

/** The properties of a file, or of `settings`, that hold rules; they refer to {@link ruleDefinitions}. */
export const RULE_PROPERTIES: JsonObject = {
  rules: {
    description: "Verdicts as data, over what a call does. They judge an event before its hooks.",
    anyOf: [{ type: "array", items: { anyOf: [reference("rule"), reference("rule_set")] } }, { type: "null" }],
  },
  sets: {
    description: "Sets of paths and hosts that the rules of the file may name, beside the built-in ones.",
    anyOf: [reference("own_sets"), { type: "null" }],
  },
};

/** The definitions of rules, from the tables by which they are read. */
export function ruleDefinitions(): JsonObject {
  return {
    rule: ruleJsonSchema(),
    rule_set: includeJsonSchema(),
    rule_condition: conditionJsonSchema(),
    past_event: pastEventJsonSchema(),
    call_count: object({ n: COUNT, per: DURATION, same_call: { type: "boolean" } }, { required: ["n"] }),
    same_call: object({ more_than: COUNT, per: DURATION }, { required: ["more_than"] }),
    own_sets: setsJsonSchema(),
  };
}

function reference(definition: string): JsonObject {
  return { $ref: `#/$defs/${definition}` };
}

const TEXT: JsonObject = { type: "string", minLength: 1 };
const DURATION: JsonObject = { type: "string", pattern: "^[0-9]+(?:\\.[0-9]+)?(?:s|m|h|d)$" };
const COUNT: JsonObject = { type: "integer", minimum: 0 };
const NAME: JsonObject = { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" };
const MODE: JsonObject = { const: "observe", description: "It decides nothing and says what it would have done." };

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, additionalProperties: false, ...more };
}

/** Accepts a value, or a list of values. */
function oneOrMore(item: JsonObject): JsonObject {
  return { anyOf: [item, { type: "array", minItems: 1, items: item }] };
}

const AGENTS = { ...oneOrMore(TEXT), description: "Names or patterns: only calls of these agents." };

function ruleJsonSchema(): JsonObject {
  const verdicts = RULE_VERDICTS.map((verdict): [string, JsonObject] => [
    verdict,
    { ...TEXT, description: "The message." },
  ]);
  const calls = { type: "array", minItems: 1, items: { type: ["string", "object"] } };
  const properties: JsonObject = {
    ...Object.fromEntries(verdicts),
    when: reference("rule_condition"),
    if: { ...TEXT, description: "A CEL expression." },
    after: oneOrMore(reference("past_event")),
    unless_after: oneOrMore(reference("past_event")),
    more_than: reference("call_count"),
    on: { ...oneOrMore({ enum: [...RULE_EVENT_NAMES] }), description: "Default: pre_tool_use." },
    name: NAME,
    agents: AGENTS,
    mode: MODE,
    examples: {
      ...object(Object.fromEntries([...RULE_VERDICTS, "pass"].map((key) => [key, calls]))),
      description: "Calls by what the rule does on them: its verdict, or pass.",
    },
  };
  return object(properties, { oneOf: RULE_VERDICTS.map((verdict) => ({ required: [verdict] })) });
}

function includeJsonSchema(): JsonObject {
  const sets = Object.entries(RULE_SETS()).map(([name, { summary }]): JsonObject => {
    return { const: `builtin:${name}`, description: summary };
  });
  const properties: JsonObject = {
    include: { anyOf: sets },
    with: { type: "object", description: "Parameters of the set." },
    except: { ...oneOrMore(TEXT), description: "Rules of the set to leave out." },
    verdict: { enum: ["deny", "ask", "warn"], description: "In place of the verdicts of the set." },
    mode: MODE,
    agents: AGENTS,
  };
  return object(properties, { required: ["include"] });
}

function conditionProperties(): JsonObject {
  const facts = FACTS.map((fact): [string, JsonObject] => [fact, factJsonSchema(fact)]);
  const list = { type: "array", minItems: 1, items: reference("rule_condition") };
  return { ...Object.fromEntries(facts), all: list, any: list, not: reference("rule_condition") };
}

function conditionJsonSchema(): JsonObject {
  return object(
    { ...conditionProperties(), same_call: reference("same_call") },
    { minProperties: 1, description: "All must hold at the same step of the call." },
  );
}

function pastEventJsonSchema(): JsonObject {
  return object({
    ...conditionProperties(),
    within: DURATION,
    since: reference("past_event"),
    event: { enum: [...RULE_EVENT_NAMES], description: "Default: tool calls." },
  });
}

function factJsonSchema(fact: FactName): JsonObject {
  const description = FACT_MEANINGS[fact];
  if (fact !== "input") return { description, ...testJsonSchema(FACT_TABLE[fact]) };
  return { description, type: "object", minProperties: 1, additionalProperties: testJsonSchema(FACT_TABLE.input) };
}

function testJsonSchema(facts: FactFacts): JsonObject {
  const isThere: JsonObject = { type: "boolean" };
  if (facts.kind === "truth") return isThere;
  const values = oneOrMore(valueJsonSchema(facts));
  const isText = !facts.closed && facts.kind !== "number" && facts.kind !== "time";
  const limit: JsonObject = { type: "number" };
  const operators = object(
    {
      not_in: values,
      only: values,
      ...(isText ? { matches: { ...TEXT, description: "An RE2 expression that a value contains." } } : {}),
      ...(facts.kind === "number" || facts.kind === "map" ? { more_than: limit, less_than: limit } : {}),
    },
    { minProperties: 1 },
  );
  return { anyOf: [values, ...(facts.kind === "time" ? [] : [isThere]), operators] };
}

/** One value of a fact. The sets are listed so that editors can complete them; any pattern is valid too. */
function valueJsonSchema({ kind, closed, values }: FactFacts): JsonObject {
  if (closed) return { enum: [...closed] };
  if (kind === "number") return { type: "number", minimum: 0 };
  if (values === "text") return { type: ["string", "integer"] };
  const sets = Object.entries(values === "path" ? PATH_SETS : HOST_SETS);
  return { anyOf: [...sets.map(([name, about]): JsonObject => ({ const: name, description: about })), TEXT] };
}

function setsJsonSchema(): JsonObject {
  const patterns = { type: "array", minItems: 1, items: TEXT };
  const named: JsonObject = {
    type: "object",
    propertyNames: { pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$" },
    additionalProperties: patterns,
  };
  return object({ paths: named, hosts: named });
}
