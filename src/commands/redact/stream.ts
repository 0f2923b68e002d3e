import type { Found } from "../../../builtins/redaction/redact.ts";

/** A text with the secrets that were found in it, in order. */
export interface Piece {
  text: string;
  /** From 0 to the length of the text. */
  found: Found[];
}

/** Characters of a stream that are searched at once; a text that is no longer is searched as a whole. */
const WINDOW = 16 * 1024 * 1024;

/** Characters that two windows share: enough for the name before a secret, and for a private key. */
const SHARED = 64 * 1024;

/**
 * Finds the secrets of a text that arrives in parts, in bounded memory. A secret that is cut by the border of a part is
 * found; a longer one than {@link WINDOW} is known in its beginning only. The pieces joined are the text.
 */
export class SecretStream {
  readonly #find: (text: string) => Found[];
  readonly #window: number;
  readonly #shared: number;
  /** What was given out and still counts as context, up to `#given`; then what waits, followed by the parts. */
  #known = "";
  #given = 0;
  #parts: string[] = [];
  /** Characters that have arrived since the last search. */
  #arrived = 0;

  constructor(find: (text: string) => Found[], { window = WINDOW, shared = SHARED } = {}) {
    this.#find = find;
    this.#window = window;
    this.#shared = shared;
  }

  /** Takes the next part. Returns a piece once a window is full. */
  push(part: string): Piece | undefined {
    this.#parts.push(part);
    this.#arrived += part.length;
    if (this.#arrived < this.#window) return undefined;
    const text = this.#join();
    return this.#settle(text, lineBorder(text, this.#given, text.length - this.#shared));
  }

  /** The lines that are complete, when the stream pauses; undefined if there are none. */
  pause(): Piece | undefined {
    if (!this.#parts.some((part) => part.includes("\n"))) return undefined;
    const text = this.#join();
    return this.#settle(text, text.lastIndexOf("\n") + 1);
  }

  /** Everything that is left, at the end of the stream. */
  end(): Piece {
    const text = this.#join();
    return this.#settle(text, text.length);
  }

  #join(): string {
    const text = this.#known + this.#parts.join("");
    this.#parts = [];
    this.#arrived = 0;
    return text;
  }

  /** Gives out what waits up to a border, or up to the end or the beginning of a secret across it. */
  #settle(text: string, wanted: number): Piece {
    const given = this.#given;
    const all = this.#find(text).filter(({ end }) => end > given);
    const across = all.find(({ start, end }) => start < wanted && end > wanted);
    const border = across ? borderOf(across, given, text.length) : wanted;
    const found = all
      .filter(({ start }) => start < border)
      .map(({ start, end, kind }) => ({ start: Math.max(0, start - given), end: end - given, kind }));
    this.#known = text.slice(Math.max(0, border - this.#shared));
    this.#given = this.#known.length - (text.length - border);
    return { text: text.slice(given, border), found };
  }
}

/** A secret that may go on behind what has arrived waits for more, unless everything that waits belongs to it. */
function borderOf({ start, end }: Found, given: number, length: number): number {
  return end < length || start <= given ? end : start;
}

/** The last line end between two places; without one, the second place, moved out of a surrogate pair. */
function lineBorder(text: string, from: number, to: number): number {
  const line = text.lastIndexOf("\n", to - 1) + 1;
  if (line > from) return line;
  return (text.codePointAt(to - 1) ?? 0) > 0xffff ? to - 1 : to;
}
