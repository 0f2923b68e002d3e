import { writeSync } from "node:fs";
import type { Writer } from "../../cli/output-writer.ts";
import { sleepSync } from "../../lib/platform.ts";

/**
 * A terminal on which nothing is moved or erased. The agent's text goes to standard output, everything else to `notes`.
 * Both are written synchronously and in order.
 */
export class PlainOutput implements Writer {
  readonly #notes: 1 | 2;
  #isMidLine = false;

  constructor(notes: 1 | 2) {
    this.#notes = notes;
  }

  /** Shows text of the agent. */
  write(text: string): void {
    this.#put(1, text);
  }

  /** Shows a note, starting on a new line. */
  note(text: string): void {
    this.startLine();
    this.#put(this.#notes, `${text}\n`);
  }

  /** Starts a new line, unless the last text ended one. */
  startLine(): void {
    if (this.#isMidLine) this.#put(1, "\n");
  }

  /** Shows a prompt that the user types after. */
  prompt(text: string): void {
    this.startLine();
    this.#put(this.#notes, text);
  }

  /** Shows the rest of that line; empty if the terminal has echoed it. */
  echo(text: string): void {
    this.#put(this.#notes, text);
    this.#isMidLine = false;
  }

  async flush(): Promise<void> {}

  #put(fd: 1 | 2, text: string): void {
    if (text !== "") this.#isMidLine = !text.endsWith("\n");
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return; // the terminal is closed
        sleepSync(2);
      }
    }
  }
}
