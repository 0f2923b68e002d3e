import { fairShare } from "../../lib/fair-share.ts";
import { isSystem, type Message, resultOf, toolCallsOf } from "../../model/messages/message.ts";
import { type SentMessage, sentPartsOf } from "../prompt/conversation.ts";
import { estimateTokens } from "../prompt/estimate-tokens.ts";
import type { Session } from "../session/session.ts";

/** The tokens that a conversation may take. */
export interface TokenBudget {
  /** The context window, or less if a provider refused less. */
  readonly limit: number;
  /** Tokens of every request besides the conversation: instructions, contexts, tools. */
  readonly overhead: number;
  /** The provider's count of tokens divided by the estimate. */
  readonly scale: number;
}

/** The messages that a compaction keeps, and those that it summarises. */
export interface CompactionPlan {
  /** Index of the first item that stays. */
  readonly firstKept: number;
  /** Indices of earlier items that stay too: messages of the user that wait for an answer. */
  readonly kept: readonly number[];
  /** The messages to summarise, an earlier summary first; empty if there is nothing to replace. */
  readonly toSummarise: readonly Message[];
  /** Tool results that stay but must be cut: the index of the item, and the tokens to cut it to. */
  readonly cuts: ReadonlyMap<number, number>;
  /** Tokens of the next request without the summary. */
  readonly remainingTokens: number;
  /** Tokens of the user's newest message. */
  readonly newestMessageTokens: number;
}

const MAX_KEPT_TOKENS = 20_000;
/** The parts of the window that the newest turn, other recent messages and older open messages may take. */
const TURN_SHARE = 1 / 3;
const TAIL_SHARE = 1 / 5;
const OPEN_SHARE = 1 / 4;
/** The fewest tokens to which a tool result is cut. */
const LEAST_RESULT = 100;

interface Measured extends SentMessage {
  readonly tokens: number;
}

/**
 * Decides which part of a conversation stays word for word: the newest turn, from the user's message to its last tool
 * result, and as much before it as fits into a fifth of the window (at most 20,000 tokens). If that turn takes more
 * than a third of the window, only its newest steps stay, with the messages of the user that wait for an answer; tool
 * results that are still too long are cut. A tool call always stays with its results.
 */
export function planCompaction(session: Session, room: TokenBudget): CompactionPlan {
  const { summary, sent } = sentPartsOf(session);
  const spoken = sent
    .filter(({ message }) => !isSystem(message))
    .map((each): Measured => ({ ...each, tokens: estimateTokens(each.message) * room.scale }));
  const open = openMessages(spoken);
  let tail = firstOfTail(spoken, room.limit);
  let kept = keptBefore(spoken, tail, open, room.limit);
  let cuts = cutsOf(spoken.slice(tail), room.limit);
  const fits = () => sizeOf(spoken, { tail, kept, cuts }) + room.overhead < room.limit;
  if (!fits() && spoken[tail]?.message.role === "assistant") {
    // Even the calls of the newest step are too long, so that step is summarised too.
    tail = spoken.length;
    kept = keptBefore(spoken, tail, open, room.limit);
    cuts = new Map();
  }
  const isReplaced = (index: number) => index < tail && !kept.includes(index);
  if (open.length === 0 && !spoken.some((_, index) => isReplaced(index))) {
    // The whole conversation is one answered turn, which a summary can replace.
    tail = spoken.length;
    kept = [];
  }
  const older = spoken.slice(0, tail).map(({ message }) => message);
  return {
    firstKept: spoken[tail]?.itemIndex ?? session.items.length,
    kept: kept.map((index) => spoken[index]?.itemIndex ?? 0),
    toSummarise: spoken.some((_, index) => isReplaced(index)) ? [...(summary ? [summary] : []), ...older] : [],
    cuts: new Map([...cuts].map(([message, tokens]) => [message.itemIndex, tokens])),
    remainingTokens: sizeOf(spoken, { tail, kept, cuts }) + room.overhead,
    newestMessageTokens: spoken.findLast(({ message }) => message.role === "user")?.tokens ?? 0,
  };
}

/** Returns the indices of the unanswered messages of the user, including the newest that the user wrote. */
function openMessages(spoken: readonly Measured[]): number[] {
  const answer = spoken.findLastIndex(
    ({ message }) => message.role === "assistant" && toolCallsOf(message).length === 0,
  );
  const open = spoken.flatMap(({ message }, index) => (index > answer && message.role === "user" ? [index] : []));
  if (open.length === 0 || open.some((index) => !spoken[index]?.implicit)) return open;
  // The runtime wrote these as the user, as in a handoff: the user's own message still waits for an answer.
  const authored = spoken.findLastIndex(({ message, implicit }) => message.role === "user" && !implicit);
  return authored < 0 ? open : [authored, ...open];
}

/** Returns the index of the first message that stays. */
function firstOfTail(spoken: readonly Measured[], limit: number): number {
  const step = spoken.findLastIndex(isBoundary);
  const question = spoken.findLastIndex(({ message }) => message.role === "user");
  const turn = question < 0 ? step : question;
  const walked = walkBack(spoken, Math.min(MAX_KEPT_TOKENS, limit * TAIL_SHARE));
  if (turn < 0) return spoken.length;
  if (sum(spoken.slice(turn)) > limit * TURN_SHARE) return Math.min(walked, step);
  return walked === 0 ? turn : Math.min(walked, turn);
}

/** Returns the index of the first of the newest messages that fit, at the start of a step; 0 if all fit. */
function walkBack(spoken: readonly Measured[], budget: number): number {
  let left = budget;
  let first = spoken.length;
  for (let index = spoken.length - 1; index >= 0; index--) {
    const message = spoken[index];
    if (!message || (left -= message.tokens) < 0) return first;
    if (isBoundary(message)) first = index;
  }
  return 0;
}

/** True if the message starts a step: a tool result belongs to the message before it. */
function isBoundary({ message }: Measured): boolean {
  return message.role !== "tool";
}

/** Returns the indices of the open messages before the tail: always the newest of the user, older ones if they fit. */
function keptBefore(spoken: readonly Measured[], tail: number, open: readonly number[], limit: number): number[] {
  const newest = spoken.findLastIndex(({ message }) => message.role === "user");
  let left = limit * OPEN_SHARE;
  return spoken
    .map((_, index) => index)
    .filter((index) => index < tail && (index === newest || open.includes(index)))
    .toReversed()
    .filter((index) => index === newest || (left -= spoken[index]?.tokens ?? 0) >= 0)
    .toReversed();
}

/** Returns the cuts after which the remaining messages take at most a third of the window. */
function cutsOf(tail: readonly Measured[], limit: number): Map<Measured, number> {
  const results = tail.filter(({ message }) => resultOf(message));
  const left = limit * TURN_SHARE - sum(tail.filter((message) => !results.includes(message)));
  const share = Math.max(
    LEAST_RESULT,
    fairShare(
      results.map(({ tokens }) => tokens),
      Math.max(0, left),
    ),
  );
  return new Map(results.filter(({ tokens }) => tokens > share).map((result) => [result, share]));
}

function sizeOf(
  spoken: readonly Measured[],
  { tail, kept, cuts }: { tail: number; kept: readonly number[]; cuts: ReadonlyMap<Measured, number> },
): number {
  const staying = spoken.filter((_, index) => index >= tail || kept.includes(index));
  return staying.reduce((total, message) => total + (cuts.get(message) ?? message.tokens), 0);
}

function sum(messages: readonly Measured[]): number {
  return messages.reduce((total, { tokens }) => total + tokens, 0);
}
