/**
 * Proofs about rules: whether a call can pass them, and what two versions of them differ in. It judges calls with the
 * evaluator that it is given, and reads no file.
 */
import type { Condition, Rule } from "../rule.ts";
import { newBudget, within } from "./budget.ts";
import { isEnforced, isUndecided, type Judge, severityOf, type Witness } from "./call.ts";
import { callsFor, type SampleCalls } from "./candidates.ts";
import { allOf, type Formula, negated } from "./formula.ts";
import { type Model, modelOf } from "./model.ts";
import { conditionFormula, historyOf, LIFTED, type Past, ruleFormula } from "./rule-formula.ts";
import { search } from "./search.ts";
import { wordFinder } from "./shortest-word.ts";
import type { ProofTables } from "./tables.ts";

/** What questions are answered with. */
export interface Prover {
  tables: ProofTables;
  samples: SampleCalls;
  judge: Judge;
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
  const found = await findCall(
    {
      formula: allOf([
        conditionFormula(condition, options.sets),
        ...stopping.map((rule) => negated(ruleFormula(rule))),
      ]),
      hitting: [ruleOf(condition, options.sets)],
      passing: stopping,
    },
    prover,
  );
  if (found === "none") return { answer: "proved", undecided: [] };
  const open = [...stopping.filter(isUndecided).map(({ name }) => name), ...options.hooks];
  if (found === "limit") return { answer: "undecided", undecided: [...open, LIMIT] };
  if (open.length > 0) return { answer: "undecided", undecided: open };
  return found === "unknown"
    ? { answer: "undecided", undecided: [NO_CALL] }
    : { answer: "refuted", witness: found, undecided: [] };
}

/** A question about one call: it makes the formula true, these rules hit it, and these do not. */
export interface CallQuestion {
  formula: Formula;
  hitting: readonly Rule[];
  passing: readonly Rule[];
}

/**
 * Returns the shortest call that the evaluator confirms. `none`: there is none. `unknown`: there may be one. It is enough
 * to look at calls with one step: the step at which the condition holds is a call that no rule stops either.
 */
export async function findCall(
  question: CallQuestion,
  prover: Prover,
): Promise<Witness | "none" | "unknown" | "limit"> {
  const found = within(() => {
    const budget = newBudget();
    const find = wordFinder(budget);
    const model = search(question.formula, budget, (literals) => modelOf(literals, prover.tables, find));
    return { model, calls: callsFor(question.formula, model, find, prover.samples) };
  });
  if (found === "limit") return "limit";
  const { model, calls } = found;
  for (const call of calls) {
    const witness = await confirmed(call, question, model, prover);
    if (witness) return witness;
  }
  return model ? "unknown" : "none";
}

async function confirmed(
  call: Witness,
  { hitting, passing }: CallQuestion,
  model: Model | undefined,
  { judge, samples }: Prover,
): Promise<Witness | undefined> {
  const judged = judge(call);
  const sure = passing.filter((rule) => !isUndecided(rule));
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
export function ruleOf(condition: Condition, sets: Rule["sets"]): Rule {
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
