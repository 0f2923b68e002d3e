/**
 * The matcher of tool names: RE2 patterns in linear time. It knows no event.
 *
 * @packageDocumentation
 */
import { makeMatcher } from "./machine.ts";
import { parsePattern } from "./parse-pattern.ts";
import { compileProgram } from "./program.ts";

export { PatternError } from "./pattern-syntax.ts";

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
