import { type Block, isMedia, type MediaBlock, type Message, textOf } from "../messages/message.ts";
import type { Reply } from "../model.ts";

/** A part of a message in the JSON schemas of OpenTelemetry's conventions for generative AI. */
type TracePart = Readonly<Record<string, unknown>> & { type: string };

/**
 * Returns messages in the shape of `gen_ai.input.messages`
 * (https://github.com/open-telemetry/semantic-conventions-genai). The bytes of files are left out.
 */
export function toTraceMessages(messages: readonly Message[]): { role: string; parts: TracePart[] }[] {
  return messages.map(({ role, blocks }) => ({ role, parts: blocks.map(toPart) }));
}

/** Returns a reply in the shape of `gen_ai.output.messages`. */
export function toTraceReply({ blocks, finishReason }: Reply) {
  return { role: "assistant", parts: blocks.map(toPart), finish_reason: finishReason };
}

function toPart(block: Block): TracePart {
  if (isMedia(block)) return mediaPart(block);
  switch (block.type) {
    case "thinking":
      return { type: "reasoning", content: block.text };
    case "tool_call":
      return { type: "tool_call", id: block.id, name: block.name, arguments: block.arguments };
    case "tool_result":
      return {
        type: "tool_call_response",
        id: block.callId,
        response: textOf({ role: "tool", blocks: [block] }),
        ...(block.isError ? { is_error: true } : {}),
      };
    case "text":
    case "refusal":
      return { type: block.type, content: block.text };
  }
}

function mediaPart({ type, source }: MediaBlock): TracePart {
  return source.kind === "url"
    ? { type: "uri", modality: type, uri: source.url }
    : { type: "blob", modality: type, mime_type: source.mimeType, content: "" };
}
