import { errorText } from "../../lib/errors.ts";
import { compilePattern, literalNames } from "../../pattern/pattern.ts";
import { commaList, foreignForm, foreignMatcher } from "../permissions/foreign-form.ts";

/**
 * Returns the problem with a matcher, or undefined. If another agent would accept it, says how to write it for
 * hooksh.
 */
export function matcherProblem(pattern: string): string | undefined {
  if (pattern === "" || pattern === "*" || literalNames(pattern)) return undefined;
  const names = commaList(pattern);
  if (names) {
    const tools = names.map((name) => foreignForm(name)?.tool ?? name);
    return `${JSON.stringify(pattern)}: names of tools are separated by |, so write ${tools.join("|")}`;
  }
  // Checks each alternative: Bash(rm:*)|Write.
  for (const part of pattern.split(/\|(?![^(]*\))/)) {
    const form = foreignMatcher(part);
    if (!form) continue;
    const instead = form.rule === form.tool ? "" : `; to judge its arguments, write a permission rule: ${form.rule}`;
    return `${JSON.stringify(pattern)}: a matcher names tools, so write ${form.tool}${instead}`;
  }
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
