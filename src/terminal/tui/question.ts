import { type Component, Input, parseKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { DeliberateKey, ENTER, FirstPause, READ_MS } from "../front-end/deliberate-key.ts";
import { type KeyChoice, questionText } from "../front-end/terminal.ts";
import type { Theme } from "../theme.ts";

export interface KeyQuestionOptions {
  question: string;
  choices: readonly KeyChoice[];
  theme: () => Theme;
  /** When a key was pressed last, in milliseconds since 1970. */
  pressedAt: number;
  /** Gets the key of a choice, or undefined for Escape, Ctrl+C and Ctrl+D. */
  answer: (key: string | undefined) => void;
}

/** Keys that move the highlight, and by how many choices. */
const MOVES: Readonly<Record<string, number>> = { left: -1, up: -1, "shift+tab": -1, right: 1, down: 1, tab: 1 };

/** A question that one key answers, if it is pressed deliberately: the letter of a choice, or Enter for the highlighted one. */
export class KeyQuestion implements Component {
  readonly #options: KeyQuestionOptions;
  readonly #key: DeliberateKey;
  readonly #shownAt = Date.now();
  #highlighted = 0;

  constructor(options: KeyQuestionOptions) {
    const { choices, pressedAt, answer } = options;
    this.#options = options;
    this.#key = new DeliberateKey(pressedAt, (pressed) => {
      if (pressed === "escape") answer(undefined);
      else if (ENTER.test(pressed)) this.#take();
      else if (choices.some(({ key }) => key === pressed)) answer(pressed);
    });
  }

  handleInput(data: string): void {
    const pressed = parseKey(data);
    const move = MOVES[pressed ?? ""];
    const key = pressed?.replace(/^shift\+/, "").toLowerCase();
    if (key === "ctrl+c" || key === "ctrl+d") this.#options.answer(undefined);
    else if (move !== undefined) this.#move(move);
    else this.#key.press(key);
  }

  render(columns: number): string[] {
    const { question, choices, theme } = this.#options;
    const mark = (label: string, index: number) =>
      index === this.#highlighted ? theme().style("selected", `→ ${label}`) : label;
    return wrapTextWithAnsi(questionText(question, choices, mark), columns);
  }

  invalidate(): void {}

  /** Takes the highlighted choice. Enter that was meant for something else takes none. */
  #take(): void {
    const { choices, answer } = this.#options;
    if (Date.now() - this.#shownAt >= READ_MS) answer(choices[this.#highlighted]?.key);
  }

  /** An arrow key only moves: Enter right behind it, as in pasted text, takes nothing. */
  #move(by: number): void {
    const { length } = this.#options.choices;
    if (this.#key.press(undefined)) this.#highlighted = (this.#highlighted + by + length) % length;
  }
}

export interface LineQuestionOptions {
  question: string;
  /** When a key was pressed last, in milliseconds since 1970: keys that follow without a pause are no answer. */
  pressedAt: number;
  /** Gets the line, or undefined for Ctrl+C, Ctrl+D on an empty line, and Escape. */
  answer: (line: string | undefined) => void;
}

/** A question that a line answers. */
export class LineQuestion implements Component {
  readonly #question: string;
  readonly #input = new Input();
  readonly #answer: (line: string | undefined) => void;
  readonly #pause: FirstPause;

  constructor({ question, pressedAt, answer }: LineQuestionOptions) {
    this.#question = question;
    this.#pause = new FirstPause(pressedAt);
    this.#answer = answer;
    this.#input.focused = true;
    this.#input.onSubmit = answer;
    this.#input.onEscape = () => answer(undefined);
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "ctrl+c" || (key === "ctrl+d" && this.#input.getValue() === "")) this.#answer(undefined);
    else if (this.#pause.press()) this.#input.handleInput(data);
  }

  render(columns: number): string[] {
    return [...wrapTextWithAnsi(this.#question, columns), ...this.#input.render(columns)];
  }

  invalidate(): void {
    this.#input.invalidate();
  }
}
