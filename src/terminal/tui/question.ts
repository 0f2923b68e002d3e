import { type Component, Input, parseKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { DeliberateKey, FirstPause } from "../front-end/deliberate-key.ts";

export interface KeyQuestionOptions {
  question: string;
  /** The keys that answer. */
  keys: readonly string[];
  /** When a key was pressed last, in milliseconds since 1970. */
  pressedAt: number;
  /** Gets one of the keys, or undefined for Escape, Ctrl+C and Ctrl+D. */
  answer: (key: string | undefined) => void;
}

/** A question that one key answers, if it is pressed deliberately. */
export class KeyQuestion implements Component {
  readonly #question: string;
  readonly #answer: (key: string | undefined) => void;
  readonly #key: DeliberateKey;

  constructor({ question, keys, pressedAt, answer }: KeyQuestionOptions) {
    this.#question = question;
    this.#answer = answer;
    this.#key = new DeliberateKey(pressedAt, (key) => {
      if (key === "escape") answer(undefined);
      else if (keys.includes(key)) answer(key);
    });
  }

  handleInput(data: string): void {
    const key = parseKey(data)
      ?.replace(/^shift\+/, "")
      .toLowerCase();
    if (key === "ctrl+c" || key === "ctrl+d") this.#answer(undefined);
    else this.#key.press(key);
  }

  render(columns: number): string[] {
    return wrapTextWithAnsi(this.#question, columns);
  }

  invalidate(): void {}
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
