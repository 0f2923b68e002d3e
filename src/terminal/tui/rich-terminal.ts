import { type Component, isKeyRelease, parseKey } from "@earendil-works/pi-tui";
import type { Notification } from "../../config/user/terminal-settings.ts";
import type { ApprovalRequest } from "../../runtime/events/front-end.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import { untilQuiet } from "../front-end/deliberate-key.ts";
import { waitingText } from "../front-end/question-queue.ts";
import {
  type Choice,
  type InputLine,
  type InputLineOptions,
  interrupt,
  type KeyChoice,
  type ListAction,
  questionText,
  type Size,
  type Terminal,
  unansweredText,
} from "../front-end/terminal.ts";
import { THEMES, type Theme } from "../theme.ts";
import { InlineScreen } from "./inline-screen.ts";
import { NoteBlock } from "./note-block.ts";
import { OpenQuestions } from "./open-questions.ts";
import { PagerScreen } from "./pager.ts";
import { PickList } from "./pick-list.ts";
import { ProcessScreen } from "./process-screen.ts";
import { KeyQuestion, LineQuestion } from "./question.ts";
import { RichInputLine } from "./rich-input-line.ts";
import { RunView, type RunViewOptions } from "./run-view.ts";
import { ApprovalBlock } from "./tool-call/approval-rows.ts";

/** An answer that took this long ends with a notification. */
const LONG_ANSWER_MS = 10_000;

/** The sequences that notify: the bell, and the notification of iTerm2 that many terminals know (OSC 9). */
const SIGNALS: Readonly<Record<Notification, string>> = {
  off: "",
  bell: "\x07",
  desktop: "\x1b]9;hooksh waits for you\x07",
};

/** If this process is still running this many ticks after SIGTSTP, the signal had no effect. */
const IGNORED_AFTER_TICKS = 4;
const TICK_MS = 50;

/** Terminals refuse a longer clipboard. */
const MAX_COPY_BYTES = 74_000;

export interface RichTerminalOptions extends Omit<RunViewOptions, "screen" | "theme"> {
  theme: Theme;
  /** True if the theme follows the terminal's background from the start. */
  isThemeAuto: boolean;
  /** True if colours are off whatever the theme. */
  isColorless: boolean;
  /** True if the terminal may be asked for its background. */
  answersQueries: boolean;
  notify: Notification;
}

/** A terminal that understands escape sequences: Markdown, folded results, an input line with completion. */
export class RichTerminal implements Terminal {
  readonly #process: ProcessScreen;
  readonly #screen: InlineScreen;
  readonly #view: RunView;
  readonly isColorless: boolean;
  readonly #answersQueries: boolean;
  readonly #typeAhead = new TypeAhead();
  #theme: Theme;
  #input: RichInputLine | undefined;
  /** The view in the whole window, if one is open. */
  #pager: { leave: () => void; shown: Promise<void> } | undefined;
  readonly #questions = new OpenQuestions(() => this.#layOut());
  #pressedAt = 0;
  /** True while keys go nowhere: before a question, and after one that is withdrawn. */
  #dropsKeys = false;
  /** How many questions wait behind the one that is shown. */
  #waiting = 0;
  readonly #attention: Attention;

