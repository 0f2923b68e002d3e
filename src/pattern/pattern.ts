/**
 * The matcher of tool names: RE2 patterns in linear time. It knows no event.
 *
 * @packageDocumentation
 */
import { parsePattern } from "./parse-pattern.ts";
import { compileProgram, makeMatcher } from "./program.ts";
import { simpleTest } from "./simple-test.ts";

export { PatternError } from "./pattern-reader.ts";
export { literalNames } from "./simple-test.ts";

/** A compiled pattern. */
export interface Pattern {
  /**
   * True if the whole name matches. Takes at most 10 ms for a name of 256 bytes, and time in proportion for longer
   * names. There is no maximum length, so that padding a name cannot bypass a guard.
   */
  test(name: string): boolean;
}

/**
 * Compiles a regular expression that must match a whole name, as if it were in `^(?:...)$`. The syntax is that of RE2:
 * no look-around, no back-references, and the flags `i`, `m`, `s` and `U` inside the pattern only. Unlike in RE2, `.`
 * also matches a newline unless the pattern says `(?-s)`, so that a newline in a name cannot bypass `.*`. Throws a
 * {@link PatternError} for other syntax, for counts above 1000 and for patterns too large to be fast. `*` for "every
 * name" is not part of the syntax. Why hooksh has its own matcher: docs/design/decisions.md#matcher.
 */
export function compilePattern(text: string): Pattern {
  return { test: makeMatcher(compileProgram(parsePattern(text))) };
}

/** The matchers that were compiled. Loading a file asks for each more than once: to check it, to warn, to match. */
const compiled = new Map<string, (names: readonly string[]) => boolean>();
const MOST_COMPILED = 10_000;

/**
 * Compiles a matcher, which matches a tool if it matches the whole of one of its names. Throws a `PatternError` if it
 * is invalid.
 */
export function compileMatcher(pattern: string): (names: readonly string[]) => boolean {
  if (pattern === "" || pattern === "*") return () => true;
  const known = compiled.get(pattern);
  if (known) return known;
  const test = simpleTest(pattern) ?? compilePattern(pattern).test;
  const matches = (names: readonly string[]) => names.some(test);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(pattern, matches);
  return matches;
}
