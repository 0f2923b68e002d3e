import { closeSync, readSync } from "node:fs";
import { MOST_LINE_BYTES, openToRead } from "./files.ts";

const BLOCK_BYTES = 1024 * 1024;
const LINE_END = 0x0a;

/** Whole lines of a file. Only the last block of a file may lack the final line end. */
export interface Block {
  /** Where the block begins in the file. */
  offset: number;
  /** Valid until the next block is read. */
  bytes: Buffer;
}

export interface BlockRange {
  /** `newest` begins with the last block. Default: `oldest`. */
  order?: "oldest" | "newest";
  /** Where to begin and end, in bytes. Default: the whole file as it is when it is opened. */
  from?: number;
  to?: number;
}

/** Reads a file in blocks of whole lines, about a mebibyte each. Throws a `UserError` if it cannot be read. */
export function* readBlocks(path: string, { order = "oldest", from = 0, to }: BlockRange = {}): Generator<Block> {
  const { descriptor, size } = openToRead(path);
  try {
    const reader = new BlockReader(descriptor);
    const end = Math.min(to ?? size, size);
    yield* order === "oldest" ? reader.forwards(from, end) : reader.backwards(from, end);
  } finally {
    closeSync(descriptor);
  }
}

class BlockReader {
  readonly #descriptor: number;
  #buffer = Buffer.allocUnsafe(BLOCK_BYTES);

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  *forwards(from: number, to: number): Generator<Block> {
    for (let start = from; start < to; ) {
      const bytes = this.#read(start, to);
      if (bytes.length === 0) return; // cut off since it was opened
      const isEnd = start + bytes.length >= to;
      const length = isEnd ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
      if (length === 0) {
        if (this.#grow()) continue;
        const end = this.#lineEnd(start + bytes.length, to);
        yield { offset: end - MOST_LINE_BYTES, bytes: this.#read(end - MOST_LINE_BYTES, end) };
        start = end + 1;
        continue;
      }
      yield { offset: start, bytes: bytes.subarray(0, length) };
      start += length;
    }
  }

  /** Returns where the line ends that `from` is in; `to` if it has no end. */
  #lineEnd(from: number, to: number): number {
    for (let at = from; at < to; ) {
      const bytes = this.#read(at, to);
      const found = bytes.indexOf(LINE_END);
      if (found >= 0) return at + found;
      if (bytes.length === 0) break; // cut off since it was opened
      at += bytes.length;
    }
    return to;
  }

  *backwards(from: number, to: number): Generator<Block> {
    for (let end = to; end > from; ) {
      const start = Math.max(from, end - this.#buffer.length);
      const bytes = this.#read(start, end);
      if (bytes.length < end - start) return;
      // The last byte ends the last line of the block, not the line before its first.
      const cut = start === from ? 0 : bytes.subarray(0, -1).indexOf(LINE_END) + 1;
      if (cut === 0 && start !== from && this.#grow()) continue;
      yield { offset: start + cut, bytes: bytes.subarray(cut) };
      end = start + cut;
    }
  }

  #read(start: number, to: number): Buffer {
    const wanted = Math.min(this.#buffer.length, to - start);
    let length = 0;
    while (length < wanted) {
      const count = readSync(this.#descriptor, this.#buffer, length, wanted - length, start + length);
      if (count === 0) break;
      length += count;
    }
    return this.#buffer.subarray(0, length);
  }

  /** Makes room for a longer line. Returns false if it is too long. */
  #grow(): boolean {
    if (this.#buffer.length >= MOST_LINE_BYTES) return false;
    this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 2);
    return true;
  }
}

/** Calls `visit` with the begin and end of each line of a block, without its line end, in order. */
export function visitLines(bytes: Buffer, visit: (start: number, end: number) => void): void {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, start);
    const end = found < 0 ? bytes.length : found;
    visit(start, end);
    start = end + 1;
  }
}

/** Returns the number of the line, counted from 1, that begins at an offset of a file. */
export function lineNumberAt(path: string, offset: number): number {
  let number = 1;
  for (const { bytes } of readBlocks(path, { to: offset })) {
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) number++;
  }
  return number;
}
