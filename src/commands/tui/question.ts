import { type Component, Input, parseKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** A key counts only if no other follows within this time: pasted text must not answer a question. */
const SETTLE_MS = 25;

/** A question that one key answers. Pasted text does not answer it. */
export class KeyQuestion implements Component {
  readonly #question: string;
  readonly #keys: readonly string[];
  readonly #answer: (key: string | undefined) => void;
  #settling: Timer | undefined;

  /** `answer` gets one of `keys`, or undefined for Ctrl+C and Ctrl+D. */
  constructor(question: string, keys: readonly string[], answer: (key: string | undefined) => void) {
    this.#question = question;
    this.#keys = keys;
    this.#answer = answer;
  }

  handleInput(data: string): void {
    const key = parseKey(data)
      ?.replace(/^shift\+/, "")
      .toLowerCase();
    const isAlone = this.#settling === undefined;
    clearTimeout(this.#settling);
    if (key === "ctrl+c" || key === "ctrl+d") return this.#answer(undefined);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      if (isAlone && key !== undefined && this.#keys.includes(key)) this.#answer(key);
    }, SETTLE_MS);
  }

  render(columns: number): string[] {
    return wrapTextWithAnsi(this.#question, columns);
  }

  invalidate(): void {}
}

/** A question that a line answers. */
export class LineQuestion implements Component {
  readonly #question: string;
  readonly #input = new Input();
  readonly #answer: (line: string | undefined) => void;

  /** `answer` gets the line, or undefined for Ctrl+C, Ctrl+D on an empty line, and Escape. */
  constructor(question: string, answer: (line: string | undefined) => void) {
    this.#question = question;
    this.#answer = answer;
    this.#input.focused = true;
    this.#input.onSubmit = answer;
    this.#input.onEscape = () => answer(undefined);
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "ctrl+c" || (key === "ctrl+d" && this.#input.getValue() === "")) this.#answer(undefined);
    else this.#input.handleInput(data);
  }

  render(columns: number): string[] {
    return [...wrapTextWithAnsi(this.#question, columns), ...this.#input.render(columns)];
  }

  invalidate(): void {
    this.#input.invalidate();
  }
}
