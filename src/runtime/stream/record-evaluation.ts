import type { Evaluation } from "../../model/evaluators/evaluator.ts";
import type { Agent } from "../agent/agent.ts";
import type { Session } from "../session/session.ts";
import { type Runtime, recordItem, report } from "./runtime.ts";

/** Stores a request to an evaluator with its session, adds its cost, and warns once in a run if that is unknown. */
export function recordEvaluation(runtime: Runtime, session: Session, agent: Agent, sent: Evaluation): void {
  const evaluation = { ...sent, agent_name: agent.name };
  const { evaluator, usage, cost } = evaluation;
  session.cost += cost ?? 0;
  recordItem(runtime, session, { kind: "evaluation", agent: agent.name, evaluation });
  report(runtime, agent, { type: "evaluation_usage", session_id: session.id, evaluation });
  const name = `evaluator ${evaluator}`;
  if (cost === undefined && !runtime.meter.unpriced.has(name)) {
    const message = `the cost of ${name} is unknown: the service reported no tokens, or its model has no price; cost sets one, {} means free`;
    report(runtime, agent, { type: "warning", message });
  }
  runtime.meter.addCall(name, usage, cost);
}
