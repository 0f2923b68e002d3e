import { ASSUMED_MEDIA, IMAGES, IMAGES_AND_PDF, type MediaRules, TEXT_ONLY } from "../messages/media.ts";
import type { SchemaDialectName } from "../schema/dialects.ts";
import {
  type ChatDifferences,
  type ChatRules,
  COMMON_CHAT_RULES,
  DEEPSEEK,
  DEEPSEEK_MODELS,
  KIMI_THINKING,
  MISTRAL,
  MISTRAL_MODELS,
  NO_REASONING,
  O_SERIES,
  ONE_SYSTEM,
  REASONING_DETAILS,
  SIGNED_CALLS,
} from "./chat-rules.ts";
import type { FailureRow } from "./failure.ts";

/** The levels of thinking, lowest first. */
export const THINKING_LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** How a request controls the thinking of a model. */
export type ThinkingRules =
  /** The model does not think, or no setting controls it. */
  | { readonly kind: "none" }
  /** By an effort: OpenAI's reasoning models. */
  | {
      readonly kind: "effort";
      /** Sent if `thinking_budget` is not set; null leaves it to the model. */
      readonly defaultEffort: "medium" | null;
      /** True if the model accepts the effort `none`; other models get no effort if thinking is off. */
      readonly canDisable: boolean;
      /** The other efforts that the model accepts, lowest first. */
      readonly efforts: readonly ThinkingLevel[];
    }
  /** By a number of tokens, which count against `max_tokens`: Claude before adaptive thinking. */
  | { readonly kind: "tokens" }
  /** By an effort that the model uses at its discretion: Claude with adaptive thinking. */
  | {
      readonly kind: "adaptive";
      /** True if the model thinks by default. */
      readonly isDefault: boolean;
      /** The `thinking.type` that turns thinking off; undefined if omitting the field does, null if nothing does. */
      readonly offType: "disabled" | "between_tools" | null | undefined;
      /** True if the model also accepts a number of tokens. */
      readonly takesTokens: boolean;
      readonly efforts: readonly string[];
    }
  /** By a number of tokens within bounds: Gemini 2.5. */
  | { readonly kind: "gemini-tokens"; readonly min: number; readonly max: number; readonly canDisable: boolean }
  /** By a level: Gemini 3, which always thinks. */
  | { readonly kind: "gemini-level"; readonly levels: readonly string[] };

/** A setting for the sampling of tokens. */
export type SamplingSetting = "temperature" | "top_p" | "top_k" | "frequency_penalty" | "presence_penalty";

/** The abilities and demands of a family of models. No other file depends on the name of a model. */
export interface Family {
  /** The size of the context window in tokens; 0 if unknown. */
  readonly contextWindow: number;
  /** The maximum number of tokens in a reply, thoughts included; 0 if unknown. */
  readonly maxOutput: number;
  /** True to use the Responses API if the provider offers it besides Chat Completions. */
  readonly prefersResponses: boolean;
  readonly thinking: ThinkingRules;
  /** Failures of this family only; `calls/failure.ts` holds those of all models. */
  readonly failures: readonly FailureRow[];
  /** The JSON Schema dialect of tool parameters and structured outputs. */
  readonly schema: SchemaDialectName;
  /** The dialect if the provider enforces the schema. */
  readonly strictSchema: SchemaDialectName;
  /** How a request asks for structured output: by `response_format`, or by an instruction. */
  readonly structuredOutput: "schema" | "text";
  /** Sampling settings that the model refuses. */
  readonly refusedSampling: readonly SamplingSetting[];
  /** True if a request must not hold both `temperature` and `top_p`. */
  readonly temperatureExcludesTopP: boolean;
  /** True for Claude, which signs its thoughts. Other models behind the same API expect them back as they came. */
  readonly signsThoughts: boolean;
  /** True if a thought is valid only after the same system texts, tools and messages as when it was written. */
  readonly bindsThoughts: boolean;
  /** True if the first tool call of each step must go back with its signature. */
  readonly signsCalls: boolean;
  /** True if the model accepts an answer schema together with tools. */
  readonly takesSchemaWithTools: boolean;
  /** True if a tool result can hold media. */
  readonly takesMediaInResults: boolean;
  /** The rules of its server for Chat Completions requests. */
  readonly chat: ChatRules;
  /** The media that it accepts. */
  readonly media: MediaRules;
}

