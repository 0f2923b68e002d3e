import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 64 * 1024;

/** What can be read from standard input without waiting. */
export interface ReadyInput {
  bytes: Uint8Array;
  /** True if nothing follows. */
  ended: boolean;
}

/**
 * Reads what already is in standard input, at most 64 KiB, if it is a pipe or a small regular file. A stream for it starts two
 * threads, which costs a cold dispatch more than everything else about its event. Gives nothing where the platform does
 * not let a pipe be asked without waiting; never throws: what cannot be read is left to the stream.
 */
export function readReadyInput(): ReadyInput {
  let opened: number | undefined;
  try {
    const stats = fstatSync(0);
    if (stats.isFile()) return stats.size < CHUNK_BYTES ? whole(readFrom(0)) : NOTHING;
    if (!stats.isFIFO() || process.platform !== "linux") return NOTHING;
    // Opened anew, so that O_NONBLOCK holds for this descriptor alone and not for whoever else has the pipe.
    opened = openSync("/proc/self/fd/0", constants.O_RDONLY | constants.O_NONBLOCK);
    return readFrom(opened);
  } catch {
    return NOTHING;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

const NOTHING: ReadyInput = { bytes: new Uint8Array(0), ended: false };

/** A stream of a file begins at its first byte, whatever was read before: all of it is ready, or nothing. */
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
