import { isHidden, UNKNOWN_VALUE } from "./fact-values.ts";
import type { Formula, Literal } from "./formula.ts";
import { includes } from "./includes.ts";
import { NOTHING } from "./language.ts";
import type { Model } from "./model.ts";

/**
 * Whether the call of a model makes a formula true. False also where the model leaves open whether it does: history, the
 * label and whatever else no condition has asked for yet.
 */
export function fitsModel(model: Model, formula: Formula): boolean {
  if (formula.kind === "literal") return fitsLiteral(model, formula.literal);
  const fits = (part: Formula): boolean => fitsModel(model, part);
  return formula.kind === "all" ? formula.of.every(fits) : formula.of.some(fits);
}

function fitsLiteral(model: Model, { atom, holds }: Literal): boolean {
  if (atom.kind === "free") return (atom.name === "opaque" ? model.opaque : model.free.get(atom.name)) === holds;
  const { fact } = atom;
  if (atom.kind === "number") {
    const number = model.numbers.get(fact);
    return (number !== undefined && number > atom.above && number < atom.below) === holds;
  }
  const values = model.values.get(fact) ?? [];
  if (atom.kind === "one") {
    const [value] = values;
    if (value === undefined && fact === "safety") return false;
    return (value === undefined ? atom.absent : includes(atom.language, value)) === holds;
  }
  const isUnknown = values.includes(UNKNOWN_VALUE);
  const known = isUnknown ? values.filter((value) => value !== UNKNOWN_VALUE) : values;
  if (atom.kind === "some") {
    const language = holds ? atom.wide : atom.language;
    return ((isUnknown && atom.unknownHits) || known.some((value) => includes(language, value))) === holds;
  }
  if (model.opaque && isHidden(fact)) return !holds;
  if (isUnknown && atom.language.key === NOTHING.key) return !holds;
  return holds
    ? known.every((value) => includes(atom.wide, value))
    : known.some((value) => !includes(atom.language, value));
}
