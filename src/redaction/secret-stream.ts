import type { Found, Redactor } from "./redact.ts";

/** A part of the text with the secrets found in it, in order. */
export interface SearchedText {
  text: string;
  /** Offsets are relative to the start of `text`. */
  found: Found[];
}

/**
 * How many characters of a stream are searched at a time. A shorter text is searched as a whole. In longer windows, more
 * text is stored with two bytes per character, because one character in it needs them.
 */
const WINDOW = 1024 * 1024;

/** How many characters two windows share: enough for the name before a secret, and for a private key. */
const SHARED = 64 * 1024;

/** How many characters are read again at each pause because they are not settled; with more, pauses return nothing. */
const MOST_HELD = 64 * 1024;

/**
 * Finds the secrets in a text that arrives in parts, including secrets that span parts, in bounded memory. Of a secret
 * longer than {@link WINDOW} it may find only the start. The returned pieces, joined, are the text.
 */
export class SecretStream {
  readonly #find: (text: string) => Found[];
  readonly #settled: (lines: string) => number;
  readonly #window: number;
  readonly #shared: number;
  /**
   * Up to `#given`, text already returned that still serves as context; after that, text not yet returned. `#parts`
   * follow it.
   */
  #known = "";
  #given = 0;
  #parts: string[] = [];
  /** How many characters have arrived since the last search. */
  #arrived = 0;

  constructor({ find, settled }: Pick<Redactor, "find" | "settled">, { window = WINDOW, shared = SHARED } = {}) {
    this.#find = find;
    this.#settled = settled;
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

  /**
   * Returns the complete lines when the stream pauses, as far as no later text can make them a part of a secret;
   * undefined if there are none.
   */
  pause(): SearchedText | undefined {
    if (this.#known.length - this.#given > MOST_HELD || !this.#parts.some((part) => part.includes("\n")))
      return undefined;
    const text = this.#join();
    const settled = this.#settled(text.slice(0, text.lastIndexOf("\n") + 1));
    return settled > this.#given ? this.#settle(text, settled) : this.#keep(text);
  }

  /** Returns the rest of the text at the end of the stream. */
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

  #keep(text: string): undefined {
    this.#known = text;
    this.#arrived = text.length - this.#given;
    return undefined;
  }

  /** Returns the pending text up to `wanted`, or up to the end or the start of a secret that crosses it. */
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
 * Returns where to cut at a secret that crosses the border: before the secret if it may continue in the next part and
 * some text precedes it, otherwise after it.
 */
function borderOf({ start, end }: Found, given: number, length: number): number {
  return end < length || start <= given ? end : start;
}

/**
 * Returns the start of the last line between two offsets. If there is none, the second offset, not inside a surrogate
 * pair.
 */
function lineBorder(text: string, from: number, to: number): number {
  const line = text.lastIndexOf("\n", to - 1) + 1;
  if (line > from) return line;
  return (text.codePointAt(to - 1) ?? 0) > 0xffff ? to - 1 : to;
}
