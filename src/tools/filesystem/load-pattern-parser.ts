import type { ParsePatterns } from "./patterns.ts";

/** Loads the parser for gitignore syntax, so that only those who need it pay for it. */
export async function loadPatternParser(): Promise<ParsePatterns> {
  return (await import("./patterns.ts")).parsePatterns;
}
