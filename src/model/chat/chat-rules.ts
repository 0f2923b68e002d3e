/** How a Chat Completions server differs from OpenAI's reference. */
export interface ChatRules {
  /**
   * Where system text may be: between any two messages, in messages before the conversation, or in one message before
   * it. Text from elsewhere is moved there.
   */
  readonly system: "anywhere" | "before" | "one";
  /** True if a user's message cannot follow a tool result: an assistant's message goes between them. */
  readonly needsReplyAfterTools: boolean;
  /** Ids of tool calls that the server takes; others are replaced. */
  readonly allowedCallIds: RegExp;
  readonly reasoning: ReasoningEcho;
  /** False if the server refuses `parallel_tool_calls`, whatever its value. */
  readonly parallelToolCalls: boolean;
  /** The `extra_content` that the first call of a message must have if the server did not write it; undefined for none. */
  readonly foreignCallExtra?: unknown;
}

/** Which reasoning goes back to the server that wrote it. */
export interface ReasoningEcho {
  /** Of which answers: none, those since the last user message, those of all turns with tool calls, or all. */
  readonly scope: "none" | "loop" | "tool_turns" | "all";
  /** The field of the message for reasoning that does not say which field it came in; `content`: as a part of the text. */
  readonly field: string;
  /** Sent for an answer without reasoning, to servers that insist on the field. */
  readonly filler?: string;
}

/** For servers that no row of the table describes: while tools run, reasoning goes back in the field it came in. */
export const COMMON_CHAT_RULES: ChatRules = {
  system: "anywhere",
  needsReplyAfterTools: false,
  // https://platform.openai.com/docs/api-reference/chat/create: at most 40 characters
  allowedCallIds: /^.{1,40}$/,
  reasoning: { scope: "loop", field: "reasoning_content" },
  parallelToolCalls: true,
};

/** Rules that differ from {@link COMMON_CHAT_RULES}; the table of families puts them together. */
export type ChatDifferences = Partial<ChatRules>;

/** OpenAI's reasoning models. https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning lists what they refuse. */
export const O_SERIES: ChatDifferences = { parallelToolCalls: false };

/** Servers that refuse a message with a field that is not OpenAI's. */
export const NO_REASONING: ChatDifferences = { reasoning: { scope: "none", field: "reasoning_content" } };

/** Models whose chat template takes one system message, at the beginning. https://huggingface.co/Qwen/Qwen3.5-27B */
export const ONE_SYSTEM: ChatDifferences = { system: "one" };

/**
 * Mistral's models wherever they run, by the order of roles and the ids that Mistral's own validator and templates take:
 * https://mistralai.github.io/mistral-common/.
 */
export const MISTRAL_MODELS: ChatDifferences = {
  system: "before",
  needsReplyAfterTools: true,
  allowedCallIds: /^[a-zA-Z0-9]{9}$/,
};

/** Mistral's own API, where thoughts are parts of the content. https://docs.mistral.ai/capabilities/reasoning/ */
export const MISTRAL: ChatDifferences = { ...MISTRAL_MODELS, reasoning: { scope: "all", field: "content" } };

/**
 * DeepSeek wants the reasoning of turns with tool calls in every later request, and none of other turns.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export const DEEPSEEK_MODELS: ChatDifferences = { reasoning: { scope: "tool_turns", field: "reasoning_content" } };

/** DeepSeek's own API, which refuses an answer without the field, empty or not. */
export const DEEPSEEK: ChatDifferences = { reasoning: { scope: "tool_turns", field: "reasoning_content", filler: "" } };

/**
 * Moonshot's thinking models want the reasoning of every answer, and take an empty one for a missing one.
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
 */
export const KIMI_THINKING: ChatDifferences = { reasoning: { scope: "all", field: "reasoning_content", filler: " " } };

/**
 * Gemini 3 behind Google's own interface of OpenAI's kind: it refuses a call without a signature, and takes this one for
 * calls that it did not make. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const SIGNED_CALLS: ChatDifferences = {
  foreignCallExtra: { google: { thought_signature: "skip_thought_signature_validator" } },
};

/** OpenRouter and the gateways that copied it. https://openrouter.ai/docs/use-cases/reasoning-tokens */
export const REASONING_DETAILS: ChatDifferences = { reasoning: { scope: "all", field: "reasoning" } };
