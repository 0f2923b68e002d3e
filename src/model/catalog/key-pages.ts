import { findProvider } from "./providers.ts";

/** Returns where users get the key of a provider: `Anthropic: https://...`. Undefined for a provider without keys. */
export function keyPageOf(provider: string): string | undefined {
  const row = findProvider(provider);
  return row?.keyPage === undefined ? undefined : `${row.summary}: ${row.keyPage}`;
}

/** Returns a line for each provider: the variables that can hold its key, and where users get one. */
export function keyLines(providers: readonly string[]): string[] {
  return [...new Set(providers)].flatMap((provider) => {
    const row = findProvider(provider);
    return row?.keyPage === undefined ? [] : [`${row.keys.join(" or ")}, from ${row.keyPage} (${row.summary})`];
  });
}