  constructor(options: RichTerminalOptions) {
    this.#theme = options.theme;
    this.isColorless = options.isColorless;
    this.#process = new ProcessScreen();
    this.#screen = new InlineScreen(this.#process);
    this.#attention = new Attention(options.notify, (sequence) => this.#process.write(sequence));
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
    this.#answersQueries = options.answersQueries;
    if (options.isThemeAuto) void this.followBackground();
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

  /** As the interface says, unless another theme was chosen meanwhile. */
  async followBackground(): Promise<boolean> {
    if (!this.#answersQueries) return false;
    const before = this.#theme;
    const background = await this.#process.askBackground();
    if (background && this.#theme === before && background !== before.name) this.useTheme(THEMES[background]);
    return background !== undefined;
  }

  show(event: RunEvent): void {
    this.#view.show(event);
    this.#attention.see(event);
  }

  toggleTodos(): boolean {
    const { todos } = this.#view;
    todos.isHidden = !todos.isHidden;
    this.#screen.requestRender();
    return !todos.isHidden;
  }

  note(text: string): void {
    this.#view.add(new NoteBlock(text));
  }

  async showCall(request: ApprovalRequest, cwd: string): Promise<void> {
    this.note("");
    this.#view.add(new ApprovalBlock(request, { theme: this.#theme, cwd, screenRows: this.size.rows }));
  }

  hint(text: string): void {
    this.#view.hint(text);
  }

  async page(title: string, text: string, signal: AbortSignal): Promise<void> {
    if (this.#pager || signal.aborted) return;
    const pager = new PagerScreen(this.#process);
    const leave = () => pager.leave();
    signal.addEventListener("abort", leave);
    const shown = this.#lend(() =>
      pager.show({ title, text, theme: this.#theme }, () => (this.#pressedAt = Date.now())),
    );
    this.#pager = { leave, shown };
    try {
      await shown;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#pager = undefined;
    }
  }

  openLine(options: InputLineOptions): InputLine {
    const input = new RichInputLine({
      ...options,
      screen: this.#screen,
      view: this.#view,
      theme: () => this.#theme,
      onClose: () => {
        this.#input = undefined;
        this.#layOut();
      },
      lend: (work) => this.#lend(work),
      choose: (title, choices) => this.choose(title, choices, new AbortController().signal),
      suspend: () => this.#suspend(),
    });
    this.#input = input;
    this.#layOut();
    return input;
  }

  async interject<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    this.#leavePager();
    await this.#input?.untilEmpty(signal);
    await this.#untilQuiet(signal);
    if (signal.aborted) return undefined;
    this.#typeAhead.start();
    try {
      return await ask();
    } finally {
      this.#typeAhead.stop();
      this.#layOut();
    }
  }

  /** Closes an open pager for a question. Its last key is as good as one that is pressed now: it must not answer. */
  #leavePager(): void {
    if (!this.#pager) return;
    this.#pressedAt = Date.now();
    this.#pager.leave();
    this.note("(the view was closed: a question waits)");
  }

  /** Drops keys until the user has stopped typing, and then until a question is shown. */
  async #untilQuiet(signal: AbortSignal): Promise<void> {
    this.#setDropsKeys(true);
    await untilQuiet(() => this.#pressedAt, signal);
    if (signal.aborted) this.#setDropsKeys(false);
  }

  #setDropsKeys(dropsKeys: boolean): void {
    this.#dropsKeys = dropsKeys;
    this.#layOut();
  }

  showWaiting(count: number): void {
    this.#waiting = count;
    this.#layOut();
  }

  async askKey(question: string, choices: readonly KeyChoice[], signal: AbortSignal): Promise<string | undefined> {
    const key = await this.#ask<string>(signal, (answer) => {
      return new KeyQuestion({ question, choices, theme: () => this.#theme, pressedAt: this.#pressedAt, answer });
    });
    this.note(questionText(question, choices) + (key ?? unansweredText(signal)));
    if (signal.aborted) await this.#dropRest();
    else if (key === undefined) interrupt();
    return key;
  }

  async askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
    const pressedAt = this.#dropsKeys ? this.#pressedAt : 0;
    const line = await this.#ask<string>(signal, (answer) => new LineQuestion({ question, pressedAt, answer }));
    this.note(question + (line ?? unansweredText(signal)));
    if (signal.aborted) await this.#dropRest();
    return line;
  }

  choose<T>(
    title: string,
    choices: readonly Choice<T>[],
    signal: AbortSignal,
    actions: readonly ListAction<T>[] = [],
  ): Promise<T | undefined> {
    const onUpdate = () => this.#screen.requestRender();
    return this.#ask<T>(
      signal,
      (answer) => new PickList({ title, choices, actions, theme: this.#theme, answer, onUpdate }),
    );
  }

  copy(text: string): boolean {
    const bytes = Buffer.from(text);
    if (bytes.length > MAX_COPY_BYTES) return false;
    // OSC 52 (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html) also works over SSH.
    this.#screen.terminal.write(`\x1b]52;c;${bytes.toString("base64")}\x07`);
    return true;
  }

  async #lend<T>(work: () => Promise<T>): Promise<T> {
    await this.#process.settle();
    this.#screen.stop();
    try {
      return await work();
    } finally {
      this.#screen.resume();
    }
  }

  async close(): Promise<void> {
    this.#pager?.leave();
    await this.#pager?.shown;
    await this.#process.settle();
    process.off("exit", this.#restore);
    this.#input?.close();
    this.#view.stop();
    this.#screen.setBottom([]);
    this.#screen.renderNow();
    this.#screen.stop();
    await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  }

  #restore = (): void => this.#screen.stop();

  /** Shows a question in the place of the input line until it is answered or the signal aborts. */
  #ask<T>(signal: AbortSignal, create: (answer: (value: T | undefined) => void) => Component): Promise<T | undefined> {
    this.#dropsKeys = false;
    return this.#questions.ask(create, signal, (question) => {
      this.#attention.call();
      this.#typeAhead.deliver(question);
    });
  }

  /** Drops the rest of an answer to a withdrawn question: it must not become a message, or answer the next question. */
  async #dropRest(): Promise<void> {
    this.#pressedAt = Date.now();
    await this.#untilQuiet(new AbortController().signal);
    this.#setDropsKeys(false);
  }

