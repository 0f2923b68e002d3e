import { memoize } from "../../lib/once.ts";
import { type Block, isMedia, type Message, thinkingOf, type Usage } from "../../model/messages/message.ts";
import type { ToolDefinition } from "../../model/model.ts";

/** Slightly less than in English text, and about right for UTF-8 text in other languages. */
const BYTES_PER_TOKEN = 3.5;
const TOKENS_PER_MESSAGE = 5;
/** The estimate for an image or another file. */
export const TOKENS_PER_FILE = 1500;

/** Estimates the tokens of a message; a reply has the provider's own count if there is one. */
export const estimateTokens = memoize(
  (message: Message): number =>
    (reportedTokens(message) ?? message.blocks.reduce((sum, block) => sum + estimateBlock(block), 0)) +
    TOKENS_PER_MESSAGE,
);

const estimateTool = memoize((tool: ToolDefinition): number => estimateText(JSON.stringify(tool)));

export function estimateAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

export function estimateTools(tools: readonly ToolDefinition[]): number {
  return tools.reduce((sum, tool) => sum + estimateTool(tool), 0);
}

export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function bytesOfTokens(tokens: number): number {
  return Math.floor(tokens * BYTES_PER_TOKEN);
}

/** Returns the prompt tokens that a provider reports, including cached ones; 0 if it reports none. */
export function promptTokens({ input_tokens = 0, cached_input_tokens = 0, cached_write_tokens = 0 }: Usage): number {
  return input_tokens + cached_input_tokens + cached_write_tokens;
}

function estimateBlock(block: Block): number {
  if (isMedia(block)) return TOKENS_PER_FILE;
  switch (block.type) {
    case "tool_call":
      return estimateText(block.name + block.arguments);
    case "tool_result":
      return block.blocks.reduce((sum, inner) => sum + estimateBlock(inner), 0);
    case "text":
    case "thinking":
    case "refusal":
      return estimateText(block.text);
  }
}

/** Returns the provider's count of a reply; undefined if absent or 0, which some servers send for "not counted". */
function reportedTokens(message: Message): number | undefined {
  const { role, usage } = message;
  if (role !== "assistant" || !usage?.output_tokens) return undefined;
  const hidden = thinkingOf(message) === "" ? (usage.reasoning_tokens ?? 0) : 0;
  return Math.max(0, usage.output_tokens - hidden);
}
