import type { EventFacts, Step } from "../facts/facts.ts";
import type { Place } from "../facts/place.ts";
import { type CompiledRule, type CompiledRules, rulesFor } from "./compile.ts";
import { truthOfTree } from "./evaluate/condition.ts";
import { type At, dirtyOf } from "./evaluate/fact-values.ts";
import { isAllowOnly, judgedSteps } from "./evaluate/judged-steps.ts";
import { type RuleTests, testsAt } from "./evaluate/rule-tests.ts";
import type { HistoryAnswer, HistoryView } from "./history-view.ts";
import { coveringRules } from "./judge-allow.ts";
import type { Outcome } from "./report.ts";
import { CERTAIN, NO, OPAQUE, POSSIBLE, type Truth } from "./rule.ts";
import { nothingHit, type RulesVerdict } from "./verdict.ts";

export type { RuleHit, RulesVerdict } from "./verdict.ts";

export interface JudgeOptions {
  place: Place;
  history?: HistoryView | undefined;
  /** True if no rule decides: each says what it would have done. */
  observe?: boolean | undefined;
}

/**
 * Evaluates all rules of an event. Never throws: a rule that fails denies, if it restricts. No promise if no rule holds, as
 * for most events: that takes longer than the evaluation.
 */
export function judgeRules(
  compiled: CompiledRules,
  facts: EventFacts,
  { place, history, observe = false }: JudgeOptions,
): RulesVerdict | Promise<RulesVerdict> {
  return judgeWith(compiled, facts, testsAt(place), { history, observe });
}

/** {@link judgeRules} with tests of paths, hosts and flags. */
export function judgeWith(
  compiled: CompiledRules,
  facts: EventFacts,
  tests: RuleTests,
  { history, observe = false }: Omit<JudgeOptions, "place"> = {},
): RulesVerdict | Promise<RulesVerdict> {
  const judging: Judging = { facts, tests, history, dirty: undefined };
  const best = bestSteps(compiled, judging);
  return best.restricting.size === 0 && best.allowing.length === 0 ? nothingHit() : verdictOf(best, judging, observe);
}

/** The verdict of the rules whose conditions hold somewhere, once their further conditions are evaluated. */
async function verdictOf(best: BestSteps, judging: Judging, observe: boolean): Promise<RulesVerdict> {
  const outcomes: Outcome[] = [];
  for (const [rule, found] of best.restricting) {
    const outcome = await restrictingOutcome(rule, found, judging);
    if (outcome) outcomes.push(outcome);
  }
  outcomes.push(...(await allowOutcomes(best.allowing, judging, observe)));
  if (outcomes.length === 0) return nothingHit();
  outcomes.sort((a, b) => a.rule.index - b.rule.index);
  // A message quotes values without the secrets in them, and the code that finds those is large.
  const { reportOf } = await import("./report.ts");
  return reportOf(outcomes, observe);
}

/** What the evaluation of an event knows. */
export interface Judging {
  facts: EventFacts;
  tests: RuleTests;
  history: HistoryView | undefined;
  /** Undefined until a rule needs it. */
  dirty: Truth | undefined;
}

/** The step at which a rule holds most, or the error of its evaluation. */
interface BestStep {
  truth: Truth;
  step: Step | undefined;
  error?: unknown;
}

interface BestSteps {
  restricting: ReadonlyMap<CompiledRule, BestStep>;
  /** Rules that may allow a step. */
  allowing: readonly CompiledRule[];
}

/** Evaluates the conditions of rules at every step, but for what they ask about the work tree. */
function bestSteps(compiled: CompiledRules, judging: Judging): BestSteps {
  const restricting = new Map<CompiledRule, BestStep>();
  const allowing = new Set<CompiledRule>();
  let steps: readonly (Step | undefined)[];
  try {
    steps = judgedSteps(judging.facts);
    for (const step of steps) {
      for (const rule of rulesFor(compiled, judging.facts, step)) {
        if (!rule.restricting) allowing.add(rule);
        else if (!isAllowOnly(step)) keepBest(restricting, rule, step, judging);
      }
    }
  } catch (error) {
    // The facts themselves failed.
    const { all = [] } = compiled.byEvent.get(judging.facts.event) ?? {};
    for (const rule of all) if (rule.restricting) restricting.set(rule, { truth: POSSIBLE, step: undefined, error });
    return { restricting, allowing: [] };
  }
  return { restricting, allowing: [...allowing] };
}

function keepBest(
  best: Map<CompiledRule, BestStep>,
  rule: CompiledRule,
  step: Step | undefined,
  judging: Judging,
): void {
  const known = best.get(rule);
  if (known && known.truth >= CERTAIN) return;
  try {
    const truth = conditionTruth(rule, step, judging);
    if (truth > (known?.truth ?? OPAQUE)) best.set(rule, { truth, step });
  } catch (error) {
    best.set(rule, { truth: CERTAIN, step, error });
  }
}

/** The truth of `when`. As long as nothing asked about the work tree, it may be as the rule says. */
function conditionTruth({ tree }: CompiledRule, step: Step | undefined, judging: Judging): Truth {
  const { facts, tests, dirty } = judging;
  return tree ? truthOfTree(tree, { facts, step, tests, dirty: dirty ?? POSSIBLE }) : CERTAIN;
}

