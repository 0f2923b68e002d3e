import { errorText } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import type { ChainListener } from "../../model/calls/chain.ts";
import { computeCost } from "../../model/catalog/cost.ts";
import { toHookMessages } from "../../model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../model/messages/hook-rewrite.ts";
import { isSystem, type Message, textOf, toolCallsOf } from "../../model/messages/message.ts";
import { isOverflow, type Model, ModelError, type ModelRequest, type Reply, type ToolCall } from "../../model/model.ts";
import { compact } from "../compaction/compaction.ts";
import { reportUsage, updateSessionSize } from "../compaction/session-usage.ts";
import { isEmptyMessage, pairToolResults } from "../prompt/clean-up.ts";
import { estimateAll, estimateTools } from "../prompt/estimate-tokens.ts";
import { assembleMessages, definitionsOf, hookMessages } from "../prompt/prompt.ts";
import { lastUserMessage } from "../session/session.ts";
import { meterIn } from "../stream/draw-from-budgets.ts";
import { report, takeRejectedFile, warnOnce } from "../stream/runtime.ts";
import {
  dispatchInTurn,
  endBlockedStream,
  failStream,
  recordMessage,
  type Turn,
  type TurnReason,
} from "../stream/stream-state.ts";
import { recordableBlocks } from "../tool-calls/batch.ts";
import { type AnswerListener, answerListener } from "./answer-listener.ts";
import {
  mayBeMediaRefusal,
  removeRefusedFiles,
  removeSuspectedFiles,
  warnAboutUnsentFiles,
  withoutMedia,
} from "./refused-media.ts";
import { cutOffCall, warnAboutReply } from "./reply-warnings.ts";
import { judgeReply, type Refusal, settleRefusal } from "./response-guard.ts";

/** A recorded reply, or why the turn ended without one. */
export type ReplyOutcome =
  | {
      kind: "replied";
      text: string;
      toolCalls: ToolCall[];
      /** The call in which the reply reached the model's output limit. */
      cutOff: ToolCall | undefined;
    }
  | { kind: "ended"; reason: TurnReason; continues: boolean };

const CANCELED: ReplyOutcome = { kind: "ended", reason: "canceled", continues: false };

/** Makes the one model call of a turn: from the message list to the recorded reply. */
export async function callModel(turn: Turn): Promise<ReplyOutcome> {
  const { stream, agent, model } = turn;
  const started = await dispatchInTurn(turn, "turn_start", {});
  if (stream.signal.aborted) return CANCELED;
  const rejected = takeRejectedFile(stream.runtime, stream.session);
  if (rejected) {
    await endBlockedStream(stream, agent, rejected);
    return { kind: "ended", reason: "hook_blocked", continues: false };
  }
  const contexts = {
    prompt: stream.promptContext,
    turn: started?.additional_context ?? "",
    carryOver: stream.runtime.carryOver.get(stream.session) ?? [],
  };
  stream.runtime.hookTokens.set(stream.session, estimateAll(hookMessages(stream.session, contexts)));
  const assembled = assembleMessages(stream.runtime.team, agent, stream.session, contexts);
  const isWatched = agent.hooks.has("before_llm_call");
  const announced = {
    iteration: stream.iteration,
    model_id: model.id,
    messages: isWatched ? [...toHookMessages(assembled)] : [],
  };
  const before = await dispatchInTurn(turn, "before_llm_call", announced);
  if (stream.signal.aborted) return CANCELED;
  if (before && !before.allowed) {
    await endBlockedStream(stream, agent, before);
    return { kind: "ended", reason: "hook_blocked", continues: false };
  }
  const rewritten = before?.updated_messages?.length ? applyHookRewrite(assembled, before.updated_messages) : undefined;
  const messages = rewritten ? withPairs(turn, rewritten) : assembled;
  if (!hasQuestion(messages, assembled)) return refuseToAsk(turn, rewritten !== undefined);
  const { refused } = stream;
  if (refused && estimateAll(messages) >= refused.tokens) {
    await failStream(stream, agent, refused.error);
    return { kind: "ended", reason: "error", continues: false };
  }
  warnAboutUnsentFiles(turn, messages);
  const listener = answerListener(turn);
  const answer = await request(turn, messages, listener);
  if (stream.signal.aborted) return CANCELED;
  const sent = { messages, tools: definitionsOf(turn.tools) };
  if (answer instanceof ModelError) return handleFailure(turn, answer, { sent, listener });
  return recordReply(turn, answer, { sent, listener });
}

