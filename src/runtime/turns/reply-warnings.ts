import type { Help } from "../../lib/errors.ts";
import type { FinishReason, ReplyBlock } from "../../model/messages/message.ts";
import { type Model, type Reply, replyText, type ToolCall } from "../../model/model.ts";
import { promptTokens } from "../prompt/estimate-tokens.ts";
import { report } from "../stream/runtime.ts";
import type { Turn } from "../stream/stream-state.ts";

const INCOMPLETE_ANSWER: Help = {
  cause: "The model reached its output limit, refused, or the conversation fills its context window.",
  cure: "Raise `max_tokens`, ask it to continue, compact (`/compact`), or use a model with a larger window.",
};

/** Returns the last call of a reply that reached the output limit: it may look complete and still lack arguments. */
export function cutOffCall(finishReason: FinishReason, blocks: readonly ReplyBlock[]): ToolCall | undefined {
  const last = blocks.at(-1);
  return finishReason === "length" && last?.type === "tool_call" ? last : undefined;
}

/** A reply that was accepted, and the model that gave it. */
export interface WrittenReply {
  model: Model;
  reply: Reply;
  toolCalls: readonly ToolCall[];
  cutOff: ToolCall | undefined;
}

/** Warns the user about a reply that is a refusal, cut off or empty. */
export function warnAboutReply({ stream, agent }: Turn, written: WrittenReply): void {
  const message = warningAbout(written, stream.followsToolCalls);
  if (message !== undefined) report(stream.runtime, agent, { type: "warning", message });
}

function warningAbout({ model, reply, toolCalls, cutOff }: WrittenReply, afterTools: boolean): string | undefined {
  const isEmptyReply = replyText(reply).trim() === "" && toolCalls.length === 0;
  if (reply.finishReason === "refusal") return "The model refused to answer.";
  if (reply.finishReason === "length") {
    if (fillsWindow(model, reply)) {
      const what = cutOff ? `in a call of ${cutOff.name}, which does not run` : "so the answer is incomplete";
      return `the conversation fills the context window of ${model.id}, ${what}: compact it, or use a model with a larger window`;
    }
    const limit = `${model.id} reached its output limit`;
    if (cutOff) return `${limit} in a call of ${cutOff.name}, which does not run: raise max_tokens of the model`;
    if (isEmptyReply) return `${limit} before it answered: raise max_tokens of the model, or lower its thinking_budget`;
    return `${limit}, so the answer is incomplete: ask it to continue, or raise max_tokens of the model`;
  }
  return isEmptyReply && !(reply.finishReason === "stop" && afterTools) ? "The model gave an empty answer." : undefined;
}

warningAbout.help = INCOMPLETE_ANSWER;

/** The part of the window that counts as full, because servers keep a few tokens for themselves. */
const FULL_SHARE = 0.98;

/** True if a reply ended because the context window is full, which a larger `max_tokens` does not change. */
function fillsWindow({ contextLimit }: Model, { usage = {} }: Reply): boolean {
  return contextLimit > 0 && promptTokens(usage) + (usage.output_tokens ?? 0) >= contextLimit * FULL_SHARE;
}
