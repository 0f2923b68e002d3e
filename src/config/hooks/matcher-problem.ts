import { errorText } from "../../lib/errors.ts";
import { compilePattern } from "../../pattern/pattern.ts";
import { literalNames } from "../../pattern/plain-names.ts";
import { commaList, foreignForm, foreignMatcher } from "../permissions/foreign-form.ts";

/** Says what is wrong with a matcher, and how it is written here if it has the form of another product. */
export function matcherProblem(pattern: string): string | undefined {
  if (pattern === "" || pattern === "*" || literalNames(pattern)) return undefined;
  const names = commaList(pattern);
  if (names) {
    const tools = names.map((name) => foreignForm(name)?.tool ?? name);
    return `${JSON.stringify(pattern)}: names of tools are separated by |, so write ${tools.join("|")}`;
  }
  // Alternatives are judged one by one: Bash(rm:*)|Write.
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
