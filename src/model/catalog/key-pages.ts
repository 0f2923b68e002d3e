import { findProvider, PROVIDERS, type ProviderRow } from "./providers.ts";

/** Returns a line for each of the providers that has keys: the variables that can hold the key, and its page. */
export function keyLines(providers: readonly string[]): string[] {
  return providers.flatMap((name) => {
    const row = findProvider(name);
    return row?.keyPage === undefined ? [] : [`${variablesOf(row)}, from ${row.keyPage} (${row.summary})`];
  });
}

/**
 * Returns a line for each page on which users create one of the missing keys. `missing` is as in `ResolvedModel`;
 * variables that hold no key of a known provider are left out.
 */
export function keyPages(missing: readonly string[]): string[] {
  const rows = Object.values<ProviderRow>(PROVIDERS).filter((row) => missing.includes(variablesOf(row)));
  const pages = new Map(rows.toReversed().map(({ keyPage, summary }) => [keyPage, summary]));
  return [...pages].toReversed().map(([page, summary]) => `get a key of ${summary} at ${page}`);
}

function variablesOf({ keys }: ProviderRow): string {
  return keys.join(" or ");
}