/** The family of a model that no row describes. */
const UNKNOWN: Family = {
  contextWindow: 0,
  maxOutput: 0,
  prefersResponses: false,
  thinking: { kind: "none" },
  failures: [],
  schema: "common",
  strictSchema: "openai-strict",
  structuredOutput: "schema",
  refusedSampling: [],
  temperatureExcludesTopP: false,
  signsThoughts: false,
  bindsThoughts: false,
  signsCalls: false,
  takesSchemaWithTools: true,
  takesMediaInResults: false,
  chat: COMMON_CHAT_RULES,
  media: ASSUMED_MEDIA,
};

/**
 * OpenAI's newer reasoning models; others differ in single fields. https://platform.openai.com/docs/guides/reasoning
 */
const EFFORT = {
  kind: "effort",
  defaultEffort: null,
  canDisable: false,
  efforts: ["low", "medium", "high", "xhigh"],
} as const;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
/** Claude 4.7 and 4.8; other models differ in single fields. */
const ADAPTIVE = {
  kind: "adaptive",
  isDefault: false,
  offType: undefined,
  takesTokens: false,
  efforts: EFFORTS,
} as const;
const ALWAYS = { ...ADAPTIVE, isDefault: true, offType: null } as const;
const NO_SAMPLING = ["temperature", "top_p", "top_k"] as const;
const PENALTIES = ["frequency_penalty", "presence_penalty"] as const;

interface FamilyRow extends Partial<Omit<Family, "chat">> {
  readonly chat?: ChatDifferences;
  /** Matched against the model's name in lower case, without a leading `openai/`. All models if absent. */
  readonly models?: RegExp;
  /** Names of rows in `PROVIDERS`. All providers if absent. */
  readonly providers?: readonly string[];
}

/** Matches at the beginning of the name or after a slash. */
const named = (pattern: string) => new RegExp(`(^|/)(${pattern})`);

/**
 * Families of models. Every matching row applies; later rows override earlier ones.
 *
 * Limits and rules are from the vendors' documentation: OpenAI "Models" and "Reasoning models", Anthropic "Models
 * overview" and "Extended thinking", Google "Gemini models" and "Thinking", DeepSeek "Models & Pricing".
 */