/**
 * Puts every tool result after its call, because providers refuse one without the other. Warns if hooks separated them.
 */
function withPairs({ stream: { runtime }, agent }: Turn, rewritten: readonly Message[]): Message[] {
  const paired = pairToolResults(rewritten);
  const resultsIn = (list: readonly Message[]) => new Set(list.filter(({ role }) => role === "tool"));
  const isUneven = resultsIn(rewritten).symmetricDifference(resultsIn(paired)).size > 0;
  if (isUneven) {
    const message =
      "before_llm_call hooks left tool calls without their results, or results without their calls: such a result is not sent, " +
      "and such a call is sent as interrupted";
    warnOnce(runtime, agent, message); // a hook may leave them in every request
  }
  return paired;
}

/**
 * True if the conversation ends with a message of the user or a tool result, which the model can answer. A message of
 * the assistant may follow only if a hook added it, as the start of the answer.
 */
function hasQuestion(messages: readonly Message[], assembled: readonly Message[]): boolean {
  const repliesIn = (list: readonly Message[]) => list.filter(({ role }) => role === "assistant").length;
  const last = messages.findLast((message) => !isSystem(message) && !isEmptyMessage(message));
  return last !== undefined && (last.role !== "assistant" || repliesIn(messages) > repliesIn(assembled));
}

/** Ends the stream because the request would have nothing to answer. */
async function refuseToAsk({ stream, agent }: Turn, isRewritten: boolean): Promise<ReplyOutcome> {
  const who = isRewritten ? "before_llm_call hooks left" : "the conversation has";
  const message = `the model is not called: ${who} no message of the user and no tool result to answer`;
  await failStream(stream, agent, { code: isRewritten ? "hook_blocked" : "model_error", message });
  return { kind: "ended", reason: isRewritten ? "hook_blocked" : "error", continues: false };
}

type SentRequest = Pick<ModelRequest, "messages" | "tools">;

/** A reply and the model that gave it. */
interface Answer {
  reply: Reply;
  model: Model;
}

/**
 * Returns the answer or the error. If files may have caused a refusal, sends the request once more without them; if
 * that is answered, removes the files from the session.
 */
async function request(
  turn: Turn,
  messages: readonly Message[],
  listener: AnswerListener,
): Promise<Answer | ModelError> {
  const answer = await callChain(turn, messages, listener);
  if (!(answer instanceof ModelError) || !mayBeMediaRefusal(turn.model, answer, messages)) return answer;
  listener.onRestart(turn.model);
  const trial = await callChain(turn, withoutMedia(messages, answer), listener);
  if (trial instanceof ModelError) return answer;
  removeSuspectedFiles(turn, answer, messages);
  return trial;
}

async function callChain(
  turn: Turn,
  messages: readonly Message[],
  listener: ChainListener,
): Promise<Answer | ModelError> {
  const {
    stream: { signal },
    agent,
    model,
    tools,
  } = turn;
  const structured = agent.structuredOutput ? { structuredOutput: agent.structuredOutput } : {};
  try {
    return await agent.models.call(model, { messages, tools: definitionsOf(tools), signal, ...structured }, listener);
  } catch (error) {
    return error instanceof ModelError ? error : new ModelError(`model failed: ${errorText(error)}`, { cause: error });
  }
}

/**
 * Lets guards judge the reply, dispatches `after_llm_call` with the text that they left, then records the reply, unless
 * it has neither text nor calls.
 */
