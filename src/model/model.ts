/**
 * Models: conversations in typed blocks, providers, and the calls to them. It knows no agent and no hook.
 *
 * @packageDocumentation
 */
import { type Help, helpOf, UserError } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { MediaRules } from "./messages/media.ts";
import { type FinishReason, type Message, type ReplyBlock, textOf, type Usage } from "./messages/message.ts";

const MODEL_CALL_FAILED: Help = {
  cause:
    "The network, the provider or a proxy cut the answer, sent an error, or asks to wait longer than hooksh waits.",
  cure: "hooksh has already retried what can be retried. Check the provider's status page, your key and quota, and `base_url`; add a model under `fallback`. `hooksh doctor` shows the keys that are set and the local servers that answer.",
};

/** A tool as a request describes it to the model; `parameters` is a JSON Schema object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** The shape a reply must have, for providers that can enforce one. */
export interface StructuredOutput {
  name: string;
  description?: string;
  strict?: boolean;
  schema: JsonObject;
}

/** The input of one model call. */
export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  structuredOutput?: StructuredOutput | undefined;
  /** Overrides the configured `max_tokens`. */
  maxTokens?: number | undefined;
  /** Keeps thinking to the minimum the model allows, for titles and summaries. */
  minimalThinking?: boolean | undefined;
  signal: AbortSignal;
}

/** A piece of a reply as it arrives. `index` identifies the tool call within its reply. */
export type ModelDelta =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "tool_call"; index: number; id?: string; name?: string; arguments?: string };

/** A tool call as the model wrote it; `arguments` is unchecked JSON text. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * A finished reply: the blocks that the model wrote, in order. Read it with `textOf`, `thinkingOf` and `toolCallsOf`.
 */
export interface Reply {
  blocks: readonly ReplyBlock[];
  finishReason: FinishReason;
  usage?: Usage;
}

/** Returns the text of a reply. */
export function replyText({ blocks }: Pick<Reply, "blocks">): string {
  return textOf({ role: "assistant", blocks });
}

/** A configured model that can be called. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  /** The provider's name as configured. */
  readonly provider: string;
  /** The size of the context window in tokens; 0 if unknown. */
  readonly contextLimit: number;
  /** Where its requests go and the variable that says so; undefined for the address of its provider and of its settings. */
  readonly address?: string | undefined;
  /** The media that the model accepts; absent if unknown. Other files in a request become a text that names them. */
  readonly media?: MediaRules;
  /**
   * Makes one call without retries and resolves with the finished reply. Throws a {@link ModelError} if the call fails,
   * also if the stream breaks off, goes silent, or ends without a finish reason. Throws the signal's reason when
   * aborted.
   */
  stream(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<Reply>;
  /** Returns what the user can do about a failed call; undefined if nothing is known. */
  remedyFor?(error: ModelError): string | undefined;
}

/** The kinds of failed model calls that callers treat differently. */
export type ModelErrorCode =
  | "context_exceeded"
  | "request_too_large"
  | "media_too_large"
  | "rate_limited"
  | "model_error";

/** True if the request, or a part of it, was larger than the provider accepts. */
export function isOverflow({ code }: ModelError): boolean {
  return code === "context_exceeded" || code === "request_too_large" || code === "media_too_large";
}

/** A failed model call. */
export class ModelError extends UserError {
  readonly code: ModelErrorCode;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** True if an immediate retry may succeed: status 408, 500, 502, 503, 504 or 529, network faults, broken streams. */
  readonly retryable: boolean;
  /** True if a retry may succeed minutes later: the provider limits the rate or is overloaded. */
  readonly isBusy: boolean;
  /** True if the provider names an image, document or audio as the reason. */
  readonly blamesMedia: boolean;
  /** The delay in milliseconds that the provider asks for before a retry. */
  readonly retryAfterMs: number | undefined;
  /** The provider's complaint, such as `HTTP 429: slow down`: the message without the address. */
  readonly providerMessage: string;

  constructor(
    message: string,
    details: {
      code?: ModelErrorCode;
      status?: number;
      retryable?: boolean;
      isBusy?: boolean;
      blamesMedia?: boolean;
      providerMessage?: string;
      retryAfterMs?: number | undefined;
      cause?: unknown;
      help?: Help | undefined;
    } = {},
  ) {
    super(message, { cause: details.cause, help: details.help ?? helpOf(details.cause) ?? MODEL_CALL_FAILED });
    this.name = "ModelError";
    this.code = details.code ?? "model_error";
    this.status = details.status ?? 0;
    this.retryable = details.retryable ?? false;
    this.isBusy = details.isBusy ?? false;
    this.providerMessage = details.providerMessage ?? message;
    this.blamesMedia = details.blamesMedia ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}
