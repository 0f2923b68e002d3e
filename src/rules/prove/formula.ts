import type { Language } from "./language.ts";

/**
 * What a rule asks of one step, as far as proofs go. It is true if the condition hits, certainly or possibly.
 *
 * - `one`: a fact that has one value: it is in the language, or absent where that counts.
 * - `some`, `every`: a fact that has several.
 * - `number`: a number above `above` and below `below`.
 * - `free`: whatever a proof does not look into: history, the time, an expression.
 */
export type Atom =
  | { key: string; kind: "one"; fact: string; language: Language; absent: boolean }
  | {
      key: string;
      kind: "some" | "every";
      fact: string;
      language: Language;
      /** True if a path or host of which nothing is known hits too: `not_in`, `only`, `not`, the set `outside`. */
      unknownHits: boolean;
      /** Like the language, with the values that a table knows as the same; counts where the atom is to be true. */
      wide: Language;
    }
  | { key: string; kind: "number"; fact: string; above: number; below: number }
  | { key: string; kind: "free"; name: string };

/** An atom, and whether it is to be true. */
export interface Literal {
  atom: Atom;
  holds: boolean;
}

export type Formula = { kind: "all" | "any"; of: readonly Formula[] } | { kind: "literal"; literal: Literal };

export const TRUE: Formula = { kind: "all", of: [] };
export const FALSE: Formula = { kind: "any", of: [] };

export function isTrue(formula: Formula): boolean {
  return formula.kind === "all" && formula.of.length === 0;
}

export function isFalse(formula: Formula): boolean {
  return formula.kind === "any" && formula.of.length === 0;
}

export function allOf(of: readonly Formula[]): Formula {
  const parts = of.filter((one) => !isTrue(one));
  if (parts.some(isFalse)) return FALSE;
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind: "all", of: parts };
}

export function anyOf(of: readonly Formula[]): Formula {
  const parts = of.filter((one) => !isFalse(one));
  if (parts.some(isTrue)) return TRUE;
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind: "any", of: parts };
}

export function holds(atom: Atom): Formula {
  return { kind: "literal", literal: { atom, holds: true } };
}

/** The formula that is true where the other is not. */
export function negated(formula: Formula): Formula {
  if (formula.kind === "literal") {
    const { atom, holds: value } = formula.literal;
    return { kind: "literal", literal: { atom, holds: !value } };
  }
  const of = formula.of.map(negated);
  return formula.kind === "all" ? anyOf(of) : allOf(of);
}
