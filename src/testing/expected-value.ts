import { isObject } from "../lib/json.ts";
import { isDeepEqual } from "../lib/platform.ts";
import { canMatch } from "../pattern/can-match.ts";
import { compilePattern, PatternError } from "../pattern/pattern.ts";

/** A text between slashes, followed by flags. A slash inside is written `\/`, except in a class. */
const EXPRESSION = /^\/((?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+)\/([imsU]*)$/su;

/** A text that would be an expression if a class in it ended. */
const UNCLOSED = /^\/(?:[^/\\]|\\.)+\/[imsU]*$/su;

/** Returns the regular expression of a text such as `/new branch/i`; undefined for any other value. */
export function expressionOf(value: unknown): string | undefined {
  const [, source, flags] = (typeof value === "string" && EXPRESSION.exec(value)) || [];
  if (source === undefined) return undefined;
  return flags ? `(?${flags}:${source})` : source;
}

/** Returns what is wrong with the regular expressions in an expected value: invalid, or unable to match any text. */
export function expressionProblem(value: unknown): string | undefined {
  if (Array.isArray(value) || isObject(value)) {
    return Object.values(value)
      .map(expressionProblem)
      .find((problem) => problem !== undefined);
  }
  const expression = expressionOf(value);
  if (expression === undefined) {
    const isUnclosed = typeof value === "string" && UNCLOSED.test(value);
    return isUnclosed ? `${value} is not a valid regular expression: missing closing ]` : undefined;
  }
  try {
    compilePattern(expression);
    return canMatch(expression) ? undefined : `${String(value)} cannot match any text`;
  } catch (error) {
    if (error instanceof PatternError) return `${String(value)} is not a valid regular expression: ${error.message}`;
    throw error;
  }
}

/**
 * True if a value is the expected one: equal in every part, where a text between slashes is a regular expression that
 * matches somewhere in the text at its place.
 */
export function isExpected(expected: unknown, actual: unknown): boolean {
  const expression = expressionOf(expected);
  if (expression !== undefined) return typeof actual === "string" && compiled(expression).test(actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => isExpected(item, actual[index]))
    );
  }
  if (!isObject(expected)) return isDeepEqual(expected, actual);
  if (!isObject(actual) || Object.keys(actual).length !== Object.keys(expected).length) return false;
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && isExpected(value, actual[key]));
}

/** Like {@link isExpected}, but mappings in the value may have more keys than the expected ones, at every depth. */
export function containsDeep(expected: unknown, actual: unknown): boolean {
  if (!isObject(expected)) return isExpected(expected, actual);
  return (
    isObject(actual) &&
    Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && containsDeep(value, actual[key]))
  );
}

const patterns = new Map<string, { test: (text: string) => boolean }>();

function compiled(expression: string): { test: (text: string) => boolean } {
  const known = patterns.get(expression) ?? compilePattern(`(?s:.*)(?:${expression})(?s:.*)`);
  patterns.set(expression, known);
  return known;
}
