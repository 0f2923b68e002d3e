import { errorText, type Help } from "../lib/errors.ts";
import { plainTextLength, withoutNulls } from "../lib/json.ts";
import { memoize, once } from "../lib/once.ts";
import { findMismatch, mismatchText, type Shape } from "../lib/schema/shape.ts";
import type { EventContract } from "../protocol/events.ts";
import {
  ANSWER_FIELDS,
  BLOCK,
  type HookOutput,
  INSTRUCTION_KEYS,
  isBlocked,
  OUTPUT_FIELDS,
  SPECIFIC_FIELDS,
  type SpecificOutput,
  TRANSITION_KEYS,
} from "../protocol/output.ts";
import { DECISIONS } from "../protocol/result.ts";
import { blockingCaseText, unreadKeyText, withDialectAdvice, withKnownCase } from "../protocol/unread-answer.ts";
import type { HookContext } from "./handler.ts";
import { blocksOnFailure, isStrict } from "./hook-policy.ts";

export const ANSWER_THAT_CANNOT_BE_READ: Help = {
  cause:
    "A key is misspelled, stands at the wrong level or has a value of the wrong type, or the event does not accept it. A guard whose answer cannot be read blocks.",
  cure: "Put `permission_decision` and the like under `hook_specific_output`; [events](events.md) shows an answer for each event. Set `strict_output: true` to find such mistakes early.",
};

export const ANSWER_WITHOUT_EFFECT: Help = {
  cause:
    "The event cannot be blocked, takes no decision or no such field, or another hook already rewrote the same call.",
  cure: "Use an event that can do it ([events](events.md)); set `rewrite: true` to chain rewrites.",
};

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

readKeys.help = ANSWER_THAT_CANNOT_BE_READ;

/** Fields in which null means absent at every depth. Rewritten arguments keep their nulls. */
const NULL_MEANS_ABSENT = new Set(["updated_messages", "metadata", "instruction_context"]);

const keysOf = memoize(Object.keys);

/** Returns the known keys whose values are not null and have the right type; reports those of a wrong type. */
function validFields(
  value: Readonly<Record<string, unknown>>,
  shapes: Readonly<Record<string, Shape>>,
  prefix: string,
  report: (problem: string) => void,
): Record<string, unknown> {
  const valid: Record<string, unknown> = {};
  for (const key of keysOf(shapes)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined;
    const shape = shapes[key];
    if (given === null || given === undefined || shape === undefined) continue;
    const inner = NULL_MEANS_ABSENT.has(key) ? withoutNulls(given) : given;
    const mismatch = findMismatch(shape, inner);
    if (mismatch)
      report(
        `invalid hook output: ${prefix}${mismatchText({ ...mismatch, path: [key, mismatch.path].filter(Boolean).join(".") })}`,
      );
    else if (isSerializable(inner, report)) valid[key] = inner;
  }
  return valid;
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

/** True if an answer blocks or denies on an event that can be blocked or decided. */
export function blocksEvent(contract: EventContract, output: HookOutput): boolean {
  if (isBlocked(output) && contract.canBlock) return true;
  return contract.verdict !== undefined && output.hook_specific_output?.permission_decision === "deny";
}

/** Removes unknown verdicts from an answer and reports them. */
function removeUnknownVerdicts(context: HookContext, output: HookOutput, report: (problem: string) => void): void {
  const { decision = "", hook_specific_output: specific = {} } = output;
  const isLenient = decision === "allow" && !isStrict(context);
  if (decision !== "" && decision !== BLOCK && !isLenient) {
    report(withDialectAdvice(`invalid decision ${JSON.stringify(decision)}: expected block`, context.hook, output));
    delete output.decision;
  }
  const { permission_decision: verdict = "" } = specific;
  if (verdict !== "" && !(DECISIONS as readonly string[]).includes(verdict)) {
    report(`invalid permission_decision ${JSON.stringify(verdict)}: expected allow, ask, or deny`);
    delete specific.permission_decision;
  }
}

removeUnknownVerdicts.help = ANSWER_THAT_CANNOT_BE_READ;

/** Removes a transition that the event does not take, or that names no agent, and reports it. */
function removeInvalidTransition(
  { event, contract }: HookContext,
  { hook_specific_output: specific = {} }: HookOutput,
  report: (problem: string) => void,
): void {
  if (specific.transition === undefined) return;
  const { action = "", agent = "" } = specific.transition;
  const problem = !contract.accepts.includes("transition")
    ? `${event} does not support transition`
    : action !== "route"
      ? `invalid transition action ${JSON.stringify(action)}: expected route`
      : agent.trim() === ""
        ? "route transition requires an agent"
        : undefined;
  if (problem === undefined) return;
  report(problem);
  delete specific.transition;
}

removeInvalidTransition.help = ANSWER_THAT_CANNOT_BE_READ;

/**
 * Returns what a strict reading refuses in an answer, beyond the problems of any answer. `value` is the whole answer and
 * `specific` its `hook_specific_output`, both as the hook gave them.
 */
function strictProblems(context: HookContext, value: object, specific: object, output: HookOutput): string[] {
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

const answerFields = once(() => Object.entries(ANSWER_FIELDS));

/** Returns the answers that the event does not accept. */
function unacceptedAnswers({ accepts }: EventContract, specific: SpecificOutput): string[] {
  return answerFields().flatMap(([answer, fields]) =>
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

unusedText.help = ANSWER_WITHOUT_EFFECT;

/** Returns the problem of a verdict on an event that takes a block but no verdict, or undefined. */
function untakenVerdict({ event, contract }: HookContext, output: HookOutput): string | undefined {
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
