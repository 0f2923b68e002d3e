import { untilAborted } from "../../lib/settle-within.ts";
import type { BusyHandlers, SentLine } from "./terminal.ts";

/** The lines a user sends: each goes to the agent's current work, to whoever waits for one, or is kept for the next. */
export class LineQueue {
  #next: ((line: SentLine | undefined) => void) | undefined;
  #busy: BusyHandlers | undefined;
  /** Lines that arrived before `next` was called. */
  readonly #unread: (SentLine | undefined)[] = [];

  /** True while a caller of `next` waits. */
  get isAwaited(): boolean {
    return this.#next !== undefined;
  }

  /** Where input goes while the agent works; undefined if it does not. */
  get busy(): BusyHandlers | undefined {
    return this.#busy;
  }

  /**
   * Returns the next line; undefined if the user leaves or the signal aborts. Calls `onWait` before it waits, and
   * `onDone` afterwards.
   */
  async next(signal: AbortSignal, onWait: () => void, onDone = () => {}): Promise<SentLine | undefined> {
    if (this.#unread.length > 0) return this.#unread.shift();
    const line = Promise.withResolvers<SentLine | undefined>();
    this.#next = line.resolve;
    onWait();
    try {
      return await untilAborted(line.promise, signal);
    } finally {
      this.#next = undefined;
      onDone();
    }
  }

  /** Makes `handlers` the receiver of input until the work is done. */
  async during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    this.#busy = handlers;
    try {
      return await work;
    } finally {
      this.#busy = undefined;
    }
  }

  /** Resolves the pending `next`, or keeps the line for the next call; undefined means that the user leaves. */
  deliver(line: SentLine | undefined): void {
    const next = this.#next;
    this.#next = undefined;
    if (next) next(line);
    else this.#unread.push(line);
  }
}
