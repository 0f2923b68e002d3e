import { UserError } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import type { MediaRules } from "./messages/media.ts";
import { type FinishReason, type Message, type ReplyBlock, textOf, type Usage } from "./messages/message.ts";

/** A tool as the model is told of it; `parameters` is a JSON Schema object. */
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

/** One call of a model. */
export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  structuredOutput?: StructuredOutput | undefined;
  /** Overrides the configured completion budget. */
  maxTokens?: number | undefined;
  /** Asks for as little thinking as possible: titles, summaries. */
  minimalThinking?: boolean | undefined;
  signal: AbortSignal;
}

/** A piece of a reply as it arrives. `index` tells the tool calls of one reply apart. */
export type ModelDelta =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "tool_call"; index: number; id?: string; name?: string; arguments?: string };

/** A tool call as the model wrote it; `arguments` is its JSON text, not yet checked. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A finished reply: the blocks that the model wrote, in order. `textOf`, `thinkingOf` and `toolCallsOf` read it. */
export interface Reply {
  blocks: readonly ReplyBlock[];
  finishReason: FinishReason;
  usage?: Usage;
}

/** The text of a reply. */
export function replyText({ blocks }: Pick<Reply, "blocks">): string {
  return textOf({ role: "assistant", blocks });
}

/** Something that answers. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  /** The provider's name as configured. */
  readonly provider: string;
  /** Tokens the context window holds; 0 when unknown. */
  readonly contextLimit: number;
  /** The media it takes; absent if unknown. Other files in a request are described to it in text. */
  readonly media?: MediaRules;
  /**
   * Makes one call, without retrying, and resolves with the finished reply. Throws a {@link ModelError}; a stream that
   * ends without a finish reason, is cut, or falls silent is such an error and never a reply. Throws the signal's
   * reason when aborted.
   */
  stream(request: ModelRequest, onDelta: (delta: ModelDelta) => void): Promise<Reply>;
}

/** The classes of a failed model call. */
export type ModelErrorCode =
  | "context_exceeded"
  | "request_too_large"
  | "media_too_large"
  | "rate_limited"
  | "model_error";

/** True if the request, or a part of it, was larger than the provider takes. */
export function isOverflow({ code }: ModelError): boolean {
  return code === "context_exceeded" || code === "request_too_large" || code === "media_too_large";
}

/** A failed model call. */
export class ModelError extends UserError {
  readonly code: ModelErrorCode;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** True when the same call may succeed a moment later: 408, 500, 502, 503, 504, 529, network faults, cut streams. */
  readonly retryable: boolean;
  /** True when the same call may succeed minutes later: the provider limits the rate, or is overloaded. */
  readonly isBusy: boolean;
  /** True if the provider names an image, document or audio as the reason. */
  readonly blamesMedia: boolean;
  /** When the provider wants to be asked again, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What the provider said, such as `HTTP 429: slow down`; the message without the address. */
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
    } = {},
  ) {
    super(message, { cause: details.cause });
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
