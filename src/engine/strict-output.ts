import type { EventContract } from "../protocol/events.ts";
import {
  ANSWER_FIELDS,
  type HookOutput,
  INSTRUCTION_KEYS,
  isBlocked,
  OUTPUT_FIELDS,
  SPECIFIC_FIELDS,
  type SpecificOutput,
  TRANSITION_KEYS,
} from "../protocol/output.ts";
import type { HookContext } from "./handler.ts";

/**
 * Returns what a strict reading refuses in an answer, beyond the problems of any answer. `value` is the whole answer and
 * `specific` its `hook_specific_output`, both as the hook gave them.
 */
export function strictProblems(context: HookContext, value: object, specific: object, output: HookOutput): string[] {
  return [...unknownKeys(value, specific, output), ...unsupportedAnswers(context, output)];
}

/** Reports the first unknown key of each level. A key set to null counts as absent. */
function unknownKeys(value: object, specific: object, output: HookOutput): string[] {
  const { instruction_context: instructions = [], transition = {} } = output.hook_specific_output ?? {};
  const levels: [objects: readonly object[], known: readonly string[], prefix: string][] = [
    [[value], Object.keys(OUTPUT_FIELDS), ""],
    [[specific], Object.keys(SPECIFIC_FIELDS), "hook_specific_output."],
    [instructions, INSTRUCTION_KEYS, "hook_specific_output.instruction_context."],
    [[transition], TRANSITION_KEYS, "hook_specific_output.transition."],
  ];
  return levels.flatMap(([objects, known, prefix]) => {
    const given = objects
      .flatMap((one) => Object.entries(one))
      .filter(([, inner]) => inner !== null && inner !== undefined);
    const unknown = given.find(([key]) => !known.includes(key));
    return unknown ? [`invalid hook output: unknown key ${JSON.stringify(prefix + unknown[0])}`] : [];
  });
}

/** Returns the answers that the event does not accept. */
function unacceptedAnswers({ accepts }: EventContract, specific: SpecificOutput): string[] {
  return Object.entries(ANSWER_FIELDS).flatMap(([answer, fields]) =>
    !(accepts as readonly string[]).includes(answer) && fields.some((field) => specific[field] !== undefined)
      ? [answer]
      : [],
  );
}

/** True for a value that would change nothing on any event: an empty text, list or object. */
function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/**
 * Says which fields of an answer have no effect, because the event does not accept them; undefined if there are none. A
 * verdict is left out: the result of the dispatch reports it.
 */
export function unusedText({ event, contract }: HookContext, output: HookOutput): string | undefined {
  const specific = Object.fromEntries(
    Object.entries(output.hook_specific_output ?? {}).filter(([, value]) => !isEmpty(value)),
  );
  const unused = unacceptedAnswers(contract, specific).filter((answer) => answer !== "permission_decision");
  if (unused.length === 0) return undefined;
  const taken = contract.accepts.length > 0 ? contract.accepts.join(", ") : "no field of hook_specific_output";
  return `${unused.join(", ")} ${unused.length === 1 ? "has" : "have"} no effect: ${event} takes ${taken}`;
}

/** Returns the problem of a verdict on an event that takes a block but no verdict, or undefined. */
export function untakenVerdict({ event, contract }: HookContext, output: HookOutput): string | undefined {
  const verdict = output.hook_specific_output?.permission_decision;
  if (contract.verdict !== undefined || (verdict !== "deny" && verdict !== "ask")) return undefined;
  return `${event} takes no permission_decision: to refuse, exit with code 2 or answer decision block`;
}

/** Reports answers that the event does not support. */
function unsupportedAnswers({ event, contract }: HookContext, output: HookOutput): string[] {
  const specific: SpecificOutput = output.hook_specific_output ?? {};
  const problems: string[] = [];
  if (specific.hook_event_name !== undefined && specific.hook_event_name !== event)
    problems.push(`output hook_event_name ${JSON.stringify(specific.hook_event_name)} does not match ${event}`);
  if (isBlocked(output) && !contract.canBlock) problems.push(`${event} does not support blocking output`);
  for (const answer of unacceptedAnswers(contract, specific)) problems.push(`${event} does not support ${answer}`);
  if (output.suppress_output === true) problems.push("suppress_output is not supported; use stderr for diagnostics");
  return problems;
}
