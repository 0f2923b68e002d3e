import type { Fit } from "../facts.ts";

const ORDER: readonly Fit[] = ["none", "unknown", "some", "all"];

/** The fit to any of several patterns: the greatest of none < unknown < some < all. */
export function bestFit(fits: Iterable<Fit>): Fit {
  let best = 0;
  for (const fit of fits) best = Math.max(best, ORDER.indexOf(fit));
  return ORDER[best] ?? "none";
}

/** The fit of several spellings that all have to fit. */
export function worstFit(fits: Iterable<Fit>): Fit {
  let worst = ORDER.length - 1;
  for (const fit of fits) worst = Math.min(worst, ORDER.indexOf(fit));
  return ORDER[worst] ?? "none";
}
