import { parseDataUrl } from "../../lib/files/data-url.ts";
import { freezeJson } from "../../lib/frozen.ts";
import { isObject } from "../../lib/json.ts";
import { memoize, memoizeEach } from "../../lib/once.ts";
import type { Message as HookMessage } from "../../protocol/fields.ts";
import { fileBlock } from "./media.ts";
import {
  type Block,
  type ContentBlock,
  type FinishReason,
  flatBlocks,
  isMedia,
  type MediaSource,
  type Message,
  resultOf,
  sourceUrl,
  type ThinkingBlock,
  type ToolCallBlock,
  textOf,
  thinkingOf,
  toolCallsOf,
  type Usage,
} from "./message.ts";

/** A part of a message's `multi_content`. */
export type HookPart = NonNullable<HookMessage["multi_content"]>[number];
type HookCall = NonNullable<HookMessage["tool_calls"]>[number];

/**
 * Returns a message as hooks see it (docs/events.md): text as `content`, media as parts of `multi_content`, thoughts as
 * `reasoning_content`. Returns the same object for the same message, frozen.
 */
export const toHookMessage = memoize((message: Message): HookMessage => {
  const { role, createdAt, model, usage, cost, finishReason, cacheControl, extra } = message;
  const calls = toolCallsOf(message);
  const result = resultOf(message);
  const thoughts = message.blocks.filter((block) => block.type === "thinking");
  const reasoning = thinkingOf(message);
  const media = flatBlocks(message).some(isMedia);
  return freezeJson({
    ...extra,
    role,
    content: textOf(message),
    ...(media ? { multi_content: flatBlocks(message).flatMap(toHookParts) } : {}),
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...signaturesOf(thoughts, message.blocks),
    ...(calls.length > 0 ? { tool_calls: calls.map(toHookToolCall) } : {}),
    ...(result ? { tool_call_id: result.callId } : {}),
    ...(result?.isError ? { is_error: true } : {}),
    ...(finishReason ? { finish_reason: finishReason } : {}),
    ...(model === undefined ? {} : { model }),
    ...(usage ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  });
});

/** {@link toHookMessage} of each message of a conversation. */
export const toHookMessages = memoizeEach(toHookMessage);

/** The opaque values with a field of their own: of the only thought, and of the first call or else the first text. */
function signaturesOf(thoughts: readonly ThinkingBlock[], blocks: readonly Block[]): Partial<HookMessage> {
  const [thought] = thoughts;
  const thinking = thoughts.length === 1 ? signatureIn(thought, "signature") : undefined;
  const signed = blocks.find(({ type }) => type === "tool_call") ?? blocks.find(({ type }) => type === "text");
  const thoughtSignature = signatureIn(signed, "thoughtSignature");
  return {
    ...(thinking ? { thinking_signature: thinking } : {}),
    ...(thoughtSignature ? { thought_signature: thoughtSignature } : {}),
  };
}

function signatureIn(block: Block | undefined, key: string): string | undefined {
  const data = block && "origin" in block ? block.origin?.data : undefined;
  const value = isObject(data) ? data[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Returns a tool call in the shape of Chat Completions, which hooks and run events use. */
export function toHookToolCall({
  id,
  name,
  arguments: text,
}: Omit<ToolCallBlock, "type" | "origin">): HookCall & { type: "function" } {
  return { id, type: "function", function: { name, arguments: text } };
}

/** Returns the part that shows a block to hooks; none for thoughts and tool calls, which have fields of their own. */
export function toHookParts(block: Exclude<Block, { type: "tool_result" }>): HookPart[] {
  switch (block.type) {
    case "text":
    case "refusal":
      return [{ type: "text", text: block.text }];
    case "image":
      return [
        {
          type: "image_url",
          image_url: { url: sourceUrl(block.source), ...(block.detail === undefined ? {} : { detail: block.detail }) },
        },
      ];
    case "document":
      return [{ type: "file", file: { filename: block.name, file_data: sourceUrl(block.source) } }];
    case "audio":
      return [{ type: "input_audio", input_audio: { url: sourceUrl(block.source) } }];
    case "thinking":
    case "tool_call":
      return [];
  }
}

/**
 * Reads a message from a hook, or from a session file before version 2. Unknown parts become a text that names them;
 * unknown keys are kept for other hooks.
 */
export function fromHookMessage(given: HookMessage): Message {
  const {
    role,
    content,
    multi_content,
    reasoning_content,
    thinking_signature: _signed,
    thought_signature: _thought,
    tool_calls,
    function_call,
    tool_call_id,
    is_error,
    created_at,
    model,
    usage,
    cost,
    finish_reason,
    cache_control,
    ...rest
  } = given as HookMessage & Record<string, unknown>;
  const blocks = contentBlocks(content, multi_content);
  const calls = [...(tool_calls ?? []), ...(function_call ? [{ id: "", function: function_call }] : [])];
  return {
    role,
    blocks:
      role === "tool"
        ? [{ type: "tool_result", callId: tool_call_id ?? "", isError: is_error ?? false, blocks }]
        : [...thinkingBlocks(reasoning_content), ...blocks, ...calls.map(toCall)],
    ...(typeof created_at === "string" ? { createdAt: created_at } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(isObject(usage) ? { usage: usage as Usage } : {}),
    ...(typeof cost === "number" ? { cost } : {}),
    ...(isFinishReason(finish_reason) ? { finishReason: finish_reason } : {}),
    ...(cache_control === undefined ? {} : { cacheControl: cache_control }),
    ...(Object.keys(rest).length > 0 ? { extra: rest } : {}),
  };
}

function isFinishReason(value: unknown): value is FinishReason {
  return value === "stop" || value === "length" || value === "tool_calls" || value === "refusal";
}

function thinkingBlocks(text: string | undefined): ThinkingBlock[] {
  return text ? [{ type: "thinking", text }] : [];
}

function toCall({ id, function: { name, arguments: text } }: HookCall): ToolCallBlock {
  return { type: "tool_call", id, name, arguments: text };
}

/** If both are given, `content` repeats the text parts. */
function contentBlocks(content: string | undefined, parts: readonly HookPart[] = []): ContentBlock[] {
  const blocks = parts.map(fromHookPart);
  return content && !blocks.some(({ type }) => type === "text") ? [{ type: "text", text: content }, ...blocks] : blocks;
}

/** Returns the block that a part describes; for a part of an unknown kind, a text that names it. */
export function fromHookPart(part: HookPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text ?? "" };
  return toMedia(part) ?? { type: "text", text: `[${part.type} left out]` };
}

/** Returns the number of parts of which only the kind is known, so that a text names them. */
export function countUnreadableParts({ multi_content = [] }: HookMessage): number {
  return multi_content.filter((part) => part.type !== "text" && toMedia(part) === undefined).length;
}

function toMedia(part: HookPart): ContentBlock | undefined {
  if (part.image_url) {
    const { url, detail } = part.image_url;
    const block = urlBlock(url, (source) => ({ type: "image", source }));
    return block.type === "image" && detail ? { ...block, detail } : block;
  }
  const { file, document, input_audio: audio } = part as Record<string, unknown>;
  if (isObject(audio)) return toAudio(audio);
  if (isObject(file) && typeof file["file_data"] === "string") {
    const name = textOr(file["filename"], "file");
    return urlBlock(file["file_data"], (source) => ({ type: "document", name, source }), name);
  }
  return isObject(document) && isObject(document["source"]) ? toDocument(document, document["source"]) : undefined;
}

/** Audio in the form that hooks see (`url`), or that of Chat Completions (`data` in base64, `format`). */
function toAudio({ url, data, format }: Record<string, unknown>): ContentBlock | undefined {
  if (typeof url === "string") return urlBlock(url, (source) => ({ type: "audio", source }));
  return typeof data === "string" ? fileBlock({ mimeType: `audio/${textOr(format, "wav")}`, data }) : undefined;
}

/** A `document` part with its content inside. */
function toDocument(document: Record<string, unknown>, source: Record<string, unknown>): ContentBlock | undefined {
  const name = textOr(document["name"], "document");
  const { inline_text: text, inline_data: data } = source;
  if (typeof text === "string") return { type: "text", text: `${name}:\n${text}` };
  if (typeof data !== "string") return undefined;
  return fileBlock({ mimeType: textOr(document["mime_type"], "application/octet-stream"), data, name });
}

/** The bytes of a `data:` URL decide the kind of block; for other URLs, `linked` does. */
function urlBlock(url: string, linked: (source: MediaSource) => ContentBlock, name?: string): ContentBlock {
  const inline = parseDataUrl(url);
  return inline ? fileBlock({ ...inline, ...(name ? { name } : {}) }) : linked({ kind: "url", url });
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
