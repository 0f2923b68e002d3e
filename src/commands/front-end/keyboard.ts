import { sleep } from "../../lib/platform.ts";
import { type Key, KeyReader } from "./key-reader.ts";

/** Who hears what is typed: key by key, or in lines that the terminal itself lets the user edit. */
export type Listener =
  | { kind: "keys"; hear: (key: Key) => void }
  | { kind: "lines"; hear: (line: string | undefined) => void };

/** How long the rest of a sequence may take; a lone Escape is told of so much later. */
const ESCAPE_MS = 50;

/** How long what was typed before a question is thrown away. */
const STALE_MS = 30;

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
  /** Keys that are kept for the next listener; see `hold`. */
  #kept: Key[] = [];

  /** Listens until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#open();
    this.#listeners.push(listener);
    this.#settle();
    const kept = this.#kept.splice(0);
    if (kept.length > 0) queueMicrotask(() => this.#tell(kept));
    if (this.#hasEnded) queueMicrotask(() => end(listener));
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
      this.#settle();
    };
  }

  /** Keeps what is typed between two questions for the second, until the returned function is called. */
  hold(): () => void {
    const stop = this.listen({
      kind: "keys",
      hear: (key) => {
        if (key.kind === "control" && key.name === "interrupt") interrupt();
        else this.#kept.push(key);
      },
    });
    return () => {
      this.#kept = [];
      stop();
    };
  }

  /** Throws away keys that nobody has heard yet: they are no answer to what is asked next. */
  async dropStale(): Promise<void> {
    if (this.#listeners.at(-1)?.kind === "keys") return;
    const stop = this.listen({
      kind: "keys",
      hear: (key) => {
        if (key.kind === "control" && key.name === "interrupt") interrupt();
      },
    });
    await sleep(STALE_MS);
    stop();
  }

  /** Leaves the terminal as it was found. */
  close(): void {
    this.#listeners.splice(0);
    this.#settle();
    process.stdin.pause();
  }

  /** Stops this process until the shell goes on with it. */
  suspend(): void {
    this.#setRaw(false);
    process.once("SIGCONT", () => this.#settle());
    process.kill(process.pid, "SIGTSTP");
  }

  #open(): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      process.stdin.on("data", (bytes: Buffer) => this.#hear(bytes));
      for (const event of ["end", "error"]) process.stdin.on(event, () => this.#end());
    }
  }

  #settle(): void {
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
    this.#tell(this.#reader.feed(bytes));
    if (this.#reader.isWaiting) this.#escape = setTimeout(() => this.#tell(this.#reader.flush()), ESCAPE_MS);
  }

  #tell(keys: readonly Key[]): void {
    for (const key of keys) {
      const listener = this.#listeners.at(-1);
      if (listener?.kind === "keys") listener.hear(key);
    }
  }

  #hearLines(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) {
      const listener = this.#listeners.at(-1);
      if (listener?.kind === "lines") listener.hear(line.replace(/\r$/, ""));
    }
  }

  #end(): void {
    this.#hasEnded = true;
    for (const listener of this.#listeners.toReversed()) end(listener);
  }
}

function end(listener: Listener): void {
  if (listener.kind === "lines") listener.hear(undefined);
  else listener.hear({ kind: "control", name: "end_of_input" });
}

/** Does what Ctrl+C does at a terminal that is not raw. */
export function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
