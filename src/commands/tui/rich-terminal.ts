import { type Component, ProcessTerminal } from "@earendil-works/pi-tui";
import type { Notification } from "../../config/user/terminal-settings.ts";
import { sleep } from "../../lib/platform.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import type { RunEvent } from "../../runtime/run-events.ts";
import { interrupt } from "../front-end/interrupt.ts";
import type { Choice, Prompt, PromptOptions, Size, Terminal } from "../front-end/terminal.ts";
import { InlineScreen } from "./inline-screen.ts";
import { NoteBlock } from "./note-block.ts";
import { PickList } from "./pick-list.ts";
import { KeyQuestion, LineQuestion } from "./question.ts";
import { RichPrompt } from "./rich-prompt.ts";
import { RunView, type RunViewOptions } from "./run-view.ts";
import type { Theme } from "./theme.ts";
import { TypeAhead } from "./type-ahead.ts";

/** Keys pressed less than this before a question do not answer it: the user was typing something else. */
const QUIET_MS = 400;

/** A question is asked after this long even if the user keeps typing; keys are dropped until then. */
const MAX_WAIT_MS = 3_000;

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

/** A terminal that understands escape sequences: Markdown, folded results, an input line with completion. */
export class RichTerminal implements Terminal {
  readonly #screen: InlineScreen;
  readonly #view: RunView;
  readonly #typeAhead = new TypeAhead();
  #theme: Theme;
  #prompt: RichPrompt | undefined;
  #question: Component | undefined;
  #pressedAt = 0;
  #busySince: number | undefined;
  readonly #signal: string;

  constructor(options: RichTerminalOptions) {
    this.#theme = options.theme;
    this.#signal = SIGNALS[options.notify];
    this.#screen = new InlineScreen(new ProcessTerminal());
    this.#view = new RunView({ ...options, screen: this.#screen, theme: () => this.#theme });
    this.#screen.addInputListener((data) => {
      this.#pressedAt = Date.now();
      this.#view.clearHint();
      return this.#isInterrupt(data) ? { consume: true } : undefined;
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

  useTheme(theme: Theme): void {
    this.#theme = theme;
    this.#screen.invalidate();
    this.#screen.requestRender();
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
    const deadline = Date.now() + MAX_WAIT_MS;
    this.#screen.setFocus(null);
    for (let wait = QUIET_MS; wait > 0 && !signal.aborted; ) {
      wait = Math.min(this.#pressedAt + QUIET_MS, deadline) - Date.now();
      if (wait > 0) await sleep(wait);
    }
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
    const key = await this.#ask<string>(signal, (answer) => new KeyQuestion(question, keys, answer));
    this.note(question + (key ?? "^C"));
    if (key === undefined && !signal.aborted) interrupt();
    return key;
  }

  async askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
    const line = await this.#ask<string>(signal, (answer) => new LineQuestion(question, answer));
    this.note(question + (line ?? "^C"));
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
      this.#screen.start();
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
    this.#question = create((value) => {
      this.#question = undefined;
      this.#layOut();
      answer.resolve(value);
    });
    this.#layOut();
    this.#screen.terminal.write(this.#signal);
    this.#typeAhead.deliver(this.#question);
    try {
      return await untilAborted(answer.promise, signal);
    } finally {
      this.#question = undefined;
      this.#layOut();
    }
  }

  /** Shows what belongs at the bottom now, and sends keys to it. */
  #layOut(): void {
    const input = this.#question ?? this.#prompt?.editor;
    this.#screen.setBottom([
      this.#view.activity,
      ...(input ? [input] : []),
      ...(this.#prompt && !this.#question ? [this.#view.statusLine] : []),
    ]);
    this.#screen.setFocus(this.#question ?? (this.#typeAhead.isOn ? this.#typeAhead : (this.#prompt?.editor ?? null)));
  }

  /** Ctrl+C where nothing reads keys: the run is interrupted, as in a terminal that is not in raw mode. */
  #isInterrupt(data: string): boolean {
    const isUnread =
      this.#screen.getFocusedComponent() === null || this.#screen.getFocusedComponent() === this.#typeAhead;
    if (!isUnread || data !== "\x03") return false;
    interrupt();
    return true;
  }

  #suspend(): void {
    this.#screen.stop();
    process.once("SIGCONT", () => this.#screen.start());
    process.kill(process.pid, "SIGTSTP");
  }
}
