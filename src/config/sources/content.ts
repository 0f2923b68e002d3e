import { ConfigError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/platform.ts";

/** Returns `sha256:<hex>` of bytes, or of a text in UTF-8. */
export function digestOf(content: Uint8Array | string): string {
  return `sha256:${sha256(content)}`;
}

/** True for `sha256:` and 64 lower-case hexadecimal digits. Anything else must not become part of a path. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** Decodes UTF-8 bytes. Throws a {@link ConfigError} if they are invalid. */
export function textOf(bytes: Uint8Array, displayName: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${displayName}: not UTF-8 text`, { cause: error });
  }
}
