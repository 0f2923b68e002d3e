import { CERTAIN, type FactName, POSSIBLE, type Truth } from "../rule.ts";
import { isBranch, type Tree, truthOfTree } from "./condition.ts";
import { type At, type FactValue, numberOf, shownValue, valuesOf } from "./fact-values.ts";
import { compileLiteral, existentialTruth, type Literal, truthOfLiteral } from "./literal.ts";

/** A test that held, and the value that made it hold. */
export interface HeldTest {
  fact: FactName;
  /** The fact, of `input` with its path. */
  label: string;
  sure: boolean;
  /** The value that made it hold; of what is possible, the pattern that was tested. Undefined if no value is there. */
  value: string | undefined;
  /** The value for the text of the message. */
  shown: string | undefined;
}

/** The tests of a condition that held at a step, in the order of the file. */
export function heldTests(tree: Tree, at: At): HeldTest[] {
  const truth = truthOfTree(tree, at);
  if (truth < POSSIBLE) return [];
  return isBranch(tree) ? tree.of.flatMap((part) => heldTests(part, at)) : [heldTest(tree, truth, at)];
}

function heldTest(literal: Literal, truth: Truth, at: At): HeldTest {
  const { fact, key } = literal;
  const label = key === undefined ? fact : `${fact}.${key}`;
  const sure = truth === CERTAIN;
  const found = hitOf(literal, at);
  const hit = found && shownValue(found);
  if (literal.negated !== (literal.test.is === false)) return { fact, label, sure, value: undefined, shown: hit };
  const value = sure ? (plainValue(literal, at) ?? hit) : testedPattern(literal, at);
  return { fact, label, sure, value, shown: sure ? value : literal.test.in ? value : hit };
}

/** The values of facts that are no texts. */
function plainValue({ facts, fact, test }: Literal, at: At): string | undefined {
  if (facts.kind === "number") return String(numberOf(fact, at) ?? "");
  if (facts.kind === "time") return (test.in ?? test.only ?? []).join(", ");
  return facts.kind === "truth" ? "true" : undefined;
}

/** The value that made a test hold: the first of those that fit best, or that under `not` do not fit. */
function hitOf(literal: Literal, at: At): FactValue | undefined {
  const { values } = valuesOf(literal.fact, literal.key, at);
  const { in: some, notIn, matches, moreThan, lessThan, is } = literal.test;
  const hasTest = (some ?? notIn ?? matches ?? moreThan ?? lessThan) !== undefined;
  const wanted = (value: FactValue): number => {
    const truth = hasTest ? existentialTruth(literal, value, at) : CERTAIN;
    const fit = literal.negated && is === undefined ? CERTAIN - truth : truth;
    return fit * 2 + (value.sure ? 1 : 0);
  };
  let best: FactValue | undefined;
  for (const value of values) if (best === undefined || wanted(value) > wanted(best)) best = value;
  return best;
}

/** What was tested of a fact that is only possible. */
function testedPattern(literal: Literal, at: At): string {
  const { fact, key, test, restricting, sets, fits } = literal;
  if (literal.facts.kind === "truth") return "true";
  const programs = (at.step?.program ?? []).map(({ text }) => text);
  const shown = (pattern: string) => (fact === "flags" ? (at.tests.flag(programs, pattern)[0] ?? pattern) : pattern);
  const holds = (pattern: string) => {
    const part = { fact, ...(key !== undefined && { key }), test: { in: [pattern] } };
    const single = compileLiteral(part, { negated: false, restricting, sets });
    return truthOfLiteral(single, at) >= POSSIBLE;
  };
  if (test.in) return shown(test.in.length === 1 ? (test.in[0] ?? "") : (test.in.find(holds) ?? test.in.join(", ")));
  if (test.matches !== undefined) return test.matches;
  if (fits.notIn) return `not ${(test.notIn ?? []).map(shown).join(", ")}`;
  return fits.only ? (test.only ?? []).map(shown).join(", ") : "any";
}
