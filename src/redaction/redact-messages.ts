import { parseDataUrl } from "../lib/files/data-url.ts";
import { decodeText, mediaTypeOf } from "../lib/files/media-type.ts";
import { isObject } from "../lib/json.ts";
import type { Message } from "../protocol/fields.ts";
import type { Redactor } from "./redact.ts";

/**
 * Redacts every text in messages; returns undefined if nothing was found. Covers content, reasoning, the arguments of
 * tool calls, and the texts, names, addresses and documents of media parts. Pictures, sound, signatures and unknown
 * keys stay as they are.
 */
export function redactMessages(messages: readonly Message[], redactor: Redactor): Message[] | undefined {
  const redacted = messages.map((message) => (isObject(message) ? redactMessage(message, redactor) : message));
  return redacted.some((message, at) => message !== messages[at]) ? redacted : undefined;
}

function redactMessage(message: Message, redactor: Redactor): Message {
  const { content, reasoning_content, multi_content, function_call, tool_calls } = message;
  return withChanges(message, {
    content: redactString(content, redactor),
    reasoning_content: redactString(reasoning_content, redactor),
    multi_content: redactEach(multi_content, (part) => redactPart(part, redactor)),
    function_call: isObject(function_call) ? redactCall(function_call, redactor) : function_call,
    tool_calls: redactEach(tool_calls, (call) =>
      isObject(call.function) ? withChanges(call, { function: redactCall(call.function, redactor) }) : call,
    ),
  });
}

type Part = NonNullable<Message["multi_content"]>[number];

/** Redacts one value of a media part. */
type Redact = (value: unknown, redactor: Redactor) => unknown;

/** The keys that hold the media of a part, with the redaction of each text in them. */
const MEDIA: Readonly<Record<string, Readonly<Record<string, Redact>>>> = {
  image_url: { url: redactUrl },
  input_audio: { url: redactUrl, data: redactFile },
  file: { filename: redactString, file_data: redactUrl },
  document: { name: redactString, source: redactSource },
};

function redactPart(part: Part, redactor: Redactor): Part {
  const media = Object.entries(MEDIA).map(([key, texts]) => {
    const value = part[key];
    return [key, isObject(value) ? withChanges(value, redactedTexts(value, texts, redactor)) : value];
  });
  return withChanges(part, { ...Object.fromEntries(media), text: redactString(part.text, redactor) });
}

function redactedTexts(value: Record<string, unknown>, texts: Readonly<Record<string, Redact>>, redactor: Redactor) {
  return Object.fromEntries(Object.entries(texts).map(([key, redact]) => [key, redact(value[key], redactor)]));
}

/** The content of a `document` part. */
function redactSource(source: unknown, redactor: Redactor): unknown {
  if (!isObject(source)) return source;
  return withChanges(source, {
    inline_text: redactString(source["inline_text"], redactor),
    inline_data: redactFile(source["inline_data"], redactor),
  });
}

/** A file in base64 with the text in it redacted. */
function redactFile(data: unknown, redactor: Redactor): unknown {
  return typeof data === "string" ? redactBase64(data, redactor) : data;
}

/** Redacts a URL, and the text inside a `data:` URL. Returns a value that is not a string unchanged. */
function redactUrl(value: unknown, redactor: Redactor): unknown {
  if (typeof value !== "string") return value;
  const inline = parseDataUrl(value);
  if (!inline) return redactor.redact(value);
  const redacted = redactBase64(inline.data, redactor);
  return redacted === inline.data ? value : value.slice(0, value.length - inline.data.length) + redacted;
}

/** Base64 characters that contain every byte by which {@link mediaTypeOf} recognises a format. */
const HEAD = 12_000;

/**
 * Redacts a text file that is given in base64, and returns it in base64; `data` itself if nothing was found. Every file
 * counts as text unless its bytes are of a known format such as PNG, PDF or ZIP; the type that its sender gave is
 * ignored.
 */
function redactBase64(data: string, redactor: Redactor): string {
  const { kind, mimeType } = mediaTypeOf(Buffer.from(data.slice(0, HEAD), "base64"));
  const isKnownFormat = kind !== "text" && mimeType !== "application/octet-stream";
  if (isKnownFormat) return data;
  const text = decodeText(Buffer.from(data, "base64"));
  const redacted = redactor.redact(text);
  return redacted === text ? data : Buffer.from(redacted).toString("base64");
}

type Call = NonNullable<Message["function_call"]>;

function redactCall(call: Call, redactor: Redactor): Call {
  return withChanges(call, { arguments: redactString(call.arguments, redactor) });
}

/** Redacts a string. Returns any other value unchanged. */
function redactString<Value>(value: Value, redactor: Redactor): Value | string {
  return typeof value === "string" ? redactor.redact(value) : value;
}

/** The list with each object in it redacted; the same list if none changed. */
function redactEach<Item>(items: Item[] | undefined, redact: (item: Item) => Item): Item[] | undefined {
  if (!Array.isArray(items)) return items;
  const redacted = items.map((item) => (isObject(item) ? redact(item) : item));
  return redacted.some((item, at) => item !== items[at]) ? redacted : items;
}

/** The object with other values for some keys; the same object if nothing differs. */
function withChanges<Value extends object>(value: Value, changes: Partial<Value>): Value {
  const changed = Object.entries(changes).filter(([key, next]) => next !== Reflect.get(value, key));
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}
