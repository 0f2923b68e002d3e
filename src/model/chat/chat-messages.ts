import { freezeJson } from "../../lib/frozen.ts";
import { isObject } from "../../lib/json.ts";
import { memoize } from "../../lib/once.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import { mergeNeighbours } from "../messages/merge-neighbours.ts";
import {
  callIdFor,
  flatBlocks,
  isMedia,
  isSystem,
  type MediaBlock,
  type Message,
  resultOf,
  sourceUrl,
  type ThinkingBlock,
  type ToolCallBlock,
  textOf,
  toolCallsOf,
} from "../messages/message.ts";

/** A message of a Chat Completions request. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/** `Origin.data` of thinking blocks: data that a server sent with a thought, and that goes back in the same fields. */
export interface ThoughtData {
  /** The field of the text; `content` for a part of the content. */
  readonly field?: string;
  /** `reasoning_details` as OpenRouter sends them. */
  readonly details?: readonly unknown[];
  /** `reasoning_opaque` as GitHub Copilot sends it. */
  readonly opaque?: string;
}

/** Fields of an assistant's message that hold reasoning. */
export const REASONING_FIELDS = [
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
  "reasoning_opaque",
] as const;

/** `Origin.data` of tool calls: data that a server sent with a call. */
export interface CallData {
  /** For example, Gemini's signature. */
  readonly extra_content?: unknown;
}

/** The assistant's message between a tool result and a user's message, for servers that refuse the sequence. */
const NOTED = "Noted.";

/** Returns the messages of a Chat Completions request, in the order and with the fields that the server accepts. */
export function chatMessages(model: ResolvedModel, messages: readonly Message[]): ChatMessage[] {
  const ordered = orderSystem(model, messages);
  const echoes = echoScope(model, ordered);
  const projection = projectionOf(model);
  const entries: ChatMessage[] = [];
  const add = (entry: ChatMessage) => {
    const isAfterResult = entry["role"] === "user" && entries.at(-1)?.["role"] === "tool";
    if (isAfterResult && model.family.chat.needsReplyAfterTools) entries.push({ role: "assistant", content: NOTED });
    entries.push(entry);
  };
  let resultMedia: MediaBlock[] = [];
  ordered.forEach((message, index) => {
    if (message.role !== "tool" && resultMedia.length > 0) {
      add(attachments(resultMedia));
      resultMedia = [];
    }
    const entry = projection[echoes(index) ? "echoing" : "plain"](message);
    if (entry) add(entry);
    // A tool's result is text only: a message after the batch holds the media of all results.
    if (message.role === "tool") resultMedia = [...resultMedia, ...flatBlocks(message).filter(isMedia)];
  });
  if (resultMedia.length > 0) add(attachments(resultMedia));
  return entries;
}

/**
 * Writes a message with and without its reasoning. Cached and frozen, because every request repeats the earlier messages.
 */
const projectionOf = memoize((model: ResolvedModel) => ({
  echoing: memoize((message: Message) => freezeJson(chatMessage(model, message, true))),
  plain: memoize((message: Message) => freezeJson(chatMessage(model, message, false))),
}));

/** Moves system text before the conversation and joins it, if the server requires that. */
function orderSystem({ mergesMessages, family }: ResolvedModel, messages: readonly Message[]): readonly Message[] {
  const { system } = family.chat;
  if (!mergesMessages && system === "anywhere") return messages;
  const texts = messages.filter(isSystem);
  const conversation = messages.filter((message) => !isSystem(message));
  if (mergesMessages) return mergeNeighbours([...texts, ...conversation]);
  return [...(system === "one" ? mergeNeighbours(texts) : texts), ...conversation];
}

/** Returns a function that tells whether the reasoning of the message at an index is sent back. */
function echoScope({ family }: ResolvedModel, messages: readonly Message[]): (index: number) => boolean {
  const { scope } = family.chat.reasoning;
  if (scope === "none" || scope === "all") return () => scope === "all";
  if (scope === "loop") {
    const lastUser = messages.findLastIndex(({ role }) => role === "user");
    return (index) => index > lastUser;
  }
  let turn = 0;
  const turns = messages.map(({ role }) => (role === "user" ? ++turn : turn));
  const withTools = new Set(turns.filter((_turn, index) => messages[index]?.role === "tool"));
  return (index) => withTools.has(turns[index] ?? 0);
}

