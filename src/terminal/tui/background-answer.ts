import { parseOsc11BackgroundColor } from "@earendil-works/pi-tui";

/** The background of a terminal. */
export type Background = "light" | "dark";

/** Asks for the background colour: OSC 11 (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
export const BACKGROUND_QUERY = "\x1b]11;?\x07";

const COMPLETE = /^\x1b?\]11;[^\x07\x1b]*(?:\x07|\x1b\\)$/;

/** The start of an answer that no user types: only the rest of the answer may follow. */
const UNMISTAKABLE = /^\x1b?\]11;[^\x00-\x1f\x7f]{0,64}\x1b?$/;

const COLOR_SO_FAR = /^\x1b?\]11;[#rgba:0-9a-f/]{0,40}\x1b?$/i;

/** The start of an answer that may also be a key. */
const AMBIGUOUS = /^(?:\x1b|\x1b?\]1{0,2})$/;

/** How long a key that may be the start of an answer is held back, and how long after the question. */
const HELD_MS = 100;
const EXPECTED_MS = 10_000;

/** The time that the next piece of an answer may take. */
const PIECES_MS = 1_000;

/**
 * Takes the answer to {@link BACKGROUND_QUERY} out of what arrives from a terminal, whenever and in as many pieces as it
 * arrives; everything else is input. Receives complete sequences, or single characters.
 */
export class BackgroundAnswer {
  readonly #onInput: (data: string) => void;
  /** Called with the background; with undefined if the answer cannot be read. */
  readonly #onAnswer: (background: Background | undefined) => void;
  #askedAt: number | undefined;
  #held: string[] = [];
  #timer: Timer | undefined;

  constructor(onInput: (data: string) => void, onAnswer: (background: Background | undefined) => void) {
    this.#onInput = onInput;
    this.#onAnswer = onAnswer;
  }

  /** Call it when the terminal is asked. */
  expect(): void {
    this.#askedAt = Date.now();
  }

  receive(data: string): void {
    if (this.#askedAt === undefined) return this.#onInput(data);
    const text = this.#held.join("") + data;
    if (COMPLETE.test(text)) return this.#answer(text);
    if (this.#mayBeStart(text)) return this.#hold(data, text);
    const hadHeld = this.#held.length > 0;
    this.release();
    if (hadHeld) this.receive(data);
    else this.#onInput(data);
  }

  /** Passes on what was held back; the start of an answer is dropped. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held.splice(0);
    if (!UNMISTAKABLE.test(held.join(""))) held.forEach(this.#onInput);
  }

  #mayBeStart(text: string): boolean {
    const isExpected = Date.now() - (this.#askedAt ?? 0) < EXPECTED_MS;
    return UNMISTAKABLE.test(text) || (isExpected && AMBIGUOUS.test(text));
  }

  #hold(data: string, text: string): void {
    const isFirst = !UNMISTAKABLE.test(this.#held.join(""));
    this.#held.push(data);
    if (!isFirst && !COLOR_SO_FAR.test(text)) return; // typing after half an answer is held back only for so long
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.release(), UNMISTAKABLE.test(text) ? PIECES_MS : HELD_MS);
  }

  #answer(text: string): void {
    clearTimeout(this.#timer);
    this.#held = [];
    this.#askedAt = undefined;
    const color = parseOsc11BackgroundColor(text.startsWith("\x1b") ? text : `\x1b${text}`);
    this.#onAnswer(color && (isBright(color) ? "light" : "dark"));
  }
}

/** True if the relative luminance (ITU-R BT.709) of a colour is above the middle. */
function isBright({ r, g, b }: { r: number; g: number; b: number }): boolean {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 127;
}
