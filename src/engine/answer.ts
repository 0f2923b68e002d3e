import type { HookDefinition } from "../config/hooks/read-hooks.ts";
import { errorText } from "../lib/errors.ts";
import { plainTextLength, withoutNulls } from "../lib/json.ts";
import { findMismatch, mismatchText, type Shape } from "../lib/schema/shape.ts";
import type { EventContract, EventName } from "../protocol/events.ts";
import {
  ANSWER_FIELDS,
  BLOCK,
  type HookOutput,
  INSTRUCTION_KEYS,
  isBlocked,
  OUTPUT_FIELDS,
  SPECIFIC_FIELDS,
  type SpecificOutput,
} from "../protocol/output.ts";
import { DECISIONS } from "../protocol/result.ts";
import { type AnswerLevel, intendedKey, isAnswerKey, misspelledKey } from "../protocol/spelling.ts";

/** The hook whose answer is read, on which event, under which contract. */
export interface HookContext {
  event: EventName;
  contract: EventContract;
  hook: HookDefinition;
}

/** A hook's answer with everything in it that can be used, and what is wrong with the rest. */
export interface ReadAnswer {
  output: HookOutput;
  /** What makes the answer a failure unless it blocks, the most basic first. */
  problems: string[];
  /** What to say about an unknown key that looks meant, or an answer without a known key; undefined for any other answer. */
  unread: string | undefined;
}

/** Reads the object that a hook printed or returned. Never throws. */
export function readAnswer(context: HookContext, value: Record<string, unknown>, repeatedKey?: string): ReadAnswer {
  const problems: string[] = [];
  if (repeatedKey !== undefined) problems.push(`invalid hook output: repeated key ${JSON.stringify(repeatedKey)}`);
  const report = (problem: string) => void problems.push(problem);
  const output: HookOutput = soundFields(value, OUTPUT_FIELDS, "", report);
  const raw = output.hook_specific_output ?? {};
  if (output.hook_specific_output)
    output.hook_specific_output = soundFields(raw, SPECIFIC_FIELDS, "hook_specific_output.", report);
  checkVerdicts(context, output, report);
  const unread = unreadOn("top", value) ?? unreadOn("specific", raw);
  if (unread !== undefined && context.contract.failClosed) report(`invalid hook output: ${unread}`);
  if (context.hook.strict_output) {
    checkKeys(value, raw, output, report);
    checkStrictly(context, output, report);
  }
  return { output, problems, unread };
}

/** True if an answer blocks, in a way that its event heeds. */
export function blocksEvent(contract: EventContract, output: HookOutput): boolean {
  if (isBlocked(output) && contract.canBlock) return true;
  return contract.verdict !== undefined && output.hook_specific_output?.permission_decision === "deny";
}

/** Inside these, null equals absence at every depth; the values of a rewrite of arguments keep theirs. */
const FREE_OF_NULLS = new Set(["updated_messages", "metadata", "instruction_context"]);

/** The known keys of an answer that are not null and whose values fit. */
function soundFields(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, Shape>>,
  prefix: string,
  report: (problem: string) => void,
): Record<string, unknown> {
  const sound = Object.entries(shapes).flatMap(([key, shape]): [string, unknown][] => {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    if (given === null || given === undefined) return [];
    const inner = FREE_OF_NULLS.has(key) ? withoutNulls(given) : given;
    const wrong = findMismatch(shape, inner);
    if (wrong)
      report(
        `invalid hook output: ${prefix}${mismatchText({ ...wrong, path: [key, wrong.path].filter(Boolean).join(".") })}`,
      );
    return wrong || !canBeWritten(inner, report) ? [] : [[key, inner]];
  });
  return Object.fromEntries(sound);
}

/** The results of a dispatch are written as JSON; what a hook in this process returns may not be possible to write. */
function canBeWritten(value: unknown, report: (problem: string) => void): boolean {
  if (typeof value !== "object" || plainTextLength(value) !== undefined) return true;
  try {
    JSON.stringify(value);
    return true;
  } catch (error) {
    report(`invalid hook output: cannot be serialised: ${errorText(error)}`);
    return false;
  }
}

