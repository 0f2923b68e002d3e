import type { Component } from "@earendil-works/pi-tui";
import { escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import type { Theme } from "../../theme.ts";
import { AnswerBlock } from "./answer-block.ts";
import { BlockParser, type Placement } from "./block-parser.ts";
import { loadLanguage } from "./highlight.ts";
import type { Leaf } from "./leaf.ts";

/** A longer line is split into lines of this many characters. */
const MAX_LINE = 3000;
const TAB_WIDTH = 4;

export interface AnswerStreamOptions {
  theme: Theme;
  /** Called with each new block, in order, to be put below the ones before. Only the last block changes. */
  addBlock: (block: Component) => void;
  /** Called when the last block has changed, or a block has got its colours. */
  requestRender: () => void;
}

/**
 * Shows the Markdown of a model while it arrives: adds a block for each paragraph, list item, table, heading and code
 * block. A delta costs the same, however long the answer is. Escapes control characters, and characters that reorder or
 * hide text. The rows do not depend on how the text is cut into deltas.
 */
export class AnswerStream {
  readonly #options: AnswerStreamOptions;
  readonly #parser = new BlockParser();
  /** The line that has not ended, escaped. */
  #line = "";
  /** The end of the last delta, if the next one can change its meaning: `\r`, half of a surrogate pair. */
  #unread = "";
  /** True if the last line placed was too long and continues in `line`. */
  #isInsideLine = false;
  /** The leaf that complete lines have opened, and its block. */
  #leaf: Leaf | undefined;
  #block: AnswerBlock | undefined;
  /** The block of the leaf that the incomplete line begins. */
  #begun: AnswerBlock | undefined;

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
  }

  append(text: string): void {
    const { complete, unread } = splitUnread(this.#unread + text);
    this.#unread = unread;
    this.#take(escapeControlsInLines(complete));
    this.#preview();
    this.#options.requestRender();
  }

  /** Ends the answer: shows what was held back. */
  finish(): void {
    this.#take(escapeControlsInLines(this.#unread));
    this.#unread = "";
    if (this.#line !== "") this.#place(this.#line);
    this.#line = "";
    this.#options.requestRender();
  }

  #take(text: string): void {
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      this.#takePart(part);
      if (index < lines.length - 1) this.#endLine();
    }
  }

  #takePart(part: string): void {
    this.#line += part;
    while (this.#line.length > MAX_LINE) {
      const end = cutAt(this.#line, MAX_LINE);
      this.#place(this.#line.slice(0, end));
      this.#line = this.#line.slice(end);
      this.#isInsideLine = true;
    }
  }

  #endLine(): void {
    this.#place(this.#line);
    this.#line = "";
    this.#isInsideLine = false;
  }

  #place(line: string): void {
    const leaf = this.#parser.apply(this.#placementOf(line));
    this.#block?.show(this.#leaf);
    if (leaf === undefined || leaf === this.#leaf) this.#begun?.show(undefined);
    else this.#openLeaf(leaf);
    this.#begun = undefined;
  }

  #openLeaf(leaf: Leaf): void {
    const block = this.#begun ?? this.#addBlock(leaf);
    block.show(leaf);
    this.#leaf = leaf;
    this.#block = block;
    void loadLanguage(leaf.language)?.then(() => {
      block.invalidate();
      this.#options.requestRender();
    });
  }

  /** Shows the beginning of a line, once it is clear what it belongs to. */
  #preview(): void {
    if (
      this.#line === "" ||
      (!this.#isInsideLine && this.#parser.isUndecided(expandTabs(this.#line, this.#parser.codeColumn)))
    )
      return;
    const placement = this.#placementOf(this.#line);
    if (placement.kind === "open" && !isFence(placement.leaf)) {
      if (this.#begun === undefined) this.#block?.show(this.#leaf);
      this.#begun ??= this.#addBlock(placement.leaf);
      this.#begun.show(placement.leaf);
    } else if (placement.kind === "continue" && this.#leaf !== undefined) {
      this.#block?.show(this.#leaf, placement.text);
    }
  }

  #addBlock(leaf: Leaf): AnswerBlock {
    const block = new AnswerBlock(leaf, this.#options.theme);
    this.#options.addBlock(block);
    return block;
  }

  #placementOf(line: string): Placement {
    return this.#isInsideLine
      ? this.#parser.placeRest(expandTabs(line, 0))
      : this.#parser.place(expandTabs(line, this.#parser.codeColumn));
  }
}

/** True for a fence whose line is not complete: `` ```a`b `` would be a paragraph. */
function isFence({ fence, isContinued }: Leaf): boolean {
  return typeof fence === "object" && !isContinued;
}

/** Splits off the last character if the next delta can change its meaning: `\r`, half of a surrogate pair. */
function splitUnread(text: string): { complete: string; unread: string } {
  const end = /[\r\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
  return { complete: text.slice(0, end), unread: text.slice(end) };
}

/** Returns where to cut a long line: after a space in its second half, else at `size`, but not inside a character. */
function cutAt(line: string, size: number): number {
  const space = line.lastIndexOf(" ", size - 1);
  if (space >= size / 2) return space + 1;
  return /[\ud800-\udbff]/.test(line.charAt(size - 1)) ? size - 1 : size;
}

/**
 * Replaces each tab by spaces up to the next tab stop. The stops are counted from `column`, where the content of the
 * line begins, unless a tab stands before it.
 */
function expandTabs(line: string, column: number): string {
  if (!line.includes("\t")) return line;
  const from = line.slice(0, column).includes("\t") ? 0 : column % TAB_WIDTH;
  const padding = (text: string) => " ".repeat(TAB_WIDTH - ((text.length + TAB_WIDTH - from) % TAB_WIDTH));
  return line.split("\t").reduce((text, part) => text + padding(text) + part);
}
