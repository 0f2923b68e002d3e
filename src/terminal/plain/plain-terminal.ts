import { isatty } from "node:tty";
import { untilAborted } from "../../lib/settle-within.ts";
import { roundedDuration } from "../../lib/text/duration.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import type { ApprovalRequest } from "../../runtime/events/front-end.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import { DeliberateKey } from "../front-end/deliberate-key.ts";
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
import { textRenderer } from "../run-text.ts";
import { THEMES } from "../theme.ts";
import { CTRL_C, Keyboard, type Listener } from "./keyboard.ts";
import { PlainInputLine } from "./plain-input-line.ts";
import { PlainOutput } from "./plain-output.ts";

export interface PlainTerminalOptions {
  hideToolCalls: boolean;
  hideToolResults: boolean;
}

/**
 * A terminal without escape sequences: a dumb one, or one that a screen reader reads. Everything is a line that stays
 * as it is. Notes and questions go to standard error if that is a terminal too, so that standard output contains only
 * the agent's text.
 */
export class PlainTerminal implements Terminal {
  readonly #output = new PlainOutput(isatty(2) ? 2 : 1);
  readonly #keyboard = new Keyboard();
  readonly theme = THEMES.none;
  readonly #render: (event: RunEvent) => void;
  /** When each session that thinks began to, and its last thought. */
  readonly #thinking = new Map<string, { since: number; until: number }>();
  /** The question that waits for an answer. */
  #question: string | undefined;
  /** Leaves it unanswered, if it is one for a line. */
  #decline: (() => void) | undefined;
  /** How many questions wait behind it. */
  #waiting = 0;

  constructor({ hideToolCalls, hideToolResults }: PlainTerminalOptions) {
    this.#render = textRenderer({
      hideToolCalls,
      hideToolResults,
      output: this.#output,
      terminal: true,
      colors: false,
      diagnostics: (line) => this.note(escapeControlsInLines(line)),
    });
  }

  get size(): Size {
    return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
  }

  show(event: RunEvent): void {
    this.#noteThoughts(event);
    this.#render(event);
  }

  /** Notes how long the model thought, not what: a screen reader would read all of it before the answer. */
  #noteThoughts(event: RunEvent): void {
    if (event.type === "agent_choice_reasoning") {
      const since = this.#thinking.get(event.session_id)?.since ?? performance.now();
      this.#thinking.set(event.session_id, { since, until: performance.now() });
    } else if (event.type === "agent_choice" || event.type === "message_added" || event.type === "stream_stopped") {
      const time = this.#thinking.get(event.session_id);
      this.#thinking.delete(event.session_id);
      if (time) this.note(`(thought for ${roundedDuration(time.until - time.since)})`);
    }
  }

  note(text: string): void {
    this.#output.note(text);
  }

  async showCall(request: ApprovalRequest, cwd: string): Promise<void> {
    const { ApprovalBlock } = await import("../tui/tool-call/approval-rows.ts");
    const { columns, rows: screenRows } = this.size;
    const block = new ApprovalBlock(request, { theme: this.theme, cwd, screenRows });
    this.note(["", ...block.render(columns - 1)].join("\n"));
  }

  hint(text: string): void {
    this.note(`(${text})`);
  }

  openLine(options: InputLineOptions): InputLine {
    return new PlainInputLine(this.#output, this.#keyboard, options);
  }

  /** Shows an open question again, after the line about the others. */
  showWaiting(count: number): void {
    const isMore = count > this.#waiting;
    this.#waiting = count;
    if (isMore && this.#question !== undefined) this.#show(this.#question);
  }

  async interject<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    await this.#keyboard.dropTypeAhead(signal);
    return signal.aborted ? undefined : ask();
  }

  async askKey(question: string, choices: readonly KeyChoice[], signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const key = await this.#ask(questionText(question, choices), signal, (answer) => {
      const cancel = () => {
        answer(undefined);
        interrupt();
      };
      const deliberate = new DeliberateKey(this.#keyboard.pressedAt, (pressed) => {
        if (pressed === ESCAPE) cancel();
        else if (choices.some(({ key }) => key === pressed)) answer(pressed);
      });
      return {
        kind: "keys",
        onInput: (typed) => {
          if (typed === undefined || LEAVING.test(typed)) cancel();
          else deliberate.press(typed.toLowerCase());
        },
      };
    });
    this.#output.echo(`${key ?? unansweredText(signal)}\n`);
    if (signal.aborted) await this.#keyboard.dropRest();
    return key;
  }

  async askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const line = await this.#ask(question, signal, (answer) => {
      this.#decline = () => answer(undefined);
      return { kind: "lines", onInput: answer };
    });
    this.#decline = undefined;
    this.#output.echo(line === undefined ? `${signal.aborted ? unansweredText(signal) : ""}\n` : "");
    if (signal.aborted) await this.#keyboard.dropRest();
    return line;
  }

  declineLine(): boolean {
    this.#decline?.();
    return this.#decline !== undefined;
  }

  /** Lists the choices with numbers, and asks for a number, or for an action and a number. */
  async choose<T>(
    title: string,
    choices: readonly Choice<T>[],
    signal: AbortSignal,
    actions: readonly ListAction<T>[] = [],
  ): Promise<T | undefined> {
    const rows = choices.map(
      ({ label, description }, index) =>
        `  ${index + 1}. ${escapeControls(label)}${description ? `: ${escapeControls(description)}` : ""}`,
    );
    this.note([title, ...rows].join("\n"));
    const names = actions.map(({ name }) => name);
    const more = names.length === 0 ? "" : `; or ${names.join(", ")}, and a number`;
    const line = (await this.askLine(`Number (Enter: none${more}): `, signal))?.trim() ?? "";
    if (line === "") return undefined;
    const [, word = "", number = ""] = /^(\p{L}*)\s*(\d{0,6})$/u.exec(line) ?? [];
    const chosen = choices[Number(number) - 1];
    const action = actions.find(({ name }) => name === word);
    if (action && (chosen || number === "")) {
      const { choices: changed = choices, detail } = (await action.run(chosen?.value)) ?? {};
      if (detail !== undefined) this.note(detail);
      return this.choose(title, changed, signal, actions);
    }
    if (!chosen || word !== "") this.note(`There is no ${JSON.stringify(line)} in the list`);
    return word === "" ? chosen?.value : undefined;
  }

  async close(): Promise<void> {
    this.#output.startLine();
    this.#keyboard.close();
  }

  #show(question: string): void {
    this.#question = question;
    if (this.#waiting > 0) this.note(`(${waitingText(this.#waiting)})`);
    this.#output.prompt(question);
  }

  /** Listens for one answer. What is typed after it goes to the next listener. */
  async #ask(
    question: string,
    signal: AbortSignal,
    listener: (answer: (value: string | undefined) => void) => Listener,
  ): Promise<string | undefined> {
    const answer = Promise.withResolvers<string | undefined>();
    const stop = this.#keyboard.listen(
      listener((value) => {
        stop();
        answer.resolve(value);
      }),
    );
    // Not before: a key that is pressed at the question would be the start of a line.
    this.#show(question);
    try {
      return await untilAborted(answer.promise, signal);
    } finally {
      stop();
      this.#question = undefined;
    }
  }
}

const ESCAPE = "\x1b";

const LEAVING = new RegExp(`[${CTRL_C}\x04]`);
