import type { Place } from "../../facts/place.ts";
import { FACT_TABLE, type FactFacts } from "../fact-table.ts";
import type { Condition, OwnSets, Rule, Test } from "../rule.ts";
import { type Atom, allOf, anyOf, FALSE, type Formula, holds, negated, TRUE } from "./formula.ts";
import { hostLanguage } from "./host-language.ts";
import { both, containing, EVERY, either, firstWord, glob, type Language, NOTHING, not, whole } from "./language.ts";
import { pathLanguage } from "./path-language.ts";
import { Undecidable } from "./undecidable.ts";

const factsWith = (isWanted: (facts: FactFacts) => boolean): readonly string[] =>
  Object.entries(FACT_TABLE).flatMap(([fact, facts]) => (isWanted(facts) ? [fact] : []));

/** Facts with several values, tested for one that fits. The names of a tool are such; the command is one text. */
const MARKS: readonly string[] = ["flags", "args", "input", "tool"];
export const PATHS = factsWith(({ values }) => values === "path");
export const HOSTS = factsWith(({ values }) => values === "host");

type FactCondition = Extract<Condition, { kind: "fact" }>;

/** When a rule hits a step: its `agents`, `when`, `if` and history. */
export function ruleFormula(rule: Rule, place: Place): Formula {
  const { when, sets, agents, if: expression } = rule;
  const parts = [when ? conditionFormula(when, sets, place) : TRUE];
  if (agents) parts.push(conditionFormula({ kind: "fact", fact: "agent", test: { in: agents } }, sets, place));
  if (expression !== undefined) parts.push(free(`if ${expression}`));
  for (const { name, truth } of historyParts(rule)) parts.push(truth ? free(name) : negated(free(name)));
  return allOf(parts);
}

/** What the name of a free variable begins with that says that an earlier call lifts a rule. */
export const LIFTED = "lifted ";

/** Whether what a free variable stands for was so. */
export type Past = (name: string) => boolean;

/** Whether the history of a rule lets it hit. */
export function historyOf(rule: Rule, past: Past): boolean {
  return historyParts(rule).every(({ name, truth }) => past(name) === truth);
}

/** The free variables that stand for the history of a rule. Equal histories have one. The first call is above none. */
function historyParts({ when, history: { after, unlessAfter, moreThan } }: Rule): { name: string; truth: boolean }[] {
  return [
    ...(after ? [{ name: `after ${JSON.stringify(after)}`, truth: true }] : []),
    ...(unlessAfter ? [{ name: LIFTED + JSON.stringify(unlessAfter), truth: false }] : []),
    ...(moreThan && moreThan.n > 0 ? [{ name: `more than ${JSON.stringify([when, moreThan])}`, truth: true }] : []),
  ];
}

/** When a condition of a restricting rule hits a step, certainly or possibly. */
export function conditionFormula(condition: Condition, sets: OwnSets, place: Place): Formula {
  return conditionOf(condition, false, { sets, place });
}

/** What names of sets stand for. */
interface Names {
  sets: OwnSets;
  place: Place;
}

function conditionOf(condition: Condition, denied: boolean, names: Names): Formula {
  switch (condition.kind) {
    case "not":
      return conditionOf(condition.of, !denied, names);
    case "fact":
      return factOf(condition, denied, names);
    default: {
      const parts = condition.of.map((one) => conditionOf(one, denied, names));
      return (condition.kind === "all") !== denied ? allOf(parts) : anyOf(parts);
    }
  }
}

function factOf(condition: FactCondition, denied: boolean, names: Names): Formula {
  try {
    return testOf(condition, denied, names);
  } catch (error) {
    if (!(error instanceof Undecidable)) throw error;
    // Both may hit at one step with several values, so that one says nothing about the other.
    return free(`${denied ? "not " : ""}condition ${JSON.stringify(condition)}`);
  }
}

function testOf(condition: FactCondition, denied: boolean, names: Names): Formula {
  const { fact, key, test } = condition;
  const name = key === undefined ? fact : `${fact}.${key}`;
  const is = (formula: Formula): Formula => (denied ? negated(formula) : formula);
  const { kind } = FACT_TABLE[fact];
  if (kind === "time") return is(free(`time ${JSON.stringify(test)}`));
  if (kind === "truth") {
    const truth = free(fact);
    return is(test.is === false ? negated(truth) : truth);
  }
  if (kind === "number") return is(numberOf(name, test));
  const languages = languagesOf(condition, names);
  if (MARKS.includes(fact)) return is(marksOf(name, languages, test));
  // Each thing counts for itself: under a `not` one that does not fit is enough.
  if (kind === "things") return thingsOf(name, languages, test, denied);
  return is(oneOf(name, languages, test));
}

function numberOf(fact: string, test: Test): Formula {
  const parts: Formula[] = [];
  const number = (above: number, below: number): Formula =>
    holds({ key: `${fact} ${above} ${below}`, kind: "number", fact, above, below });
  if (test.moreThan !== undefined || test.lessThan !== undefined)
    parts.push(number(test.moreThan ?? -Infinity, test.lessThan ?? Infinity));
  if (test.is !== undefined) {
    const present = number(-Infinity, Infinity);
    parts.push(test.is ? present : negated(present));
  }
  for (const texts of [test.in, test.only, test.notIn]) if (texts) throw new Undecidable();
  return allOf(parts);
}