/** Takes verdicts that do not exist out of an answer. */
function checkVerdicts({ hook }: HookContext, output: HookOutput, report: (problem: string) => void): void {
  const { decision = "", hook_specific_output: specific = {} } = output;
  const isLenient = decision === "allow" && !hook.strict_output;
  if (decision !== "" && decision !== BLOCK && !isLenient) {
    report(`invalid decision ${JSON.stringify(decision)}: expected block`);
    delete output.decision;
  }
  const { permission_decision: verdict = "" } = specific;
  if (verdict !== "" && !(DECISIONS as readonly string[]).includes(verdict)) {
    report(`invalid permission_decision ${JSON.stringify(verdict)}: expected allow, ask, or deny`);
    delete specific.permission_decision;
  }
}

const KEYS: Readonly<Record<AnswerLevel, { prefix: string; known: readonly string[] }>> = {
  top: { prefix: "", known: Object.keys(OUTPUT_FIELDS) },
  specific: { prefix: "hook_specific_output.", known: Object.keys(SPECIFIC_FIELDS) },
};

/** Says of the first unknown key that it is not read, if it looks meant or nothing beside it is known. */
function unreadOn(level: AnswerLevel, value: object): string | undefined {
  const { prefix, known } = KEYS[level];
  const unknown = Object.keys(value).filter((key) => !isAnswerKey(key, level));
  const meant =
    firstOf(unknown, (key) => intendedKey(key, level)) ??
    firstOf(unknown.slice(0, SPELT_KEYS), (key) => misspelledKey(key, level));
  if (meant) {
    const name = meant.name.includes(" ") ? meant.name : JSON.stringify(meant.name);
    return `${JSON.stringify(prefix + meant.key)} is not read, ${name} would be`;
  }
  if (unknown.length === 0 || unknown.length < Object.keys(value).length) return undefined;
  const named = unknown
    .slice(0, 3)
    .map((key) => JSON.stringify(prefix + key))
    .join(", ");
  return `no key of it is read (${named}): an answer has ${known.join(", ")}, and {} says nothing`;
}

/** Maximum unknown keys of an answer that are checked for a misspelling; each takes time. */
const SPELT_KEYS = 100;

function firstOf(
  keys: readonly string[],
  nameOf: (key: string) => string | undefined,
): { key: string; name: string } | undefined {
  for (const key of keys) {
    const name = nameOf(key);
    if (name !== undefined) return { key, name };
  }
  return undefined;
}

/** Reports the first unknown key of each level, which strict_output refuses; one set to null counts as absent. */
function checkKeys(value: object, raw: object, output: HookOutput, report: (problem: string) => void): void {
  const check = (objects: readonly object[], known: readonly string[], prefix: string) => {
    const given = objects
      .flatMap((one) => Object.entries(one))
      .filter(([, inner]) => inner !== null && inner !== undefined);
    const unknown = given.find(([key]) => !known.includes(key));
    if (unknown) report(`invalid hook output: unknown key ${JSON.stringify(prefix + unknown[0])}`);
  };
  check([value], KEYS.top.known, "");
  check([raw], KEYS.specific.known, KEYS.specific.prefix);
  check(
    output.hook_specific_output?.instruction_context ?? [],
    INSTRUCTION_KEYS,
    "hook_specific_output.instruction_context.",
  );
}

/** What else strict_output refuses beyond the usual. */
function checkStrictly({ event, contract }: HookContext, output: HookOutput, report: (problem: string) => void): void {
  const specific: SpecificOutput = output.hook_specific_output ?? {};
  if (specific.hook_event_name !== undefined && specific.hook_event_name !== event) {
    report(`output hook_event_name ${JSON.stringify(specific.hook_event_name)} does not match ${event}`);
  }
  if (isBlocked(output) && !contract.canBlock) report(`${event} does not support blocking output`);
  for (const [answer, fields] of Object.entries(ANSWER_FIELDS)) {
    const isAccepted = (contract.accepts as readonly string[]).includes(answer);
    if (!isAccepted && fields.some((field) => specific[field] !== undefined))
      report(`${event} does not support ${answer}`);
  }
  if (output.suppress_output === true) report("suppress_output is not supported; use stderr for diagnostics");
}
