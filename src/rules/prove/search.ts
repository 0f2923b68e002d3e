import { type Atom, allOf, type Formula, type Literal } from "./formula.ts";
import type { Budget } from "./shortest-word.ts";

/**
 * Finds a choice of literals that makes a formula true and that `check` accepts; undefined if there is none. `check` gets
 * the literals chosen so far, and must not refuse a choice of which it accepts a larger one.
 */
export function search<Model>(
  formula: Formula,
  budget: Budget,
  check: (literals: readonly Literal[]) => Model | undefined,
): Model | undefined {
  const chosen = new Map<string, Literal>();
  const choices: Formula[] = [];
  if (!assume(formula, chosen, choices)) return undefined;
  return follow(choices, chosen, budget, check);
}

function follow<Model>(
  choices: readonly Formula[],
  chosen: ReadonlyMap<string, Literal>,
  budget: Budget,
  check: (literals: readonly Literal[]) => Model | undefined,
): Model | undefined {
  budget.spend();
  const literals = new Map(chosen);
  const open = simplified(choices, literals);
  if (!open) return undefined;
  const model = check([...literals.values()]);
  if (model === undefined || open.length === 0) return model;
  const [next, ...rest] = open.sort((a, b) => sizeOf(a) - sizeOf(b));
  if (!next || next.kind !== "any") return undefined;
  for (const option of next.of) {
    const further = new Map(literals);
    const added = [...rest];
    const found = assume(option, further, added) ? follow(added, further, budget, check) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Drops what the literals decide, and takes over what is left of a choice with one option. Undefined: it cannot be true. */
function simplified(choices: readonly Formula[], literals: Map<string, Literal>): Formula[] | undefined {
  let open = [...choices];
  for (let before = -1; before !== literals.size; ) {
    before = literals.size;
    const next: Formula[] = [];
    for (const choice of open) {
      const rest = under(choice, literals);
      if (!assume(rest, literals, next)) return undefined;
    }
    open = next;
  }
  return open;
}

/** What is left of a formula if the literals hold. */
function under(formula: Formula, literals: ReadonlyMap<string, Literal>): Formula {
  if (formula.kind === "literal") {
    const known = literals.get(formula.literal.atom.key);
    if (!known) return formula;
    return { kind: known.holds === formula.literal.holds ? "all" : "any", of: [] };
  }
  const of: Formula[] = [];
  const settling = formula.kind === "all" ? "any" : "all";
  for (const part of formula.of) {
    const rest = under(part, literals);
    if (rest.kind === settling && rest.of.length === 0) return rest;
    if (rest.kind === formula.kind) of.push(...rest.of);
    else of.push(rest);
  }
  const [only] = of;
  return only && of.length === 1 ? only : { kind: formula.kind, of };
}

/** Makes a formula true: adds its literals, and its choices to `choices`. False if it contradicts a literal. */
function assume(formula: Formula, literals: Map<string, Literal>, choices: Formula[]): boolean {
  if (formula.kind === "literal") {
    const { literal } = formula;
    const known = literals.get(literal.atom.key);
    literals.set(literal.atom.key, literal);
    return known === undefined || known.holds === literal.holds;
  }
  if (formula.kind === "all") return formula.of.every((part) => assume(part, literals, choices));
  if (formula.of.length === 0) return false;
  choices.push(formula);
  return true;
}

function sizeOf(formula: Formula): number {
  return formula.kind === "literal" ? 1 : formula.of.length;
}

/** The atoms of a formula. */
export function atomsOf(formula: Formula): Atom[] {
  return formula.kind === "literal" ? [formula.literal.atom] : formula.of.flatMap(atomsOf);
}

export { allOf };
