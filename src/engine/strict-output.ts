import {
  ANSWER_FIELDS,
  type HookOutput,
  INSTRUCTION_KEYS,
  isBlocked,
  OUTPUT_FIELDS,
  SPECIFIC_FIELDS,
  type SpecificOutput,
} from "../protocol/output.ts";
import type { HookContext } from "./handler.ts";

/**
 * Returns what `strict_output` refuses in an answer, beyond the problems of any answer. `value` is the whole answer and
 * `specific` its `hook_specific_output`, both as the hook gave them.
 */
export function strictProblems(context: HookContext, value: object, specific: object, output: HookOutput): string[] {
  return [...unknownKeys(value, specific, output), ...unsupportedAnswers(context, output)];
}

/** Reports the first unknown key of each level. A key set to null counts as absent. */
function unknownKeys(value: object, specific: object, output: HookOutput): string[] {
  const levels: [objects: readonly object[], known: readonly string[], prefix: string][] = [
    [[value], Object.keys(OUTPUT_FIELDS), ""],
    [[specific], Object.keys(SPECIFIC_FIELDS), "hook_specific_output."],
    [
      output.hook_specific_output?.instruction_context ?? [],
      INSTRUCTION_KEYS,
      "hook_specific_output.instruction_context.",
    ],
  ];
  return levels.flatMap(([objects, known, prefix]) => {
    const given = objects
      .flatMap((one) => Object.entries(one))
      .filter(([, inner]) => inner !== null && inner !== undefined);
    const unknown = given.find(([key]) => !known.includes(key));
    return unknown ? [`invalid hook output: unknown key ${JSON.stringify(prefix + unknown[0])}`] : [];
  });
}

/** Reports answers that the event does not support. */
function unsupportedAnswers({ event, contract }: HookContext, output: HookOutput): string[] {
  const specific: SpecificOutput = output.hook_specific_output ?? {};
  const problems: string[] = [];
  if (specific.hook_event_name !== undefined && specific.hook_event_name !== event)
    problems.push(`output hook_event_name ${JSON.stringify(specific.hook_event_name)} does not match ${event}`);
  if (isBlocked(output) && !contract.canBlock) problems.push(`${event} does not support blocking output`);
  for (const [answer, fields] of Object.entries(ANSWER_FIELDS)) {
    const isAccepted = (contract.accepts as readonly string[]).includes(answer);
    if (!isAccepted && fields.some((field) => specific[field] !== undefined))
      problems.push(`${event} does not support ${answer}`);
  }
  if (output.suppress_output === true) problems.push("suppress_output is not supported; use stderr for diagnostics");
  return problems;
}
