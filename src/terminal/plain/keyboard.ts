import { createInterface, type Interface } from "node:readline";
import { sleep } from "../../lib/platform.ts";
import { untilQuiet } from "../front-end/deliberate-key.ts";
import { interrupt } from "../front-end/terminal.ts";

/**
 * Receives what is typed: lines, which the user edits with the terminal's own means, or keys. A key is the text that
 * arrives together, such as `y`, an escape sequence, or a paste. Gets undefined at the end of input.
 */
export interface Listener {
  kind: "keys" | "lines";
  onInput: (typed: string | undefined) => void;
}

/** The key Ctrl+C in raw mode; in any other mode, it is the signal SIGINT. */
export const CTRL_C = "\x03";

/** How long the keys of a line that was not sent take to arrive. */
const TYPE_AHEAD_MS = 30;

/**
 * Standard input at a terminal. Only the newest listener receives input. While it listens for keys, the terminal is in
 * raw mode: it sends each key immediately and echoes none. Without a listener, the terminal is in its original mode.
 */
export class Keyboard {
  readonly #listeners: Listener[] = [];
  /** Reads lines while the newest listener listens for them. */
  #lines: Interface | undefined;
  #hasEnded = false;
  #pressedAt = 0;

  constructor() {
    for (const event of ["end", "error"]) process.stdin.on(event, () => this.#end());
  }

  /** Listens until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.push(listener);
    this.#applyMode();
    if (this.#hasEnded) queueMicrotask(() => listener.onInput(undefined));
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
      this.#applyMode();
    };
  }

  /** When something was typed last, in milliseconds since 1970; 0 if nothing was. */
  get pressedAt(): number {
    return this.#pressedAt;
  }

  /** Discards keys until the user has stopped typing: they do not answer a question. */
  async dropTypeAhead(signal: AbortSignal): Promise<void> {
    if (this.#listeners.at(-1)?.kind === "keys") return;
    const stop = this.listen({
      kind: "keys",
      onInput: (typed) => {
        if (typed?.includes(CTRL_C)) interrupt();
      },
    });
    await sleep(TYPE_AHEAD_MS);
    await untilQuiet(() => this.#pressedAt, signal);
    stop();
  }

  /** Drops the rest of an answer to a withdrawn question: it must not become a message, or answer the next question. */
  async dropRest(): Promise<void> {
    this.#pressedAt = Date.now();
    await this.dropTypeAhead(new AbortController().signal);
  }

  /** Restores the original mode of the terminal. */
  close(): void {
    this.#listeners.splice(0);
    this.#applyMode();
  }

  /** `node:readline` would also edit lines, but with escape sequences: it gets lines that the terminal has edited. */
  #applyMode(): void {
    const { stdin } = process;
    const kind = this.#listeners.at(-1)?.kind;
    if (kind !== "lines") {
      this.#lines?.close();
      this.#lines = undefined;
    }
    stdin.off("data", this.#onKeys);
    if (stdin.isRaw !== (kind === "keys")) stdin.setRawMode(kind === "keys");
    if (kind === "keys") stdin.on("data", this.#onKeys);
    if (kind === "lines") this.#lines ??= createInterface({ input: stdin }).on("line", this.#onLine);
    if (kind === undefined) stdin.pause();
    else stdin.resume();
  }

  #onKeys = (bytes: Buffer): void => this.#deliver("keys", bytes.toString());
  #onLine = (line: string): void => this.#deliver("lines", line);

  /** Lines that arrive together may have different receivers, or none. */
  #deliver(kind: Listener["kind"], typed: string): void {
    this.#pressedAt = Date.now();
    const listener = this.#listeners.at(-1);
    if (listener?.kind === kind && !this.#hasEnded) listener.onInput(typed);
  }

  #end(): void {
    this.#hasEnded = true;
    for (const listener of this.#listeners.toReversed()) listener.onInput(undefined);
  }
}
