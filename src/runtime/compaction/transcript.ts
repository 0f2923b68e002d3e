import { cutMiddle } from "../../lib/text/cut-text.ts";
import {
  isMedia,
  isSystem,
  type MediaBlock,
  type Message,
  resultOf,
  textMessage,
  textOf,
  toolCallsOf,
} from "../../model/messages/message.ts";
import { NO_LIMITS } from "../agent/agent.ts";
import { cleanConversation } from "../prompt/clean-up.ts";
import { SUMMARY_PREFIX } from "../prompt/conversation.ts";
import { bytesOfTokens, estimateAll, estimateTokens } from "../prompt/estimate-tokens.ts";

/**
 * Returns a conversation as plain texts of user and assistant, for a request without tools: many providers refuse tool
 * calls, thinking and media in such a request, or accept only those of their own models. The texts describe calls and
 * results. System messages are left out.
 */
export function transcriptOf(messages: readonly Message[]): Message[] {
  const transcript: Message[] = [];
  const names = new Map<string, string>();
  let results: string[] = [];
  const flush = () => {
    if (results.length > 0) transcript.push(textMessage("user", results.join("\n\n")));
    results = [];
  };
  for (const message of cleanConversation(
    messages.filter((each) => !isSystem(each)),
    NO_LIMITS,
  )) {
    const result = resultOf(message);
    if (result) {
      const name = names.get(result.callId) ?? "a tool";
      results.push(`[${result.isError ? "error" : "result"} of ${name}]\n${contentText(result.blocks)}`);
      continue;
    }
    flush();
    const calls = toolCallsOf(message);
    for (const { id, name } of calls) names.set(id, name);
    const text = message.role === "assistant" ? textOf(message) : contentText(message.blocks);
    const named = calls.map((call) => `[called ${call.name} with ${call.arguments}]`);
    transcript.push(
      textMessage(message.role === "assistant" ? "assistant" : "user", [text, ...named].filter(Boolean).join("\n")),
    );
  }
  flush();
  return transcript;
}

function contentText(blocks: Message["blocks"]): string {
  return blocks
    .map((block) => (isMedia(block) ? `[${mediaName(block)}]` : textOf({ role: "user", blocks: [block] })))
    .filter(Boolean)
    .join("\n");
}

function mediaName(block: MediaBlock): string {
  return block.type === "document" ? `document ${block.name}` : block.type;
}

/** The lengths in tokens to which texts are cut; the first that suffices is used. */
const CUTS = [8000, 4000, 2000, 1000, 500, 250, 100];

/**
 * Shortens a transcript to a number of tokens. First long texts lose their middle, so that a part of every message
 * stays; then a note replaces the oldest messages. An earlier summary at the start is cut last.
 */
export function fitTranscript(transcript: readonly Message[], tokens: number): Message[] {
  if (estimateAll(transcript) <= tokens) return [...transcript];
  const [first] = transcript;
  const summary = first && textOf(first).startsWith(SUMMARY_PREFIX) ? [first] : [];
  const others = transcript.slice(summary.length);
  const left = tokens - estimateAll(summary);
  for (const cut of CUTS) {
    const shorter = others.map((message) => cutText(message, cut));
    if (estimateAll(shorter) <= left) return [...summary, ...shorter];
  }
  return [...summary.map((message) => cutText(message, Math.floor(tokens / 2))), ...newest(others, tokens, summary)];
}

/** Returns the newest messages, cut as far as possible, after a note that says how many are left out. */
function newest(messages: readonly Message[], tokens: number, summary: readonly Message[]): Message[] {
  const least = CUTS.at(-1) ?? 0;
  let left = tokens - Math.min(estimateAll(summary), Math.floor(tokens / 2)) - NOTE_TOKENS;
  const shortest = messages.map((message) => cutText(message, least));
  const dropped = shortest.findLastIndex((message) => (left -= estimateTokens(message)) < 0) + 1;
  return [textMessage("user", `[${dropped} earlier messages left out]`), ...shortest.slice(dropped)];
}

const NOTE_TOKENS = 20;

function cutText(message: Message, tokens: number): Message {
  if (estimateTokens(message) <= tokens) return message;
  const role = message.role === "assistant" ? "assistant" : "user";
  return textMessage(role, cutMiddle(textOf(message), bytesOfTokens(tokens)));
}
