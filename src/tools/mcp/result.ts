import * as v from "valibot";
import type { Attachment, ToolResult } from "../tool.ts";

/** What is shown when a server answers with nothing at all. */
const NOTHING = "no output";

const text = v.optional(v.string(), "");

/** The parts of a result that are understood. A server's mistakes cost a part, never the result. */
const partSchema = v.variant("type", [
  v.object({ type: v.literal("text"), text: v.string() }),
  v.object({ type: v.picklist(["image", "audio"]), data: v.string(), mimeType: text }),
  v.object({
    type: v.literal("resource"),
    resource: v.object({ uri: text, mimeType: text, text: v.optional(v.string()), blob: v.optional(v.string()) }),
  }),
  v.object({ type: v.literal("resource_link"), uri: v.string(), name: text, title: text }),
]);

const resultSchema = v.object({
  content: v.fallback(v.array(v.unknown()), []),
  structuredContent: v.optional(v.unknown()),
  isError: v.fallback(v.boolean(), false),
});

/**
 * What a server's answer to a call comes to: text parts joined, images, audio and documents attached, links as
 * Markdown.
 *
 * Source: config-and-cli 5.16.
 */
export function toToolResult(answer: unknown): ToolResult {
  const { content, structuredContent, isError } = v.parse(resultSchema, answer);
  const parts = content.map(partOf);
  const texts = parts.flatMap((part) => (typeof part === "string" && part !== "" ? [part] : []));
  const attachments = parts.filter((part) => typeof part !== "string");
  const structured = structuredContent === undefined ? NOTHING : JSON.stringify(structuredContent);
  const shown = texts.length > 0 ? texts.join("\n") : attachments.length > 0 ? "" : structured;
  return {
    text: shown,
    ...(isError ? { isError: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

function partOf(given: unknown): string | Attachment {
  const parsed = v.safeParse(partSchema, given);
  if (!parsed.success) return "[a part of the result was left out: it is not understood]";
  const part = parsed.output;
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return attachment(part.type, part.data, part.mimeType, part.type === "image" ? "image/png" : "audio/wav");
    case "resource": {
      const { uri, mimeType, text: inline, blob } = part.resource;
      if (blob === undefined) return inline ?? "";
      return attachment("document", blob, mimeType, "application/octet-stream", fileName(uri));
    }
    case "resource_link":
      return `[${label(part.title || part.name || part.uri)}](${target(part.uri)})`;
  }
}

/** Data that is no base64 would make every later request of the session fail. */
function attachment(kind: string, data: string, given: string, fallback: string, name?: string): string | Attachment {
  const clean = Buffer.from(data, "base64").toString("base64");
  if (clean === "") return `[${kind} left out: it holds no base64]`;
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given : fallback;
  return { mimeType, data: clean, ...(name ? { name } : {}) };
}

function fileName(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? "";
  return path.slice(path.lastIndexOf("/") + 1);
}

function label(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[[\]\\]/g, "\\$&");
}

function target(uri: string): string {
  return uri.replace(/[\s()<>]/g, (character) => encodeURIComponent(character).replace("(", "%28").replace(")", "%29"));
}
