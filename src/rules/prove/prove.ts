/**
 * Proofs about rules: whether a call can pass them, and what two versions of them differ in. It judges calls with the
 * evaluator that it is given, and reads no file.
 */
import type { Place } from "../../facts/place.ts";
import type { Condition, Rule } from "../rule.ts";
import { newBudget, within } from "./budget.ts";
import { isEnforced, isUndecided, type Judge, severityOf, type Witness } from "./call.ts";
import { callsFor, type SampleCalls } from "./candidates.ts";
import { findModel } from "./find-model.ts";
import { allOf, negated } from "./formula.ts";
import type { Model } from "./model.ts";
import { historyOf, LIFTED, type Past, ruleFormula } from "./rule-formula.ts";
import { wordFinder } from "./shortest-word.ts";
import type { ProofTables } from "./tables.ts";

/** What questions are answered with. */
export interface Prover {
  tables: ProofTables;
  samples: SampleCalls;
  judge: Judge;
  /** Where the calls run. */
  place: Place;
}

export interface Answer {
  answer: "proved" | "refuted" | "undecided";
  witness?: Witness;
  /** What the answer depends on, or why there is none. */
  undecided: string[];
}

/** What keeps an answer from being found. */
const LIMIT = "limit";
const NO_CALL = "no call found that shows it";

/**
 * Whether no call for which a condition holds passes all rules. `proved` comes from the tables and the languages of the
 * conditions alone, `refuted` only with a call that the evaluator lets pass.
 */
export async function neverPasses(
  condition: Condition,
  rules: readonly Rule[],
  options: { asksPass: boolean; hooks: readonly string[]; sets: Rule["sets"] },
  prover: Prover,
): Promise<Answer> {
  const least = options.asksPass ? 2 : 1;
  const stopping = rules.filter((rule) => isEnforced(rule) && severityOf(rule.verdict) >= least);
  const found = await findCall(ruleOf(condition, options.sets), stopping, prover);
  if (found === "none") return { answer: "proved", undecided: [] };
  const open = [...stopping.filter(isUndecided).map(({ name }) => name), ...options.hooks];
  if (found === "limit") return { answer: "undecided", undecided: [...open, LIMIT] };
  if (open.length > 0) return { answer: "undecided", undecided: open };
  return found === "unknown"
    ? { answer: "undecided", undecided: [NO_CALL] }
    : { answer: "refuted", witness: found, undecided: [] };
}

/**
 * Returns the shortest call that one rule hits and others do not, as the evaluator confirms. `none`: there is none.
 * `unknown`: there may be one. It is enough to look at calls with one step: the step at which the condition holds is a call
 * that no rule stops either.
 */
export async function findCall(
  hitting: Rule,
  passing: readonly Rule[],
  prover: Prover,
): Promise<Witness | "none" | "unknown" | "limit"> {
  const found = within(() => {
    const budget = newBudget();
    const find = wordFinder(budget);
    const asked = ruleFormula(hitting, prover.place);
    const formula = allOf([asked, ...passing.map((rule) => negated(ruleFormula(rule, prover.place)))]);
    const model = findModel(formula, { tables: prover.tables, find, budget });
    return { model, calls: callsFor(asked, model, find, prover.samples) };
  });
  if (found === "limit") return "limit";
  const { model, calls } = found;
  const sure = passing.filter((rule) => !isUndecided(rule));
  for (const call of calls) {
    const witness = await confirmed(call, [hitting], sure, model, prover);
    if (witness) return witness;
  }
  return model ? "unknown" : "none";
}

async function confirmed(
  call: Witness,
  hitting: readonly Rule[],
  sure: readonly Rule[],
  model: Model | undefined,
  { judge, samples }: Prover,
): Promise<Witness | undefined> {
  const judged = judge(call);
  const canLift = sure.some(({ history }) => history.unlessAfter);
  for (const allLifted of canLift ? [false, true] : [false]) {
    const past: Past = (name) => model?.free.get(name) ?? (allLifted && name.startsWith(LIFTED));
    if ((await judged.hits(hitting, (rule) => historyOf(rule, past))).includes(false)) continue;
    if ((await judged.hits(sure, (rule) => historyOf(rule, past))).includes(true)) continue;
    const unlifted = await judged.hits(sure, (rule) =>
      historyOf(rule, (name) => !name.startsWith(LIFTED) && past(name)),
    );
    const after = sure.flatMap((rule, index) => (unlifted[index] ? samples.pastOf(rule) : []));
    return after.length === 0 ? call : { ...call, after: [...new Set(after)].join(" && ") };
  }
  return undefined;
}

/** A rule that hits where a condition holds. */
function ruleOf(condition: Condition, sets: Rule["sets"]): Rule {
  return {
    name: "question",
    verdict: "deny",
    message: "question",
    on: ["pre_tool_use"],
    agents: undefined,
    observe: false,
    when: condition,
    if: undefined,
    history: {},
    examples: undefined,
    sets,
    path: [],
  };
}
