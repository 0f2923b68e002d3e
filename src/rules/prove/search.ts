import type { Atom, Formula, Literal } from "./formula.ts";
import type { Budget } from "./shortest-word.ts";

/** How a search finds models and reads them. */
export interface Models<Model> {
  /** A model of literals; undefined if there is none. It may give one to a choice that has none, if it refuses a larger choice. */
  of(literals: readonly Literal[]): Model | undefined;
  /** True only if the literals of a model and those that make the formula true have a model together, this one. */
  satisfies(model: Model, formula: Formula): boolean;
}

/**
 * Finds a model of a formula; undefined if there is none. It looks only into the parts of the formula that the models found
 * so far do not make true: of three hundred rules a call concerns few.
 */
export function search<Model>(formula: Formula, budget: Budget, models: Models<Model>): Model | undefined {
  const literals = new Map<string, Literal>();
  const choices: Formula[] = [];
  if (!assume(formula, literals, choices)) return undefined;
  return follow({ choices, literals, model: undefined }, budget, models);
}

/** What has been decided, what is open, and the last model. */
interface Position<Model> {
  choices: readonly Formula[];
  literals: ReadonlyMap<string, Literal>;
  model: Model | undefined;
}

function follow<Model>(position: Position<Model>, budget: Budget, models: Models<Model>): Model | undefined {
  budget.spend();
  const literals = new Map(position.literals);
  const open = simplified(position.choices, literals);
  if (!open) return undefined;
  const isModel = (model: Model): boolean =>
    [...literals.values()].every((literal) => models.satisfies(model, { kind: "literal", literal }));
  const { model: last } = position;
  const model = last !== undefined && isModel(last) ? last : models.of([...literals.values()]);
  if (model === undefined) return undefined;
  const [next] = open.filter((choice) => !models.satisfies(model, choice)).sort((a, b) => sizeOf(a) - sizeOf(b));
  if (!next) return model;
  if (next.kind !== "any") return undefined;
  const rest = open.filter((choice) => choice !== next);
  for (const option of next.of) {
    const further = new Map(literals);
    const choices = [...rest];
    if (!assume(option, further, choices)) continue;
    const found = follow({ choices, literals: further, model }, budget, models);
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
