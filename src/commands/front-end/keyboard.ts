import { sleep } from "../../lib/platform.ts";
import { type Key, KeyReader } from "./key-reader.ts";

/** Who hears what is typed: key by key, or in lines that the terminal itself lets the user edit. */
export type Listener =
  | { kind: "keys"; onInput: (key: Key) => void }
  | { kind: "lines"; onInput: (line: string | undefined) => void };

/** How long the rest of a sequence may take; a lone Escape is told of so much later. */
const ESCAPE_MS = 50;

/** How long what was typed before a question is thrown away. */
const TYPE_AHEAD_MS = 30;

/**
 * Standard input at a terminal. The listener that came last hears everything; while it listens for keys the terminal
 * sends each at once and shows none. Without a listener the terminal is as it was found.
 */
export class Keyboard {
  readonly #listeners: Listener[] = [];
  readonly #reader = new KeyReader();
  #line = "";
  #hasEnded = false;
  #isRaw = false;
  #isOpen = false;
  #escape: Timer | undefined;
  /** Keys that are kept for the next listener; see `holdTypeAhead`. */
  #typeAhead: Key[] = [];

  /** Listens until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#open();
    this.#listeners.push(listener);
    this.#applyMode();
    const kept = this.#typeAhead.splice(0);
    if (kept.length > 0) queueMicrotask(() => this.#deliver(kept));
    if (this.#hasEnded) queueMicrotask(() => end(listener));
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
      this.#applyMode();
    };
  }

  /** Keeps what is typed between two questions for the second, until the returned function is called. */
  holdTypeAhead(): () => void {
    const stop = this.listen({
      kind: "keys",
      onInput: (key) => {
        if (key.kind === "control" && key.name === "interrupt") interrupt();
        else this.#typeAhead.push(key);
      },
    });
    return () => {
      this.#typeAhead = [];
      stop();
    };
  }

  /** Throws away keys that nobody has heard yet: they are no answer to what is asked next. */
  async dropTypeAhead(): Promise<void> {
    if (this.#listeners.at(-1)?.kind === "keys") return;
    const stop = this.listen({
      kind: "keys",
      onInput: (key) => {
        if (key.kind === "control" && key.name === "interrupt") interrupt();
      },
    });
    await sleep(TYPE_AHEAD_MS);
    stop();
  }

  /** Leaves the terminal as it was found. */
  close(): void {
    this.#listeners.splice(0);
    this.#applyMode();
    process.stdin.pause();
  }

  /** Stops this process until the shell goes on with it. */
  suspend(): void {
    this.#setRaw(false);
    process.once("SIGCONT", () => this.#applyMode());
    process.kill(process.pid, "SIGTSTP");
  }

  #open(): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      process.stdin.on("data", (bytes: Buffer) => this.#hear(bytes));
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

  #hear(bytes: Buffer): void {
    clearTimeout(this.#escape);
    if (this.#listeners.at(-1)?.kind === "lines") return this.#hearLines(bytes.toString("utf8"));
    this.#deliver(this.#reader.feed(bytes));
    if (this.#reader.isWaiting) this.#escape = setTimeout(() => this.#deliver(this.#reader.flush()), ESCAPE_MS);
  }

  #deliver(keys: readonly Key[]): void {
    for (const key of keys) {
      const listener = this.#listeners.at(-1);
      if (listener?.kind === "keys") listener.onInput(key);
    }
  }

  #hearLines(text: string): void {
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

/** Does what Ctrl+C does at a terminal that is not raw. */
export function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
