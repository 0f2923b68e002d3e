import { UserError } from "../../lib/errors.ts";

/** A message beyond this many bytes ends the connection. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

const WINDOW_MS = 10_000;
const MESSAGES_A_WINDOW = 20_000;
const BYTES_A_WINDOW = 256 * 1024 * 1024;

/** Measures what a server sends, so that one that never stops sending cannot keep this process from its work. */
export class Meter {
  #start = performance.now();
  #messages = 0;
  #bytes = 0;

  /** Counts what has arrived; false once that is more than a server at work sends. */
  add({ messages = 0, bytes = 0 }: { messages?: number; bytes?: number }): boolean {
    const now = performance.now();
    if (now - this.#start > WINDOW_MS) {
      this.#start = now;
      this.#messages = 0;
      this.#bytes = 0;
    }
    this.#messages += messages;
    this.#bytes += bytes;
    return this.#messages <= MESSAGES_A_WINDOW && this.#bytes <= BYTES_A_WINDOW;
  }
}

/** A request that certainly did not reach its server, or was turned away by it: making it again does no harm. */
export class NotDeliveredError extends UserError {
  override readonly name = "NotDeliveredError";
}

/** Who a transport reports to. */
export interface Watch {
  meter: Meter;
  /**
   * The server has ended, or hooksh has let it go. After a `flood` the same call does not ask it again; a `clean` end
   * is one that the server chose.
   */
  gone(reason: string, kind?: "clean" | "flood"): void;
  /** For the debug log. */
  log(message: string): void;
}

/** What a server that sends too much is let go with. */
export const FLOOD_TEXTS = {
  message: `sent a message of more than ${MESSAGE_LIMIT / 1024 / 1024} MiB`,
  rate: "sends messages without end",
} as const;

/** The ends of a line that is too long to be read whole. */
export interface LongLine {
  head: Uint8Array;
  tail: Uint8Array;
  /** Its length. */
  bytes: number;
}

/** Bytes of each end of a line that are kept. */
const EDGE = 16 * 1024;

/**
 * Puts chunks together to lines of at most `limit` bytes, without their line ends. Of a longer one only the ends are
 * kept, which `onLong` gets once the line is complete.
 */
export function splitLines(
  limit: number,
  onLine: (line: string) => void,
  onLong: (line: LongLine) => void,
): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = [];
  let size = 0;
  let long: LongLine | undefined;
  const add = (part: Uint8Array) => {
    size += part.length;
    if (long) {
      long.tail = Buffer.concat([long.tail, part.subarray(-EDGE)]).subarray(-EDGE);
      return;
    }
    parts.push(part);
    if (size <= limit) return;
    const all = Buffer.concat(parts);
    long = {
      head: Buffer.from(all.subarray(0, EDGE)),
      tail: Buffer.from(all.subarray(EDGE).subarray(-EDGE)),
      bytes: 0,
    };
    parts = [];
  };
  const end = () => {
    const line = Buffer.concat(parts).toString("utf8");
    const ended = long && { ...long, bytes: size };
    [parts, size, long] = [[], 0, undefined];
    if (ended) onLong(ended);
    else onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  return (chunk) => {
    for (let from = 0; ; ) {
      const at = chunk.indexOf(10, from);
      add(chunk.subarray(from, at < 0 ? undefined : at));
      if (at < 0) return;
      from = at + 1;
      end();
    }
  };
}

/** The beginning of a text, for a log or a message. */
export function clip(text: string, length = 500): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
