import type { Fit } from "../../facts/facts.ts";
import { FACT_TABLE, type FactFacts } from "../fact-table.ts";
import { CERTAIN, type FactName, NO, OPAQUE, type OwnSets, POSSIBLE, type Test, type Truth } from "../rule.ts";
import { isInSpan, parseTimeSpan, type TimeSpan } from "../time-span.ts";
import {
  type At,
  type FactValue,
  type FactValues,
  flagOf,
  isUnreadable,
  numberOf,
  presenceOf,
  textsOf,
  valuesOf,
} from "./fact-values.ts";
import { compileMatches, compilePatterns, type Fitter } from "./fitters.ts";
import { both, either, not, truthOf } from "./truth.ts";

/** The test of one fact, ready to run. */
export interface Literal {
  fact: FactName;
  key: string | undefined;
  test: Test;
  /** True under an odd number of `not`. */
  negated: boolean;
  /** True for a verdict that restricts: doubt makes it hold. */
  restricting: boolean;
  facts: FactFacts;
  sets: OwnSets;
  /** The truth, but for `not`, if there is no value. */
  ofNothing: Truth;
  fits: Partial<Record<"in" | "notIn" | "only" | "matches", Fitter>>;
  spans: Partial<Record<"in" | "notIn" | "only", readonly TimeSpan[]>>;
}

/** Compiles the test of one fact. */
export function compileLiteral(
  { fact, key, test }: { fact: FactName; key?: string; test: Test },
  { negated, restricting, sets }: { negated: boolean; restricting: boolean; sets: OwnSets },
): Literal {
  const facts = FACT_TABLE[fact];
  const literal: Literal = {
    fact,
    key,
    test,
    negated,
    restricting,
    facts,
    sets,
    ofNothing: ofNothing(test),
    fits: {},
    spans: {},
  };
  for (const operator of ["in", "notIn", "only"] as const) {
    const patterns = test[operator];
    if (!patterns) continue;
    if (facts.kind === "time")
      literal.spans[operator] = patterns.map(parseTimeSpan).filter((span) => typeof span !== "string");
    else literal.fits[operator] = compilePatterns(fact, patterns, sets);
  }
  if (test.matches !== undefined) literal.fits.matches = compileMatches(fact, test.matches);
  return literal;
}

/** A value that must be there is not, and `only` and `false` hold of nothing. */
function ofNothing({ in: some, notIn, matches, moreThan, lessThan, is }: Test): Truth {
  return truthOf((some ?? notIn ?? matches ?? moreThan ?? lessThan) === undefined && is !== true);
}

/** The truth of a test at a step. */
export function truthOfLiteral(literal: Literal, at: At): Truth {
  const { fact, facts, negated } = literal;
  if (isUnreadable(fact, facts.of, at)) return POSSIBLE;
  const truth = plainTruth(literal, at);
  return negated ? not(truth) : truth;
}

function plainTruth(literal: Literal, at: At): Truth {
  const { fact, facts, test } = literal;
  switch (facts.kind) {
    case "truth":
      return test.is === false ? not(flagOf(fact, at)) : flagOf(fact, at);
    case "number": {
      const value = numberOf(fact, at);
      return value === undefined ? literal.ofNothing : truthOf(numberFits(test, value));
    }
    case "time":
      return truthOf(timeFits(literal, at.facts.now));
    default: {
      const values = valuesOf(fact, literal.key, at);
      if (values.values.length === 0 && !values.open && !(facts.hidden && at.step?.opaque)) return literal.ofNothing;
      if (fact === "tool") return nameTruth(literal, values, at);
      if (facts.kind === "one") return alternativesTruth(literal, values, at);
      return setTruth(literal, values, at);
    }
  }
}

function numberFits(test: Test, value: number): boolean {
  const { in: some, notIn, only, is } = test;
  const isOneOf = (list: readonly string[]) => list.some((text) => Number(text) === value);
  return (
    is !== false &&
    (!some || isOneOf(some)) &&
    (!notIn || !isOneOf(notIn)) &&
    (!only || isOneOf(only)) &&
    isBetween(test, value)
  );
}

function isBetween({ moreThan, lessThan }: Test, value: number): boolean {
  return (moreThan === undefined || value > moreThan) && (lessThan === undefined || value < lessThan);
}

function timeFits({ spans }: Literal, now: number): boolean {
  const isIn = (list: readonly TimeSpan[]) => list.some((span) => isInSpan(span, now));
  return (!spans.in || isIn(spans.in)) && (!spans.notIn || !isIn(spans.notIn)) && (!spans.only || isIn(spans.only));
}

/** The truth for a tool, which has several names at once. */
function nameTruth(literal: Literal, { values }: FactValues, at: At): Truth {
  const { test, fits } = literal;
  const hasName = (fitter: Fitter | undefined) => values.some((value) => fitter?.(value, at, "either") === "all");
  return truthOf(
    test.is !== false &&
      (!fits.in || hasName(fits.in)) &&
      (!fits.notIn || !hasName(fits.notIn)) &&
      (!fits.only || hasName(fits.only)) &&
      (!fits.matches || hasName(fits.matches)),
  );
}

