import type { Message } from "../protocol/fields.ts";
import { isObject } from "../lib/json.ts";
import { textOf } from "./session.ts";

const CHARACTERS_A_TOKEN = 3.5;
const TOKENS_A_MESSAGE = 5;
const TOKENS_A_FILE = 1500;

/** Roughly how many tokens a message takes: what the provider counted where it did. Source: runtime 11.5. */
export function estimateTokens(message: Message): number {
  const reported = reportedTokens(message);
  if (reported !== undefined) return reported + TOKENS_A_MESSAGE;
  const calls = (message.tool_calls ?? []).map(({ function: called }) => called.name + called.arguments);
  const characters = [textOf(message), message.reasoning_content ?? "", ...calls].join("").length;
  const files = (message.multi_content ?? []).filter(({ type }) => type !== "text").length;
  return Math.ceil(characters / CHARACTERS_A_TOKEN) + TOKENS_A_MESSAGE + files * TOKENS_A_FILE;
}

/** The sum over several messages. */
export function estimateAll(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

function reportedTokens(message: Message): number | undefined {
  const usage = message["usage"];
  if (message.role !== "assistant" || !isObject(usage) || typeof usage["output_tokens"] !== "number") return undefined;
  const reasoning = message.reasoning_content === undefined ? usage["reasoning_tokens"] : 0;
  return Math.max(0, usage["output_tokens"] - (typeof reasoning === "number" ? reasoning : 0));
}
