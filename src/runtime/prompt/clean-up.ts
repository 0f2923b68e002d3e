import { fairShare } from "../../lib/fair-share.ts";
import { memoize, memoizeEach } from "../../lib/once.ts";
import { cutMiddle } from "../../lib/text/cut-text.ts";
import {
  type Block,
  type ContentBlock,
  flatBlocks,
  isMedia,
  isSystem,
  type MediaBlock,
  type Message,
  resultOf,
  textOf,
  toolCallsOf,
  toolResult,
} from "../../model/messages/message.ts";
import type { AgentLimits } from "../agent/agent.ts";
import { estimateTokens, TOKENS_PER_FILE } from "./estimate-tokens.ts";

const CHARACTERS_PER_TOKEN = 4;
/**
 * The most bytes of a tool result in a request: what `limit_large_tool_results` leaves of one, its note included. Results
 * that are larger come from tools that it does not limit, from hooks that enlarged them, or from old sessions.
 */
const MAX_RESULT_BYTES = 52 * 1024;

/**
 * Returns a conversation that providers accept, within the agent's limits: interrupted calls get a result; empty
 * messages and results without a call are left out; huge results are cut. Equal input messages give identical objects.
 */
export function cleanConversation(messages: readonly Message[], limits: AgentLimits): readonly Message[] {
  const recent = limits.historyItems > 0 ? dropOldest(messages, limits.historyItems) : messages;
  const shortened = limits.oldToolCallTokens > 0 ? truncateOldTools(recent, limits.oldToolCallTokens) : recent;
  const paired = boundedResults(pairToolResults(shortened));
  const cap = limits.toolResultTokens > 0 ? capFor(limits.toolResultTokens) : undefined;
  return cap ? paired.map(cap) : paired;
}

/** Drops the oldest messages of assistant and tools until the count fits; messages of user and system stay. */
function dropOldest(messages: readonly Message[], limit: number): Message[] {
  const excess = messages.filter((message) => !isSystem(message)).length - limit;
  let dropped = 0;
  return messages.filter((message) => {
    if (dropped >= excess || isSystem(message) || message.role === "user") return true;
    dropped++;
    return false;
  });
}

function truncateOldTools(messages: readonly Message[], tokens: number): Message[] {
  let budget = tokens * CHARACTERS_PER_TOKEN;
  return messages
    .toReversed()
    .map((message) => {
      budget -= toolCharacters(message);
      return budget >= 0 ? message : withoutToolText(message);
    })
    .toReversed();
}

const toolCharacters = memoize((message: Message): number => {
  if (message.role === "tool") return textOf(message).length;
  return toolCallsOf(message).reduce((sum, call) => sum + call.arguments.length, 0);
});

const withoutToolText = memoize((message: Message): Message => {
  const blocks = message.blocks.map((block): Block => {
    if (block.type === "tool_result") {
      return { ...block, blocks: [{ type: "text", text: "[truncated: an old tool result]" }] };
    }
    if (block.type !== "tool_call") return block;
    const { origin: _changed, ...call } = block;
    return { ...call, arguments: '{"truncated":true}' };
  });
  return { ...message, blocks };
});

/** Returns a message of the assistant without trailing white space, which some providers refuse. */
function trimMessage(message: Message): Message {
  const last = message.blocks.at(-1);
  if (message.role !== "assistant" || last?.type !== "text" || last.origin) return message;
  const text = last.text.trimEnd();
  if (text === last.text) return message;
  return { ...message, blocks: [...message.blocks.slice(0, -1), ...(text === "" ? [] : [{ ...last, text }])] };
}

/** True for a message without content, which providers refuse; thinking alone is not content. */
export function isEmptyMessage(message: Message): boolean {
  if (message.role === "tool") return false;
  return flatBlocks(message).every(
    (block) =>
      block.type === "thinking" || ((block.type === "text" || block.type === "refusal") && block.text.trim() === ""),
  );
}

/** The facts about a message that pairing needs. */
interface Facts {
  /** The message as it is sent; undefined for an empty one. */
  sent: Message | undefined;
  /** The ids of its calls. */
  calls: readonly string[];
  /** The id of the call whose result it is. */
  callId: string | undefined;
}

const factsOf = memoizeEach((message: Message): Facts => {
  const sent = trimMessage(message);
  return {
    sent: isEmptyMessage(sent) ? undefined : sent,
    calls: toolCallsOf(sent).map(({ id }) => id),
    callId: message.role === "tool" ? (resultOf(message)?.callId ?? "") : undefined,
  };
});

