import { ConfigError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/platform.ts";

/** `sha256:<hex>` of bytes or of a text as UTF-8. */
export function digestOf(content: Uint8Array | string): string {
  return `sha256:${sha256(content)}`;
}

/** True for `sha256:` and 64 lower-case hexadecimal digits; nothing else may become part of a path. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** The bytes as text. Throws a {@link ConfigError} for what is not UTF-8. */
export function textOf(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ConfigError(`${shown}: not UTF-8 text`, { cause: error });
  }
}
