import type { Place } from "../../facts/place.ts";
import { type Condition, RULE_VERDICTS, type Rule, type RulePath } from "../rule.ts";
import { newBudget, within } from "./budget.ts";
import { severityOf } from "./call.ts";
import { findModel } from "./find-model.ts";
import { fitsModel } from "./fits-model.ts";
import { allOf, type Formula, negated } from "./formula.ts";
import type { Model } from "./model.ts";
import { ruleFormula } from "./rule-formula.ts";
import { wordFinder } from "./shortest-word.ts";
import type { ProofTables } from "./tables.ts";

/** Something odd about a rule that is valid. */
export interface RuleNotice {
  path: RulePath;
  text: string;
}

/** What notices about rules are found with. */
export interface NoticeOptions {
  tables: ProofTables;
  place: Place;
  /** The effects of a command line, for notices about texts. */
  effectsOf: (line: string) => readonly string[];
  /** What all questions about the rules of a file may take together, in milliseconds. */
  time?: number;
}

const MAX_MILLISECONDS = 10_000;

/** Returns what is odd about rules of one file: those that never decide, and conditions that a fact says better. */
export function ruleNotices(rules: readonly Rule[], options: NoticeOptions): RuleNotice[] {
  const { place, effectsOf, time = MAX_MILLISECONDS } = options;
  const asked = new Questions(options.tables, performance.now() + time);
  const formulas = rules.map((rule) => ruleFormula(rule, place));
  const unasked: Rule[] = [];
  const notices = rules.flatMap((rule, index) => {
    const formula = formulas[index];
    // A rule of a ready-made set whose parameter is empty holds for nothing, as its page says.
    if (!formula || !isAboutCalls(rule) || rule.name.includes("/")) return [];
    const hit = asked.callOf(formula);
    let text: string | undefined;
    if (hit === "none") text = "can never hit: no call has these facts";
    else if (hit === "limit") unasked.push(rule);
    else {
      const shadowing = shadow({ rule, index, hit }, rules, formulas, asked);
      if (shadowing === "limit") unasked.push(rule);
      else text = shadowing;
    }
    return [text, ...conditionNotices(rule, effectsOf)].flatMap((one) =>
      one === undefined ? [] : [{ path: rule.path, text: `${rule.name}: ${one}` }],
    );
  });
  const [first, ...others] = unasked;
  if (!first) return notices;
  const more = others.length === 0 ? "" : ` and ${others.length} more ${others.length === 1 ? "rule" : "rules"}`;
  const text = `not compared with the other rules, because that takes too long: ${first.name}${more}`;
  return [...notices, { path: first.path, text }];
}

/** Questions whether calls exist, as far as there is time. */
class Questions {
  readonly #tables: ProofTables;
  readonly #end: number;
  #budget = newBudget();
  /** One for all questions, which ask about the same languages. */
  readonly #find = wordFinder({ spend: () => this.#budget.spend() });

  constructor(tables: ProofTables, end: number) {
    this.#tables = tables;
    this.#end = end;
  }

  /** A call that makes a formula true. */
  callOf(formula: Formula): Model | "none" | "limit" {
    if (performance.now() >= this.#end) return "limit";
    const budget = newBudget();
    this.#budget = budget;
    return within(() => findModel(formula, { tables: this.#tables, find: this.#find, budget })) ?? "none";
  }
}

const CALLS: readonly string[] = ["pre_tool_use", "permission_request", "post_tool_use"];

function isAboutCalls({ on }: Rule): boolean {
  return on.every((event) => CALLS.includes(event));
}

/** A rule, where it stands, and a call that it hits. */
interface HittingRule {
  rule: Rule;
  index: number;
  hit: Model;
}

/** Says which other rule always decides in place of a rule. */
function shadow(
  { rule, index, hit }: HittingRule,
  rules: readonly Rule[],
  formulas: readonly Formula[],
  asked: Questions,
): string | undefined {
  const own = formulas[index];
  if (rule.observe || !own || !DECIDING.includes(rule.verdict)) return undefined;
  // Calls that this rule hits: one of them that another rule does not hit says that this one does not shadow it.
  const hits = [hit];
  let isLimited = false;
  for (const [at, other] of rules.entries()) {
    const theirs = formulas[at];
    if (at === index || !theirs || other.observe || !rule.on.every((event) => other.on.includes(event))) continue;
    const stopsAllowed = rule.verdict === "allow" && severityOf(other.verdict) >= severityOf("deny");
    const isEarlier = at < index && DECIDING.indexOf(other.verdict) <= DECIDING.indexOf(rule.verdict);
    if (other.verdict === "allow" || !(stopsAllowed || isEarlier)) continue;
    const passes = negated(theirs);
    if (hits.some((one) => fitsModel(one, passes))) continue;
    const call = asked.callOf(allOf([own, passes]));
    if (call === "none")
      return stopsAllowed ? `allows nothing: ${other.name} denies all of it` : `shadowed by ${other.name}`;
    if (call === "limit") isLimited = true;
    else hits.push(call);
  }
  return isLimited ? "limit" : undefined;
}

const DECIDING: readonly string[] = RULE_VERDICTS.slice(0, RULE_VERDICTS.indexOf("allow") + 1);

function conditionNotices(rule: Rule, effectsOf: NoticeOptions["effectsOf"]): string[] {
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
function betterEffect(pattern: string, effectsOf: NoticeOptions["effectsOf"]): string | undefined {
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
