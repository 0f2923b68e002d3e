import type { Usage } from "../messages/message.ts";

/** US dollars per million tokens. Source: config-and-cli 4.5 (`cost`). */
export interface Prices {
  input?: number | undefined;
  output?: number | undefined;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

/**
 * What a call cost in US dollars: 0 when it is priced and free, undefined when the model has no price or the provider
 * reported no usage.
 *
 * Source: runtime 13.4.
 */
export function computeCost(usage: Usage | undefined, prices: Prices | undefined): number | undefined {
  if (!usage || !prices) return undefined;
  const micros =
    (usage.input_tokens ?? 0) * (prices.input ?? 0) +
    (usage.output_tokens ?? 0) * (prices.output ?? 0) +
    (usage.cached_input_tokens ?? 0) * (prices.cache_read ?? 0) +
    (usage.cached_write_tokens ?? 0) * (prices.cache_write ?? 0);
  return micros / 1e6;
}
