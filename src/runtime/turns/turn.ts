import { omitEmpty } from "../../lib/json.ts";
import { optimizeForLongRun } from "../../lib/platform.ts";
import type { ToolCall } from "../../model/model.ts";
import { compactIfFull } from "../compaction/compaction.ts";
import { passOn } from "../routing/pass-on.ts";
import { lastUserMessage } from "../session/session.ts";
import { dispatch } from "../stream/dispatch-event.ts";
import { detectLoop } from "../stream/loop-detector.ts";
import { agentOf, carryOverContext } from "../stream/runtime.ts";
import {
  dispatchInTurn,
  endBlockedStream,
  failStream,
  type Stream,
  type Turn,
  type TurnEnd,
  uncancellableScopeOf,
} from "../stream/stream-state.ts";
import { runBatch } from "../tool-calls/batch.ts";
import { callModel } from "./model-call.ts";
import { injectFollowUp, injectSteering } from "./queued-messages.ts";
import { mustGoOn } from "./stop-guard.ts";

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
 * Dispatches `stop_guard`, and `stop` unless a guard sends the agent back to work, then continues with another agent or
 * with queued messages.
 */
async function finishAnswer(turn: Turn, text: string): Promise<TurnEnd> {
  const { stream } = turn;
  const { session } = stream;
  if (await mustGoOn(turn, text)) return { reason: "continue", continues: true };
  const answer = omitEmpty({ stop_response: text, last_user_message: lastUserMessage(session) });
  const stopped = await dispatchInTurn(turn, "stop", answer);
  carryOverContext(stream.runtime, session, stopped?.additional_context);
  const transition = await passOn(turn, text);
  if (transition) return transition;
  const next = { ...turn, agent: agentOf(stream.runtime, session) };
  const steered = await steer(next);
  if (steered) return steered;
  const followUp = await injectFollowUp(next);
  if (followUp === "blocked") return { reason: "hook_blocked", continues: false };
  return followUp === "injected" ? { reason: "continue", continues: true } : { reason: "normal", continues: false };
}
