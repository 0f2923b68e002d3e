import { isObject } from "../../lib/json.ts";
import { memoize } from "../../lib/memoize.ts";
import type { FieldValue, Message as HookMessage } from "../../protocol/fields.ts";

/** Tokens of one call, as the provider reported them. See docs/events.md, `usage`. */
export type Usage = FieldValue<"usage">;

/** Who speaks. `developer` is the name that newer models of OpenAI give to `system`. */
export type Role = HookMessage["role"];

/** Why a reply ended. */
export type FinishReason = "stop" | "length" | "tool_calls" | "refusal";

/**
 * The model service that wrote a block, and data that only this service understands: a signature, an encrypted thought, the
 * id of an item. `data` is sent back unchanged to the same `provider` and `api`, and to no other. A block whose content
 * changes loses its `data`, because a signature covers the content it was made for.
 */
export interface Origin {
  /** The provider's name as configured, such as `anthropic` or an entry of `providers`. */
  readonly provider: string;
  /** The API that was spoken: `chat`, `responses`, `anthropic`, `google`. */
  readonly api: string;
  /** JSON. Each adapter knows the shape of its own. */
  readonly data?: unknown;
}

/** The bytes of a file, or where the provider can fetch them. */
export type MediaSource =
  | { readonly kind: "data"; readonly mimeType: string /** base64 */; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** A text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly origin?: Origin;
}

/** A thought of a model; the text is empty if the provider hides it. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  readonly origin?: Origin;
}

/** A call of a tool. `arguments` is JSON text as the model wrote it, unchecked. */
export interface ToolCallBlock {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly origin?: Origin;
}

/** The result of a tool call: texts and media in order. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  /** The id of the {@link ToolCallBlock} it answers. */
  readonly callId: string;
  readonly isError: boolean;
  readonly blocks: readonly ContentBlock[];
}

/** An image. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: MediaSource;
  /** `low`, `high` or `auto`, for providers that ask how closely to look. */
  readonly detail?: string;
}

/** A file that is neither an image nor audio, such as a PDF. */
export interface DocumentBlock {
  readonly type: "document";
  readonly name: string;
  readonly source: MediaSource;
}

/** A sound recording. */
export interface AudioBlock {
  readonly type: "audio";
  readonly source: MediaSource;
}

/** A model's refusal to answer. */
export interface RefusalBlock {
  readonly type: "refusal";
  readonly text: string;
}

/** A block that shows media. */
export type MediaBlock = ImageBlock | DocumentBlock | AudioBlock;

/** A block that users and tools can write. */
export type ContentBlock = TextBlock | MediaBlock;

/** A block a model can write. */
export type ReplyBlock = TextBlock | ThinkingBlock | ToolCallBlock | RefusalBlock;

/** A piece of a message. */
export type Block = ContentBlock | ReplyBlock | ToolResultBlock;

/**
 * A message of a conversation: typed blocks in the order in which they were written. Messages are replaced, never
 * changed. Every other shape (what hooks see, what a provider is sent, what is stored) is a projection of this one:
 * `src/model/messages/hook-messages.ts`, the request file of each API (such as `src/model/chat/chat-request.ts`), `src/runtime/store/`.
 */
export interface Message {
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** RFC 3339 */
  readonly createdAt?: string;
  /** `provider/model` of the model that wrote it. */
  readonly model?: string;
  readonly usage?: Usage;
  /** US dollars. */
  readonly cost?: number;
  readonly finishReason?: FinishReason;
  /** Marks the end of a stretch that the provider should cache. */
  readonly cacheControl?: unknown;
  /** Keys that a hook added. Hooks see them again; models do not. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A message of one text. */
export function textMessage(role: Exclude<Role, "tool">, text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

/** The result of a tool call as a message. */
export function toolResult(callId: string, blocks: readonly ContentBlock[], isError = false): Message {
  return { role: "tool", blocks: [{ type: "tool_result", callId, isError, blocks }] };
}

/** The blocks of a message, with those of tool results in place of the results. */
export function flatBlocks({ blocks }: Pick<Message, "blocks">): readonly Exclude<Block, ToolResultBlock>[] {
  const [only] = blocks;
  if (only?.type === "tool_result" && blocks.length === 1) return only.blocks;
  return blocks.flatMap((block): readonly Exclude<Block, ToolResultBlock>[] =>
    block.type === "tool_result" ? block.blocks : [block],
  );
}

/** The tool calls of a message. */
export function toolCallsOf({ blocks }: Pick<Message, "blocks">): ToolCallBlock[] {
  return blocks.filter((block) => block.type === "tool_call");
}

/** The arguments of a call, parsed; empty if they are not a JSON object, which the call's result says. */
export function argumentsOf({ arguments: text }: ToolCallBlock): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(text || "{}");
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}

/** The tool result that a message of the role `tool` holds. */
export function resultOf({ blocks }: Pick<Message, "blocks">): ToolResultBlock | undefined {
  return blocks.find((block) => block.type === "tool_result");
}

/** The media of a message, those in tool results included. */
export const mediaOf = memoize((message: Pick<Message, "blocks">): readonly MediaBlock[] =>
  flatBlocks(message).filter(isMedia),
);

/** The media of a conversation, in order. */
export function mediaIn(messages: readonly Message[]): MediaBlock[] {
  const found: MediaBlock[] = [];
  for (const message of messages) {
    const media = mediaOf(message);
    if (media.length > 0) found.push(...media);
  }
  return found;
}

/** True for a block that is an image, a document or audio. */
export function isMedia(block: Block): block is MediaBlock {
  return block.type === "image" || block.type === "document" || block.type === "audio";
}

/**
 * The text of a message, refusals included. What a model wrote in pieces is one text; the texts of others are separated
 * by a line end.
 */
export function textOf(message: Pick<Message, "blocks" | "role">): string {
  const texts = flatBlocks(message).flatMap((block) =>
    block.type === "text" || block.type === "refusal" ? [block.text] : [],
  );
  return texts.join(message.role === "assistant" ? "" : "\n");
}

/** The thoughts of a message, separated by blank lines. */
export function thinkingOf({ blocks }: Pick<Message, "blocks">): string {
  return blocks.flatMap((block) => (block.type === "thinking" && block.text !== "" ? [block.text] : [])).join("\n\n");
}

/** True for instructions to the model. */
export function isSystem({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

/** The URL of a source: `data:` with the bytes in it, or the address. */
export function sourceUrl(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mimeType};base64,${source.data}`;
}

import { quickHash } from "../../lib/platform.ts";

/** An id of a tool call that a server takes: itself if it fits, else one made from it, the same in every request. */
export function callIdFor(id: string, allowed: RegExp): string {
  return allowed.test(id) ? id : quickHash(id).toString(36).slice(-9).padStart(9, "0");
}
