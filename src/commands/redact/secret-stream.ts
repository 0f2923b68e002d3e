import type { Found } from "../../redaction/redact.ts";

/** A text with the secrets that were found in it, in order. */
export interface SearchedText {
  text: string;
  /** From 0 to the length of the text. */
  found: Found[];
}

/** Characters of a stream that are searched at once. A shorter text is searched as a whole. */
const WINDOW = 16 * 1024 * 1024;

/** Characters that two windows share: enough for the name before a secret, and for a private key. */
const SHARED = 64 * 1024;

/**
 * Finds the secrets of a text that arrives in parts, in bounded memory, including secrets that span parts. Of a secret
 * longer than {@link WINDOW} it may find only the beginning. The pieces, joined, are the text.
 */
export class SecretStream {
  readonly #find: (text: string) => Found[];
  readonly #window: number;
  readonly #shared: number;
  /**
   * Text already returned that still serves as context, up to `#given`, then text still to be returned; `#parts`
   * follows it.
   */
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
  push(part: string): SearchedText | undefined {
    this.#parts.push(part);
    this.#arrived += part.length;
    if (this.#arrived < this.#window) return undefined;
    const text = this.#join();
    return this.#settle(text, lineBorder(text, this.#given, text.length - this.#shared));
  }

  /** The lines that are complete, when the stream pauses; undefined if there are none. */
  pause(): SearchedText | undefined {
    if (!this.#parts.some((part) => part.includes("\n"))) return undefined;
    const text = this.#join();
    return this.#settle(text, text.lastIndexOf("\n") + 1);
  }

  /** Everything that is left, at the end of the stream. */
  end(): SearchedText {
    const text = this.#join();
    return this.#settle(text, text.length);
  }

  #join(): string {
    const text = this.#known + this.#parts.join("");
    this.#parts = [];
    this.#arrived = 0;
    return text;
  }

  /** Returns the waiting text up to `wanted`, or up to the end or the start of a secret that crosses it. */
  #settle(text: string, wanted: number): SearchedText {
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

/**
 * Where to cut at a secret that crosses the border: before it if it may continue in the next part, unless nothing precedes
 * it, and otherwise after it.
 */
function borderOf({ start, end }: Found, given: number, length: number): number {
  return end < length || start <= given ? end : start;
}

/** The start of the last line between two places; without one the second place, moved out of a surrogate pair. */
function lineBorder(text: string, from: number, to: number): number {
  const line = text.lastIndexOf("\n", to - 1) + 1;
  if (line > from) return line;
  return (text.codePointAt(to - 1) ?? 0) > 0xffff ? to - 1 : to;
}
