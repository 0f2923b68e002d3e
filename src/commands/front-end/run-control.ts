/** Cancels the stream that runs now, or everything. */
export class RunControl {
  #stream: AbortController | undefined;
  /** Extensions past `max_iterations` that were granted by themselves, for the message at hand. */
  extensions = 0;

  /** Aborted when the whole run is to end. */
  readonly runSignal: AbortSignal;

  constructor(runSignal: AbortSignal) {
    this.runSignal = runSignal;
    runSignal.addEventListener("abort", () => this.#stream?.abort(runSignal.reason), { once: true });
  }

  /** The signal of the next stream. */
  beginStream(): AbortSignal {
    this.extensions = 0;
    this.#stream = new AbortController();
    if (this.runSignal.aborted) this.#stream.abort(this.runSignal.reason);
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
  endStream(): void {
    this.#stream = undefined;
  }
}
