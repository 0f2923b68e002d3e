import { memoize } from "../../lib/once.ts";
import type { Rule } from "../rule.ts";
import { isEnforced, isUndecided, severityOf, type Witness } from "./call.ts";
import { findCall, type Prover } from "./prove.ts";

/** A call that one version of the rules judges more severely than the other. */
export interface Change {
  /** The rule of the stricter version. */
  rule: string;
  /** The verdicts of the whole versions on the call; `none` without one. */
  old: string;
  new: string;
  witness: Witness;
}

export interface Comparison {
  weaker: Change[];
  stronger: Change[];
  /** Rules for which no answer was found. */
  undecided: string[];
}

/** Returns what each version of a set of rules stops and the other does not, with a call that shows it. */
export async function compareRules(old: readonly Rule[], now: readonly Rule[], prover: Prover): Promise<Comparison> {
  const undecided: string[] = [];
  const weaker = await stricterRules(old, now, prover, undecided);
  const stronger = await stricterRules(now, old, prover, undecided);
  return {
    weaker: weaker.map(({ rule, strict, other, witness }) => ({ rule, old: strict, new: other, witness })),
    stronger: stronger.map(({ rule, strict, other, witness }) => ({ rule, old: other, new: strict, witness })),
    undecided: [...new Set(undecided)],
  };
}

interface Difference {
  rule: string;
  strict: string;
  other: string;
  witness: Witness;
}

async function stricterRules(
  strict: readonly Rule[],
  other: readonly Rule[],
  prover: Prover,
  undecided: string[],
): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const rule of strict) {
    const severity = severityOf(rule.verdict);
    if (!isEnforced(rule) || severity === 0) continue;
    const equal = other.filter((one) => isEnforced(one) && severityOf(one.verdict) >= severity);
    if (equal.some((one) => sayingOf(one) === sayingOf(rule))) continue;
    const witness = await findCall(rule, equal, prover);
    if (witness === "none") continue;
    if (typeof witness === "string" || isUndecided(rule) || equal.some(isUndecided)) {
      undecided.push(rule.name);
      continue;
    }
    found.push({
      rule: rule.name,
      strict: await verdictOn(witness, strict, prover),
      other: await verdictOn(witness, other, prover),
      witness,
    });
  }
  return found;
}

/** What decides whether a rule hits: two with the same hit the same calls. */
const sayingOf = memoize(({ when, agents, if: expression, history, sets }: Rule): string =>
  JSON.stringify([when, agents, expression, history, sets]),
);

/** The most severe verdict of rules on a call: `stop` > `deny` > `ask` > `allow` > none. */
async function verdictOn(witness: Witness, rules: readonly Rule[], { judge }: Prover): Promise<string> {
  const enforced = rules.filter((rule) => isEnforced(rule) && ORDER.includes(rule.verdict) && !isUndecided(rule));
  const hits = await judge(witness).hits(enforced, (rule) => pastHolds(rule, witness));
  const verdicts = enforced.filter((_, index) => hits[index]).map(({ verdict }) => verdict as string);
  return ORDER.find((verdict) => verdicts.includes(verdict)) ?? "none";
}

const ORDER: readonly string[] = ["stop", "deny", "ask", "allow"];

function pastHolds({ history: { after, unlessAfter, moreThan } }: Rule, witness: Witness): boolean {
  if (after || (moreThan && moreThan.n > 0)) return false;
  return !unlessAfter || witness.after === undefined;
}
