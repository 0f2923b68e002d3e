import { errorText } from "../lib/errors.ts";
import { plainTextLength, withoutNulls } from "../lib/json.ts";
import { findMismatch, mismatchText, type Shape } from "../lib/schema/shape.ts";
import { withDialectAdvice } from "../protocol/dialect-advice.ts";
import { type HookOutput, OUTPUT_FIELDS, SPECIFIC_FIELDS } from "../protocol/output.ts";
import { blockingCaseText, unreadKeyText, withKnownCase } from "../protocol/spelling.ts";
import { blocksEvent, removeInvalidTransition, removeUnknownVerdicts } from "./answer-verdicts.ts";
import { blocksOnFailure, isStrict } from "./hook-policy.ts";
import type { HookContext } from "./handler.ts";
import { strictProblems, untakenVerdict } from "./strict-output.ts";

/** The usable part of a hook's answer, and the problems of the rest. */
export interface ReadAnswer {
  output: HookOutput;
  /** Each makes the answer a failure, unless the answer blocks. The most basic problem comes first. */
  problems: string[];
  /** A warning about a misspelled key, or about an answer without any known key; undefined if there is neither. */
  unreadKey: string | undefined;
}

/**
 * Reads the object that a hook printed or returned. `repeatedKey` occurs twice in its JSON text. An answer that would
 * block if its keys were in lower case blocks: docker-agent ignores their case. Never throws.
 */
export function readAnswer(context: HookContext, value: Record<string, unknown>, repeatedKey?: string): ReadAnswer {
  const answer = readKeys(context, value, repeatedKey);
  const cased =
    blocksOnFailure(context) || blocksEvent(context.contract, answer.output) ? undefined : withKnownCase(value);
  const output = cased && readKeys(context, cased, repeatedKey).output;
  if (!output || !blocksEvent(context.contract, output)) return answer;
  return { ...answer, output, unreadKey: answer.unreadKey && blockingCaseText(answer.unreadKey) };
}

function readKeys(context: HookContext, value: Record<string, unknown>, repeatedKey: string | undefined): ReadAnswer {
  const problems: string[] = [];
  if (repeatedKey !== undefined) problems.push(`invalid hook output: repeated key ${JSON.stringify(repeatedKey)}`);
  const report = (problem: string) => void problems.push(problem);
  const output: HookOutput = validFields(value, OUTPUT_FIELDS, "", report);
  const raw = output.hook_specific_output ?? {};
  if (output.hook_specific_output)
    output.hook_specific_output = validFields(raw, SPECIFIC_FIELDS, "hook_specific_output.", report);
  removeUnknownVerdicts(context, output, report);
  removeInvalidTransition(context, output, report);
  const unreadKey = withDialectAdvice(
    unreadKeyText("top", value) ?? unreadKeyText("specific", raw),
    context.hook,
    value,
  );
  if (blocksOnFailure(context)) {
    if (unreadKey !== undefined) report(`invalid hook output: ${unreadKey}`);
    const untaken = untakenVerdict(context, output);
    if (untaken !== undefined) report(untaken);
  }
  if (isStrict(context)) problems.push(...strictProblems(context, value, raw, output));
  return { output, problems, unreadKey };
}

/** Fields in which null means absent at every depth. Rewritten arguments keep their nulls. */
const NULL_MEANS_ABSENT = new Set(["updated_messages", "metadata", "instruction_context"]);

/** Returns the known keys whose values are not null and have the right type; reports those of a wrong type. */
function validFields(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, Shape>>,
  prefix: string,
  report: (problem: string) => void,
): Record<string, unknown> {
  const valid = Object.entries(shapes).flatMap(([key, shape]): [string, unknown][] => {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given === null || given === undefined) return [];
    const inner = NULL_MEANS_ABSENT.has(key) ? withoutNulls(given) : given;
    const mismatch = findMismatch(shape, inner);
    if (mismatch)
      report(
        `invalid hook output: ${prefix}${mismatchText({ ...mismatch, path: [key, mismatch.path].filter(Boolean).join(".") })}`,
      );
    return mismatch || !isSerializable(inner, report) ? [] : [[key, inner]];
  });
  return Object.fromEntries(valid);
}

/** Reports a value that cannot be written as JSON: a hook in this process can return one, such as a cycle. */
function isSerializable(value: unknown, report: (problem: string) => void): boolean {
  if (plainTextLength(value) !== undefined) return true;
  try {
    JSON.stringify(value);
    return true;
  } catch (error) {
    report(`invalid hook output: cannot be serialised: ${errorText(error)}`);
    return false;
  }
}