  /** Shows what belongs at the bottom now, and sends keys to it. */
  #layOut(): void {
    const question = this.#questions.shown;
    const input = question ?? this.#input?.editor;
    this.#screen.setBottom([
      this.#view.activity,
      ...(question && this.#waiting > 0 ? [this.#waitingRow()] : []),
      ...(this.#input && !question ? [this.#view.todos] : []),
      ...(input ? [input] : []),
      ...(this.#input && !question ? [this.#view.statusLine] : []),
    ]);
    this.#screen.setFocus(this.#dropsKeys ? null : (question ?? this.#withoutQuestion()));
  }

  #withoutQuestion(): Component | null {
    return this.#typeAhead.isOn ? this.#typeAhead : (this.#input?.editor ?? null);
  }

  #waitingRow(): Component {
    return new NoteBlock(this.#theme.style("dim", `(${waitingText(this.#waiting)})`));
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
    if (this.#screen.getFocusedComponent() === this.#input?.editor || parseKey(data) !== "ctrl+z") return false;
    this.#suspend();
    return true;
  }

  #suspend(): void {
    suspend(this.#screen, () => this.#view.hint("not suspended: no shell here could continue hooksh"));
  }
}

/** Tells a user who looks elsewhere that a run waits: at a question, and after a long answer. */
class Attention {
  readonly #signal: string;
  readonly #write: (sequence: string) => void;
  #busySince: number | undefined;

  constructor(notification: Notification, write: (sequence: string) => void) {
    this.#signal = SIGNALS[notification];
    this.#write = write;
  }

  see({ type }: RunEvent): void {
    if (type === "user_message") this.#busySince = Date.now();
    if (type !== "stream_stopped" || this.#busySince === undefined) return;
    if (Date.now() - this.#busySince >= LONG_ANSWER_MS) this.call();
    this.#busySince = undefined;
  }

  call(): void {
    this.#write(this.#signal);
  }
}

/** Keeps the keys that are pressed between two questions, for the second. */
class TypeAhead implements Component {
  #kept: string[] | undefined;

  get isOn(): boolean {
    return this.#kept !== undefined;
  }

  start(): void {
    this.#kept = [];
  }

  stop(): void {
    this.#kept = undefined;
  }

  handleInput(data: string): void {
    this.#kept?.push(data);
  }

  /** Passes the keys on to a question. */
  deliver(question: Component): void {
    const kept = this.#kept?.splice(0) ?? [];
    for (const data of kept) question.handleInput?.(data);
  }

  render(): string[] {
    return [];
  }

  invalidate(): void {}
}

/**
 * Stops this process until the shell continues it. Without a shell that can, the kernel ignores the signal: then
 * `onIgnored` is called.
 */
function suspend(screen: InlineScreen, onIgnored: () => void): void {
  screen.stop();
  const resume = () => {
    clearInterval(waiting);
    process.off("SIGCONT", resume);
    screen.resume();
  };
  // Several ticks: after a stop, the timer may fire before SIGCONT is delivered.
  let ticks = 0;
  const waiting = setInterval(() => {
    if (++ticks < IGNORED_AFTER_TICKS) return;
    resume();
    onIgnored();
  }, TICK_MS);
  process.on("SIGCONT", resume);
  process.kill(process.pid, "SIGTSTP");
}
