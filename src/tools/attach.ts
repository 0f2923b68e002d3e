import { UserError } from "../lib/errors.ts";
import { formatBytes, type MediaType } from "../lib/files/media-type.ts";
import type { Attachment } from "./tool.ts";

/** A file as an attachment. */
export interface Attached {
  readonly attachment: Attachment;
  /** For the model: type and size, and the original if the file was converted. */
  readonly description: string;
  readonly isChanged: boolean;
}

/** In base64 and with the rest of a conversation, this fits into a request to Gemini (20 MB) or Anthropic (32 MB). */
const MAX_FILE_BYTES = 12_000_000;

/**
 * Makes an attachment from an image, document or audio file. Decodes an image, and scales it down if providers would
 * refuse it. Throws a {@link UserError} that says why the file cannot be attached (damaged, too large, or a kind that
 * models do not accept) and does not name it.
 */
export async function attach(
  bytes: Uint8Array,
  type: MediaType,
  { name, signal }: { name?: string; signal: AbortSignal },
): Promise<Attached> {
  const named = name ? { name } : {};
  if (type.kind === "image") {
    const { fitImage } = await import("../lib/files/fit-image.ts");
    const image = await fitImage(bytes, type, signal);
    const facts = `${image.mimeType}, ${image.width} x ${image.height} pixels, ${formatBytes(image.bytes.length)}`;
    return {
      attachment: { mimeType: image.mimeType, data: base64(image.bytes), ...named },
      description: image.madeFrom === undefined ? facts : `${facts}; ${image.madeFrom}`,
      isChanged: image.madeFrom !== undefined,
    };
  }
  const facts = `${type.mimeType}, ${formatBytes(bytes.length)}`;
  if (type.kind !== "document" && type.kind !== "audio") throw new UserError(`models cannot be shown ${facts}`);
  if (bytes.length > MAX_FILE_BYTES) throw new UserError(`${facts}: larger than ${formatBytes(MAX_FILE_BYTES)}`);
  return {
    attachment: { mimeType: type.mimeType, data: base64(bytes), ...named },
    description: facts,
    isChanged: false,
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