/** The truth for one value. If an expansion decides which, it is certain only for what holds of all. */
function alternativesTruth(literal: Literal, { values }: FactValues, at: At): Truth {
  const { test } = literal;
  // A program that may be one of several is there; a verb may be none of them.
  const isSure = values.some(({ sure }) => sure) || (literal.fact === "program" && values.length > 1);
  const presence = isSure ? CERTAIN : POSSIBLE;
  const parts: Truth[] = [];
  if (test.is !== undefined) parts.push(test.is ? presence : not(presence));
  if (hasExistential(literal)) {
    const truths = values.map((value) => existentialTruth(literal, value, at));
    const all = truths.every((truth) => truth === truths[0]) ? (truths[0] ?? NO) : POSSIBLE;
    parts.push(both(all, presence));
  }
  if (literal.fits.only) {
    const truths = values.map((value) => onlyTruth(literal, value, at));
    const all = truths.every((truth) => truth === truths[0]) ? (truths[0] ?? CERTAIN) : POSSIBLE;
    parts.push(presence === POSSIBLE && all === NO ? POSSIBLE : all);
  }
  return parts.reduce(both, CERTAIN);
}

/** The truth for a set of values: marks, things, and members of a list in the arguments. */
function setTruth(literal: Literal, { values, open }: FactValues, at: At): Truth {
  const { facts, test, negated, restricting } = literal;
  const isHidden = facts.hidden === true && at.step?.opaque === true;
  const some = (truth: Truth) => (isHidden ? either(truth, OPAQUE) : truth);
  const every = (truth: Truth) => (isHidden && truth === CERTAIN ? OPAQUE : truth);
  const presence = values.reduce<Truth>((most, value) => either(most, presenceOf(value)), open ? POSSIBLE : NO);
  const parts: Truth[] = [];
  if (test.is !== undefined) parts.push(test.is ? some(presence) : not(some(presence)));
  if (hasExistential(literal)) {
    // An `allow` needs every thing to fit, and a restricting verdict under `not` is lifted by no less.
    const needsAll = facts.kind === "things" && restricting === negated;
    const truths = values.map((value) => existentialTruth(literal, value, at));
    if (needsAll) {
      const harmless = (value: FactValue) => literal.fact === "env" && !isAssigned(value, at);
      const all = values.reduce<Truth>(
        (least, value, index) =>
          harmless(value) ? least : both(least, either(truths[index] ?? NO, not(presenceOf(value)))),
        open ? POSSIBLE : CERTAIN,
      );
      const fitting = values.filter((value, index) => !harmless(value) || truths[index] !== NO);
      const present = fitting.reduce<Truth>((most, value) => either(most, presenceOf(value)), open ? POSSIBLE : NO);
      parts.push(both(every(all), some(present)));
    } else {
      const greatest = values.reduce<Truth>(
        (most, value, index) => either(most, both(truths[index] ?? NO, presenceOf(value))),
        open ? POSSIBLE : NO,
      );
      parts.push(some(greatest));
    }
  }
  if (literal.fits.only) {
    const all = values.reduce<Truth>(
      (least, value) => both(least, either(onlyTruth(literal, value, at), not(presenceOf(value)))),
      open ? POSSIBLE : CERTAIN,
    );
    parts.push(every(all));
  }
  return parts.reduce(both, CERTAIN);
}

/** True for a variable that could change what the program does. */
function isAssigned(value: FactValue, at: At): boolean {
  const [name = ""] = textsOf(value);
  return at.step?.assigns.includes(name) !== false;
}

function hasExistential({ fits, test }: Literal): boolean {
  return Boolean(fits.in ?? fits.notIn ?? fits.matches) || test.moreThan !== undefined || test.lessThan !== undefined;
}

/** The truth of all operators that one value must meet. */
export function existentialTruth(literal: Literal, value: FactValue, at: At): Truth {
  const { fits, test } = literal;
  const [need, other] = needsOf(literal);
  let truth: Truth = CERTAIN;
  if (fits.in) truth = both(truth, fitTruth(literal, fits.in(value, at, need)));
  if (fits.notIn) truth = both(truth, outsideTruth(fits.notIn(value, at, other)));
  if (fits.matches) truth = both(truth, fitTruth(literal, fits.matches(value, at, need)));
  if (test.moreThan !== undefined || test.lessThan !== undefined) {
    const text = textsOf(value)[0]?.trim();
    truth = both(truth, truthOf(isBetween(test, text ? Number(text) : Number.NaN)));
  }
  return truth;
}

function onlyTruth(literal: Literal, value: FactValue, at: At): Truth {
  return fitTruth(literal, literal.fits.only?.(value, at, needsOf(literal)[0]) ?? "none");
}

/** Which spelling of a path must fit what is asked for, and what is ruled out: doubt restricts. */
function needsOf({ negated, restricting }: Literal): ["either" | "both", "either" | "both"] {
  return negated === restricting ? ["both", "either"] : ["either", "both"];
}

/** The truth of a fit to what is asked for. */
function fitTruth(literal: Literal, fit: Fit): Truth {
  switch (fit) {
    case "all":
      return CERTAIN;
    case "some":
      return POSSIBLE;
    case "none":
      return NO;
    case "unknown":
      return unknownTruth(literal);
  }
}

/** The truth of a value of which nothing useful is known: it may lie anywhere, so it may well lie outside. */
function unknownTruth({ negated, test }: Literal): Truth {
  const isAsked = (test.in && !test.in.includes("outside")) || test.matches !== undefined;
  return isAsked && !negated ? OPAQUE : POSSIBLE;
}

/** The truth of a fit to what is ruled out. */
function outsideTruth(fit: Fit): Truth {
  return fit === "all" ? NO : fit === "none" ? CERTAIN : POSSIBLE;
}
