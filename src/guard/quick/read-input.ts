import { findRepeatedKey, isObject } from "../../lib/json.ts";
import type { ReadyInput } from "../../lib/process/handed-over.ts";
import type { SystemCalls } from "../../lib/process/system-calls.ts";

/** In bytes. The engine reads larger inputs while they come. */
const MOST_BYTES = 256 * 1024;

/** How long the rest of the input may take, in milliseconds: whoever starts hooksh writes at once. */
const PATIENCE_MS = 20;

/**
 * Reads standard input, as far as it comes at once. `isOneEnough`: its end is not waited for after a complete value,
 * because some agents never close it. Undefined for an input that cannot be handed over in part.
 */
export function readInput(system: SystemCalls, isOneEnough: boolean): ReadyInput | undefined {
  const found = system.status(0);
  const isFile = found?.kind === "file";
  if (!isFile && found?.kind !== "pipe" && found?.kind !== "socket") return undefined;
  // What was read of a file must be all of it, and the engine reads this much of it.
  if (isFile && found.size >= 64 * 1024) return undefined;
  let buffer = new Uint8Array(64 * 1024);
  let length = 0;
  const events = [{ descriptor: 0, isReady: false }];
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const isWhole = isOneEnough && endsValue(buffer, length) && eventIn(buffer.subarray(0, length)) !== undefined;
    const bytes = () => ({ bytes: buffer.subarray(0, length), ended: false });
    if (!system.wait(events, isWhole ? 0 : until - performance.now()) || length >= MOST_BYTES) return bytes();
    if (length === buffer.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(buffer);
      buffer = larger;
    }
    const count = system.read(0, buffer.subarray(length));
    if (count < 0) return bytes();
    if (count === 0) return { ...bytes(), ended: true };
    length += count;
  }
}

function endsValue(buffer: Uint8Array, length: number): boolean {
  const last = buffer[length - 1];
  return last === 0x7d || (last === 0x0a && buffer[length - 2] === 0x7d);
}

/** Returns the only value of the input, an object; undefined for anything else, and if a key is or may be repeated. */
export function eventIn(bytes: Uint8Array): Record<string, unknown> | undefined {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  // Most agents write what JSON.stringify writes: then each key is there once.
  return JSON.stringify(value) === text.trimEnd() || findRepeatedKey(text) === undefined ? value : undefined;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
