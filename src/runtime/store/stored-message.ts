import * as v from "valibot";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { toHookMessage } from "../../model/messages/hook-messages.ts";
import type { Block, ContentBlock, MediaSource, Message, Origin } from "../../model/messages/message.ts";
import { type Message as HookMessage, USAGE } from "../../protocol/fields.ts";

const text = v.string();

const OriginSchema = v.object({ provider: text, api: text, data: v.exactOptional(v.unknown()) });
const origin = v.exactOptional(OriginSchema);

const SourceSchema = v.variant("kind", [
  v.object({ kind: v.literal("data"), mime_type: text, data: text }),
  v.object({ kind: v.literal("url"), url: text }),
]);

const TextSchema = v.object({ type: v.literal("text"), text, origin });
const ImageSchema = v.object({ type: v.literal("image"), source: SourceSchema, detail: v.exactOptional(text) });
const DocumentSchema = v.object({ type: v.literal("document"), name: text, source: SourceSchema });
const AudioSchema = v.object({ type: v.literal("audio"), source: SourceSchema });

const ContentSchema = v.variant("type", [TextSchema, ImageSchema, DocumentSchema, AudioSchema]);

const BlockSchema = v.variant("type", [
  TextSchema,
  ImageSchema,
  DocumentSchema,
  AudioSchema,
  v.object({ type: v.literal("thinking"), text, origin }),
  v.object({ type: v.literal("tool_call"), id: text, name: text, arguments: text, origin }),
  v.object({ type: v.literal("tool_result"), call_id: text, is_error: v.boolean(), blocks: v.array(ContentSchema) }),
  v.object({ type: v.literal("refusal"), text }),
]);

/** A message as it is stored: its blocks and metadata, under the names that hooks use. */
export const StoredMessageSchema = v.object({
  role: v.picklist(["system", "developer", "user", "assistant", "tool"]),
  blocks: v.array(BlockSchema),
  created_at: v.exactOptional(text),
  model: v.exactOptional(text),
  usage: v.exactOptional(schemaFromShape(USAGE)),
  cost: v.exactOptional(v.number()),
  finish_reason: v.exactOptional(v.picklist(["stop", "length", "tool_calls", "refusal"])),
  cache_control: v.exactOptional(v.unknown()),
  extra: v.exactOptional(v.record(text, v.unknown())),
});

export type StoredMessage = v.InferOutput<typeof StoredMessageSchema>;

type StoredBlock = v.InferOutput<typeof BlockSchema>;
type StoredContent = v.InferOutput<typeof ContentSchema>;
type StoredSource = v.InferOutput<typeof SourceSchema>;

/** A message in an exported session: readable as hooks see it, plus the complete blocks. */
export type ExportedMessage = HookMessage & Pick<StoredMessage, "blocks">;

export function exportedMessage(message: Message): ExportedMessage {
  const { multi_content: _inBlocks, ...shown } = toHookMessage(message);
  return { ...shown, role: message.role, blocks: message.blocks.map(storedBlock) };
}

export function storedMessage(message: Message): StoredMessage {
  const { role, blocks, createdAt, model, usage, cost, finishReason, cacheControl, extra } = message;
  return {
    role,
    blocks: blocks.map(storedBlock),
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
    ...(model === undefined ? {} : { model }),
    ...(usage ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
    ...(finishReason ? { finish_reason: finishReason } : {}),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
    ...(extra ? { extra } : {}),
  };
}

export function messageFrom(stored: StoredMessage): Message {
  const { role, blocks, created_at, model, usage, cost, finish_reason, cache_control, extra } = stored;
  return {
    role,
    blocks: blocks.map(blockFrom),
    ...(created_at === undefined ? {} : { createdAt: created_at }),
    ...(model === undefined ? {} : { model }),
    ...(usage ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
    ...(finish_reason ? { finishReason: finish_reason } : {}),
    ...(cache_control === undefined ? {} : { cacheControl: cache_control }),
    ...(extra ? { extra } : {}),
  };
}

function storedBlock(block: Block): StoredBlock {
  if (block.type === "tool_result") {
    const { type, callId, isError, blocks } = block;
    return { type, call_id: callId, is_error: isError, blocks: blocks.map(storedContent) };
  }
  if (block.type === "thinking" || block.type === "tool_call") return { ...block, ...storedOrigin(block.origin) };
  return block.type === "refusal" ? block : storedContent(block);
}

function storedContent(block: ContentBlock): StoredContent {
  if (block.type === "text") return { type: "text", text: block.text, ...storedOrigin(block.origin) };
  return { ...block, source: storedSource(block.source) };
}

function storedSource(source: MediaSource): StoredSource {
  return source.kind === "url" ? source : { kind: "data", mime_type: source.mimeType, data: source.data };
}

function storedOrigin(origin: Origin | undefined): { origin?: v.InferOutput<typeof OriginSchema> } {
  return origin ? { origin } : {};
}

export function blockFrom(stored: StoredBlock): Block {
  switch (stored.type) {
    case "tool_result":
      return {
        type: stored.type,
        callId: stored.call_id,
        isError: stored.is_error,
        blocks: stored.blocks.map(contentFrom),
      };
    case "thinking":
    case "tool_call":
    case "refusal":
      return stored;
    default:
      return contentFrom(stored);
  }
}

function contentFrom(stored: StoredContent): ContentBlock {
  return stored.type === "text" ? stored : { ...stored, source: sourceFrom(stored.source) };
}

function sourceFrom(source: StoredSource): MediaSource {
  return source.kind === "url" ? source : { kind: "data", mimeType: source.mime_type, data: source.data };
}
