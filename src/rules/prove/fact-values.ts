import { FACT_TABLE } from "../fact-table.ts";
import type { Literal } from "./formula.ts";
import { both, type Language, NOTHING, not } from "./language.ts";

/** Finds the shortest text of a language; undefined if there is none. */
export type FindWord = (language: Language) => string | undefined;

/** The literals of a formula about one fact. */
export type Literals = readonly Literal[];

/** Returns a value for a fact with one value, `null` for its absence, and undefined if neither satisfies the literals. */
export function oneValue(literals: Literals, universe: Language, find: FindWord): string | null | undefined {
  const parts = [universe];
  let mayMiss = true;
  for (const { atom, holds } of literals) {
    if (atom.kind !== "one") continue;
    parts.push(holds ? atom.language : not(atom.language));
    if (atom.absent !== holds) mayMiss = false;
  }
  return mayMiss ? null : find(both(parts));
}

/** The language that one value of a fact must be in, and whether it may be absent. */
export function oneLanguage(literals: Literals): { language: Language; mayMiss: boolean } {
  const ones = literals.flatMap(({ atom, holds }) => (atom.kind === "one" ? [{ atom, holds }] : []));
  return {
    language: both(ones.map(({ atom, holds }) => (holds ? atom.language : not(atom.language)))),
    mayMiss: ones.every(({ atom, holds }) => atom.absent === holds),
  };
}

/** True if the fact can be absent. */
export function mayBeAbsent(literals: Literals): boolean {
  return literals.every(({ atom, holds }) => {
    switch (atom.kind) {
      case "one":
        return atom.absent === holds;
      case "some":
      case "number":
        return !holds;
      case "every":
        return holds;
      case "free":
        return true;
    }
  });
}

interface SeveralOptions {
  /** The values that there are. */
  universe: Language;
  /** True if the step runs code that the line does not show, so that it does not count what the fact lacks. */
  hidden: boolean;
  /** True if a value of which nothing is known can be among them. */
  mayBeUnknown: boolean;
}

/**
 * Returns values for a fact with several, as few as satisfy the literals; undefined if none do. Each literal that asks for a
 * value gets one of its own: no other literal forbids that there are more.
 */
export function severalValues(literals: Literals, options: SeveralOptions, find: FindWord): string[] | undefined {
  const known = valuesOf(literals, options, false, find);
  return known ?? (options.mayBeUnknown ? valuesOf(literals, options, true, find) : undefined);
}

function valuesOf(
  literals: Literals,
  options: SeveralOptions,
  withUnknown: boolean,
  find: FindWord,
): string[] | undefined {
  const demands = demandsOf(literals, options, withUnknown);
  if (!demands) return undefined;
  const values = new Set<string>(withUnknown ? [UNKNOWN_VALUE] : []);
  for (const language of demands.wanted) {
    const word = find(both([demands.every, language]));
    if (word === undefined) return undefined;
    values.add(word);
  }
  return [...values];
}

/** What every value of a fact must be in, and what one must be in each; undefined if the literals contradict. */
export function demandsOf(
  literals: Literals,
  { universe, hidden }: Pick<SeveralOptions, "universe" | "hidden">,
  withUnknown: boolean,
): { every: Language; wanted: readonly Language[] } | undefined {
  const allowed = [universe];
  const wanted: Language[] = [];
  for (const { atom, holds } of literals) {
    if (atom.kind === "some") {
      const { language, unknownHits, wide } = atom;
      if (!holds) {
        if (withUnknown && unknownHits) return undefined;
        allowed.push(not(language));
      } else if (!(withUnknown && unknownHits)) wanted.push(wide);
    } else if (atom.kind === "every") {
      const { language, wide } = atom;
      if (holds) {
        if (hidden || (withUnknown && language.key === NOTHING.key)) return undefined;
        allowed.push(wide);
      } else if (!hidden && !(withUnknown && language.key === NOTHING.key)) wanted.push(not(language));
    }
  }
  return { every: both(allowed), wanted };
}

/** Stands for a value that an expansion decides. */
export const UNKNOWN_VALUE = "$X";

/** Returns a number that satisfies the literals, `null` for its absence, and undefined if neither does. */
export function numberValue(literals: Literals): number | null | undefined {
  if (mayBeAbsent(literals)) return null;
  let [above, below] = [-1, Infinity];
  const excluded: { above: number; below: number }[] = [];
  for (const { atom, holds } of literals) {
    if (atom.kind !== "number") continue;
    if (holds) [above, below] = [Math.max(above, atom.above), Math.min(below, atom.below)];
    else excluded.push(atom);
  }
  // Between the borders of the conditions one number is as good as another.
  const borders = [above, ...excluded.flatMap((range) => [range.above, range.below])].filter(Number.isFinite);
  const candidates = borders.flatMap((border) => [border, border + 1, Math.floor(border) + 1, border + 0.001]);
  return candidates
    .sort((a, b) => Number(!Number.isInteger(a)) - Number(!Number.isInteger(b)) || a - b)
    .find(
      (value) =>
        value >= 0 && value > above && value < below && !excluded.some((no) => value > no.above && value < no.below),
    );
}

/** True for facts about which hidden code leaves open what it does not show. */
export function isHidden(fact: string): boolean {
  return Object.hasOwn(FACT_TABLE, fact) && FACT_TABLE[fact as keyof typeof FACT_TABLE].hidden === true;
}
