import { UserError } from "../lib/errors.ts";
import { formatBytes, type MediaType } from "../lib/files/media-type.ts";
import type { Attachment } from "./tool.ts";

/** A file as an attachment. */
export interface Attached {
  readonly attachment: Attachment;
  /** For the model: type and size, and what the attachment was made from if it is not the file as it was. */
  readonly description: string;
  readonly isChanged: boolean;
}

/**
 * Its base64, with the rest of a conversation, fits the 20 MB of a request to Gemini and the 32 MB of one to Anthropic.
 */
const MAX_FILE_BYTES = 12_000_000;

/**
 * Makes an attachment of an image, document or audio file whose type is known from its bytes. An image is decoded, and
 * scaled down if providers would refuse it. Throws a {@link UserError} that says why the file cannot be attached,
 * without its name: it is damaged, too large, or of a kind that no model is sent.
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
    const facts = [image.mimeType, `${image.width} x ${image.height} pixels`, formatBytes(image.bytes.length)].join(
      ", ",
    );
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
