import { forbiddenRoute } from "../../config/agent/routes.ts";
import { omitEmpty } from "../../lib/json.ts";
import type { Agent } from "../agent/agent.ts";
import { redactorOf } from "../agent/agent-redaction.ts";
import { type EvaluatorFields, evaluatorFields, type RoutingDecision } from "../session/routing-decision.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import type { Invocation } from "../stream/invocation.ts";
import { recordItem, report } from "../stream/runtime.ts";
import { dispatchScopeOf, endBlockedStream, failStream, type Stream, type TurnEnd } from "../stream/stream-state.ts";
import { continueWith } from "./continue-with.ts";

/** How many agents may follow each other on one request. */
const MAX_TRANSITIONS = 100;

/** What follows from a decision: the agent goes on, another one does, or the stream has ended. */
export type Selection = { kind: "none" } | { kind: "routed" } | { kind: "ended"; reason: TurnEnd["reason"] };

/** Lets the hooks of the working agent on an event choose the agent that goes on. A block or an error ends the stream. */
export async function select(
  stream: Stream,
  agent: Agent,
  invocation: Invocation,
  event: "before_agent_run" | "after_agent_complete",
  output = "",
): Promise<Selection> {
  if (!agent.hooks.has(event)) return { kind: "none" };
  const payload = await payloadOf(agent, invocation, output);
  const result = await dispatch(dispatchScopeOf(stream), agent, event, payload);
  if (stream.signal.aborted || !result) return { kind: "ended", reason: "canceled" };
  const decided = { phase: event, ...evaluatorFields(result.metadata) } as const;
  if (!result.allowed) {
    record(stream, agent, invocation, { ...decided, action: "blocked", ...omitEmpty({ reason: result.message }) });
    await endBlockedStream(stream, agent, result);
    return { kind: "ended", reason: "hook_blocked" };
  }
  const target = result.transition?.agent;
  if (target === undefined) {
    record(stream, agent, invocation, { ...decided, action: "none" });
    return { kind: "none" };
  }
  const problem = agent.routes?.includes(target) ? undefined : forbiddenRoute(agent.name, target);
  return moveOn(stream, agent, invocation, { ...decided, action: "route", to_agent: target }, { problem, ...result });
}

/** Hands the request to the agent that always takes over. */
export function handOver(stream: Stream, agent: Agent, invocation: Invocation, target: string): Promise<Selection> {
  const decided = { phase: "force_handoff", action: "force_handoff", to_agent: target } as const;
  return moveOn(stream, agent, invocation, decided, { problem: undefined });
}

/** What a decision and its report have in common. */
type Decided = EvaluatorFields & Pick<RoutingDecision, "phase" | "action" | "to_agent" | "reason">;

type Move = Decided & { action: "route" | "force_handoff"; to_agent: string };

async function moveOn(
  stream: Stream,
  agent: Agent,
  invocation: Invocation,
  { action, ...decided }: Move,
  { problem, metadata = {} }: { problem: string | undefined; metadata?: Record<string, string> },
): Promise<Selection> {
  const reason = problem ?? (invocation.transitions >= MAX_TRANSITIONS ? TOO_MANY : undefined);
  if (reason !== undefined) {
    const { to_agent: _refused, ...kept } = decided;
    record(stream, agent, invocation, { ...kept, action: "blocked", reason });
    await failStream(stream, agent, { message: reason });
    return { kind: "ended", reason: "error" };
  }
  record(stream, agent, invocation, { ...decided, action });
  invocation.transitions++;
  const { runtime, session } = stream;
  report(runtime, agent, {
    type: "agent_route",
    session_id: session.id,
    ...requestFields(agent, invocation),
    ...decided,
    ...omitEmpty({ metadata }),
  });
  await continueWith(stream, agent, decided.to_agent, action);
  return { kind: "routed" };
}

const TOO_MANY = `routing exceeded the limit of ${MAX_TRANSITIONS} transitions in one invocation`;

/** Appends a decision to the session's record and reports it. It is never sent to a model. */
function record(stream: Stream, agent: Agent, invocation: Invocation, decided: Decided): void {
  const { runtime, session } = stream;
  const decision: RoutingDecision = {
    id: crypto.randomUUID(),
    ...requestFields(agent, invocation),
    created_at: new Date().toISOString(),
    ...decided,
  };
  recordItem(runtime, session, { kind: "routing_decision", agent: agent.name, routing_decision: decision });
  report(runtime, agent, { type: "routing_decision", session_id: session.id, decision });
}

function requestFields(agent: Agent, { id, activations }: Invocation) {
  return { invocation_id: id, step_id: `step-${activations}`, from_agent: agent.name };
}

/** The texts are without secrets if the agent redacts the input of its model: hooks may send them to services. */
async function payloadOf(agent: Agent, invocation: Invocation, output: string) {
  const { input, previousOutput, conversation } = invocation;
  const redact = redactorOf(agent) ?? (async (text: string) => text);
  return {
    invocation_id: invocation.id,
    step_id: `step-${invocation.activations}`,
    ...omitEmpty({
      input: await redact(input),
      previous_output: await redact(previousOutput),
      output: await redact(output),
      conversation: await Promise.all(
        conversation.map(async ({ role, content }) => ({ role, content: await redact(content) })),
      ),
    }),
  };
}
