import { CERTAIN, NO, OPAQUE, POSSIBLE, type Truth } from "../rule.ts";

/** The smaller of two: both must hold. */
export function both(a: Truth, b: Truth): Truth {
  return a < b ? a : b;
}

/** The greater of two: one must hold. */
export function either(a: Truth, b: Truth): Truth {
  return a > b ? a : b;
}

/** `not`: what is possible stays possible, and what is opaque stays opaque. */
export function not(truth: Truth): Truth {
  return truth === CERTAIN ? NO : truth === NO ? CERTAIN : truth;
}

export function truthOf(holds: boolean): Truth {
  return holds ? CERTAIN : NO;
}

/** How a truth is called. */
export const TRUTH_NAMES: Readonly<Record<Truth, string>> = {
  [NO]: "no",
  [OPAQUE]: "opaque",
  [POSSIBLE]: "possible",
  [CERTAIN]: "certain",
};
