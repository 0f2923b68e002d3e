const LF = 10;
const CR = 13;

/** Small events are passed on in groups, because each chunk costs its reader more than its bytes do. */
const GROUP_BYTES = 4096;

/**
 * Splits a stream of server-sent events between events, so that a parser never sees part of one. Parsers that search
 * everything received so far for the end of an event take quadratic time on a large event.
 */
export class EventSplitter {
  readonly #limit: number;
  readonly #groupBytes: number;
  /** The chunks of an event whose end has not arrived yet, and their size. */
  #pending: Uint8Array[] = [];
  #size = 0;
  #isLineEmpty = true;
  #wasCarriageReturn = false;
  /** A carriage return has ended the event; a line feed directly after it still belongs to the event. */
  #isEnding = false;

  /** An event of more than `limit` bytes is too long; events are passed on in groups of about `groupBytes`. */
  constructor(limit: number, groupBytes: number = GROUP_BYTES) {
    this.#limit = limit;
    this.#groupBytes = groupBytes;
  }

  /** True once an event was too long. From then on all input is dropped. */
  get isTooLong(): boolean {
    return this.#size > this.#limit;
  }

  /** Adds bytes of the stream. Returns the events that are complete now, in groups, each with its blank line. */
  push(chunk: Uint8Array): Uint8Array[] {
    const groups: Uint8Array[] = [];
    let groupStart = 0;
    let eventStart = 0;
    let hasEnded = false;
    const flush = () => {
      if (!hasEnded) return;
      hasEnded = false;
      const group = this.#join(chunk.subarray(groupStart, eventStart));
      if (group) groups.push(group);
      groupStart = eventStart;
    };
    const nextBreak = breakFinder(chunk);
    for (let at = 0; at < chunk.length; at++) {
      const length = this.#endAt(chunk[at] ?? 0);
      if (length === undefined && !this.#isLineEmpty) at = nextBreak(at + 1) - 1;
      if (length === undefined) continue;
      const end = at + length;
      this.#size += end - eventStart;
      if (this.isTooLong) break;
      this.#size = 0;
      eventStart = end;
      hasEnded = true;
      if (end - groupStart >= this.#groupBytes) flush();
    }
    flush();
    this.#size += this.isTooLong ? 0 : chunk.length - eventStart;
    if (this.isTooLong) this.#pending = [];
    else if (eventStart < chunk.length) this.#pending.push(chunk.subarray(eventStart));
    return groups;
  }

  /** Returns the rest after the stream has ended: an event without its blank line, or undefined. */
  rest(): Uint8Array | undefined {
    return this.isTooLong ? undefined : this.#join(new Uint8Array());
  }

  /** Processes the next byte: returns 1 if an event ends after it, 0 if one ends before it, else undefined. */
  #endAt(byte: number): 0 | 1 | undefined {
    if (this.#isEnding) {
      this.#isEnding = false;
      if (byte === LF) {
        this.#wasCarriageReturn = false;
        return 1;
      }
      this.#wasCarriageReturn = byte === CR;
      this.#isLineEmpty = byte === CR;
      this.#isEnding = byte === CR; // one more blank line
      return 0;
    }
    if (byte !== LF && byte !== CR) {
      this.#isLineEmpty = false;
      this.#wasCarriageReturn = false;
      return undefined;
    }
    if (byte === LF && this.#wasCarriageReturn) {
      this.#wasCarriageReturn = false;
      return undefined;
    }
    this.#wasCarriageReturn = byte === CR;
    if (!this.#isLineEmpty) {
      this.#isLineEmpty = true;
      return undefined;
    }
    if (byte === LF) return 1;
    this.#isEnding = true;
    return undefined;
  }

  /** Joins the pending chunks and the last one; undefined if they contain only line ends. */
  #join(last: Uint8Array): Uint8Array | undefined {
    const parts = [...this.#pending, last];
    this.#pending = [];
    const group = parts.length > 1 ? Buffer.concat(parts) : last;
    return group.some((byte) => byte !== LF && byte !== CR) ? group : undefined;
  }
}

/**
 * Returns a function that finds the first line feed or carriage return from a position on. Positions must not decrease.
 */
function breakFinder(chunk: Uint8Array): (from: number) => number {
  const next = [LF, CR].map((byte) => ({ byte, at: -1 }));
  return (from) => {
    for (const one of next) {
      if (one.at >= from) continue;
      const at = chunk.indexOf(one.byte, from);
      one.at = at < 0 ? chunk.length : at;
    }
    return Math.min(...next.map(({ at }) => at));
  };
}
