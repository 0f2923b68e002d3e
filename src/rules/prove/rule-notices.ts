import { type Condition, RULE_VERDICTS, type Rule, type RulePath } from "../rule.ts";
import { newBudget, within } from "./budget.ts";
import { severityOf } from "./call.ts";
import { allOf, type Formula, negated } from "./formula.ts";
import { modelOf } from "./model.ts";
import { ruleFormula } from "./rule-formula.ts";
import { search } from "./search.ts";
import { wordFinder } from "./shortest-word.ts";
import type { ProofTables } from "./tables.ts";

/** Something odd about a rule that is valid. */
export interface RuleNotice {
  path: RulePath;
  text: string;
}

/** What all questions about the rules of a file may take together. */
const MAX_MILLISECONDS = 10_000;

/** What a notice about texts needs to know of a command line: its effects. */
export type EffectsOf = (line: string) => readonly string[];

/** Returns what is odd about rules of one file: those that never decide, and conditions that a fact says better. */
export function ruleNotices(rules: readonly Rule[], tables: ProofTables, effectsOf: EffectsOf): RuleNotice[] {
  const formulas = rules.map(ruleFormula);
  const end = performance.now() + MAX_MILLISECONDS;
  // What there was no time to ask is possible: no notice is wrong.
  const can = (formula: Formula): boolean =>
    performance.now() > end ||
    within(() => {
      const budget = newBudget();
      const find = wordFinder(budget);
      return search(formula, budget, (literals) => modelOf(literals, tables, find)) !== undefined;
    }) !== false;
  return rules.flatMap((rule, index) => {
    const formula = formulas[index];
    // A rule of a ready-made set whose parameter is empty holds for nothing, as its page says.
    if (!formula || !isAboutCalls(rule) || rule.name.includes("/")) return [];
    const texts = can(formula)
      ? [shadow(rule, index, rules, formulas, can)]
      : ["can never hit: no call has these facts"];
    return [...texts, ...conditionNotices(rule, effectsOf)].flatMap((text) =>
      text === undefined ? [] : [{ path: rule.path, text: `${rule.name}: ${text}` }],
    );
  });
}

const CALLS: readonly string[] = ["pre_tool_use", "permission_request", "post_tool_use"];

function isAboutCalls({ on }: Rule): boolean {
  return on.every((event) => CALLS.includes(event));
}

/** Says which other rule always decides in place of a rule. */
function shadow(
  rule: Rule,
  index: number,
  rules: readonly Rule[],
  formulas: readonly Formula[],
  can: (formula: Formula) => boolean,
): string | undefined {
  const own = formulas[index];
  if (rule.observe || !own || !DECIDING.includes(rule.verdict)) return undefined;
  for (const [at, other] of rules.entries()) {
    const theirs = formulas[at];
    if (at === index || !theirs || other.observe || !rule.on.every((event) => other.on.includes(event))) continue;
    const stopsAllowed = rule.verdict === "allow" && severityOf(other.verdict) >= severityOf("deny");
    const isEarlier = at < index && DECIDING.indexOf(other.verdict) <= DECIDING.indexOf(rule.verdict);
    if (!(stopsAllowed || isEarlier) || (rule.verdict !== "allow" && other.verdict === "allow")) continue;
    if (other.verdict === "allow" || can(allOf([own, negated(theirs)]))) continue;
    return stopsAllowed ? `allows nothing: ${other.name} denies all of it` : `shadowed by ${other.name}`;
  }
  return undefined;
}

const DECIDING: readonly string[] = RULE_VERDICTS.slice(0, RULE_VERDICTS.indexOf("allow") + 1);

function conditionNotices(rule: Rule, effectsOf: EffectsOf): string[] {
  if (!rule.when) return [];
  const texts = factTests(rule.when);
  const found: string[] = [];
  if (texts.some(({ denied, test }) => denied && test.test.notIn))
    found.push("not_in inside not says the opposite twice: write the condition without both");
  const programs = texts.flatMap(({ test }) => (test.fact === "program" ? (test.test.in ?? []) : []));
  const verbs = texts.flatMap(({ test }) => (test.fact === "verb" ? (test.test.in ?? []) : []));
  for (const { denied, test } of texts) {
    if (denied || (test.fact !== "command" && test.fact !== "args")) continue;
    const before = test.fact === "args" ? `${programs[0] ?? ""} ${verbs[0] ?? ""} ` : "";
    for (const pattern of test.test.in ?? []) {
      const effect = /[*?[]/.test(pattern) ? betterEffect(`${before}${pattern}`.trim(), effectsOf) : undefined;
      if (effect !== undefined)
        found.push(`${test.fact}: ${JSON.stringify(pattern)} misses other spellings: say effect: ${effect}`);
    }
  }
  return found;
}

/** Effects that say too little about why a command is named. */
const GENERAL: readonly string[] = ["sends", "fetches", "fs-overwrite", "fs-modify"];

/** The effect that the words of a pattern have. */
function betterEffect(pattern: string, effectsOf: EffectsOf): string | undefined {
  const line = pattern.replaceAll(/\[[^\]]*\]|[*?]/g, "").trim();
  for (const text of [line, `${line} x`]) {
    const effect = effectsOf(text).find((one) => !GENERAL.includes(one));
    if (effect !== undefined) return effect;
  }
  return undefined;
}

type FactTest = Extract<Condition, { kind: "fact" }>;

function factTests(condition: Condition, denied = false): { test: FactTest; denied: boolean }[] {
  switch (condition.kind) {
    case "fact":
      return [{ test: condition, denied }];
    case "not":
      return factTests(condition.of, !denied);
    default:
      return condition.of.flatMap((one) => factTests(one, denied));
  }
}
