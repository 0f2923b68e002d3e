const MOST_RECENT = 16;

/**
 * The last texts found in lines. Comparing a line with them is faster than cutting the text out of it, and unlike a part
 * of the line they do not keep its block in memory.
 */
export class RecentTexts {
  readonly #end: string;
  readonly #stride: 0 | 1;
  readonly #texts: { text: string; ended: string }[] = [];
  #last = 0;

  /** `end` follows each text. `stride` is 1 if texts come in turn, as hooks do, and 0 if they repeat. */
  constructor(end: string, stride: 0 | 1) {
    this.#end = end;
    this.#stride = stride;
  }

  /** The known text at an offset; undefined if none is there. */
  at(line: string, start: number): string | undefined {
    const count = this.#texts.length;
    for (let step = 0; step < count; step++) {
      const at = (this.#last + this.#stride + step) % count;
      const candidate = this.#texts[at];
      if (!candidate || !line.startsWith(candidate.ended, start)) continue;
      this.#last = at;
      return candidate.text;
    }
    return undefined;
  }

  add(part: string): string {
    const text = ownText(part);
    const at = this.#texts.length < MOST_RECENT ? this.#texts.length : (this.#last + 1) % MOST_RECENT;
    this.#texts[at] = { text, ended: text + this.#end };
    this.#last = at;
    return text;
  }
}

/** A copy of a part of a text in Latin-1. The part itself would keep the whole text in memory. */
export function ownText(part: string): string {
  return Buffer.from(part, "latin1").toString("latin1");
}
