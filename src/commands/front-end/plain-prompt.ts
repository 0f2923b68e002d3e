import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import type { Keyboard } from "./keyboard.ts";
import type { PlainOutput } from "./plain-output.ts";
import type { BusyHandlers, Prompt, PromptOptions, SentLine } from "./terminal.ts";

const PROMPT = "> ";

/** An input line that the user edits with the terminal's own means. A backslash at its end continues it. */
export class PlainPrompt implements Prompt {
  readonly #output: PlainOutput;
  readonly #options: PromptOptions;
  readonly #stop: () => void;
  #next: ((line: SentLine | undefined) => void) | undefined;
  #busy: BusyHandlers | undefined;
  /** Lines that arrived before `next` was called. */
  #unread: (SentLine | undefined)[] = [];
  /** The rows so far of a line that continues after a backslash. */
  #continued: string[] = [];

  constructor(output: PlainOutput, keyboard: Keyboard, options: PromptOptions) {
    this.#output = output;
    this.#options = options;
    this.#stop = keyboard.listen({ kind: "lines", onInput: (line) => this.#onLine(line) });
  }

  async next(signal: AbortSignal): Promise<SentLine | undefined> {
    if (this.#unread.length > 0) return this.#unread.shift();
    const line = Promise.withResolvers<SentLine | undefined>();
    this.#next = line.resolve;
    this.#output.prompt(PROMPT);
    try {
      return await untilAborted(line.promise, signal);
    } finally {
      this.#next = undefined;
    }
  }

  async during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    this.#busy = handlers;
    try {
      return await work;
    } finally {
      this.#busy = undefined;
    }
  }

  leave(): void {
    this.#deliver(undefined);
  }

  /** Shows the text, which this line cannot hold, for the user to type again. */
  restore(text: string): void {
    this.#output.note(`(not sent) ${escapeControlsInLines(text)}`);
  }

  close(): void {
    this.#stop();
  }

  #onLine(line: string | undefined): void {
    if (this.#next) this.#output.echo("");
    if (line === undefined) return this.leave();
    if (line.endsWith("\\")) return void this.#continued.push(line.slice(0, -1));
    const text = [...this.#continued.splice(0), line].join("\n");
    if (text.trim() !== "") this.#options.history.add(text);
    if (this.#busy) this.#busy.onLine({ text, shown: text }, false);
    else this.#deliver({ text, shown: text });
  }

  /** Resolves the pending `next`, or keeps the line for the next call. */
  #deliver(line: SentLine | undefined): void {
    const next = this.#next;
    this.#next = undefined;
    if (next) next(line);
    else this.#unread.push(line);
  }
}