function oneOf(fact: string, { value, only }: TestLanguages, test: Test): Formula {
  const one = (language: Language, absent: boolean): Formula =>
    holds({ key: `${fact} ${absent} ${language.key}`, kind: "one", fact, language, absent });
  const parts: Formula[] = [];
  if (value) parts.push(one(value, false));
  if (only) parts.push(one(only, true));
  if (test.is !== undefined) parts.push(test.is ? one(EVERY, false) : one(NOTHING, true));
  return allOf(parts);
}

function marksOf(fact: string, languages: TestLanguages, test: Test): Formula {
  const { value, only, outside, wide } = languages;
  const parts: Formula[] = [];
  // A tool has several names, and is none of those listed only if no name of it is.
  if (fact === "tool" && outside) {
    const { inside } = languages;
    if (inside) parts.push(several("some", fact, inside, false));
    parts.push(several("every", fact, not(outside), false));
  } else if (value) parts.push(several("some", fact, value, false, wide));
  if (only) parts.push(several(fact === "tool" ? "some" : "every", fact, only, false, languages.wideOnly));
  if (test.is !== undefined) parts.push(presence(fact, test.is));
  return allOf(parts);
}

/** Under a `not` the condition is that every value fits and that there is one; what is denied is that. */
function thingsOf(fact: string, languages: TestLanguages, test: Test, denied: boolean): Formula {
  const { value, only, unknownHits } = languages;
  const parts: Formula[] = [];
  if (value) {
    const some = several("some", fact, denied ? not(value) : value, denied || unknownHits);
    parts.push(denied ? anyOf([presence(fact, false), some]) : some);
  }
  if (only) parts.push(denied ? several("some", fact, not(only), true) : several("every", fact, only, true));
  if (test.is !== undefined) parts.push(presence(fact, test.is !== denied));
  return denied ? anyOf(parts) : allOf(parts);
}

function presence(fact: string, is: boolean): Formula {
  return is ? several("some", fact, EVERY, true) : several("every", fact, NOTHING, false);
}

function several(
  kind: "some" | "every",
  fact: string,
  language: Language,
  unknownHits: boolean,
  wide: Language = language,
): Formula {
  if (language.key === NOTHING.key && kind === "some") return FALSE;
  const atom: Atom = { key: `${kind} ${fact} ${unknownHits} ${language.key}`, kind, fact, language, unknownHits, wide };
  return holds(atom);
}

function free(name: string): Formula {
  return holds({ key: name, kind: "free", name });
}

/** What the operators of a test ask of a value. */
interface TestLanguages {
  /** Of `in`, `not_in` and `matches` together. */
  value: Language | undefined;
  /** Of `in` and `matches`. */
  inside: Language | undefined;
  /** Of `not_in`. */
  outside: Language | undefined;
  only: Language | undefined;
  unknownHits: boolean;
  /** Like `value` and `only`, with the values that the table of programs knows as the same. */
  wide: Language | undefined;
  wideOnly: Language | undefined;
}

function languagesOf({ fact, test }: FactCondition, names: Names): TestLanguages {
  const union = (patterns: readonly string[] | undefined, isWide = false): Language | undefined =>
    patterns &&
    either(
      patterns.map((pattern) =>
        isWide ? either([patternOf(fact, pattern, names), otherNames(pattern)]) : patternOf(fact, pattern, names),
      ),
    );
  if (test.matches !== undefined && PATHS.includes(fact)) throw new Undecidable();
  const matches = test.matches === undefined ? undefined : containing(test.matches);
  const joined = (parts: readonly (Language | undefined)[]): Language | undefined => {
    const present = parts.filter((part) => part !== undefined);
    return present.length > 0 ? both(present) : undefined;
  };
  const outside = union(test.notIn);
  const inside = joined([union(test.in), matches]);
  const value = joined([inside, outside && not(outside)]);
  const only = union(test.only);
  const isFlags = fact === "flags";
  return {
    value,
    inside,
    outside,
    only,
    unknownHits: inside === undefined || (test.in?.includes("outside") ?? false),
    wide: isFlags ? joined([union(test.in, true), matches, outside && not(outside)]) : value,
    wideOnly: isFlags ? union(test.only, true) : only,
  };
}

/** What a flag may stand for: a short one for any of its names, a long one for what it abbreviates. */
function otherNames(pattern: string): Language {
  return /^-[^-]/.test(pattern) ? whole("-.*") : glob(`${pattern}*`);
}

function patternOf(fact: string, pattern: string, { sets, place }: Names): Language {
  if (PATHS.includes(fact)) return pathLanguage(pattern, sets.paths, place);
  if (HOSTS.includes(fact)) return hostLanguage(pattern, sets.hosts);
  if (fact === "verb") return verbLanguage(pattern);
  return glob(pattern, { fold: fact === "program" || fact === "tool" });
}

/** A pattern may name fewer levels than the verb has, and is about these alone. */
function verbLanguage(pattern: string): Language {
  if (!pattern.includes(" ")) return firstWord(glob(pattern));
  if (/[*?[]/.test(pattern)) throw new Undecidable();
  return either([glob(`${pattern} *`), glob(pattern)]);
}
