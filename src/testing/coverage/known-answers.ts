import { modelVerdict } from "../../config/hooks/hook-types.ts";
import type { HookDefinition, HookEntry } from "../../config/hooks/read-hooks.ts";
import type { HookRun } from "../../engine/dispatch-record.ts";
import { failurePolicy } from "../../engine/hook-policy.ts";
import { laneContract } from "../../protocol/events.ts";
import type { DispatchDecision } from "../../protocol/result.ts";

/** The answer of a hook in one run: its decision, or `failed`. */
export type SeenAnswer = DispatchDecision | "failed";

/** Answers of which a hook is known to give one: `refuses` is seen once it has denied, asked or blocked. */
export interface KnownAnswer {
  name: string;
  any: readonly SeenAnswer[];
}

const REFUSES: KnownAnswer = { name: "refuses", any: ["deny", "ask", "block"] };
const LETS_PASS: KnownAnswer = { name: "lets pass", any: ["none", "allow"] };
const FAILS: KnownAnswer = { name: "fails", any: ["failed"] };

export function answerOf({ outcome, decision }: Pick<HookRun, "outcome" | "decision">): SeenAnswer {
  return outcome.kind === "failed" ? "failed" : decision;
}

/**
 * Returns the answers that a hook is known to give: those in its examples; of a model that judges, all it may choose
 * from; of any other guard of tool calls, a refusal, a call that passes, and a failure if that blocks.
 */
export function knownAnswers({ event, lane, hook }: Pick<HookEntry, "event" | "lane" | "hook">): KnownAnswer[] {
  const examples = (Object.keys(hook.examples ?? {}) as DispatchDecision[]).map(only);
  const contract = laneContract(event, lane);
  if (hook.type === "model") return distinct([...examples, ...modelAnswers(hook)]);
  const isGuard = hook.type !== "builtin" && contract.verdict !== undefined && !hook.rewrite;
  if (!isGuard) return examples;
  const failure = failurePolicy(contract, hook) === "block" ? [FAILS] : [];
  const named = (answer: KnownAnswer) => examples.some(({ any }) => any.some((one) => answer.any.includes(one)));
  return [...examples, ...[REFUSES, LETS_PASS].filter((answer) => !named(answer)), ...failure];
}

function modelAnswers(hook: HookDefinition): KnownAnswer[] {
  const verdict = modelVerdict(hook);
  if (verdict === "call") return (["allow", "ask", "deny"] as const).map(only);
  return verdict === "block" ? [REFUSES, LETS_PASS] : [];
}

function only(decision: DispatchDecision): KnownAnswer {
  return { name: decision, any: [decision] };
}

function distinct(answers: readonly KnownAnswer[]): KnownAnswer[] {
  return answers.filter((answer, index) => answers.findIndex(({ name }) => name === answer.name) === index);
}