/**
 * Puts every tool result after its call; a call without one gets an error result, a result without a call is dropped.
 */
export function pairToolResults(messages: readonly Message[]): Message[] {
  const facts = factsOf(messages);
  const paired: Message[] = [];
  facts.forEach(({ sent, calls, callId }, index) => {
    if (!sent || callId !== undefined) return;
    paired.push(sent);
    const inOrder = facts.slice(index + 1, index + 1 + calls.length);
    if (inOrder.length === calls.length && inOrder.every((each, at) => each.callId === calls[at])) {
      for (const result of inOrder) if (result.sent) paired.push(result.sent);
      return;
    }
    const results = resultsAfter(facts, index);
    for (const id of calls) {
      const at = results.findIndex((result) => result.callId === id);
      paired.push((at < 0 ? undefined : results.splice(at, 1)[0]?.sent) ?? interruptedResult(id));
    }
  });
  return paired;
}

/** Returns the tool results up to the next message of the assistant. */
function resultsAfter(facts: readonly Facts[], index: number): Facts[] {
  const results: Facts[] = [];
  for (let at = index + 1; at < facts.length; at++) {
    const each = facts[at];
    if (!each || each.sent?.role === "assistant") break;
    if (each.callId !== undefined) results.push(each);
  }
  return results;
}

function interruptedResult(id: string): Message {
  const text = "The tool call was interrupted before it gave a result.";
  return toolResult(id, [{ type: "text", text }], true);
}

const caps = new Map<number, (message: Message) => Message>();

/**
 * Returns the function that cuts tool results to a number of tokens. Agents set only a few numbers, so all are kept.
 */
function capFor(tokens: number): (message: Message) => Message {
  const known = caps.get(tokens) ?? memoize((message: Message) => capTexts(message, tokens * CHARACTERS_PER_TOKEN));
  caps.set(tokens, known);
  return known;
}

const boundedResults = memoizeEach((message: Message): Message => {
  if (message.role !== "tool") return message;
  const text = textOf(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_RESULT_BYTES) return message;
  const cut = capTexts(message, Math.floor((text.length * MAX_RESULT_BYTES) / bytes));
  // A UTF-16 unit takes at most three bytes.
  return Buffer.byteLength(textOf(cut)) <= MAX_RESULT_BYTES + NOTE_BYTES
    ? cut
    : capTexts(message, MAX_RESULT_BYTES / 3);
});

/** More bytes than the note on what is cut takes. */
const NOTE_BYTES = 100;

/** Cuts the middle out of the longest texts of a tool result, so that all texts fit. Media stay. */
function capTexts(message: Message, characters: number): Message {
  const result = resultOf(message);
  if (!result) return message;
  const texts = result.blocks.flatMap((block) => (block.type === "text" ? [block.text.length] : []));
  const share = fairShare(texts, characters);
  if (share === Infinity) return message;
  const blocks = result.blocks.map(
    (block): ContentBlock => (block.type === "text" ? { type: "text", text: cutMiddle(block.text, share) } : block),
  );
  return { ...message, blocks: [{ ...result, blocks }] };
}

/** Cuts a tool result to about `tokens`: a note replaces media that do not fit, and long texts lose their middle. */
export function truncateToolResult(message: Message, tokens: number): Message {
  const result = resultOf(message);
  if (!result) return message;
  const room = Math.floor(tokens / TOKENS_PER_FILE);
  const omitted = result.blocks.filter(isMedia).slice(room);
  let files = 0;
  const blocks = result.blocks.flatMap((block): ContentBlock[] => {
    if (!isMedia(block) || files++ < room) return [block];
    return files === room + 1 ? [{ type: "text", text: omissionNote(omitted) }] : [];
  });
  const left = tokens - (files - omitted.length) * TOKENS_PER_FILE;
  const kept = { ...message, blocks: [{ ...result, blocks }] };
  const texts = toolResult(
    result.callId,
    blocks.filter((block) => !isMedia(block)),
  );
  // The number of tokens per character depends on the script.
  return capTexts(kept, Math.floor(textOf(texts).length * Math.min(1, left / estimateTokens(texts))));
}

function omissionNote(media: readonly MediaBlock[]): string {
  const [first] = media;
  if (first && media.length === 1) return `[${first.type} left out: it does not fit the context window]`;
  return `[${media.length} files left out: they do not fit the context window]`;
}
