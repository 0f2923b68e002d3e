import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type ReadyInput, takeInput } from "./handed-over.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads up to 64 KiB that are already available on standard input, if it is a pipe or a small regular file, without a
 * stream (cold start), or returns what another dispatch has read of it. Returns nothing if the platform cannot read a pipe without waiting. Never throws: errors show
 * again when the stream is read.
 */
export function readReadyInput(): ReadyInput {
  const handedOver = takeInput();
  if (handedOver) return handedOver;
  let opened: number | undefined;
  try {
    const stats = fstatSync(0);
    if (stats.isFile()) return stats.size < CHUNK_BYTES ? whole(readFrom(0)) : NOTHING;
    if (!stats.isFIFO() || process.platform !== "linux") return NOTHING;
    // Opens the pipe again, so that O_NONBLOCK applies only to this descriptor and not to other processes with the
    // pipe.
    opened = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    return readFrom(opened);
  } catch {
    return NOTHING;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const NOTHING: ReadyInput = { bytes: new Uint8Array(0), ended: false };

/** A stream of a file begins at its first byte again, so a part of a file counts as nothing. */
function whole(input: ReadyInput): ReadyInput {
  return input.ended ? input : NOTHING;
}

function readFrom(descriptor: number): ReadyInput {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let length = 0;
  try {
    while (length < buffer.length) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0) return { bytes: buffer.subarray(0, length), ended: true };
      length += count;
    }
  } catch {
    // EAGAIN: the writer has not written more yet. Any other error shows again when the stream is read.
  }
  return { bytes: buffer.subarray(0, length), ended: false };
}
