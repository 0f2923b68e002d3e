import { compilePattern } from "./pattern.ts";
import { literalNames } from "./plain-names.ts";

/** Compiles a matcher: it takes a tool if it matches the whole of one of its names. Throws a `PatternError` if it is invalid. */
export function compileMatcher(pattern: string): (names: readonly string[]) => boolean {
  if (pattern === "" || pattern === "*") return () => true;
  const wanted = literalNames(pattern);
  if (wanted) return (names) => names.some((name) => wanted.includes(name));
  const compiled = compilePattern(pattern);
  return (names) => names.some((name) => compiled.test(name));
}
