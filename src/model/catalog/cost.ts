import type { Usage } from "../messages/message.ts";

/** Prices in US dollars per million tokens, as in `cost` of the agent file. */
export interface Prices {
  input?: number | undefined;
  output?: number | undefined;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/**
 * Returns the cost of a call in US dollars; undefined without prices, or if the provider reported no tokens or an invalid
 * number of them, which would make the call seem free or even lower the cost of the run.
 */
export function computeCost(usage: Usage | undefined, prices: Prices | undefined): number | undefined {
  if (!usage || !prices) return undefined;
  const { input_tokens, output_tokens, cached_input_tokens, cached_write_tokens } = usage;
  const counts = [input_tokens, output_tokens, cached_input_tokens, cached_write_tokens].map((count) => count ?? 0);
  const isFree = Object.values(prices).every((price) => !price);
  if (!counts.every((count) => count >= 0) || (!isFree && counts.every((count) => count === 0))) return undefined;
  const micros =
    (usage.input_tokens ?? 0) * (prices.input ?? 0) +
    (usage.output_tokens ?? 0) * (prices.output ?? 0) +
    (usage.cached_input_tokens ?? 0) * (prices.cache_read ?? 0) +
    (usage.cached_write_tokens ?? 0) * (prices.cache_write ?? 0);
  return micros / 1e6;
}

/** Returns US dollars with up to six decimals, as a text without an exponent: `0.0123`. */
export function roundedCost(cost: number): string {
  return String(Number(cost.toFixed(6)));
}
