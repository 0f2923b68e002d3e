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

/** Who hears what is typed while the agent works. */
export interface BusyHandlers {
  /** A line; `later` when it is meant for after the current work. */
  onLine: (line: string, later: boolean) => void;
  /** Escape. */
  onEscape: () => void;
}

/**
 * The line at which the user types for as long as the prompt is open, also while the agent works; what is typed then
 * and not sent yet is still there afterwards.
 */
export class PromptLine {
  readonly #terminal: Terminal;
  readonly #history: History;
  /** Absent at a terminal that edits lines itself. */
  readonly #editor: Editor | undefined;
  readonly #stop: () => void;
  #next: ((line: string | undefined) => void) | undefined;
  #busy: BusyHandlers | undefined;
  /** Lines that came while nobody waited. */
  #unreadLines: (string | undefined)[] = [];
  /** The rows of a line whose last one ended with a backslash. */
  #continuedRows: string[] = [];
  #onEmpty: (() => void) | undefined;

  constructor(terminal: Terminal, history: History) {
    const { screen, keyboard } = terminal;
    this.#terminal = terminal;
    this.#history = history;
    if (!screen.supportsEscapes) {
      this.#stop = keyboard.listen({ kind: "lines", onInput: (line) => this.#hearLine(line) });
      return;
    }
    this.#editor = new Editor(screen, "editor", BUSY, history);
    this.#editor.isShownEmpty = false;
    this.#stop = keyboard.listen({ kind: "keys", onInput: (key) => this.#hearKey(key) });
    terminal.beforeQuestion = (signal) => this.#untilEmpty(signal);
    process.on("SIGWINCH", this.#onResize);
    process.on("exit", this.#onExit);
    screen.control(PASTE_MODE_ON);
  }

  /** The next line; undefined when the user leaves, and when the signal aborts. */
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

  /** Hears lines otherwise until the work is done. */
  async during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    this.#busy = handlers;
    try {
      return await work;
    } finally {
      this.#busy = undefined;
    }
  }

  /** The user leaves: whoever waits for a line gets none, now or when the work is done. */
  leave(): void {
    this.#deliver(undefined);
  }

  /** To whoever waits for a line, or waits itself. One line a wait: the next may come with the same bytes. */
  #deliver(line: string | undefined): void {
    const next = this.#next;
    this.#next = undefined;
    if (next) next(line);
    else this.#unreadLines.push(line);
  }

  /** Puts a text into the line, to be edited and sent. */
  restore(text: string): void {
    if (this.#editor?.text === "") this.#editor.reset(text);
  }

  /** Gives the terminal back. */
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

  #hearKey(key: Key): void {
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

  /** Leaves the line on the screen as it was sent. */
  #commit(text: string): void {
    this.#editor?.hide();
    const rows = escapeControlsInLines(text).split("\n");
    this.#terminal.screen.note(IDLE + rows.join(`\n${" ".repeat(IDLE.length)}`));
    if (this.#editor) this.#editor.isShownEmpty = false;
  }

  #hearLine(line: string | undefined): void {
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

  /** A question must not be answered by what was meant for the line: it waits until the line is sent or emptied. */
  async #untilEmpty(signal: AbortSignal): Promise<void> {
    if (!this.#editor || this.#editor.text === "") return;
    this.#terminal.screen.note("(A question waits: send the line with Enter, or clear it with Escape)");
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
