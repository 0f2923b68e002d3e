import { stripVTControlCharacters } from "node:util";
import type { Component } from "@earendil-works/pi-tui";

/** A block, and where its rows were when it was drawn last. */
interface Placed {
  block: Component;
  start: number;
}

/** The conversation, from top to bottom, as blocks. Blocks far above the screen are forgotten. */
export class Transcript implements Component {
  #placed: Placed[] = [];
  #length = 0;
  /** The row at the top of the screen, and the block that it belongs to: its first row and the one after its last. */
  #top: { row: number; block: Component; start: number; end: number } | undefined;

  /** Adds a block at the end. */
  add(block: Component): void {
    this.#placed.push({ block, start: this.#length });
  }

  /** The blocks that are kept, oldest first. */
  get blocks(): readonly Component[] {
    return this.#placed.map(({ block }) => block);
  }

  /** How many rows the blocks had when they were drawn last. */
  get length(): number {
    return this.#length;
  }

  /** Returns the index of a block's first row when it was drawn last; undefined if the block is forgotten. */
  rowOf(block: Component): number | undefined {
    return this.#placed.find((each) => each.block === block)?.start;
  }

  render(columns: number): string[] {
    const rows: string[] = [];
    for (const placed of this.#placed) {
      placed.start = rows.length;
      for (const row of placed.block.render(columns)) rows.push(row);
    }
    this.#length = rows.length;
    return rows;
  }

  invalidate(): void {
    for (const { block } of this.#placed) block.invalidate();
  }

  /** Moves a block to the end. */
  moveToEnd(block: Component): void {
    this.#placed = this.#placed.filter((each) => each.block !== block);
    this.add(block);
  }

  /** Forgets the oldest blocks that end before a row. Returns how many rows they had. */
  drop(beforeRow: number): number {
    let count = 0;
    while (count + 1 < this.#placed.length && (this.#placed[count + 1]?.start ?? 0) <= beforeRow) count++;
    if (count === 0) return 0;
    const rows = this.#placed[count]?.start ?? 0;
    this.#placed.splice(0, count);
    for (const placed of this.#placed) placed.start -= rows;
    this.#length -= rows;
    return rows;
  }

  /** Remembers what is at the top of the screen, for {@link sameRow}. */
  markTop(row: number): void {
    const at = this.#placed.findLastIndex(({ start }) => start <= row);
    const top = this.#placed[at];
    this.#top = top && { row, ...top, end: this.#endOf(at) };
  }

  /**
   * Returns the row that has the first words of the screen now that the window has another width. Borders and wrapping
   * depend on the width, so letters and digits are counted, from the start and from the end of the block: some tables
   * repeat words in a narrow window, and of two rows the earlier one loses nothing.
   *
   * @param before the rows when the top of the screen was marked
   * @param after the rows of the last {@link render}
   */
  sameRow(before: readonly string[], after: readonly string[]): number {
    const top = this.#top;
    const at = this.#placed.findIndex(({ block }) => block === top?.block);
    const start = this.#placed[at]?.start;
    if (!top || start === undefined) return 0;
    if (top.row === top.start) return start;
    const end = this.#endOf(at);
    let unseen = countLetters(before.slice(top.start, top.row));
    let fromStart = start;
    while (fromStart < end - 1 && (unseen -= countLetters(after.slice(fromStart, fromStart + 1))) >= 0) fromStart++;
    let rest = countLetters(before.slice(top.row, top.end));
    let fromEnd = end;
    while (fromEnd > start && rest > 0) rest -= countLetters(after.slice(--fromEnd, fromEnd + 1));
    return Math.min(fromStart, fromEnd);
  }

  /** The row after the last one of a block. */
  #endOf(at: number): number {
    return this.#placed[at + 1]?.start ?? this.#length;
  }
}

function countLetters(rows: readonly string[]): number {
  return stripVTControlCharacters(rows.join("")).match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
