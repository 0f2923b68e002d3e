import { makeMatcher } from "./machine.ts";
import { parsePattern } from "./parse-pattern.ts";
import { compileProgram } from "./program.ts";

export { PatternError } from "./pattern-syntax.ts";

/** A compiled pattern on names. */
export interface Pattern {
  /**
   * True when the whole name matches. Takes at most 10 ms for a name of 256 bytes, and grows in proportion for longer
   * ones: a name of any length is judged, so that no guard can be switched off by padding.
   */
  test(name: string): boolean;
}

/**
 * Compiles a regular expression that must match a whole name, as if it stood in `^(?:...)$`. The dialect is RE2's:
 * no look-around, no back-references, flags `i`, `m`, `s` and `U` inside the pattern only. Unlike there, `.` matches a
 * newline too, unless the pattern says `(?-s)`: a matcher judges whole names. Throws a {@link PatternError} for text outside the dialect, for counts over 1000 and for patterns too large to be fast.
 * `*` for "every name" is not part of the dialect.
 */
export function compilePattern(text: string): Pattern {
  return { test: makeMatcher(compileProgram(parsePattern(text))) };
}
