import { createHash } from "node:crypto";
import { once } from "../../lib/once.ts";
import { linesOf } from "./material.ts";
import { TEST_KEYS } from "./test-keys.ts";

/** The characters of a digest that are compared: 48 bits. */
export const DIGEST_LENGTH = 8;

const testKeys = once(() => new Set(TEST_KEYS.match(/\S{8}/g)));

/**
 * True if the private key from `start` up to `end` is one that everybody has, because a language or a library ships it
 * with its tests. Indentation, comment signs and escapes between its lines make no difference.
 */
export function isTestKey(text: string, start: number, end: number): boolean {
  return testKeys().has(keyDigest(text, start, end));
}

/** The beginning of the SHA-256 of a key's lines, in base64. */
export function keyDigest(text: string, start: number, end: number): string {
  const lines = linesOf(text, start, end).map((line) => text.slice(line.start, line.end));
  return createHash("sha256").update(lines.join("")).digest("base64").slice(0, DIGEST_LENGTH);
}