const FAMILIES: readonly FamilyRow[] = [
  { models: named("gpt-3\\.5"), contextWindow: 16_385, maxOutput: 4096 },
  { models: named("gpt-4o"), contextWindow: 128_000, maxOutput: 16_384 },
  { models: named("gpt-4-turbo"), contextWindow: 128_000, maxOutput: 4096 },
  { models: named("gpt-4\\.1"), contextWindow: 1_047_576, maxOutput: 32_768 },
  { models: named("gpt-5"), contextWindow: 400_000, maxOutput: 128_000 },
  { models: named("gpt-5-chat"), contextWindow: 128_000, maxOutput: 16_384 },
  { models: named("gpt-oss"), contextWindow: 131_072 },
  { models: named("o1|o3|o4"), contextWindow: 200_000 },
  { models: /^(gpt-4\.1|gpt-5|codex|o1|o3|o4)|-codex/, prefersResponses: true },
  { models: /^gpt-5/, thinking: { ...EFFORT, efforts: ["minimal", "low", "medium", "high"] } },
  { models: /^gpt-5(\.1|-codex)/, thinking: { ...EFFORT, efforts: ["low", "medium", "high"] } },
  { models: /^gpt-5-pro/, thinking: { ...EFFORT, efforts: ["high"] } },
  { models: /^gpt-5\.(1-codex-max|[2-9]|\d{2,3})/, thinking: EFFORT },
  { models: /^gpt-5\.([6-9]|\d{2,3})/, thinking: { ...EFFORT, canDisable: true } },
  { models: /^gpt-5-chat/, thinking: { kind: "none" } },
  { models: /^o[134]/, thinking: { ...EFFORT, defaultEffort: "medium", efforts: ["low", "medium", "high"] } },
  // An alias, or another vendor's model behind the same API.
  { providers: ["anthropic"], thinking: { ...ADAPTIVE, takesTokens: true } },
  // Some subscriptions charge extra for long requests.
  { models: named("claude"), failures: [{ statuses: [429], text: /extra usage is required/, means: "used_up" }] },
  // A Claude model that no later row matches is newer than this table.
  {
    models: named("claude"),
    contextWindow: 200_000,
    maxOutput: 128_000,
    thinking: ALWAYS,
    refusedSampling: NO_SAMPLING,
    signsThoughts: true,
  },
  { models: /claude-3-(opus|sonnet|haiku)/, maxOutput: 4096, thinking: { kind: "none" }, refusedSampling: [] },
  { models: /claude-3-5/, maxOutput: 8192, thinking: { kind: "none" }, refusedSampling: [] },
  {
    models: /claude-(3-7|(opus|sonnet|haiku)-4(-[015]\b|-20|@|$))/,
    maxOutput: 64_000,
    thinking: { kind: "tokens" },
    refusedSampling: [],
  },
  { models: /claude-opus-4(-[01]\b|-20|@|$)/, maxOutput: 32_000 },
  { models: /claude-(opus-4-1|(opus|sonnet|haiku)-4-5|(opus|sonnet)-4-6)/, temperatureExcludesTopP: true },
  {
    models: /claude-(opus|sonnet)-4-6/,
    thinking: { ...ADAPTIVE, takesTokens: true, efforts: ["low", "medium", "high", "max"] },
    refusedSampling: [],
  },
  { models: /claude-opus-4-[78]/, thinking: ADAPTIVE },
  { models: /claude-(opus|sonnet)-5/, thinking: { ...ALWAYS, offType: "disabled" } },
  { models: /claude-haiku-5-5/, thinking: { ...ALWAYS, offType: "disabled" }, bindsThoughts: true },
  { models: /claude-sonnet-5-5/, thinking: { ...ALWAYS, offType: "between_tools" }, bindsThoughts: true },
  { models: /claude-(opus-5-5|fable-5-[12])/, thinking: ALWAYS, bindsThoughts: true },
  { models: /claude-(opus-(4-[78]|5)|sonnet-(4-6|5)|fable|mythos-5)/, contextWindow: 1_000_000 },
  { models: named("gemini"), contextWindow: 1_048_576, maxOutput: 65_536 },
  {
    models: /gemini/,
    thinking: { kind: "gemini-level", levels: ["minimal", "low", "medium", "high"] },
    refusedSampling: PENALTIES,
    signsCalls: true,
    takesMediaInResults: true,
  },
  { models: /gemini-3-pro/, thinking: { kind: "gemini-level", levels: ["low", "high"] } },
  { models: /gemini-3\.\d+-pro/, thinking: { kind: "gemini-level", levels: ["low", "medium", "high"] } },
  {
    models: /gemini-(1|2)/,
    thinking: { kind: "none" },
    signsCalls: false,
    takesSchemaWithTools: false,
    takesMediaInResults: false,
  },
  { models: /gemini-(1|2\.0)/, maxOutput: 8192, refusedSampling: [] },
  { models: /gemini-2\.5/, thinking: { kind: "gemini-tokens", min: 1, max: 24_576, canDisable: true } },
  { models: /gemini-2\.5-flash-lite/, thinking: { kind: "gemini-tokens", min: 512, max: 24_576, canDisable: true } },
  { models: /gemini-2\.5-pro/, thinking: { kind: "gemini-tokens", min: 128, max: 32_768, canDisable: false } },
  { models: named("(open-)?mistral|ministral|magistral|devstral|codestral|pixtral"), contextWindow: 128_000 },
  { models: named("kimi-k2"), contextWindow: 131_072 },
  { models: named("kimi-(k2-thinking|k2\\.[5-9]|k[3-9])"), contextWindow: 262_144 },
  { models: named("grok-3"), contextWindow: 131_072 },
  { models: named("grok-4"), contextWindow: 256_000 },
  { models: named("deepseek"), contextWindow: 128_000 },
  { providers: ["deepseek"], models: named("deepseek-chat"), maxOutput: 8192 },
  { providers: ["deepseek"], models: named("deepseek-reasoner"), maxOutput: 65_536 },
  { models: named("llama-3\\.3"), contextWindow: 131_072 },
  { models: /^(gpt-[345]|chatgpt|codex|o\d)|-codex/, schema: "openai" },
  { models: named("claude"), schema: "anthropic" },
  { models: /gemini/, schema: "gemini" },
  { models: named("kimi|moonshot"), schema: "moonshot" },
  { models: named("grok"), schema: "xai" },
  { providers: ["openai", "azure", "github-copilot"], models: /^(?!claude|gemini|grok|kimi)/, schema: "openai" },
  { providers: ["anthropic"], schema: "anthropic" },
  { providers: ["google"], schema: "gemini" },
  { providers: ["azure"], strictSchema: "azure-strict" },
  { providers: ["mistral"], schema: "mistral" },
  { providers: ["moonshot"], schema: "moonshot" },
  { providers: ["groq"], schema: "groq" },
  { providers: ["groq"], models: /^(?!gpt-oss|.*(llama-4|kimi))/, structuredOutput: "text" },
  { providers: ["xai"], schema: "xai" },
  { providers: ["deepseek"], schema: "openai", structuredOutput: "text" },
  { providers: ["minimax"], structuredOutput: "text" },
  { models: /^(o[134]|gpt-5(?!-chat))/, refusedSampling: ["temperature", "top_p", ...PENALTIES] },
  { models: /^o[134]/, chat: O_SERIES },
  { models: named("grok-(3-mini|[4-9]|code)"), refusedSampling: PENALTIES },
  { models: named("qwen|qwq|gemma"), chat: ONE_SYSTEM },
  { models: named("(open-)?(mistral|mixtral)|ministral|magistral|devstral|codestral|pixtral"), chat: MISTRAL_MODELS },
  { models: named("deepseek"), chat: DEEPSEEK_MODELS },
  { providers: ["google"], models: /gemini-(?![12])/, chat: SIGNED_CALLS },
  { providers: ["openrouter", "vercel"], chat: REASONING_DETAILS },
  { providers: ["mistral"], chat: MISTRAL },
  { providers: ["deepseek"], chat: DEEPSEEK },
  { providers: ["opencode-zen", "opencode-go"], models: named("deepseek"), chat: DEEPSEEK },
  {
    // https://platform.moonshot.ai/docs/guide/kimi-k2-5-quickstart: other values than the fixed ones are errors
    providers: ["moonshot", "opencode-zen", "opencode-go"],
    models: named("kimi-k(2\\.[5-9]|[3-9])"),
    refusedSampling: ["temperature", "top_p", ...PENALTIES],
  },
  {
    providers: ["moonshot", "opencode-zen", "opencode-go"],
    models: named("kimi-(k2-thinking|k2\\.[5-9]|k[3-9]|thinking|latest)"),
    chat: KIMI_THINKING,
  },
  { providers: ["groq", "cerebras", "xai", "cloudflare-workers-ai"], chat: NO_REASONING },

  // Media: https://platform.openai.com/docs/guides/images-vision and /pdf-files
  { models: named("gpt-3\\.5|gpt-4(-\\d+)?$|gpt-oss|o1-mini|o3-mini"), media: TEXT_ONLY },
  { models: named("gpt-4-turbo"), media: IMAGES },
  {
    models: named("gpt-4o|gpt-4\\.1|gpt-5|o1(?!-mini)|o3(?!-mini)|o4|chatgpt-4o"),
    media: { ...IMAGES_AND_PDF, maxImages: 500 },
  },
  { models: /gpt-(4o-)?audio/, media: { ...TEXT_ONLY, audio: ["audio/wav", "audio/mpeg"] } },
  // https://platform.claude.com/docs/en/build-with-claude/vision and /pdf-support: 5 MB an image, 32 MB a request
  { models: named("claude"), media: { ...IMAGES_AND_PDF, maxImageSize: 5 * 1024 * 1024, maxTotalSize: 28_000_000 } },
  // https://ai.google.dev/gemini-api/docs/image-understanding, /audio and /document-processing: 20 MB a request
  {
    models: named("gemini"),
    media: {
      ...IMAGES_AND_PDF,
      image: ["image/png", "image/jpeg", "image/webp", "image/heic"],
      audio: ["audio/wav", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"],
      maxImages: 3000,
      maxTotalSize: 18_000_000,
    },
  },
  // https://docs.mistral.ai/capabilities/vision: eight images of 10 MB
  { models: named("(open-)?(mistral-(7b|nemo|tiny|saba)|mixtral|codestral)"), media: TEXT_ONLY },
  {
    models: named("pixtral|(mistral-(small|medium|large)|magistral-(small|medium))-latest|ministral-3"),
    media: { ...IMAGES, maxImages: 8, maxImageSize: 10_000_000 },
  },
  // https://api-docs.deepseek.com/api/create-chat-completion: the content of a message is text
  { models: named("deepseek(?!-(vl|ocr))"), media: TEXT_ONLY },
  // https://docs.x.ai/docs/guides/image-understanding: PNG and JPEG
  { models: named("grok-(3|code|beta)"), media: TEXT_ONLY },
  { models: named("grok-(4|2-vision)"), media: { ...TEXT_ONLY, image: ["image/png", "image/jpeg"] } },
  // https://www.llama.com/docs/model-cards-and-prompt-formats, https://console.groq.com/docs/vision: five images, and 4 MB a request
  { models: named("(meta-)?llama-?3(?!\\.2.*vision)"), media: TEXT_ONLY },
  { models: named("(meta-)?llama-4"), media: IMAGES },
  {
    providers: ["groq"],
    models: named("(meta-)?llama-4|qwen3\\.[5-9]"),
    media: { ...IMAGES, maxImages: 5, maxTotalSize: 3_700_000 },
  },
  // https://platform.moonshot.ai/docs/guide/use-kimi-vision-model
  { models: named("kimi-k2(?!\\.[5-9])"), media: TEXT_ONLY },
  { models: named("kimi-k2\\.[5-9]|kimi-latest|moonshot-v1-.*vision"), media: IMAGES },
  // https://qwen.readthedocs.io: the models named VL see, and all since Qwen3.5
  { models: named("qwen(2|2\\.5|3)(?![.\\d])(?!.*(vl|omni))|qwq"), media: TEXT_ONLY },
];

/**
 * Returns the family of a model, given its name and the name of the provider's row in `PROVIDERS`. Omit the provider
 * for a server that is not in the table.
 */
export function familyOf(model: string, provider?: string): Family {
  // Gateways write the version of Claude with a dot.
  const name = model
    .toLowerCase()
    .replace(/^openai\//, "")
    .replace(/(claude-.*\d)\.(?=\d)/, "$1-");
  return FAMILIES.filter(
    ({ models, providers }) =>
      (models?.test(name) ?? true) &&
      (providers === undefined || (provider !== undefined && providers.includes(provider))),
  ).reduce<Family>(
    (family, { models: _models, providers: _providers, chat, ...columns }) => ({
      ...family,
      ...columns,
      chat: { ...family.chat, ...chat },
    }),
    UNKNOWN,
  );
}

/** Returns the context window in tokens: `provider_opts.context_size`, else the family's; 0 if unknown. */
export function contextWindow(family: Family, options: Readonly<Record<string, unknown>> = {}): number {
  const declared = options["context_size"];
  return typeof declared === "number" && declared > 0 ? declared : family.contextWindow;
}