function chatMessage(model: ResolvedModel, message: Message, echoes: boolean): ChatMessage | undefined {
  const text = textOf(message);
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: text };
    case "tool":
      return {
        role: "tool",
        tool_call_id: callIdFor(resultOf(message)?.callId ?? "", model.family.chat.allowedCallIds),
        content: text,
      };
    case "user": {
      // Some servers of local models accept only a string.
      if (message.blocks.every(({ type }) => type === "text")) return { role: "user", content: text };
      const parts = flatBlocks(message).flatMap((block) =>
        isMedia(block) ? [mediaPart(block)] : block.type === "text" ? [{ type: "text", text: block.text }] : [],
      );
      return { role: "user", content: parts };
    }
    case "assistant": {
      const calls = toolCallsOf(message).map((call, index) => chatCall(model, message, call, index === 0));
      if (!text && calls.length === 0) return undefined;
      const thought = echoes ? thoughtOf(model, message) : {};
      return {
        role: "assistant",
        ...(text ? { content: text } : {}),
        ...thought,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
    }
  }
}

function chatCall(model: ResolvedModel, message: Message, call: ToolCallBlock, isFirst: boolean): ChatMessage {
  const { id, name, arguments: input } = call;
  const data = isOwn(model, message, call) && isSameModel(model, message) ? call.origin?.data : undefined;
  const extra =
    (isObject(data) ? data["extra_content"] : undefined) ?? (isFirst ? model.family.chat.foreignCallExtra : undefined);
  return {
    id: callIdFor(id, model.family.chat.allowedCallIds),
    type: "function",
    function: { name, arguments: input },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

/** Returns the fields that hold the reasoning of an answer. */
function thoughtOf(model: ResolvedModel, message: Message): ChatMessage {
  const { field: usual, filler } = model.family.chat.reasoning;
  const isSame = isSameModel(model, message);
  // A server that requires the field also gets the thoughts of the provider's other models.
  const thoughts =
    isSame || filler !== undefined
      ? message.blocks.filter((block) => block.type === "thinking").filter((block) => isOwn(model, message, block))
      : [];
  const data = thoughts.map(thoughtData).find((found) => found !== undefined);
  const field = filler === undefined ? (data?.field ?? usual) : usual;
  if (field === "content") return thoughts.length > 0 ? { content: contentParts(message, thoughts) } : {};
  if (data?.details) return { reasoning_details: data.details };
  const text = thoughts.map((block) => block.text).join("\n\n") || filler;
  return {
    ...(text === undefined ? {} : { [field]: text }),
    ...(data?.opaque ? { reasoning_opaque: data.opaque } : {}),
  };
}

function thoughtData({ origin }: ThinkingBlock): ThoughtData | undefined {
  return isObject(origin?.data) ? origin.data : undefined;
}

/** Returns thoughts and texts in their order, in the form of Mistral. */
function contentParts(message: Message, thoughts: readonly ThinkingBlock[]): ChatMessage[] {
  return message.blocks.flatMap((block): ChatMessage[] => {
    if (block.type === "text" || block.type === "refusal") return [{ type: "text", text: block.text }];
    if (block.type !== "thinking" || !thoughts.includes(block)) return [];
    return [{ type: "thinking", thinking: [{ type: "text", text: block.text }], closed: true }];
  });
}

/** True if this provider wrote the block. Sessions of earlier versions store only the model of a message. */
function isOwn(model: ResolvedModel, message: Message, { origin }: ThinkingBlock | ToolCallBlock): boolean {
  if (!origin) return message.model === nameOf(model);
  return origin.provider === model.provider && origin.api === "chat";
}

function isSameModel(model: ResolvedModel, message: Message): boolean {
  return message.model === undefined || message.model === nameOf(model);
}

function nameOf({ provider, model }: ResolvedModel): string {
  return `${provider}/${model}`;
}

function attachments(media: readonly MediaBlock[]): ChatMessage {
  return {
    role: "user",
    content: [{ type: "text", text: "Attachments of the tool results above:" }, ...media.map(mediaPart)],
  };
}

function mediaPart(block: MediaBlock): ChatMessage {
  const url = sourceUrl(block.source);
  switch (block.type) {
    case "image":
      return { type: "image_url", image_url: { url, ...(block.detail ? { detail: block.detail } : {}) } };
    case "document":
      return { type: "file", file: { filename: block.name, file_data: url } };
    case "audio":
      return block.source.kind === "url" ? { type: "text", text: url } : audioPart(block.source);
  }
}

/** OpenAI names the formats `wav` and `mp3`; other providers also accept `ogg`, `flac` and others. */
function audioPart({ mimeType, data }: { mimeType: string; data: string }): Record<string, unknown> {
  const format = mimeType === "audio/mpeg" ? "mp3" : mimeType.replace("audio/", "");
  return { type: "input_audio", input_audio: { data, format } };
}
