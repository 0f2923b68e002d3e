import { errorText } from "../lib/errors.ts";
import { compilePattern } from "../lib/pattern.ts";
import { plainNames } from "../lib/plain-names.ts";

/** What is wrong with a matcher, or nothing. Source: hooks 4.1. */
export function matcherProblem(pattern: string): string | undefined {
  if (pattern === "" || pattern === "*" || plainNames(pattern)) return undefined;
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
