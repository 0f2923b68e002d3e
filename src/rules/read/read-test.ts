import { HOST_SETS, isBareWord, PATH_SETS } from "../../facts/sets/set-names.ts";
import { isObject } from "../../lib/json.ts";
import { PatternError } from "../../pattern/pattern.ts";
import { compileSearch } from "../../pattern/search.ts";
import { programNamed } from "../../shell/steps/programs/program-name.ts";
import { FACT_TABLE } from "../fact-table.ts";
import type { FactName, RulePath, Test } from "../rule.ts";
import { parseTimeSpan } from "../time-span.ts";
import { kindOf, meantName, quoted, type Reading, unknownKey, unknownName } from "./reading.ts";

const OPERATORS = ["not_in", "only", "matches", "more_than", "less_than"];

/** What people write for an operator. A text with a blank is advice. */
const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  in: "write the list itself",
  is: "write the value itself",
  equals: "write the value itself",
  eq: "write the value itself",
  contains: 'write a pattern, such as "*text*"',
  starts_with: 'write a pattern, such as "text*"',
  startswith: 'write a pattern, such as "text*"',
  ends_with: 'write a pattern, such as "*text"',
  endswith: 'write a pattern, such as "*text"',
  glob: 'write the pattern itself, such as "text*"',
  not: "not_in",
  none: "not_in",
  none_of: "not_in",
  except: "not_in",
  nin: "not_in",
  all: "only",
  every: "only",
  any: "write the list itself",
  any_of: "write the list itself",
  match: "matches",
  regex: "matches",
  regexp: "matches",
  re: "matches",
  pattern: "matches",
  gt: "more_than",
  above: "more_than",
  greater_than: "more_than",
  over: "more_than",
  min: "more_than",
  lt: "less_than",
  below: "less_than",
  under: "less_than",
  max: "less_than",
  exists: "write true or false",
  within: "it belongs into after or unless_after",
  same_call: "it belongs into more_than",
};

/** Facts whose value can be an empty text. */
const MAY_BE_EMPTY: readonly FactName[] = ["args", "input", "text", "command"];

/** How a list of values came about: parameters of a ready-made set may leave it empty. */
export interface TestOptions {
  mayBeEmpty?: boolean;
}

/** Reads the condition on one fact. Undefined if it has a mistake, which is reported. */
export function readTest(
  fact: FactName,
  value: unknown,
  path: RulePath,
  reading: Reading,
  options: TestOptions = {},
): Test | undefined {
  const { kind } = FACT_TABLE[fact];
  if (typeof value === "boolean" && kind !== "time") return { is: value };
  if (kind === "truth") return fail(reading, path, `expected true or false but got ${kindOf(value)}`);
  if (isObject(value)) return readOperators(fact, value, path, reading, options);
  const list = readValues(fact, value, path, reading, options);
  return list && { in: list };
}

function fail(reading: Reading, path: RulePath, message: string): undefined {
  reading.problems.push({ path, message });
}

function readOperators(
  fact: FactName,
  value: Record<string, unknown>,
  path: RulePath,
  reading: Reading,
  options: TestOptions,
): Test | undefined {
  if (Object.keys(value).length === 0) return fail(reading, path, `expected a condition but got ${kindOf(value)}`);
  const test: Test = {};
  const before = reading.problems.length;
  for (const [key, inner] of Object.entries(value)) {
    const at = [...path, key];
    if (key === "not_in" || key === "only") {
      const list = readValues(fact, inner, at, reading, options);
      if (list) test[key === "only" ? "only" : "notIn"] = list;
    } else if (key === "matches") {
      const expression = readExpression(fact, inner, at, reading);
      if (expression !== undefined) test.matches = expression;
    } else if (key === "more_than" || key === "less_than") {
      const limit = readLimit(fact, inner, at, reading);
      if (limit !== undefined) test[key === "more_than" ? "moreThan" : "lessThan"] = limit;
    } else {
      unknownKey(reading, path, key, unknownName("operator", key, OPERATORS, OTHER_OPERATORS));
    }
  }
  return reading.problems.length === before ? test : undefined;
}

