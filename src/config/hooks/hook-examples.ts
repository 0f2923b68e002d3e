import { isObject } from "../../lib/json.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import { DISPATCH_DECISIONS, type DispatchDecision, decisionOf, isDispatchDecision } from "../../protocol/result.ts";

/** What a hook is about: the main argument of a tool, a prompt, or a complete input. */
export type HookExample = string | Readonly<Record<string, unknown>>;

/** The examples beside a hook, by the decision that they must lead to. `hooksh test` runs them. */
export type HookExamples = Readonly<Partial<Record<DispatchDecision, readonly HookExample[]>>>;

/** A problem with examples, at a path below the key `examples`. */
export interface ExamplesProblem {
  message: string;
  path: readonly (string | number)[];
}

/** Returns what is wrong with the value of `examples`. */
export function examplesProblems(examples: unknown, event: EventName): ExamplesProblem[] {
  if (examples === undefined) return [];
  if (!isObject(examples))
    return [{ path: [], message: `examples must be a mapping of decisions: ${decisionsOn(event).join(", ")}` }];
  return Object.entries(examples).flatMap(([decision, list]): ExamplesProblem[] => {
    if (!isDispatchDecision(decision) || !decisionsOn(event).includes(decision))
      return [
        {
          path: [decision],
          message: `examples: ${event} has no decision ${JSON.stringify(decision)}; it has ${decisionsOn(event).join(", ")}`,
        },
      ];
    if (!Array.isArray(list) || list.length === 0)
      return [{ path: [decision], message: "examples must be a list of texts or inputs" }];
    const wrong = list.findIndex((item: unknown) => typeof item !== "string" && !isObject(item));
    return wrong < 0 ? [] : [{ path: [decision, wrong], message: "an example must be a text or a mapping" }];
  });
}

/** Returns the decisions that hooks of an event can lead to. */
export function decisionsOn(event: EventName): readonly DispatchDecision[] {
  const { canBlock, verdict } = contractOf(event);
  const refusal = canBlock ? decisionOf(event, { allowed: false }) : undefined;
  const verdicts: readonly DispatchDecision[] =
    verdict === "decision" ? ["allow", "ask"] : verdict === "permission" ? ["allow"] : [];
  return DISPATCH_DECISIONS.filter((name) => name === "none" || name === refusal || verdicts.includes(name));
}
