import { isObject } from "../../lib/json.ts";
import type { RuleSet, SetParameter } from "../include/rule-set.ts";
import { RULE_SETS } from "../include/rule-sets.ts";
import { RULE_VERDICTS, type Rule, type RulePath } from "../rule.ts";
import { noticeObserved, readAgents, readMode, readRule } from "./read-rule.ts";
import { readTest } from "./read-test.ts";
import { kindOf, listed, quoted, type Reading, unknownKey, unknownName } from "./reading.ts";

const KEYS = ["include", "with", "except", "verdict", "mode", "agents"];
const VERDICTS = ["deny", "ask", "warn"];
const PREFIX = "builtin:";

/** Reads `{ include: builtin:NAME, ... }`: the rules of the set, with the place of the entry. */
export function readInclude(value: Record<string, unknown>, path: RulePath, reading: Reading): Rule[] {
  const before = reading.problems.length;
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key)) unknownKey(reading, path, key, unknownName("key beside include", key, KEYS, OTHER_KEYS));
  }
  const found = findSet(value["include"], [...path, "include"], reading);
  if (!found) return [];
  const { name, set } = found;
  const parameters = readParameters(value, set, path, reading);
  const except = readExcept(value, set, path, reading);
  const verdict = readVerdict(value, path, reading);
  const agents = "agents" in value ? readAgents(value["agents"], [...path, "agents"], reading) : undefined;
  const observe = "mode" in value && readMode(value["mode"], [...path, "mode"], reading);
  if (reading.problems.length > before) return [];
  if (observe) noticeObserved(`${name} only observes: the verdicts of its rules are`, path, reading);
  return set.rules
    .filter((rule) => !except.includes(rule.name))
    .flatMap((template): Rule[] => {
      const { name: own, ...rule } = template;
      const written = filled(verdict === undefined ? rule : withVerdict(rule, verdict), parameters);
      const read = readRule(written, path, `${name}/${own}`, reading, { mayBeEmpty: true });
      return read ? [{ ...read, agents, observe }] : [];
    });
}

const OTHER_KEYS: Readonly<Record<string, string>> = {
  params: "with",
  parameters: "with",
  without: "except",
  exclude: "except",
  skip: "except",
  ...Object.fromEntries(
    RULE_VERDICTS.map((verdict) => [verdict, `write verdict: ${verdict} for all rules of the set`]),
  ),
  when: "a rule of its own stands beside the include, not in it",
  name: "the rules of a set have names of their own",
};

function findSet(value: unknown, path: RulePath, reading: Reading): { name: string; set: RuleSet } | undefined {
  const sets = RULE_SETS();
  const names = Object.keys(sets).map((name) => PREFIX + name);
  if (typeof value !== "string") {
    const message = `expected the name of a set of rules, such as ${names[0]}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return undefined;
  }
  const name = value.startsWith(PREFIX) ? value.slice(PREFIX.length) : "";
  const set = Object.hasOwn(sets, name) ? sets[name] : undefined;
  if (set) return { name, set };
  const meant = Object.hasOwn(sets, value) ? { [value.toLowerCase()]: PREFIX + value } : {};
  reading.problems.push({ path, message: unknownName("set of rules", value, names, meant) });
  return undefined;
}

type Parameters = Readonly<Record<string, readonly string[] | string>>;

function readParameters(value: Record<string, unknown>, set: RuleSet, path: RulePath, reading: Reading): Parameters {
  const defaults = Object.fromEntries(
    Object.entries(set.parameters).map(([name, { default: given }]) => [name, given]),
  );
  if (!("with" in value)) return defaults;
  const at = [...path, "with"];
  const given = value["with"];
  if (!isObject(given) || Object.keys(given).length === 0) {
    reading.problems.push({ path: at, message: `expected a mapping of parameters but got ${kindOf(given)}` });
    return defaults;
  }
  const names = Object.keys(set.parameters);
  const read: Record<string, readonly string[] | string> = { ...defaults };
  for (const [key, inner] of Object.entries(given)) {
    const parameter = Object.hasOwn(set.parameters, key) ? set.parameters[key] : undefined;
    if (!parameter) {
      const message =
        names.length === 0 ? `the set has no parameters, so none ${quoted(key)}` : unknownName("parameter", key, names);
      unknownKey(reading, at, key, message);
      continue;
    }
    const result = readParameter(parameter, inner, [...at, key], reading);
    if (result !== undefined) read[key] = result;
  }
  return read;
}

function readParameter(
  { fact, default: given }: SetParameter,
  value: unknown,
  path: RulePath,
  reading: Reading,
): readonly string[] | string | undefined {
  if (typeof given === "string") {
    if (typeof value === "string") return readTest(fact, { matches: value }, path, reading)?.matches;
    reading.problems.push({ path, message: `expected a regular expression but got ${kindOf(value)}` });
    return undefined;
  }
  if (typeof value === "string" || Array.isArray(value)) {
    return readTest(fact, value, path, reading, { mayBeEmpty: true })?.in;
  }
  reading.problems.push({ path, message: `expected a list of texts but got ${kindOf(value)}` });
  return undefined;
}

function readExcept(value: Record<string, unknown>, set: RuleSet, path: RulePath, reading: Reading): string[] {
  if (!("except" in value)) return [];
  const { except } = value;
  const items: readonly unknown[] = Array.isArray(except) ? except : [except];
  const names = set.rules.map(({ name }) => name);
  if (items.length === 0)
    reading.problems.push({ path: [...path, "except"], message: "expected a rule but got an empty list" });
  return items.flatMap((item, index) => {
    if (typeof item === "string" && names.includes(item)) return [item];
    const message =
      typeof item === "string" ? unknownName("rule", item, names) : `expected a rule but got ${kindOf(item)}`;
    reading.problems.push({ path: Array.isArray(except) ? [...path, "except", index] : [...path, "except"], message });
    return [];
  });
}

function readVerdict(value: Record<string, unknown>, path: RulePath, reading: Reading): string | undefined {
  if (!("verdict" in value)) return undefined;
  const { verdict } = value;
  if (typeof verdict === "string" && VERDICTS.includes(verdict)) return verdict;
  const message =
    typeof verdict === "string"
      ? `a set takes the verdicts ${listed(VERDICTS)}, not ${quoted(verdict)}`
      : `expected a verdict but got ${kindOf(verdict)}`;
  reading.problems.push({ path: [...path, "verdict"], message });
  return undefined;
}

function withVerdict(rule: Readonly<Record<string, unknown>>, verdict: string): Record<string, unknown> {
  const isVerdict = (key: string) => (RULE_VERDICTS as readonly string[]).includes(key);
  return Object.fromEntries(Object.entries(rule).map(([key, inner]) => [isVerdict(key) ? verdict : key, inner]));
}

/** Puts the values of parameters in; a list in a list becomes part of it. */
function filled(value: unknown, parameters: Parameters): unknown {
  if (typeof value === "string") {
    const name = value.slice(1);
    return value.startsWith("$") && Object.hasOwn(parameters, name) ? parameters[name] : value;
  }
  if (Array.isArray(value)) return value.flatMap((item) => filled(item, parameters));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, parameters)]));
}
