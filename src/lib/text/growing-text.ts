/** Pieces that are kept separately before they are joined. */
const JOIN_AFTER = 256;

/**
 * A text that arrives in many small pieces. A string of four characters takes some fifty bytes, and `+=` keeps every
 * piece until the text is read, so pieces are joined in groups. Each character is copied twice at most.
 */
export class GrowingText {
  readonly #joined: string[] = [];
  #recent: string[] = [];

  append(piece: string): void {
    if (piece === "") return;
    this.#recent.push(piece);
    if (this.#recent.length < JOIN_AFTER) return;
    this.#joined.push(this.#recent.join(""));
    this.#recent = [];
  }

  /** Returns the text so far. */
  toString(): string {
    return this.#joined.join("") + this.#recent.join("");
  }
}
