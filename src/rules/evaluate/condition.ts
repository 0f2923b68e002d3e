import { CERTAIN, type Condition, type FactName, NO, type OwnSets, type Truth } from "../rule.ts";
import type { At } from "./fact-values.ts";
import { compileLiteral, type Literal, truthOfLiteral } from "./literal.ts";
import { both, either } from "./truth.ts";

/** A condition with `not` pushed down to its tests. */
export type Tree = Literal | Branch;

export interface Branch {
  kind: "all" | "any";
  /** In the order of the file. */
  of: readonly Tree[];
  /** In the order of evaluation: what costs little comes first. */
  cheapFirst: readonly Tree[];
}

export function isBranch(tree: Tree): tree is Branch {
  return "kind" in tree;
}

/** Compiles a condition. `restricting` is false for `allow` alone, which holds only on what is certain. */
export function compileCondition(
  condition: Condition,
  options: { restricting: boolean; sets: OwnSets },
  negated = false,
): Tree {
  if (condition.kind === "not") return compileCondition(condition.of, options, !negated);
  if (condition.kind === "fact") return compileLiteral(condition, { ...options, negated });
  const of = condition.of.map((part) => compileCondition(part, options, negated));
  const kind = (condition.kind === "all") === negated ? "any" : "all";
  return { kind, of, cheapFirst: of.toSorted((a, b) => costOf(a) - costOf(b)) };
}

/** Facts that read files, search texts or look patterns up. */
const COSTS: Partial<Record<FactName, number>> = {
  paths: 2,
  reads: 2,
  writes: 2,
  hosts: 2,
  sends: 2,
  text: 3,
  safety: 3,
  secrets: 4,
  branch: 5,
  dirty: 6,
};

function costOf(tree: Tree): number {
  return isBranch(tree) ? Math.max(0, ...tree.of.map(costOf)) : (COSTS[tree.fact] ?? 1);
}

/** The truth of a condition at a step. */
export function truthOfTree(tree: Tree, at: At): Truth {
  if (!isBranch(tree)) return truthOfLiteral(tree, at);
  let truth: Truth = tree.kind === "all" ? CERTAIN : NO;
  const end = tree.kind === "all" ? NO : CERTAIN;
  for (const part of tree.cheapFirst) {
    truth = tree.kind === "all" ? both(truth, truthOfTree(part, at)) : either(truth, truthOfTree(part, at));
    if (truth === end) return truth;
  }
  return truth;
}

/** The tests of a condition, in the order of the file. */
export function literalsOf(tree: Tree): readonly Literal[] {
  return isBranch(tree) ? tree.of.flatMap(literalsOf) : [tree];
}
