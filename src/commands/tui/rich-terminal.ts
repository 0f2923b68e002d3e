import { type Component, isKeyRelease, ProcessTerminal, parseKey } from "@earendil-works/pi-tui";
import type { Notification } from "../../config/user/terminal-settings.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import type { RunEvent } from "../../runtime/run-events.ts";
import { untilQuiet } from "../front-end/deliberate-key.ts";
import { interrupt } from "../front-end/interrupt.ts";
import {
  type Choice,
  type Prompt,
  type PromptOptions,
  type Size,
  type Terminal,
  unansweredText,
} from "../front-end/terminal.ts";
import { InlineScreen } from "./inline-screen.ts";
import { NoteBlock } from "./note-block.ts";
import { PickList } from "./pick-list.ts";
import { KeyQuestion, LineQuestion } from "./question.ts";
import { RichPrompt } from "./rich-prompt.ts";
import { RunView, type RunViewOptions } from "./run-view.ts";
import type { Theme } from "./theme.ts";
import { TypeAhead } from "./type-ahead.ts";

/** If this process still runs after so many ticks behind a SIGTSTP, it was not stopped. */
const IGNORED_AFTER_TICKS = 4;
const TICK_MS = 50;

/** Terminals refuse a longer clipboard. */
const MAX_COPY_BYTES = 74_000;

/** The options of {@link RichTerminal}. */
export interface RichTerminalOptions extends Omit<RunViewOptions, "screen" | "theme"> {
  theme: Theme;
  notify: Notification;
}

/** An answer that took this long ends with a notification. */
const LONG_ANSWER_MS = 10_000;

/** The sequences that notify: the bell, and the notification of iTerm2 that many terminals know (OSC 9). */
const SIGNALS: Readonly<Record<Notification, string>> = {
  off: "",
  bell: "\x07",
  desktop: "\x1b]9;hooksh waits for you\x07",
};

/** pi-tui's terminal without its log of everything that is shown, which an environment variable turns on. */
class SilentTerminal extends ProcessTerminal {
  override write(data: string): void {
    process.stdout.write(data);
  }
}

/** A terminal that understands escape sequences: Markdown, folded results, an input line with completion. */
export class RichTerminal implements Terminal {
  readonly #screen: InlineScreen;
  readonly #view: RunView;
  readonly #typeAhead = new TypeAhead();
  #theme: Theme;
  #prompt: RichPrompt | undefined;
  /** The open questions; the last is shown. */
  readonly #questions: Component[] = [];
  #pressedAt = 0;
  #busySince: number | undefined;
  readonly #signal: string;

