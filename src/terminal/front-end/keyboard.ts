import { sleep } from "../../lib/platform.ts";
import { untilQuiet } from "./deliberate-key.ts";
import { interrupt } from "./interrupt.ts";
import { type Key, KeyReader } from "./key-reader.ts";

/** Receives what is typed: key by key, or in lines that the user edits with the terminal's own means. */
export type Listener =
  | { kind: "keys"; onInput: (key: Key) => void }
  | { kind: "lines"; onInput: (line: string | undefined) => void };

/** How long the rest of an escape sequence may take, which delays a lone Escape by as much. */
const ESCAPE_MS = 50;

/** How long the keys of a line that was not sent take to arrive. */
const TYPE_AHEAD_MS = 30;

/**
 * Standard input at a terminal. Only the newest listener receives input. While it listens for keys, the terminal is in
 * raw mode: it sends each key at once and echoes none. Without a listener, the terminal is in its original mode.
 */
export class Keyboard {
  readonly #listeners: Listener[] = [];
  readonly #reader = new KeyReader();
  #line = "";
  #hasEnded = false;
  #isRaw = false;
  #isOpen = false;
  #pressedAt = 0;
  #escape: Timer | undefined;

  /** Listens until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#open();
    this.#listeners.push(listener);
    this.#applyMode();
    if (this.#hasEnded) queueMicrotask(() => end(listener));
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
      this.#applyMode();
    };
  }

  /** When a key was pressed last, in milliseconds since 1970; 0 if none was. */
  get pressedAt(): number {
    return this.#pressedAt;
  }

  /** Discards keys until the user has stopped typing: they do not answer a question. */
  async dropTypeAhead(signal: AbortSignal): Promise<void> {
    if (this.#listeners.at(-1)?.kind === "keys") return;
    const stop = this.listen({
      kind: "keys",
      onInput: (key) => {
        if (key.kind === "control" && key.name === "interrupt") interrupt();
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
    process.stdin.pause();
  }

  #open(): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      process.stdin.on("data", (bytes: Buffer) => this.#receive(bytes));
      for (const event of ["end", "error"]) process.stdin.on(event, () => this.#end());
    }
  }

  #applyMode(): void {
    this.#setRaw(this.#listeners.at(-1)?.kind === "keys");
    if (this.#listeners.length > 0) process.stdin.resume();
    else process.stdin.pause();
  }

  #setRaw(raw: boolean): void {
    if (raw === this.#isRaw) return;
    this.#isRaw = raw;
    process.stdin.setRawMode(raw);
  }

  #receive(bytes: Buffer): void {
    clearTimeout(this.#escape);
    this.#pressedAt = Date.now();
    if (this.#listeners.at(-1)?.kind === "lines") return this.#receiveLines(bytes.toString("utf8"));
    this.#deliver(this.#reader.feed(bytes));
    if (this.#reader.isWaiting) this.#escape = setTimeout(() => this.#deliver(this.#reader.flush()), ESCAPE_MS);
  }

  #deliver(keys: readonly Key[]): void {
    for (const key of keys) {
      const listener = this.#listeners.at(-1);
      if (listener?.kind === "keys") listener.onInput(key);
    }
  }

  #receiveLines(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) {
      const listener = this.#listeners.at(-1);
      if (listener?.kind === "lines") listener.onInput(line.replace(/\r$/, ""));
    }
  }

  #end(): void {
    this.#hasEnded = true;
    for (const listener of this.#listeners.toReversed()) end(listener);
  }
}

function end(listener: Listener): void {
  if (listener.kind === "lines") listener.onInput(undefined);
  else listener.onInput({ kind: "control", name: "end_of_input" });
}
