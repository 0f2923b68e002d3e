import { type Help, UserError } from "../../lib/errors.ts";

export const MCP_SERVER_DID_NOT_START: Help = {
  cause:
    "The command is not installed, ended at once, or took longer than `lifecycle.startup_timeout`; or the server wants a login.",
  cure: "Start the command by hand. Give its whole path, raise the time, or set the header in `remote.headers`. `hooksh doctor AGENT` checks commands, URLs and variables without starting anything.",
};

export const MCP_CALL_WITHOUT_ANSWER: Help = {
  cause: "The MCP server ended, hung or lost its session. A call that was under way may have run.",
  cure: "hooksh restarts the server for the next call. Look at its standard error with `--debug`, and check before you repeat a call that changes something.",
};

/** Maximum bytes of a message. A larger one ends the connection. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

const WINDOW_MS = 10_000;
const MESSAGES_A_WINDOW = 20_000;
const BYTES_A_WINDOW = 256 * 1024 * 1024;

/** Measures what a server sends, so that a server that never stops sending cannot block this process. */
export class TrafficMeter {
  #start = performance.now();
  #messages = 0;
  #bytes = 0;

  /** Counts received messages and bytes. Returns false once there are more than a normal server sends. */
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

/** A request that certainly did not reach its server, or that the server refused. It can safely be repeated. */
export class NotDeliveredError extends UserError {
  override readonly name = "NotDeliveredError";
  override readonly help: Help = MCP_CALL_WITHOUT_ANSWER;
}

/** Receives the reports of a transport. */
export interface ServerMonitor {
  meter: TrafficMeter;
  /**
   * The server has ended, or hooksh has ended the connection. `flood`: it sent too much, so the same call is not
   * repeated. `clean`: it exited without a failure.
   */
  ended(reason: string, kind?: "clean" | "flood"): void;
  /** For the debug log. */
  log(message: string): void;
}

/** The reasons for ending the connection to a server that sends too much. */
export const FLOOD_TEXTS = {
  message: `sent a message of more than ${MESSAGE_LIMIT / 1024 / 1024} MiB`,
  rate: "sends messages without end",
} as const;

/** The beginning and end of a line that is too long to be read whole. */
export interface LongLine {
  head: Uint8Array;
  tail: Uint8Array;
  /** Its length. */
  bytes: number;
}

/** Bytes that are kept of the beginning and of the end of a long line. */
const EDGE = 16 * 1024;

/**
 * Splits chunks into lines of at most `limit` bytes, without their line ends. Of a longer line only the beginning and
 * the end are kept, which `onLong` gets once the line is complete.
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

/** Returns the beginning of a text, for a log or a message. */
export function truncate(text: string, length = 500): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}
