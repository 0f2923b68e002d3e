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
  /** The block at the top of the screen. */
  #topBlock: Component | undefined;

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

  /** Remembers which block is at the top of the screen, for {@link sameRow}. */
  markTop(row: number): void {
    this.#topBlock = this.#placed.findLast(({ start }) => start <= row)?.block;
  }

  /** The row where the block that was at the top of the screen now starts. */
  get sameRow(): number {
    return (this.#topBlock && this.rowOf(this.#topBlock)) ?? 0;
  }
}
