import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import { Editor, type EditorEvent } from "./editor.ts";
import type { Key } from "./key-reader.ts";
import { interrupt } from "./keyboard.ts";
import type { History } from "./prompt-history.ts";
import type { Terminal } from "./terminal.ts";

const IDLE = "> ";
const BUSY = "» ";

const PASTE_MODE_ON = "\x1b[?2004h";
const PASTE_MODE_OFF = "\x1b[?2004l";

/** Called for input while the agent works. */
export interface BusyHandlers {
  /** A line; `later` if it should wait until the current work is done. */
  onLine: (line: string, later: boolean) => void;
  /** Escape. */
  onEscape: () => void;
}

/**
 * The input line of the prompt. It stays open while the agent works, and keeps what was typed and not sent.
 */
export class PromptLine {
  readonly #terminal: Terminal;
  readonly #history: History;
  /** Absent on a terminal without escape sequences, which edits lines itself. */
  readonly #editor: Editor | undefined;
  readonly #stop: () => void;
  #next: ((line: string | undefined) => void) | undefined;
  #busy: BusyHandlers | undefined;
  /** Lines that arrived before `next` was called. */
  #unreadLines: (string | undefined)[] = [];
  /** The rows so far of a line that continues after a backslash. */
  #continuedRows: string[] = [];
  #onEmpty: (() => void) | undefined;

  constructor(terminal: Terminal, history: History) {
    const { screen, keyboard } = terminal;
    this.#terminal = terminal;
    this.#history = history;
    if (!screen.supportsEscapes) {
      this.#stop = keyboard.listen({ kind: "lines", onInput: (line) => this.#onLine(line) });
      return;
    }
    this.#editor = new Editor(screen, "editor", BUSY, history);
    this.#editor.isShownEmpty = false;
    this.#stop = keyboard.listen({ kind: "keys", onInput: (key) => this.#onKey(key) });
    terminal.beforeQuestion = (signal) => this.#untilEmpty(signal);
    process.on("SIGWINCH", this.#onResize);
    process.on("exit", this.#onExit);
    screen.control(PASTE_MODE_ON);
  }

  /** Returns the next line; undefined if the user leaves or the signal aborts. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.#unreadLines.length > 0) {
      const early = this.#unreadLines.shift();
      if (early !== undefined && this.#editor) this.#commit(early);
      return early;
    }
    const line = Promise.withResolvers<string | undefined>();
    this.#next = line.resolve;
    this.#show(IDLE, true);
    try {
      return await untilAborted(line.promise, signal);
    } finally {
      this.#next = undefined;
      this.#show(BUSY, false);
    }
  }

  /** Sends input to `handlers` until the work is done. */
  async during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    this.#busy = handlers;
    try {
      return await work;
    } finally {
      this.#busy = undefined;
    }
  }

  /** Leaves the prompt: the pending or next call of `next` returns undefined. */
  leave(): void {
    this.#deliver(undefined);
  }

  /**
   * Resolves the pending `next`, or keeps the line for the next call. Each call gets one line, even if several arrive
   * at once.
   */
  #deliver(line: string | undefined): void {
    const next = this.#next;
    this.#next = undefined;
    if (next) next(line);
    else this.#unreadLines.push(line);
  }

  /** Puts text back into the line, for the user to edit and send. */
  restore(text: string): void {
    if (this.#editor?.text === "") this.#editor.reset(text);
  }

  /** Stops listening and restores the terminal. */
  close(): void {
    this.#stop();
    this.#editor?.hide();
    this.#onExit();
    process.off("SIGWINCH", this.#onResize);
    process.off("exit", this.#onExit);
  }

  #onResize = (): void => this.#editor?.draw();

  #onExit = (): void => this.#terminal.screen.control(PASTE_MODE_OFF);

  #show(prompt: string, isShownEmpty: boolean): void {
    if (this.#editor) {
      Object.assign(this.#editor, { prompt, isShownEmpty });
      this.#editor.draw();
    } else if (isShownEmpty) this.#terminal.screen.prompt(prompt);
  }

  #onKey(key: Key): void {
    const edited = this.#editor?.press(key);
    if (edited) this.#act(edited);
    if (this.#editor?.text === "") this.#onEmpty?.();
  }

  #act(edited: EditorEvent): void {
    if (edited.kind === "line") {
      if (this.#next) this.#commit(edited.text);
      this.#editor?.draw();
      this.#take(edited.text, edited.later);
      return;
    }
    const { editor, isEmpty } = { editor: this.#editor, isEmpty: this.#editor?.text === "" };
    switch (edited.name) {
      case "interrupt":
        if (this.#next && !isEmpty) editor?.reset();
        else interrupt();
        break;
      case "end_of_input":
        this.leave();
        break;
      case "escape":
        if (isEmpty) this.#busy?.onEscape();
        else editor?.reset();
        break;
      case "clear":
        editor?.hide();
        this.#terminal.screen.control("\x1b[H\x1b[2J");
        editor?.draw();
        break;
      case "suspend":
        this.#suspend();
        break;
      default:
        break;
    }
  }

  /** Leaves the sent line on the screen. */
  #commit(text: string): void {
    this.#editor?.hide();
    const rows = escapeControlsInLines(text).split("\n");
    this.#terminal.screen.note(IDLE + rows.join(`\n${" ".repeat(IDLE.length)}`));
    if (this.#editor) this.#editor.isShownEmpty = false;
  }

  #onLine(line: string | undefined): void {
    if (this.#next) this.#terminal.screen.echo("");
    if (line === undefined) return this.leave();
    if (line.endsWith("\\")) return void this.#continuedRows.push(line.slice(0, -1));
    const text = [...this.#continuedRows.splice(0), line].join("\n");
    this.#take(text, false);
  }

  #take(text: string, later: boolean): void {
    if (text.trim() !== "") this.#history.add(text);
    if (this.#busy) this.#busy.onLine(text, later);
    else this.#deliver(text);
  }

  /** Delays a question until the line is sent or cleared, so that text meant for the line does not answer it. */
  async #untilEmpty(signal: AbortSignal): Promise<void> {
    if (!this.#editor || this.#editor.text === "") return;
    this.#terminal.screen.note("(A question is waiting: send the line with Enter, or clear it with Escape)");
    const empty = Promise.withResolvers<void>();
    this.#onEmpty = empty.resolve;
    await untilAborted(empty.promise, signal);
    this.#onEmpty = undefined;
  }

  #suspend(): void {
    this.#editor?.hide();
    this.#onExit();
    process.once("SIGCONT", () => {
      this.#terminal.screen.control(PASTE_MODE_ON);
      this.#editor?.draw();
    });
    this.#terminal.keyboard.suspend();
  }
}
