/** Cancels the current stream, or the whole run. */
export class RunControl {
  #stream: AbortController | undefined;
  /** How often the current message was allowed past `max_iterations` without asking. */
  extensions = 0;

  /** Aborted when the whole run should end. */
  readonly runSignal: AbortSignal;

  constructor(runSignal: AbortSignal) {
    this.runSignal = runSignal;
    runSignal.addEventListener("abort", () => this.#stream?.abort(runSignal.reason), { once: true });
  }

  /** Starts a stream and returns its signal. */
  beginStream(): AbortSignal {
    this.extensions = 0;
    this.#stream = new AbortController();
    if (this.runSignal.aborted) this.#stream.abort(this.runSignal.reason);
    return this.#stream.signal;
  }

  /** Cancels the current stream. Returns false if there is none, or if it is already cancelled. */
  interrupt(): boolean {
    if (!this.#stream || this.#stream.signal.aborted) return false;
    this.#stream.abort(new Error("interrupted"));
    return true;
  }

  /** True while a stream runs, even if it is cancelled. */
  get isBusy(): boolean {
    return this.#stream !== undefined;
  }

  /** Records that the stream has ended. */
  endStream(): void {
    this.#stream = undefined;
  }
}