/** Reads one value or a list of them. */
function readValues(
  fact: FactName,
  value: unknown,
  path: RulePath,
  reading: Reading,
  { mayBeEmpty = false }: TestOptions,
): string[] | undefined {
  const isList = Array.isArray(value);
  if (isList && value.length === 0 && !mayBeEmpty) {
    return fail(reading, path, "expected a value but got an empty list: write false for no value");
  }
  const items: readonly unknown[] = isList ? value : [value];
  const texts = items.map((item, index) => readValue(fact, item, isList ? [...path, index] : path, reading));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function readValue(fact: FactName, value: unknown, path: RulePath, reading: Reading): string | undefined {
  const { kind, closed } = FACT_TABLE[fact];
  if (kind === "number") {
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return String(value);
    return fail(reading, path, `expected a number of 0 or more but got ${quoted(value)}`);
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && kind !== "time") return String(value);
  if (typeof value === "number") return fail(reading, path, `write the number ${value} in quotes`);
  if (typeof value === "boolean") return fail(reading, path, `write "${value}" in quotes, or ${value} outside a list`);
  if (typeof value !== "string") return fail(reading, path, `expected a text but got ${kindOf(value)}`);
  if (value.trim() === "" && !MAY_BE_EMPTY.includes(fact)) {
    return fail(reading, path, `expected a value but got ${kindOf(value)}: write false for no value`);
  }
  const wrong = closed
    ? closed.includes(value)
      ? undefined
      : unknownName(fact, value, closed)
    : wrongValue(fact, value, reading);
  if (wrong !== undefined) return fail(reading, path, wrong);
  return fact === "program" ? plainProgram(value) : value;
}

/** Says why no call can have a value; undefined if one can. */
function wrongValue(fact: FactName, value: string, reading: Reading): string | undefined {
  const { values } = FACT_TABLE[fact];
  if (values !== "text") return wrongSet(values, value, reading);
  switch (fact) {
    case "time": {
      const span = parseTimeSpan(value);
      return typeof span === "string" ? span : undefined;
    }
    case "flags":
      if (/^[A-Za-z0-9]/.test(value)) {
        return `no flag begins with a letter: write ${quoted(`${value.length === 1 ? "-" : "--"}${value}`)}`;
      }
      return /^-[^=*?[]*=/.test(value)
        ? `flags are without their values: write ${quoted(value.replace(/=.*/s, ""))}, and the value under args`
        : undefined;
    case "program":
      return wrongProgram(value);
    case "env":
      return value.includes("=") ? `write the name alone: ${quoted(value.replace(/=.*/s, ""))}` : undefined;
    case "ref":
      return value.startsWith("refs/heads/") ? `write the branch alone: ${quoted(value.slice(11))}` : undefined;
    default:
      return undefined;
  }
}

/** A program as calls name it: `pip3` is `pip`. */
function plainProgram(value: string): string {
  const { name, verb } = programNamed(value);
  return verb.length > 0 || /[*?[]/.test(value) ? value : name;
}

function wrongProgram(value: string): string | undefined {
  if (/[/\\]/.test(value))
    return `programs are without their directory: write ${quoted(value.replace(/.*[/\\]/s, ""))}`;
  if (value.toLowerCase() === "docker-compose") return "docker-compose is docker: write program: docker, verb: compose";
  const [program, verb] = value.trim().split(/\s+/);
  if (verb?.startsWith("-")) return `a program is one word: write program: ${program}, flags: ${quoted(verb)}`;
  return verb === undefined ? undefined : `a program is one word: write program: ${program}, verb: ${verb}`;
}

/** Says that a bare word is no set. */
function wrongSet(values: "path" | "host", word: string, reading: Reading): string | undefined {
  if (!isBareWord(word)) return undefined;
  const own = Object.keys(values === "path" ? reading.sets.paths : reading.sets.hosts);
  const names = [...own, ...Object.keys(values === "path" ? PATH_SETS : HOST_SETS)];
  if (names.includes(word)) return undefined;
  const meant = values === "host" && word === "localhost" ? "loopback" : meantName(word, names);
  const did = meant === undefined ? `; there are ${names.join(", ")}.` : `, did you mean ${quoted(meant)}?`;
  const spelled =
    values === "path"
      ? `file of this name write ${quoted(`./${word}`)}`
      : `host of this name write ${quoted(`${word}.`)}`;
  return `unknown set ${quoted(word)}${did} For a ${spelled}`;
}

function readExpression(fact: FactName, value: unknown, path: RulePath, reading: Reading): string | undefined {
  const { kind, closed } = FACT_TABLE[fact];
  if (closed) return fail(reading, path, `${fact} takes only its names: ${closed.join(", ")}`);
  if (kind === "number" || kind === "time") return fail(reading, path, `${fact} is no text: matches cannot test it`);
  if (typeof value !== "string" || value === "") {
    return fail(reading, path, `expected a regular expression but got ${kindOf(value)}`);
  }
  try {
    compileSearch(value, "\0");
    return value;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fail(reading, path, `not a valid RE2 expression: ${error.message}`);
  }
}

function readLimit(fact: FactName, value: unknown, path: RulePath, reading: Reading): number | undefined {
  if (FACT_TABLE[fact].kind !== "number" && fact !== "input") {
    return fail(reading, path, `${fact} is no number: more_than and less_than test depth, cost, calls and input`);
  }
  if (typeof value !== "number" || !Number.isFinite(value) || (value < 0 && fact !== "input")) {
    return fail(reading, path, `expected a number of 0 or more but got ${quoted(value)}`);
  }
  return value;
}
