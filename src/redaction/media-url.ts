import { parseDataUrl } from "../lib/files/data-url.ts";
import { decodeText, mediaTypeOf } from "../lib/files/media-type.ts";
import type { Redactor } from "./redact.ts";

/** Redacts a URL, and the text inside a `data:` URL. Returns a value that is not a string unchanged. */
export function redactUrl(value: unknown, redactor: Redactor): unknown {
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
export function redactBase64(data: string, redactor: Redactor): string {
  const { kind, mimeType } = mediaTypeOf(Buffer.from(data.slice(0, HEAD), "base64"));
  const isKnownFormat = kind !== "text" && mimeType !== "application/octet-stream";
  if (isKnownFormat) return data;
  const text = decodeText(Buffer.from(data, "base64"));
  const redacted = redactor.redact(text);
  return redacted === text ? data : Buffer.from(redacted).toString("base64");
}
