import type { Help } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { toHookMessage } from "../../model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../model/messages/hook-rewrite.ts";
import {
  type Block,
  type Message,
  type ReplyBlock,
  type ThinkingBlock,
  textMessage,
  textOf,
  thinkingOf,
  toolCallsOf,
} from "../../model/messages/message.ts";
import type { Model } from "../../model/model.ts";
import { lastUserMessage } from "../session/session.ts";
import type { Verdict } from "../stream/dispatch-event.ts";
import { report } from "../stream/runtime.ts";
import { dispatchInTurn, failStream, recordMessage, type Turn } from "../stream/stream-state.ts";
import { retryFields, takeRetry } from "./guard-retries.ts";

const ANSWER_WITHHELD: Help = {
  cause: "A hook on `response_guard` refused the answer.",
  cure: "Read the reason; to change the rule, change the hook that it names. `max_guard_retries` says how often the model may answer again.",
};

/** What `response_guard` hooks refused, and why. */
export interface Refusal {
  reason: string;
  /** True if a hook failed, which another answer would not change. */
  isFailure: boolean;
  deciders: Verdict<"response_guard">["deciders"];
}

/** A reply after its guards; `rewritten` is set if hooks replaced its text. */
export type JudgedReply =
  | { kind: "accepted"; blocks: readonly ReplyBlock[]; rewritten?: string }
  | { kind: "refused"; refusal: Refusal };

/**
 * Dispatches `response_guard` for a reply that has text or thoughts. A rewrite replaces the text, and removes the
 * thoughts, which may contain what the hook removed. See docs/design/turn.md#guards.
 */
export async function judgeReply(turn: Turn, blocks: readonly ReplyBlock[], model: Model): Promise<JudgedReply> {
  const message: Message = { role: "assistant", blocks };
  const [text, reasoning] = [textOf(message), thinkingOf(message)];
  if (text.trim() === "" && reasoning.trim() === "") return { kind: "accepted", blocks };
  const verdict = await dispatchInTurn(turn, "response_guard", {
    ...omitEmpty({ stop_response: text, reasoning_content: reasoning }),
    ...omitEmpty({ last_user_message: lastUserMessage(turn.stream.session), model_id: model.id }),
    has_tool_calls: toolCallsOf(message).length > 0,
    ...retryFields(turn, "response_guard"),
  });
  if (!verdict) return { kind: "accepted", blocks };
  if (!verdict.allowed) return { kind: "refused", refusal: refusalOf(verdict) };
  const { updated_response: rewritten } = verdict;
  if (rewritten === undefined) return { kind: "accepted", blocks };
  return { kind: "accepted", blocks: withText(blocks, rewritten), rewritten };
}

function refusalOf({ message, exit_code, deciders }: Verdict<"response_guard">): Refusal {
  return { reason: message || "a hook refused, without a reason", isFailure: exit_code === -1, deciders };
}

/** Replaces the text of a reply, and removes its thoughts. Tool calls stay as they are, with the provider's data. */
function withText(blocks: readonly ReplyBlock[], text: string): readonly ReplyBlock[] {
  const original: Message = { role: "assistant", blocks };
  const changed = applyHookRewrite([original], [{ ...toHookMessage(original), content: text }]);
  return changed.flatMap((message) => message.blocks.filter(isSpoken));
}

function isSpoken(block: Block): block is Exclude<ReplyBlock, ThinkingBlock> {
  return block.type === "text" || block.type === "refusal" || block.type === "tool_call";
}

/**
 * Lets the model answer again after a refusal, with the reason as a message. If a hook failed or the retries are used
 * up, shows and records a text in place of the answer, and ends the stream with an error. Returns true if another turn
 * follows.
 */
export async function settleRefusal(turn: Turn, { reason, isFailure, deciders }: Refusal): Promise<boolean> {
  const { stream, agent } = turn;
  const { runtime, session } = stream;
  const { guard_retries: retries, max_guard_retries: limit } = retryFields(turn, "response_guard");
  const retry = isFailure ? undefined : takeRetry(turn, "response_guard");
  if (retry !== undefined) {
    const message = `the answer is not shown, the model answers again (${retry} of ${limit}): ${reason}`;
    report(runtime, agent, { type: "warning", message, hook_event: "response_guard" });
    const request = `Your last answer was not shown to the user: ${reason}\nAnswer again.`;
    recordMessage(stream, agent, textMessage("user", request), { implicit: true });
    return true;
  }
  const notice = `[The answer was withheld: ${reason}]`;
  report(runtime, agent, { type: "agent_choice", content: notice, session_id: session.id });
  recordMessage(stream, agent, textMessage("assistant", notice), { implicit: true });
  const tries = retries > 0 ? ` after ${retries} ${retries > 1 ? "retries" : "retry"}` : "";
  const message = `response_guard hooks withheld the answer${tries}: ${reason}`;
  await failStream(stream, agent, { code: "hook_blocked", message }, await deciders());
  return false;
}

settleRefusal.help = ANSWER_WITHHELD;
