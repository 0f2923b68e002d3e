import { isObject } from "../../lib/json.ts";
import { memoize, memoizeEach } from "../../lib/once.ts";
import { quickHash } from "../../lib/platform.ts";
import type { FieldValues, Message as HookMessage } from "../../protocol/fields.ts";

/** Tokens of one call, as the provider reported them; `usage` in docs/events.md. */
export type Usage = FieldValues["usage"];

/** The author of a message. `developer` is OpenAI's newer name for `system`. */
export type Role = HookMessage["role"];

/** Why a reply ended. */
export type FinishReason = "stop" | "length" | "tool_calls" | "refusal";

/**
 * The model service that wrote a block, and data that only this service understands: a signature, an encrypted thought,
 * the id of an item. `data` goes back unchanged to the same `provider` and `api`, and to no other. A block loses its
 * `data` when its content changes, because a signature covers the original content.
 */
export interface Origin {
  /** The provider's name as configured, such as `anthropic` or an entry of `providers`. */
  readonly provider: string;
  /** The API of the call: `chat`, `responses`, `anthropic` or `google`. */
  readonly api: string;
  /** A JSON value whose shape only the code for that API knows. */
  readonly data?: unknown;
}

/** The bytes of a file, or a URL from which the provider can fetch them. */
export type MediaSource =
  | { readonly kind: "data"; readonly mimeType: string /** base64 */; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly origin?: Origin;
}

/** A model's thought; the text is empty if the provider hides it. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  readonly origin?: Origin;
}

/** A tool call. `arguments` is unchecked JSON text, as the model wrote it. */
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
  /** The id of the {@link ToolCallBlock} that the result answers. */
  readonly callId: string;
  readonly isError: boolean;
  readonly blocks: readonly ContentBlock[];
}

export interface ImageBlock {
  readonly type: "image";
  readonly source: MediaSource;
  /** The resolution at which OpenAI reads the image: `low`, `high` or `auto`. */
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

/** An image, a document or audio. */
export type MediaBlock = ImageBlock | DocumentBlock | AudioBlock;

/** A block that users and tools can write. */
export type ContentBlock = TextBlock | MediaBlock;

/** A block that a model can write. */
export type ReplyBlock = TextBlock | ThinkingBlock | ToolCallBlock | RefusalBlock;

/** A piece of a message. */
export type Block = ContentBlock | ReplyBlock | ToolResultBlock;

/**
 * A message of a conversation: typed blocks in the order in which they were written. Messages are replaced, never
 * changed. Every other shape (for hooks, for providers, on disk) is a projection of this one:
 * `src/model/messages/hook-messages.ts`, the request file of each API (such as `src/model/chat/chat-request.ts`),
 * `src/runtime/store/`.
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

/** Returns a message that holds one text. */
export function textMessage(role: Exclude<Role, "tool">, text: string): Message {
  return { role, blocks: [{ type: "text", text }] };
}

/** Returns a message that holds the result of a tool call. */
export function toolResult(callId: string, blocks: readonly ContentBlock[], isError = false): Message {
  return { role: "tool", blocks: [{ type: "tool_result", callId, isError, blocks }] };
}

/** Returns the blocks of a message; each tool result is replaced by the blocks inside it. */
export function flatBlocks({ blocks }: Pick<Message, "blocks">): readonly Exclude<Block, ToolResultBlock>[] {
  const [only] = blocks;
  if (only?.type === "tool_result" && blocks.length === 1) return only.blocks;
  return blocks.flatMap((block): readonly Exclude<Block, ToolResultBlock>[] =>
    block.type === "tool_result" ? block.blocks : [block],
  );
}

export function toolCallsOf({ blocks }: Pick<Message, "blocks">): ToolCallBlock[] {
  return blocks.filter((block) => block.type === "tool_call");
}

/** Returns the parsed arguments of a call. Empty if they are not a JSON object; the call's result reports that. */
export function argumentsOf({ arguments: text }: ToolCallBlock): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(text || "{}");
    return isObject(input) ? input : {};
  } catch {
    return {};
  }
}

/** Returns the tool result that a message of the role `tool` holds. */
export function resultOf({ blocks }: Pick<Message, "blocks">): ToolResultBlock | undefined {
  return blocks.find((block) => block.type === "tool_result");
}

/** Returns the media of a message, including those in tool results. */
export const mediaOf = memoize((message: Pick<Message, "blocks">): readonly MediaBlock[] =>
  flatBlocks(message).filter(isMedia),
);

const mediaOfEach = memoizeEach(mediaOf);

/** Returns the media of a conversation, in order. */
export function mediaIn(messages: readonly Message[]): MediaBlock[] {
  const found: MediaBlock[] = [];
  for (const media of mediaOfEach(messages)) {
    if (media.length > 0) found.push(...media);
  }
  return found;
}

/** True for a block that is an image, a document or audio. */
export function isMedia(block: Block): block is MediaBlock {
  return block.type === "image" || block.type === "document" || block.type === "audio";
}

/**
 * Returns the text of a message, including refusals. Pieces by a model are joined as they are, others by a line break.
 */
export function textOf(message: Pick<Message, "blocks" | "role">): string {
  const texts = flatBlocks(message).flatMap((block) =>
    block.type === "text" || block.type === "refusal" ? [block.text] : [],
  );
  return texts.join(message.role === "assistant" ? "" : "\n");
}

/** Returns the thoughts of a message, separated by blank lines. */
export function thinkingOf({ blocks }: Pick<Message, "blocks">): string {
  return blocks.flatMap((block) => (block.type === "thinking" && block.text !== "" ? [block.text] : [])).join("\n\n");
}

/** True if the message holds instructions to the model. */
export function isSystem({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

/** Returns the URL of a source; a `data:` URL if the source holds the bytes. */
export function sourceUrl(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mimeType};base64,${source.data}`;
}

/** Returns the id of a tool call if the server accepts it, else a hash of it, which is the same in every request. */
export function callIdFor(id: string, allowed: RegExp): string {
  return allowed.test(id) ? id : quickHash(id).toString(36).slice(-9).padStart(9, "0");
}
