import type { Usage } from "../messages/message.ts";

/** Prices in US dollars per million tokens, as in `cost` of the agent file. */
export interface Prices {
  input?: number | undefined;
  output?: number | undefined;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/** Returns the cost of a call in US dollars; undefined without prices, or if the provider reported no usage. */
export function computeCost(usage: Usage | undefined, prices: Prices | undefined): number | undefined {
  if (!usage || !prices) return undefined;
  const micros =
    (usage.input_tokens ?? 0) * (prices.input ?? 0) +
    (usage.output_tokens ?? 0) * (prices.output ?? 0) +
    (usage.cached_input_tokens ?? 0) * (prices.cache_read ?? 0) +
    (usage.cached_write_tokens ?? 0) * (prices.cache_write ?? 0);
  return micros / 1e6;
}
