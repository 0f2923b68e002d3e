/** The rules of a Chat Completions server, where they can differ from OpenAI's. */
export interface ChatRules {
  /**
   * Where the server accepts system text: between any messages, in messages before the conversation, or in one message
   * before it. Other system text is moved there.
   */
  readonly system: "anywhere" | "before" | "one";
  /** True if a user's message must not follow a tool result directly: an assistant's message is inserted. */
  readonly needsReplyAfterTools: boolean;
  /** Ids of tool calls that the server accepts; others are replaced. */
  readonly allowedCallIds: RegExp;
  readonly reasoning: ReasoningEcho;
  /** False if the server refuses `parallel_tool_calls`, whatever its value. */
  readonly parallelToolCalls: boolean;
  /** The `extra_content` for the first call of a message that another server wrote; undefined if none is needed. */
  readonly foreignCallExtra?: unknown;
}

/** The reasoning that is sent back to the server that wrote it. */
export interface ReasoningEcho {
  /**
   * The answers whose reasoning is sent: none, those since the last user message, all in turns with tool calls, or all.
   */
  readonly scope: "none" | "loop" | "tool_turns" | "all";
  /** The field for reasoning whose original field is unknown; `content` sends it as parts of the content. */
  readonly field: string;
  /** Sent for an answer without reasoning, if the server requires the field. */
  readonly filler?: string;
}

/** For servers without a row of their own: during a tool loop, reasoning is sent back in the field it came in. */
export const COMMON_CHAT_RULES: ChatRules = {
  system: "anywhere",
  needsReplyAfterTools: false,
  // https://platform.openai.com/docs/api-reference/chat/create: at most 40 characters
  allowedCallIds: /^.{1,40}$/,
  reasoning: { scope: "loop", field: "reasoning_content" },
  parallelToolCalls: true,
};

/** Rules that differ from {@link COMMON_CHAT_RULES}; the table of families combines them. */
export type ChatDifferences = Partial<ChatRules>;

/**
 * OpenAI's reasoning models. https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning lists what they
 * refuse.
 */
export const O_SERIES: ChatDifferences = { parallelToolCalls: false };

/** Servers that refuse message fields unknown to OpenAI. */
export const NO_REASONING: ChatDifferences = { reasoning: { scope: "none", field: "reasoning_content" } };

/** Models whose chat template accepts one system message, at the beginning. https://huggingface.co/Qwen/Qwen3.5-27B */
export const ONE_SYSTEM: ChatDifferences = { system: "one" };

/**
 * Mistral's models on any server: the order of roles and the ids that Mistral's validator and templates accept.
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
 * DeepSeek expects the reasoning of turns with tool calls in every later request, and no reasoning of other turns.
 * https://api-docs.deepseek.com/guides/thinking_mode
 */
export const DEEPSEEK_MODELS: ChatDifferences = { reasoning: { scope: "tool_turns", field: "reasoning_content" } };

/** DeepSeek's own API, which requires the field, even if empty. */
export const DEEPSEEK: ChatDifferences = { reasoning: { scope: "tool_turns", field: "reasoning_content", filler: "" } };

/**
 * Moonshot's thinking models expect the reasoning of every answer, and accept a blank one for an answer without.
 * https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
 */
export const KIMI_THINKING: ChatDifferences = { reasoning: { scope: "all", field: "reasoning_content", filler: " " } };

/**
 * Gemini 3 behind Google's OpenAI-compatible API, which refuses a call without a signature. It accepts this placeholder
 * for calls by other models. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const SIGNED_CALLS: ChatDifferences = {
  foreignCallExtra: { google: { thought_signature: "skip_thought_signature_validator" } },
};

/** OpenRouter and the gateways that copied it. https://openrouter.ai/docs/use-cases/reasoning-tokens */
export const REASONING_DETAILS: ChatDifferences = { reasoning: { scope: "all", field: "reasoning" } };
