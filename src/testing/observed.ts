import { hookNames } from "../config/hooks/hook-names.ts";
import type { DispatchRecord, HookRun } from "../engine/dispatch-record.ts";
import type { RuleHit } from "../engine/rules.ts";
import type { EventName } from "../protocol/events.ts";
import { type AnyResult, DECISIONS, type DispatchDecision, decisionOf } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** The observed result of one step: the dispatches of its event, folded into one. */
export interface Observed {
  event: EventName;
  decision: DispatchDecision;
  result: AnyResult;
  /** Every hook that ran, in the order of the dispatches. */
  runs: readonly HookRun[];
  /** Every rule that hit, in the order of the dispatches. */
  rules: readonly ObservedRule[];
  /** The payload as the first hook read it. */
  payload: Payload;
  /** The payload after all rewrites. */
  enforced: Payload;
  /** The duration of the dispatches together. */
  milliseconds: number;
  records: readonly DispatchRecord[];
}

/** A rule that hit. */
export interface ObservedRule {
  name: string;
  /** It gave the verdict of its dispatch. */
  decided: boolean;
}

/**
 * Folds the dispatches of one step, of which there is at least one. `answer`, the verdict as another agent reads it,
 * replaces their result.
 */
export function observe(event: EventName, records: readonly DispatchRecord[], answer?: AnyResult): Observed {
  // The result of the event itself says what the guards of the files that it loaded left.
  const own = records.filter((record) => record.event === event || record.event !== "prompt_file_guard");
  const result = answer ?? own.map((record) => record.result).reduce(foldResults);
  return {
    event,
    decision: decisionOf(event, result),
    result,
    runs: records.flatMap(({ runs }) => runs),
    rules: records.flatMap(({ event: of, result: own, rules }) =>
      rules.map((hit) => ({ name: hit.name, decided: isDecider(hit, decisionOf(of, own)) })),
    ),
    payload: own[0]?.payload ?? {},
    enforced: answer ? enforcedBy(answer, own) : (own.at(-1)?.enforced ?? {}),
    milliseconds: own.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    records,
  };
}

/** The payload with what another agent takes from the answer. */
function enforcedBy(answer: AnyResult, [first]: readonly DispatchRecord[]): Payload {
  const { modified_input: input, updated_tool_response: response } = answer;
  return {
    ...first?.payload,
    ...(input === undefined ? {} : { tool_input: input }),
    ...(response === undefined ? {} : { tool_response: response }),
  };
}

/** Texts of both results are joined; of verdicts the stronger wins; of rewrites the later. */
function foldResults(one: AnyResult, other: AnyResult): AnyResult {
  const joined = (key: "system_message" | "additional_context") => {
    const texts = [one[key], other[key]].filter((text) => text !== undefined);
    return texts.length === 0 ? {} : { [key]: texts.join("\n") };
  };
  const strength = (result: AnyResult) => (result.decision === undefined ? -1 : DECISIONS.indexOf(result.decision));
  const [weak, strong] = strength(one) > strength(other) ? [other, one] : [one, other];
  return {
    ...weak,
    ...strong,
    ...((other.modified_input ?? one.modified_input)
      ? { modified_input: other.modified_input ?? one.modified_input ?? {} }
      : {}),
    ...(one.metadata || other.metadata ? { metadata: { ...one.metadata, ...other.metadata } } : {}),
    ...joined("system_message"),
    ...joined("additional_context"),
    allowed: one.allowed && other.allowed,
  };
}

/** The decisions that each verdict of a rule leads to; the others decide nothing. */
const LEADS_TO: Readonly<Partial<Record<RuleHit["verdict"], readonly DispatchDecision[]>>> = {
  deny: ["deny", "block"],
  stop: ["deny", "block"],
  ask: ["ask"],
  allow: ["allow"],
};

function isDecider({ verdict, mode }: RuleHit, decision: DispatchDecision): boolean {
  return mode === undefined && LEADS_TO[verdict]?.includes(decision) === true;
}

/** True if a run is one of the hook with this name. */
export function isRunOf({ hook }: HookRun, name: string): boolean {
  return hookNames(hook.entry.hook).includes(name);
}

/** Returns the rules that hit in a step, also those that only observe. */
export function ruleHits({ records }: Pick<Observed, "records">): RuleHit[] {
  return records.flatMap(({ rules }) => rules);
}