async function recordReply(
  turn: Turn,
  { reply, model }: Answer,
  { sent, listener }: { sent: SentRequest; listener: AnswerListener },
): Promise<ReplyOutcome> {
  const { stream, agent } = turn;
  const { session, runtime } = stream;
  const modelId = model.id;
  stream.overflowCompactions = 0;
  stream.refused = undefined;
  stream.mediaRefusals = 0;
  const judged = await judgeReply(turn, recordableBlocks(turn, reply), model);
  const isAccepted = judged.kind === "accepted";
  const blocks = isAccepted ? judged.blocks : [];
  if (isAccepted) {
    listener.release(judged.rewritten);
    runtime.carryOver.delete(session);
  }
  const cost = computeCost(reply.usage, agent.prices(modelId));
  const priced = cost === undefined ? {} : { cost };
  const text = textOf({ role: "assistant", blocks });
  const toolCalls = toolCallsOf({ blocks });
  await dispatchInTurn(turn, "after_llm_call", {
    ...omitEmpty({ stop_response: text, last_user_message: lastUserMessage(session) }),
    ...omitEmpty({ model_id: modelId, usage: reply.usage }),
    ...priced,
  });
  const cutOff = cutOffCall(reply.finishReason, blocks);
  if (isAccepted) warnAboutReply(turn, { model, reply, toolCalls, cutOff });
  updateSessionSize(session, sent, reply);
  session.cost += cost ?? 0;
  meterIn(stream, agent).addCall(modelId, reply.usage, cost);
  if (text.trim() !== "" || toolCalls.length > 0) {
    const { finishReason, usage } = reply;
    const message: Message = {
      role: "assistant",
      blocks,
      model: modelId,
      ...(usage ? { usage } : {}),
      ...priced,
      finishReason,
    };
    recordMessage(stream, agent, message);
  }
  const lastMessage = { ...reply.usage, ...priced, model: modelId, finish_reason: reply.finishReason };
  reportUsage(runtime, session, agent, turn.model, lastMessage);
  return isAccepted ? { kind: "replied", text, toolCalls, cutOff } : endRefused(turn, judged.refusal);
}

async function endRefused(turn: Turn, refusal: Refusal): Promise<ReplyOutcome> {
  if (turn.stream.signal.aborted) return CANCELED;
  const continues = await settleRefusal(turn, refusal);
  return { kind: "ended", reason: continues ? "continue" : "hook_blocked", continues };
}

/**
 * Removes refused files from the session, or compacts the conversation once after an overflow, and lets another turn
 * try again. That turn follows even if the compaction failed, because hooks may shorten the messages themselves; if
 * they do not, it sends nothing. Any other failure ends the stream.
 */
async function handleFailure(
  turn: Turn,
  error: ModelError,
  { sent: { messages, tools }, listener }: { sent: SentRequest; listener: AnswerListener },
): Promise<ReplyOutcome> {
  const { stream, agent } = turn;
  if (removeRefusedFiles(turn, error, messages)) {
    listener.onRestart(turn.model);
    return { kind: "ended", reason: "error", continues: true };
  }
  if (isOverflow(error) && agent.compaction.enabled && stream.overflowCompactions < 1) {
    stream.overflowCompactions++;
    const message = "The conversation no longer fits the model: hooksh compacts it.";
    report(stream.runtime, agent, { type: "warning", message });
    const tokens = estimateAll(messages);
    const refused = tokens + estimateTools(tools);
    const outcome = await compact(turn, { source: "overflow", reason: "overflow", refused });
    if (outcome === "failed") stream.refused = { tokens, error: { code: error.code, message: error.message } };
    if (!stream.signal.aborted) listener.onRestart(turn.model);
    return { kind: "ended", reason: "error", continues: !stream.signal.aborted };
  }
  await failStream(stream, agent, { code: error.code, message: error.message });
  return { kind: "ended", reason: "error", continues: false };
}
