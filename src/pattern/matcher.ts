import { compilePattern } from "./pattern.ts";

/**
 * Compiles a matcher, which matches a tool if it matches the whole of one of its names. Throws a `PatternError` if it
 * is invalid.
 */
export function compileMatcher(pattern: string): (names: readonly string[]) => boolean {
  if (pattern === "" || pattern === "*") return () => true;
  const literals = literalNames(pattern);
  if (literals) return (names) => names.some((name) => literals.includes(name));
  const compiled = compilePattern(pattern);
  return (names) => names.some((name) => compiled.test(name));
}

const LITERAL_NAMES = /^[A-Za-z0-9_:-]+(?:\|[A-Za-z0-9_:-]+)*$/;

/** The names in a pattern that consists only of names separated by `|`; undefined for any other pattern. */
export function literalNames(pattern: string): string[] | undefined {
  return LITERAL_NAMES.test(pattern) ? pattern.split("|") : undefined;
}
