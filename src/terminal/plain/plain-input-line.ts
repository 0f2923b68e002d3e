import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { LineQueue } from "../front-end/line-queue.ts";
import type { BusyHandlers, InputLine, InputLineOptions, SentLine } from "../front-end/terminal.ts";
import type { Keyboard } from "./keyboard.ts";
import type { PlainOutput } from "./plain-output.ts";

const PROMPT = "> ";

/** An input line that the user edits with the terminal's own means. A backslash at its end continues it. */
export class PlainInputLine implements InputLine {
  readonly #output: PlainOutput;
  readonly #options: InputLineOptions;
  readonly #stop: () => void;
  readonly #lines = new LineQueue();
  /** The rows so far of a line that continues after a backslash. */
  #continued: string[] = [];

  constructor(output: PlainOutput, keyboard: Keyboard, options: InputLineOptions) {
    this.#output = output;
    this.#options = options;
    this.#stop = keyboard.listen({ kind: "lines", onInput: (line) => this.#onLine(line) });
  }

  next(signal: AbortSignal): Promise<SentLine | undefined> {
    return this.#lines.next(signal, () => this.#output.prompt(PROMPT));
  }

  during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    return this.#lines.during(work, handlers);
  }

  leave(): void {
    this.#lines.deliver(undefined);
  }

  /** Shows the text, which this line cannot hold, for the user to type again. */
  restore(text: string): void {
    this.#output.note(`(not sent) ${escapeControlsInLines(text)}`);
  }

  close(): void {
    this.#stop();
  }

  #onLine(line: string | undefined): void {
    if (line === undefined) {
      this.#output.startLine(); // the terminal does not echo Ctrl+D
      return this.leave();
    }
    if (this.#lines.isAwaited) this.#output.echo("");
    if (line.endsWith("\\")) return void this.#continued.push(line.slice(0, -1));
    const text = [...this.#continued.splice(0), line].join("\n");
    if (text.trim() !== "") this.#options.history.add(text);
    if (this.#lines.busy) this.#lines.busy.onLine({ text, shown: text }, false);
    else this.#lines.deliver({ text, shown: text });
  }
}
