import { isatty } from "node:tty";
import { printError, warn } from "../cli/print.ts";
import { errorText, InputError } from "../lib/errors.ts";
import { formatBytes } from "../lib/files/media-type.ts";
import { standardInput } from "../lib/platform.ts";
import { settleWithin } from "../lib/settle-within.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";

/** Much more than the context of any model. */
const MAX_BYTES = 10 * 1000 * 1000;
/** Some programs leave a pipe open and never write to it; that must not stop a run. One that has written may be slow. */
const SILENCE_MS = 3000;

/**
 * Returns what is piped in beside a message, as a file that goes with it, and says so; undefined if there is nothing.
 * Waits for the first byte for three seconds, and then for the end, which it says after three silent seconds. Throws an {@link InputError} for more than 10 MB.
 */
export async function pipedInput(signal: AbortSignal, isQuiet = false): Promise<AttachedFile | undefined> {
  if (isatty(0)) return undefined;
  const bytes = await readInput(signal);
  if (bytes.every((byte) => byte <= 0x20)) return undefined;
  const { attachBytes } = await import("../runtime/session/attached-file.ts");
  const file = await attachBytes(bytes, { name: "standard input", maxText: MAX_BYTES, signal });
  if (!isQuiet) printError(`standard input goes with the message: ${file.description}`);
  return file;
}

async function readInput(signal: AbortSignal): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    const reader = standardInput().getReader();
    let saidThatItWaits = false;
    let reading = reader.read();
    for (;;) {
      const next = await settleWithin(reading, { signal, ms: saidThatItWaits ? undefined : SILENCE_MS });
      if (next.kind === "timed_out" && size > 0) {
        saidThatItWaits = true;
        warn("the run waits for the end of standard input, which the program that writes it has not closed");
        continue;
      }
      if (next.kind === "timed_out") warn("standard input sent nothing for 3 seconds: the run goes on without it");
      if (next.kind !== "done") {
        void reader.cancel();
        return Buffer.alloc(0);
      }
      if (next.value.done) return Buffer.concat(parts);
      parts.push(next.value.value);
      size += next.value.value.length;
      if (size > MAX_BYTES) throw new InputError(tooLong());
      reading = reader.read();
    }
  } catch (error) {
    // Closed, or write-only as nohup leaves it: nothing was piped in.
    if (error instanceof Error && "code" in error && error.code === "EBADF") return Buffer.alloc(0);
    if (error instanceof InputError) throw error;
    throw new InputError(`standard input cannot be read: ${errorText(error)}`);
  }
}

function tooLong(): string {
  const advice = "name a file that the agent reads in parts, or close it with </dev/null";
  return `standard input is longer than ${formatBytes(MAX_BYTES)}, so it cannot go with the message: ${advice}`;
}