  constructor(options: RichTerminalOptions) {
    this.#theme = options.theme;
    this.#signal = SIGNALS[options.notify];
    this.#screen = new InlineScreen(new SilentTerminal());
    this.#view = new RunView({ ...options, screen: this.#screen, theme: () => this.#theme });
    this.#screen.addInputListener((data) => {
      if (isKeyRelease(data)) return undefined;
      this.#pressedAt = Date.now();
      this.#view.clearHint();
      return this.#isInterrupt(data) || this.#isForScreen(data) ? { consume: true } : undefined;
    });
    process.on("exit", this.#restore);
    this.#screen.start();
    this.#layOut();
  }

  get size(): Size {
    const { columns, rows } = this.#screen.terminal;
    return { columns, rows };
  }

  get theme(): Theme {
    return this.#theme;
  }

  useTheme(theme: Theme): boolean {
    this.#theme = theme;
    this.#screen.invalidate();
    this.#screen.requestRender();
    return true;
  }

  show(event: RunEvent): void {
    this.#view.show(event);
    if (event.type === "user_message") this.#busySince = Date.now();
    if (event.type !== "stream_stopped" || this.#busySince === undefined) return;
    if (Date.now() - this.#busySince >= LONG_ANSWER_MS) this.#screen.terminal.write(this.#signal);
    this.#busySince = undefined;
  }

  note(text: string): void {
    this.#view.add(new NoteBlock(text));
  }

  print(block: Component): void {
    this.#view.add(block);
  }

  hint(text: string): void {
    this.#view.hint(text);
  }

  openPrompt(options: PromptOptions): Prompt {
    const prompt = new RichPrompt({
      ...options,
      screen: this.#screen,
      view: this.#view,
      theme: () => this.#theme,
      onClose: () => {
        this.#prompt = undefined;
        this.#layOut();
      },
      lend: (work) => this.lend(work),
      choose: (title, choices) => this.choose(title, choices, new AbortController().signal),
      suspend: () => this.#suspend(),
    });
    this.#prompt = prompt;
    this.#layOut();
    return prompt;
  }

  async beforeQuestion(signal: AbortSignal): Promise<void> {
    await this.#prompt?.untilEmpty(signal);
    this.#screen.setFocus(null);
    await untilQuiet(() => this.#pressedAt, signal);
    if (signal.aborted) this.#layOut();
  }

  async withTypeAhead<T>(ask: () => Promise<T>): Promise<T> {
    this.#typeAhead.start();
    try {
      return await ask();
    } finally {
      this.#typeAhead.stop();
      this.#layOut();
    }
  }

  async askKey(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    const key = await this.#ask<string>(signal, (answer) => {
      return new KeyQuestion({ question, keys, pressedAt: this.#pressedAt, answer });
    });
    this.note(question + (key ?? unansweredText(signal)));
    if (key === undefined && !signal.aborted) interrupt();
    return key;
  }

  async askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
    const line = await this.#ask<string>(signal, (answer) => new LineQuestion(question, answer));
    this.note(question + (line ?? unansweredText(signal)));
    return line;
  }

  choose<T>(title: string, choices: readonly Choice<T>[], signal: AbortSignal): Promise<T | undefined> {
    return this.#ask<T>(signal, (answer) => new PickList({ title, choices, theme: this.#theme, answer }));
  }

  copy(text: string): boolean {
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_COPY_BYTES) return false;
    // OSC 52 (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html) also works over SSH.
    this.#screen.terminal.write(`\x1b]52;c;${bytes.toString("base64")}\x07`);
    return true;
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#screen.stop();
    try {
      return await work();
    } finally {
      this.#screen.resume();
    }
  }

  async close(): Promise<void> {
    process.off("exit", this.#restore);
    this.#prompt?.close();
    this.#view.stop();
    this.#screen.setBottom([]);
    this.#screen.renderNow();
    this.#screen.stop();
    await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  }

  #restore = (): void => this.#screen.stop();

  /** Shows a question in the place of the input line until it is answered or the signal aborts. */
  async #ask<T>(
    signal: AbortSignal,
    create: (answer: (value: T | undefined) => void) => Component,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    const answer = Promise.withResolvers<T | undefined>();
    const question = create((value) => {
      this.#remove(question);
      answer.resolve(value);
    });
    this.#questions.push(question);
    this.#layOut();
    this.#screen.terminal.write(this.#signal);
    this.#typeAhead.deliver(question);
    try {
      return await untilAborted(answer.promise, signal);
    } finally {
      this.#remove(question);
    }
  }

  /** Removes a question; the one below it, such as an open list, is shown again. */
  #remove(question: Component): void {
    const at = this.#questions.indexOf(question);
    if (at < 0) return;
    this.#questions.splice(at, 1);
    this.#layOut();
  }

  /** Shows what belongs at the bottom now, and sends keys to it. */
  #layOut(): void {
    const question = this.#questions.at(-1);
    const input = question ?? this.#prompt?.editor;
    this.#screen.setBottom([
      this.#view.activity,
      ...(input ? [input] : []),
      ...(this.#prompt && !question ? [this.#view.statusLine] : []),
    ]);
    this.#screen.setFocus(question ?? (this.#typeAhead.isOn ? this.#typeAhead : (this.#prompt?.editor ?? null)));
  }

  /** Ctrl+C where nothing reads keys: the run is interrupted, as in a terminal that is not in raw mode. */
  #isInterrupt(data: string): boolean {
    const isUnread =
      this.#screen.getFocusedComponent() === null || this.#screen.getFocusedComponent() === this.#typeAhead;
    if (!isUnread || parseKey(data) !== "ctrl+c") return false;
    interrupt();
    return true;
  }

  /** Ctrl+Z works at a question and in a list too. */
  #isForScreen(data: string): boolean {
    if (this.#screen.getFocusedComponent() === this.#prompt?.editor || parseKey(data) !== "ctrl+z") return false;
    this.#suspend();
    return true;
  }

  /** Stops this process until the shell continues it. Without a shell that can, the kernel ignores the signal. */
  #suspend(): void {
    this.#screen.stop();
    const resume = () => {
      clearInterval(waiting);
      process.off("SIGCONT", resume);
      this.#screen.resume();
    };
    // Several ticks: after a stop, the timer may fire before SIGCONT is delivered.
    let ticks = 0;
    const waiting = setInterval(() => {
      if (++ticks < IGNORED_AFTER_TICKS) return;
      resume();
      this.#view.hint("not suspended: no shell here could continue hooksh");
    }, TICK_MS);
    process.on("SIGCONT", resume);
    process.kill(process.pid, "SIGTSTP");
  }
}
