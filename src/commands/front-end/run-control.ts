/** Cancels the stream that runs now, or everything. */
export class Control {
  #stream: AbortController | undefined;
  /** Extensions past `max_iterations` that were granted by themselves, for the message at hand. */
  extensions = 0;

  /** Aborted when the whole run is to end. */
  readonly whole: AbortSignal;

  constructor(whole: AbortSignal) {
    this.whole = whole;
    whole.addEventListener("abort", () => this.#stream?.abort(whole.reason), { once: true });
  }

  /** The signal of the next stream. */
  begin(): AbortSignal {
    this.extensions = 0;
    this.#stream = new AbortController();
    if (this.whole.aborted) this.#stream.abort(this.whole.reason);
    return this.#stream.signal;
  }

  /** Cancels the stream that runs; false when none does, or when it has been cancelled already. */
  interrupt(): boolean {
    if (!this.#stream || this.#stream.signal.aborted) return false;
    this.#stream.abort(new Error("interrupted"));
    return true;
  }

  /** True while a stream runs, cancelled or not. */
  get isBusy(): boolean {
    return this.#stream !== undefined;
  }

  /** No stream runs. */
  end(): void {
    this.#stream = undefined;
  }
}
