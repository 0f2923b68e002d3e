import { contractOf, type EventName } from "../../protocol/events.ts";
import { foreignForm } from "../permissions/foreign-form.ts";

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
