import { errorText } from "../../lib/errors.ts";
import { compileMatcher, literalNames } from "../../pattern/pattern.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import { commaList, foreignForm, foreignMatcher } from "../permissions/foreign-form.ts";
import { mcpForm } from "./mcp-form.ts";

/**
 * Returns the problem with a matcher, or undefined. If another agent would accept it, says how to write it for
 * hooksh.
 */
export function matcherProblem(pattern: string): string | undefined {
  if (pattern === "" || pattern === "*") return undefined;
  for (const part of pattern.split("|")) {
    const form = mcpForm(part);
    if (form) return `${JSON.stringify(part)}: ${form.why}, so write ${form.write}`;
  }
  if (literalNames(pattern)) return undefined;
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
    compileMatcher(pattern);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** A condition: the name of a tool, in which `*` matches any characters, and patterns on its arguments. */
const CONDITION = /^[\w*?.-]+(?::\w+=[^]+)?$/;

/** Returns the problem with the `if` of a hook on an event. */
export function conditionProblem(condition: string, event: EventName): string | undefined {
  if (!contractOf(event).matcher) return `if is not supported by ${event}, which is about no tool call`;
  const form = foreignForm(condition);
  if (form) return `${JSON.stringify(condition)}: a condition is tool:argument=pattern, so write ${form.rule}`;
  return CONDITION.test(condition) ? undefined : `${JSON.stringify(condition)}: expected tool:argument=pattern`;
}

/** Splits a valid condition into the tool and the patterns on its arguments. */
export function partsOfCondition(condition: string): { tool: string; patterns: { argument: string; glob: string }[] } {
  const [tool = "", ...parts] = condition.split(/:(?=\w+=)/);
  const patterns = parts.map((part) => {
    const at = part.indexOf("=");
    return { argument: part.slice(0, at), glob: part.slice(at + 1) };
  });
  return { tool, patterns };
}
