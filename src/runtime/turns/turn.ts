import { optimizeForLongRun } from "../../lib/jit.ts";
import { omitEmpty } from "../../lib/omit-empty.ts";
import { textMessage } from "../../model/messages/message.ts";
import type { ToolCall } from "../../model/model.ts";
import { compactIfFull } from "../compaction/compaction.ts";
import { dispatch } from "../dispatch-event.ts";
import { agentNamed, agentOf, carryOverContext, report } from "../runtime.ts";
import { lastUserMessage } from "../session/session.ts";
import { cannotRun } from "../team/agent.ts";
import { runBatch } from "../tool-calls/batch.ts";
import { detectLoop } from "../tool-calls/loop-detector.ts";
import { callModel } from "./model-call.ts";
import { injectFollowUp, injectSteering } from "./queued-messages.ts";
import { mustGoOn } from "./stop-guard.ts";
import {
  dispatchInTurn,
  dispatchScopeOf,
  endBlockedStream,
  failStream,
  recordMessage,
  type Stream,
  type Turn,
  type TurnReason,
  uncancellableScopeOf,
} from "./stream-state.ts";

/** Why a turn ended, and whether another one follows. */
interface TurnEnd {
  reason: TurnReason;
  continues: boolean;
}

/**
 * Runs one turn: a model call and the tool calls of its reply. Dispatches `turn_end` exactly once, even after an error
 * or a cancel. Returns true if another turn follows. See docs/design/turn.md#a-turn.
 */
export async function runTurn(turn: Turn): Promise<boolean> {
  const { stream } = turn;
  let end: TurnEnd = { reason: "error", continues: false };
  try {
    end = await takeTurn(turn);
  } finally {
    if (stream.signal.aborted) end = { reason: "canceled", continues: false };
    stream.lastReason = end.reason;
    await dispatch(uncancellableScopeOf(stream), turn.agent, "turn_end", { reason: end.reason });
  }
  return end.continues;
}

async function takeTurn(turn: Turn): Promise<TurnEnd> {
  const reply = await callModel(turn);
  // Not earlier: code that runs only once, before the first request, is cheaper to interpret.
  optimizeForLongRun();
  if (reply.kind === "ended") return reply;
  const firstItem = turn.stream.session.items.length;
  const batch = await runBatch(turn, reply.toolCalls, reply.cutOff);
  if (turn.stream.signal.aborted) return { reason: "canceled", continues: false };
  if (batch.kind === "stopped") {
    await endBlockedStream(turn.stream, turn.agent, batch.verdict);
    return { reason: "hook_blocked", continues: false };
  }
  turn.stream.followsToolCalls = reply.toolCalls.length > 0;
  turn.stream.nextModel = nextModelOf(turn, reply.toolCalls);
  const steered = await steer(turn);
  if (steered) return steered;
  return reply.toolCalls.length > 0 ? continueAfterBatch(turn, reply, firstItem) : finishAnswer(turn, reply.text);
}

function nextModelOf({ agent }: Turn, calls: readonly ToolCall[]) {
  for (const { name } of calls) {
    const model = agent.modelAfter?.(name);
    if (model) return model;
  }
  return undefined;
}

/** Takes up the messages that the user sent during the turn. */
async function steer(turn: Turn): Promise<TurnEnd | undefined> {
  const injection = await injectSteering(turn);
  if (injection === "nothing") return undefined;
  return injection === "blocked"
    ? { reason: "hook_blocked", continues: false }
    : { reason: "steered", continues: true };
}

/** The calls of a reply; `cutOff` is the one in which the reply reached the output limit. */
interface Batch {
  toolCalls: readonly ToolCall[];
  cutOff: ToolCall | undefined;
}

/** Checks for a loop after a batch, retries toolsets, and compacts a conversation that no longer fits. */
async function continueAfterBatch(turn: Turn, { toolCalls, cutOff }: Batch, firstItem: number): Promise<TurnEnd> {
  const { stream, agent } = turn;
  const message = detectLoop(stream.loopDetector, toolCalls, cutOff);
  if (message !== undefined) {
    await failStream(stream, agent, { code: "loop_detected", message });
    return { reason: "loop_detected", continues: false };
  }
  await retryToolsets(stream);
  await compactIfFull(turn, "tool_overflow", firstItem);
  return { reason: "continue", continues: true };
}

/** Retries the toolsets that have not started, because the batch may have installed what they need. */
async function retryToolsets({ runtime, session, skill, signal }: Stream): Promise<void> {
  const toolsets = [...agentOf(runtime, session).toolsets, ...(skill?.toolsets ?? [])];
  await Promise.all(toolsets.map((toolset) => toolset.retry?.(signal)));
}

/**
 * Dispatches `stop_guard`, and `stop` unless a guard sends the agent back to work, then continues with a forced handoff or with
 * queued messages.
 */
async function finishAnswer(turn: Turn, text: string): Promise<TurnEnd> {
  const { stream } = turn;
  const { session } = stream;
  if (await mustGoOn(turn, text)) return { reason: "continue", continues: true };
  const answer = omitEmpty({ stop_response: text, last_user_message: lastUserMessage(session) });
  const stopped = await dispatchInTurn(turn, "stop", answer);
  carryOverContext(stream.runtime, session, stopped?.additional_context);
  if (await forceHandoff(turn)) return { reason: "force_handoff", continues: true };
  const steered = await steer(turn);
  if (steered) return steered;
  const followUp = await injectFollowUp(turn);
  if (followUp === "blocked") return { reason: "hook_blocked", continues: false };
  return followUp === "injected" ? { reason: "continue", continues: true } : { reason: "normal", continues: false };
}

/** Hands the conversation to the agent that always takes over. Returns false if the agent names none. */
async function forceHandoff({ stream, agent }: Turn): Promise<boolean> {
  const target = agent.forceHandoff;
  if (target === undefined || stream.session.pinnedAgent !== undefined || stream.signal.aborted) return false;
  const objection = cannotRun(agentNamed(stream.runtime, target));
  if (objection) {
    report(stream.runtime, agent, { type: "warning", message: `force_handoff: ${objection}` });
    return false;
  }
  await dispatch(dispatchScopeOf(stream), agent, "on_agent_switch", {
    from_agent: agent.name,
    to_agent: target,
    agent_switch_kind: "force_handoff",
    ...omitEmpty({ from_agent_models: [...agent.modelEndpoints] }),
  });
  stream.runtime.currentAgent = target;
  const text = `The agent ${agent.name} has finished its part. Take over the conversation from here.`;
  recordMessage(stream, agent, textMessage("user", text), { implicit: true });
  return true;
}
