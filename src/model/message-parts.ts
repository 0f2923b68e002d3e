import { isObject } from "../lib/json.ts";
import type { Message } from "../protocol/fields.ts";

/** A part of a message, whatever way it was written. `data` is base64. */
export type ContentPart =
  | { kind: "text"; text: string }
  | { kind: "image"; url: string; detail?: string }
  | { kind: "file"; name: string; mimeType: string; data: string };

/** The parts of a message in order; what no provider could take is named in a text part. */
export function messageParts(message: Message): ContentPart[] {
  const parts = (message.multi_content ?? []).map(toPart);
  // `content` repeats the text parts where both are given.
  if (message.content && !parts.some((part) => part.kind === "text"))
    parts.unshift({ kind: "text", text: message.content });
  return parts;
}

/** The text of a message. */
export function messageText(message: Message): string {
  const texts = messageParts(message).flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return texts.join("\n");
}

/** Type and base64 data of a `data:` URL, undefined for any other URL. */
export function parseDataUrl(url: string): { mimeType: string; data: string } | undefined {
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma < 0 || !url.slice(0, comma).endsWith(";base64")) return undefined;
  return {
    mimeType: url.slice("data:".length, comma - ";base64".length).split(";")[0] ?? "",
    data: url.slice(comma + 1),
  };
}

/** True for instructions to the model: `developer` is what newer models of OpenAI call `system`. */
export function isSystem({ role }: Pick<Message, "role">): boolean {
  return role === "system" || role === "developer";
}

/** The messages with neighbours of one role, `system` or `user`, joined by a blank line. Source: config-and-cli 6.8. */
export function mergeNeighbours(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const previous = merged.at(-1);
    const joins = previous && previous.role === message.role && (isSystem(message) || message.role === "user");
    if (!previous || !joins) merged.push(message);
    else merged[merged.length - 1] = joinMessages(previous, message);
  }
  return merged;
}

function joinMessages(first: Message, second: Message): Message {
  if (!first.multi_content?.length && !second.multi_content?.length) {
    return { role: first.role, content: [first.content, second.content].filter(Boolean).join("\n\n") };
  }
  const parts = (message: Message) =>
    message.multi_content?.length ? message.multi_content : [{ type: "text", text: message.content ?? "" }];
  return { role: first.role, multi_content: [...parts(first), ...parts(second)] };
}

function toPart(part: NonNullable<Message["multi_content"]>[number]): ContentPart {
  if (part.type === "text") return { kind: "text", text: part.text ?? "" };
  if (part.image_url) {
    return {
      kind: "image",
      url: part.image_url.url,
      ...(part.image_url.detail ? { detail: part.image_url.detail } : {}),
    };
  }
  return toFile(part) ?? { kind: "text", text: `[${part.type} left out]` };
}

/** A `file` part as OpenAI writes it, or a `document` part with its content inside. */
function toFile(part: Record<string, unknown>): ContentPart | undefined {
  const file = part["file"];
  if (isObject(file) && typeof file["file_data"] === "string") {
    const content = parseDataUrl(file["file_data"]);
    return content && { kind: "file", name: textOr(file["filename"], "file"), ...content };
  }
  const document = part["document"];
  const source = isObject(document) ? document["source"] : undefined;
  if (!isObject(document) || !isObject(source)) return undefined;
  const name = textOr(document["name"], "document");
  if (typeof source["inline_text"] === "string") return { kind: "text", text: `${name}:\n${source["inline_text"]}` };
  if (typeof source["inline_data"] !== "string") return undefined;
  const mimeType = textOr(document["mime_type"], "application/octet-stream");
  const data = source["inline_data"];
  return mimeType.startsWith("image/")
    ? { kind: "image", url: `data:${mimeType};base64,${data}` }
    : { kind: "file", name, mimeType, data };
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