async function askDirty(judging: Judging): Promise<Truth> {
  return (judging.dirty ??= await dirtyOf(judging.facts));
}

/** The outcome of a restricting rule; undefined if it does not hit. */
async function restrictingOutcome(rule: CompiledRule, found: BestStep, judging: Judging): Promise<Outcome | undefined> {
  try {
    if ("error" in found) throw found.error;
    if (!isOfAgent(rule, judging.facts)) return undefined;
    let { truth, step } = found;
    if (rule.asksDirty) {
      await askDirty(judging);
      ({ truth, step } = bestAgain(rule, judging));
      if (truth < POSSIBLE) return undefined;
    }
    const more = await moreConditions(rule, judging);
    if (!more.holds) return undefined;
    return { rule, at: atStep(judging, step), truth: more.unsure ? POSSIBLE : truth, ...more };
  } catch (error) {
    return { rule, at: atStep(judging, undefined), truth: POSSIBLE, says: [], count: undefined, error };
  }
}

function bestAgain(rule: CompiledRule, judging: Judging): BestStep {
  const best = new Map<CompiledRule, BestStep>();
  for (const step of judgedSteps(judging.facts)) if (!isAllowOnly(step)) keepBest(best, rule, step, judging);
  return best.get(rule) ?? { truth: NO, step: undefined };
}

function atStep({ facts, tests, dirty }: Judging, step: Step | undefined): At {
  return { facts, step, tests, dirty: dirty ?? NO };
}

function isOfAgent({ isAgent }: CompiledRule, { agent }: EventFacts): boolean {
  return !isAgent || (agent !== undefined && isAgent(agent));
}

interface MoreConditions {
  holds: boolean;
  /** True if a condition could not be evaluated. */
  unsure: boolean;
  says: readonly string[];
  count: number | undefined;
}

/** Evaluates `if` and the conditions on the past. */
async function moreConditions(compiled: CompiledRule, judging: Judging): Promise<MoreConditions> {
  const { rule, restricting } = compiled;
  const result: MoreConditions = { holds: true, unsure: false, says: [], count: undefined };
  if (rule.if !== undefined) {
    try {
      if (!(await expressionHolds(rule.if, judging))) return { ...result, holds: false };
    } catch (error) {
      result.unsure = true;
      result.says = [`if failed: ${error instanceof Error ? error.message : String(error)}`];
      if (!restricting) return { ...result, holds: false };
    }
  }
  if (!hasHistory(compiled)) return result;
  const answer = judging.history ? await judging.history.holds(rule, judging.facts) : withoutHistory(compiled);
  const says = [...result.says, ...answer.says, ...(answer.failed === undefined ? [] : [answer.failed])];
  return { holds: answer.truth, unsure: result.unsure, says, count: answer.count };
}

async function expressionHolds(expression: string, judging: Judging): Promise<boolean> {
  const { compileExpression, variablesOf } = await import("./cel.ts");
  const needsDirty = /\bdirty\b/.test(expression);
  const dirty = needsDirty ? (await askDirty(judging)) !== NO : null;
  return compileExpression(expression)(variablesOf(judging.facts, dirty, judging.tests));
}

function hasHistory({ rule: { history } }: CompiledRule): boolean {
  return history.after !== undefined || history.unlessAfter !== undefined || history.moreThan !== undefined;
}

/** Without a history what restricts holds, and nothing is lifted. */
function withoutHistory({ rule: { verdict } }: CompiledRule): HistoryAnswer {
  const truth = verdict === "deny" || verdict === "ask" || verdict === "stop";
  return { truth, failed: "there is no history of this session", says: [] };
}

/** The outcomes of the `allow` rules that together cover every step; none if a step is left. */
async function allowOutcomes(rules: readonly CompiledRule[], judging: Judging, observe: boolean): Promise<Outcome[]> {
  const applicable: CompiledRule[] = [];
  try {
    for (const rule of rules) {
      if (!isOfAgent(rule, judging.facts)) continue;
      if (rule.asksDirty) await askDirty(judging);
      applicable.push(rule);
    }
    const says = new Map<CompiledRule, MoreConditions>();
    for (const rule of coveringRules(applicable, judging)) says.set(rule, await moreConditions(rule, judging));
    const holding = applicable.filter((rule) => says.get(rule)?.holds !== false);
    const decides = (rule: CompiledRule) => !observe && !rule.rule.observe;
    const covering = [
      ...coveringRules(holding.filter(decides), judging),
      ...coveringRules(holding, judging).filter((rule) => !decides(rule)),
    ];
    return covering.map((rule) => {
      const { says: parts = [], count } = says.get(rule) ?? {};
      return { rule, at: atStep(judging, allowedStep(rule, judging)), truth: CERTAIN, says: parts, count };
    });
  } catch {
    // What cannot be evaluated allows nothing.
    return [];
  }
}

/** The first step that a rule covers. */
function allowedStep({ tree }: CompiledRule, judging: Judging): Step | undefined {
  const { steps = [] } = judging.facts.call ?? {};
  return steps.find((step) => !tree || truthOfTree(tree, atStep(judging, step)) === CERTAIN);
}
