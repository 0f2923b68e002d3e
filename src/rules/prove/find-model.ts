import type { FindWord } from "./fact-values.ts";
import { fitsModel } from "./fits-model.ts";
import type { Formula } from "./formula.ts";
import { type Model, modelOf } from "./model.ts";
import { search } from "./search.ts";
import type { Budget } from "./shortest-word.ts";
import type { ProofTables } from "./tables.ts";

/** Finds a call that makes a formula true, as the tables and the languages of its conditions see it; undefined if there is none. */
export function findModel(
  formula: Formula,
  { tables, find, budget }: { tables: ProofTables; find: FindWord; budget: Budget },
): Model | undefined {
  return search(formula, budget, { of: (literals) => modelOf(literals, tables, find), satisfies: fitsModel });
}
