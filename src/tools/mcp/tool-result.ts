import * as v from "valibot";
import { UserError } from "../../lib/errors.ts";
import { decodeText, mediaTypeOf } from "../../lib/files/media-type.ts";
import { isObject } from "../../lib/json.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import { attach } from "../attach.ts";
import type { Attachment, ToolResult } from "../tool.ts";

/** Shown if a server's answer is empty. */
const NOTHING = "no output";

const text = v.optional(v.string(), "");

/** The parts of a result that hooksh understands. An invalid part is left out; the others are kept. */
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
 * Converts a server's answer to a tool result. Joins texts; attaches images, audio and documents with the type of their
 * bytes; shows text files as text and links as Markdown; appends structured content as JSON unless the texts repeat it.
 * For each file that cannot be attached, a text says why.
 */
export async function toToolResult(answer: unknown, signal: AbortSignal): Promise<ToolResult> {
  const { content, structuredContent, isError } = v.parse(resultSchema, answer);
  const parts = await Promise.all(content.map((part) => partOf(part, signal)));
  const texts = parts.flatMap(({ text = "" }) => (text === "" ? [] : [text]));
  const attachments = parts.flatMap(({ attachment }) => attachment ?? []);
  if (structuredContent !== undefined && !repeats(texts, structuredContent))
    texts.push(JSON.stringify(structuredContent));
  return {
    text: texts.length > 0 || attachments.length > 0 ? texts.join("\n") : NOTHING,
    ...(isError ? { isError: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/** True if the texts repeat the structured content, as MCP advises servers to do, as a whole or item by item. */
function repeats(texts: readonly string[], structured: unknown): boolean {
  const values = texts.map(parsed);
  // Some libraries wrap a value that is not an object in an object.
  const wrapped = isObject(structured) && Object.keys(structured).length === 1 ? structured["result"] : undefined;
  return [structured, wrapped].some(
    (content) =>
      content !== undefined &&
      (values.some((value) => isDeepEqual(value, content)) ||
        isDeepEqual(values, content) ||
        texts.some((text) => text === content) ||
        isDeepEqual(texts, content)),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // ordinary text
  }
}

/** The text and attachment that a part of an answer adds to the result. */
interface Part {
  text?: string;
  attachment?: Attachment;
}

async function partOf(given: unknown, signal: AbortSignal): Promise<Part> {
  const parsed = v.safeParse(partSchema, given);
  if (!parsed.success) return { text: "[a part of the result was left out: it is not understood]" };
  const part = parsed.output;
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "image":
    case "audio":
      return filePart({ kind: part.type, data: part.data, declared: part.mimeType }, signal);
    case "resource": {
      const { uri, mimeType, text: inline, blob } = part.resource;
      if (blob === undefined) return { text: inline ?? "" };
      return filePart({ kind: "document", data: blob, declared: mimeType, name: fileName(uri) }, signal);
    }
    case "resource_link":
      return { text: `[${label(part.title || part.name || part.uri)}](${target(part.uri)})` };
  }
}

/** A file in an answer, as declared by its server. */
interface DeclaredFile {
  kind: "image" | "audio" | "document";
  /** base64 */
  data: string;
  /** The declared MIME type, which may be empty or invalid. */
  declared: string;
  name?: string;
}

async function filePart({ kind, data, declared, name }: DeclaredFile, signal: AbortSignal): Promise<Part> {
  const bytes = Buffer.from(data, "base64");
  const shown = [kind, name && label(name), isMimeType(declared) && declared].filter(Boolean).join(" ");
  if (bytes.length === 0) return { text: `[${shown} left out: it holds no base64]` };
  const type = mediaTypeOf(bytes);
  if (type.kind === "text") return { text: `[${shown}]\n${decodeText(bytes)}` };
  try {
    const { attachment, description, isChanged } = await attach(bytes, type, { signal, ...(name ? { name } : {}) });
    return isChanged ? { attachment, text: `[${shown}: ${description}]` } : { attachment };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: `[${shown} left out: ${error.message}]` };
  }
}

function isMimeType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(text);
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
