import { errorText } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import type { ChainListener } from "../../model/calls/chain.ts";
import { computeCost } from "../../model/catalog/cost.ts";
import { type Message, textMessage, type Usage } from "../../model/messages/message.ts";
import { isOverflow, type Model, ModelError, type Reply, replyText } from "../../model/model.ts";
import type { Agent } from "../agent/agent.ts";
import { redactedMessages } from "../agent/agent-redaction.ts";
import { estimateAll } from "../prompt/estimate-tokens.ts";
import type { RunMeter } from "../stream/run-meter.ts";
import { fitTranscript, transcriptOf } from "./transcript.ts";

export interface SummaryTask {
  readonly agent: Agent;
  readonly model: Model;
  /** The messages to summarise, an earlier summary first. */
  readonly toSummarise: readonly Message[];
  /** Instructions of the user and of hooks for the summary. */
  readonly instructions: string;
  /** Tokens that the request and its reply may take. */
  readonly limit: number;
  /** Tokens left for the summary and the next answer, besides the messages that stay. */
  readonly freeTokens: number;
  /** The provider's count of tokens divided by the estimate. */
  readonly scale: number;
  readonly listener: ChainListener;
  readonly signal: AbortSignal;
  readonly meter: Pick<RunMeter, "addCall">;
}

/** A summary, or why it could not be written. */
export interface SummaryResult {
  readonly summary?: { readonly text: string; readonly model: string; readonly usage?: Usage };
  /** Why there is no summary; also absent if the run was cancelled. */
  readonly problem?: string;
  /** US dollars spent on all attempts; absent if unknown. */
  readonly cost?: number;
}

const MAX_SUMMARY_TOKENS = 16_000;
/** The fewest tokens that a reply may take, so that a short conversation can be summarised in a whole sentence. */
const LEAST_SUMMARY_TOKENS = 200;
/** An output limit that all current models allow. */
const SAFE_SUMMARY_TOKENS = 4096;

/** The requests for a summary: the first, and those after a failed attempt. */
const TRIES = [
  /** The shares of the window and of its free part that the reply may take, and the words to ask for per token. */
  { window: 1 / 4, free: 1 / 2, words: undefined },
  { window: 1 / 2, free: 1, words: 1 / 3 },
  { window: 1 / 2, free: 1, words: 1 / 6 },
] as const;

const SYSTEM_PROMPT =
  "You summarise conversations between a user and an AI agent, so that they can be referred to " +
  "later. Keep the key points, the decisions and the context they were made in.";
const CLOSING_PROMPT =
  "Summarise the conversation above so that the work can continue without it: what is done, what " +
  "is in progress, which files matter, what comes next. Whoever continues sees only your summary.";

/**
 * Asks a model to summarise a part of a conversation, without tools and with as little thinking as possible. If the
 * reply is cut off, a refusal, empty or a tool call, asks again for a shorter summary. Shrinks a request that does not
 * fit the window. Never throws.
 */
export async function writeSummary(task: SummaryTask): Promise<SummaryResult> {
  let cost: number | undefined;
  let share = 1;
  let most = MAX_SUMMARY_TOKENS;
  let problem = "";
  for (const attempt of TRIES) {
    const outcome = await tryOnce(task, attempt, { share, most });
    if (task.signal.aborted) return omitEmpty({ cost });
    if ("error" in outcome) {
      const { error } = outcome;
      // This request allows more output than others, which may be the cause.
      const mayBeTooMuch = error.status === 400 && most > SAFE_SUMMARY_TOKENS;
      if (isOverflow(error)) share /= 2;
      else if (mayBeTooMuch) most = SAFE_SUMMARY_TOKENS;
      else return { problem: error.message, ...omitEmpty({ cost }) };
      problem = error.message;
      continue;
    }
    const { reply, model } = outcome;
    const spent = computeCost(reply.usage, task.agent.prices(model.id));
    task.meter.addCall(model.id, reply.usage, spent);
    if (spent !== undefined) cost = (cost ?? 0) + spent;
    const fault = faultOf(reply);
    const usage = omitEmpty({ usage: reply.usage });
    if (!fault) return { summary: { text: replyText(reply), model: model.id, ...usage }, ...omitEmpty({ cost }) };
    problem = fault;
  }
  return { problem: `${problem}, ${TRIES.length} times`, ...omitEmpty({ cost }) };
}

type Outcome = { reply: Reply; model: Model } | { error: ModelError };

async function tryOnce(
  task: SummaryTask,
  attempt: (typeof TRIES)[number],
  { share, most }: { share: number; most: number },
): Promise<Outcome> {
  const { agent, model, toSummarise, instructions, limit, freeTokens, scale, listener, signal } = task;
  const room = Math.max(LEAST_SUMMARY_TOKENS, freeTokens * attempt.free);
  const maxTokens = Math.min(most, Math.floor(limit * attempt.window), Math.floor(room));
  const words = attempt.words ?? (freeTokens < 2 * LEAST_SUMMARY_TOKENS ? 1 / 3 : undefined);
  const length = words === undefined ? "" : `Write at most ${Math.max(50, Math.floor(maxTokens * words))} words.`;
  const system = textMessage("system", SYSTEM_PROMPT);
  const closing = textMessage("user", [CLOSING_PROMPT, instructions, length].filter(Boolean).join("\n\n"));
  const left = (limit - maxTokens) / scale - estimateAll([system, closing]);
  try {
    // Redacted before it is cut, because half a secret is not recognised.
    const [prompt = closing, ...redacted] = await redactedMessages(agent, [closing, ...toSummarise]);
    const transcript = fitTranscript(transcriptOf(redacted), left * share);
    const messages = [system, ...transcript, prompt];
    return await agent.models.call(model, { messages, tools: [], maxTokens, minimalThinking: true, signal }, listener);
  } catch (error) {
    return { error: error instanceof ModelError ? error : new ModelError(errorText(error)) };
  }
}

/** Returns why a reply is not usable as a summary; undefined if it is. */
function faultOf(reply: Reply): string | undefined {
  switch (reply.finishReason) {
    case "length":
      return "the summary was cut off at its limit";
    case "refusal":
      return "the model refused to write a summary";
    case "tool_calls":
      return "the model called a tool instead of writing a summary";
    case "stop":
      return replyText(reply).trim() === "" ? "the model wrote an empty summary" : undefined;
  }
}
