import type { ApprovalRequest } from "../../runtime/events/front-end.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import type { Theme } from "../theme.ts";
import type { History } from "./prompt-history.ts";

/** The size of the window, in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** A choice in a list. `label` and `description` are shown on one line each. */
export interface Choice<T> {
  value: T;
  label: string;
  description?: string;
  /** Rows that are shown below the list while the choice is selected, with their own styles. */
  preview?: readonly string[];
}

/** What a key does in a list besides choosing, such as to rename the selected entry. */
export interface ListAction<T> {
  /** As `parseKey` names it, such as `ctrl+r`. */
  key: string;
  /** One word for what it does; without key presses it is typed, with the number of an entry. */
  name: string;
  /** Acts on the selected value; undefined if the list is empty. Returns what the list shows next; undefined for no change. */
  run: (selected: T | undefined) => Promise<ListUpdate<T> | undefined>;
}

/** What a list shows after an action. */
export interface ListUpdate<T> {
  choices?: readonly Choice<T>[];
  /** A text that is shown until the next key. Its control characters are escaped. */
  detail?: string;
}

/** An answer that one key gives. The label, such as `[y]es`, names the key; whoever passes it escapes it. */
export interface KeyChoice {
  key: string;
  label: string;
}

export const YES_OR_NO: readonly KeyChoice[] = [
  { key: "y", label: "[y]es" },
  { key: "n", label: "[n]o" },
];

/** A line that the user sent. */
export interface SentLine {
  readonly text: string;
  /** The text with long pastes folded. A file is attached only if it is named here, where the user can see it. */
  readonly shown: string;
}

/** Called for input while the agent works. */
export interface BusyHandlers {
  /** A line; `later` if it should wait until the current work is done. */
  onLine: (line: SentLine, later: boolean) => void;
  /** Escape. */
  onEscape: () => void;
}

/** What the input line completes and does besides sending lines. */
export interface InputLineOptions {
  history: History;
  /** The commands that a line may start with, as the user types them: `/help`; after a name, with each argument. */
  commands: (typed: string) => readonly Choice<string>[];
  /** True if a line is a command as it is. */
  isCommand: (line: string) => boolean;
  /** The files that `@` completes, in the session's directory. */
  directory: () => string;
  /** Escape pressed twice on an empty line: go back to an earlier message. */
  onGoBack: () => void;
  /** Escape while a command works: it is cancelled. */
  onCancel: () => void;
  /** Shift+Tab: the next safety mode. */
  onNextMode: () => void;
  /** `?` on an empty line: show the keys. */
  onShowKeys: () => void;
  /** Takes the newest message out of the queue and returns it; undefined if the queue is empty. */
  takeBack: () => string | undefined;
  /** Called after each key that leaves text in the line. */
  onTyping: () => void;
}

/** The line in which the user types. It stays open while the agent works, and keeps what was typed and not sent. */
export interface InputLine {
  /** Returns the next line; undefined if the user leaves or the signal aborts. */
  next(signal: AbortSignal): Promise<SentLine | undefined>;
  /** Sends input to `handlers` until the work is done. */
  during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T>;
  /** Leaves the prompt: the pending or next call of `next` returns undefined. */
  leave(): void;
  /** Puts text into the line if it is empty, for the user to edit and send. */
  restore(text: string): void;
  close(): void;
}

/**
 * What a user reads: the run and notes about it. Texts are shown as they are: whoever passes a text from outside escapes
 * its control characters first.
 */
export interface Screen {
  readonly size: Size;
  readonly theme: Theme;
  /** True if the user turned colours off, for any theme: with `--no-color` or NO_COLOR. */
  readonly isColorless?: boolean;
  /** Changes the colours from now on. Absent if this screen has none, as is {@link followBackground}. */
  useTheme?(theme: Theme): void;
  /**
   * Asks for the background, and uses the theme that fits it. Returns false, and keeps the theme, if the terminal does not
   * tell.
   */
  followBackground?(): Promise<boolean>;
  /** Shows or hides the todos above the input line; returns true if they are now shown. Absent without such a place. */
  toggleTodos?(): boolean;
  /** Shows an event of the run, and escapes its texts. */
  show(event: RunEvent): void;
  /** Shows all of a call that the user is asked about, and escapes its texts. Paths are relative to `cwd`. */
  showCall(request: ApprovalRequest, cwd: string): Promise<void>;
  /** Shows text on lines of its own. */
  note(text: string): void;
  /** Shows a hint until the next key, such as that a second Ctrl+C leaves. */
  hint(text: string): void;
  /**
   * Shows a text in the whole window, escaped, until the user leaves, a question waits or the signal aborts. Absent if this
   * screen only has lines.
   */
  page?(title: string, text: string, signal: AbortSignal): Promise<void>;
  /** Puts text into the clipboard. Returns false if it is too long. Absent if there is no way to do it. */
  copy?(text: string): boolean;
}

/** What a user is asked: lines at the prompt, and questions. */
export interface Prompt {
  openLine(options: InputLineOptions): InputLine;
  /** Shows how many more questions wait behind the one that is shown. */
  showWaiting(count: number): void;
  /**
   * Calls `ask` once the user is not in the middle of typing something else; keys typed between two questions of `ask` go
   * to the second. Returns undefined if the signal aborts before.
   */
  interject<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  /**
   * Asks until the user takes a choice, and returns its key. Returns undefined on Ctrl+C, which also interrupts the run,
   * and if the signal aborts.
   */
  askKey(question: string, choices: readonly KeyChoice[], signal: AbortSignal): Promise<string | undefined>;
  /** Asks for a line. Returns undefined on Ctrl+C, at the end of input, and if the signal aborts. */
  askLine(question: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Call it on SIGINT: leaves a question for a line unanswered. Returns false if none is open. Absent if Ctrl+C reaches
   * questions as a key.
   */
  declineLine?(): boolean;
  /** Lets the user choose from a list. Returns undefined if the user chooses nothing or the signal aborts. */
  choose<T>(
    title: string,
    choices: readonly Choice<T>[],
    signal: AbortSignal,
    actions?: readonly ListAction<T>[],
  ): Promise<T | undefined>;
}

/** A terminal with a user at it. */
export interface Terminal extends Screen, Prompt {
  /** Restores the original mode of the terminal. */
  close(): Promise<void>;
}

/** Returns a question with its choices on one line; `mark` changes how a label is shown. */
export function questionText(
  question: string,
  choices: readonly KeyChoice[],
  mark = (label: string, _index: number): string => label,
): string {
  return `${question}${choices.map(({ label }, index) => mark(label, index)).join(" / ")}: `;
}

/** Returns the text after a question that was not answered: `^C`, or a note that it was withdrawn. */
export function unansweredText(signal: AbortSignal): string {
  return signal.aborted ? "(withdrawn)" : "^C";
}

/** Sends SIGINT to this process, as Ctrl+C does in a terminal that is not in raw mode. */
export function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
