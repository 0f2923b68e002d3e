import * as v from "valibot";

const text = v.string();

/** What a hook on a routing event, or a forced handoff, decided: where it is stored and reported, empty fields are absent. */
export const RoutingDecisionSchema = v.object({
  id: text,
  invocation_id: text,
  step_id: text,
  /** RFC 3339 */
  created_at: text,
  phase: v.picklist(["before_agent_run", "after_agent_complete", "force_handoff"]),
  from_agent: text,
  /** The destination; absent without a route. */
  to_agent: v.exactOptional(text),
  action: v.picklist(["route", "force_handoff", "none", "blocked"]),
  /** The evaluator that was asked, what it chose, how probable that is, and its model. */
  evaluator: v.exactOptional(text),
  selected: v.exactOptional(text),
  probability: v.exactOptional(v.number()),
  model: v.exactOptional(text),
  /** Why the default agent was taken. */
  fallback_reason: v.exactOptional(text),
  /** Why the run was stopped. */
  reason: v.exactOptional(text),
});

export type RoutingDecision = v.InferOutput<typeof RoutingDecisionSchema>;

/** The fields of a decision that evaluators give. */
export type EvaluatorFields = Pick<
  RoutingDecision,
  "evaluator" | "selected" | "probability" | "model" | "fallback_reason"
>;

/** Returns the fields that an evaluator gives, from the metadata of its answer. */
export function evaluatorFields(metadata: Readonly<Record<string, string>> = {}): EvaluatorFields {
  const { evaluator, evaluator_choice, evaluator_probability, evaluator_model, fallback_reason } = metadata;
  const probability = Number(evaluator_probability || Number.NaN);
  return {
    ...(evaluator ? { evaluator } : {}),
    ...(evaluator_choice ? { selected: evaluator_choice } : {}),
    ...(Number.isFinite(probability) ? { probability } : {}),
    ...(evaluator_model ? { model: evaluator_model } : {}),
    ...(fallback_reason ? { fallback_reason } : {}),
  };
}

/** Formats a decision as one line: `routed root -> specialist (complex 0.92)`. */
export function decisionText(decision: RoutingDecision): string {
  const { action, from_agent, to_agent = "", reason } = decision;
  if (action === "blocked") return `stopped at ${from_agent}: ${reason ?? "a hook blocked it"}`;
  return action === "none" ? `no route from ${from_agent}` : routeText({ ...decision, to_agent });
}

/** Formats a route or a forced handoff as one line. */
export function routeText({
  phase,
  from_agent,
  to_agent,
  selected,
  probability,
  fallback_reason,
}: Pick<RoutingDecision, "phase" | "from_agent"> & EvaluatorFields & { to_agent: string }): string {
  const chosen = [selected, probability, fallback_reason].filter((part) => part !== undefined).join(" ");
  const verb = phase === "force_handoff" ? "handed over" : "routed";
  return `${verb} ${from_agent} -> ${to_agent}${chosen === "" ? "" : ` (${chosen})`}`;
}
