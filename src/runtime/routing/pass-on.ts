import { cannotRun, needsRouting } from "../agent/agent.ts";
import type { Invocation } from "../stream/invocation.ts";
import { agentNamed, report } from "../stream/runtime.ts";
import { failStream, type Turn, type TurnEnd } from "../stream/stream-state.ts";
import { continueWith, recordTakeover } from "./continue-with.ts";
import { handOver, select } from "./transition.ts";

/**
 * Hands the conversation to the next agent after an answer: the one that `after_agent_complete` hooks route to, or the one
 * that always takes over. Returns undefined if there is none; the work on the request is then over.
 */
export async function passOn(turn: Turn, answer: string): Promise<TurnEnd | undefined> {
  const { stream, agent } = turn;
  const { runtime, session } = stream;
  const invocation = runtime.invocations.get(session);
  if (invocation) return completeActivation(turn, invocation, answer);
  const target = session.pinnedAgent === undefined ? forcedTarget(turn) : undefined;
  if (target === undefined) return undefined;
  const refusal = needsRouting(agentNamed(runtime, target));
  if (refusal !== undefined) {
    await failStream(stream, agent, { message: refusal });
    return { reason: "error", continues: false };
  }
  await continueWith(stream, agent, target, "force_handoff");
  recordTakeover(stream, agent);
  return { reason: "force_handoff", continues: true };
}

/** Returns the agent that always takes over. Warns if that one cannot run. */
function forcedTarget({ stream: { runtime, signal }, agent }: Turn): string | undefined {
  const target = agent.forceHandoff;
  if (target === undefined || signal.aborted) return undefined;
  const objection = cannotRun(agentNamed(runtime, target));
  if (objection === undefined) return target;
  report(runtime, agent, { type: "warning", message: `force_handoff: ${objection}` });
  return undefined;
}

/** A blank or incomplete answer, and a canceled stream, lead to no other agent. */
async function completeActivation(turn: Turn, invocation: Invocation, answer: string): Promise<TurnEnd | undefined> {
  const { stream, agent } = turn;
  const { invocations } = stream.runtime;
  if (stream.signal.aborted) return { reason: "canceled", continues: false };
  if (answer.trim() === "" || (agent.structuredOutput && !isJson(answer))) {
    invocations.delete(stream.session);
    return undefined;
  }
  const selected = await select(stream, agent, invocation, "after_agent_complete", answer);
  invocation.previousOutput = answer;
  const target = selected.kind === "none" ? forcedTarget(turn) : undefined;
  const next = target === undefined ? selected : await handOver(stream, agent, invocation, target);
  if (next.kind === "ended") return { reason: next.reason, continues: false };
  if (next.kind === "routed") {
    recordTakeover(stream, agent);
    return { reason: target === undefined ? "continue" : "force_handoff", continues: true };
  }
  invocations.delete(stream.session);
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
