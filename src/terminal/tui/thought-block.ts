import type { Component } from "@earendil-works/pi-tui";
import { roundedDuration } from "../../lib/text/duration.ts";
import type { Theme } from "../theme.ts";
import { cleanOutput } from "./tool-call/program-output.ts";
import { linesOf, openRows } from "./tool-call/result-rows.ts";
import { fitSpans, paintRow, span, widthOfRow } from "./tool-call/spans.ts";

/** Characters of the thoughts that are kept, from their end; and those that the folded row looks at. */
const MAX_KEPT = 128 * 1024;
const MAX_PREVIEW = 2_000;

/** What a model thinks before it answers: one row, with the last line while it thinks; all of it once opened. */
export class ThoughtBlock implements Component {
  readonly #theme: Theme;
  readonly #started = performance.now();
  #milliseconds = 0;
  #text = "";
  #dropped = 0;
  #isDone = false;
  #isOpen = false;
  #rows: { columns: number; rows: string[] } | undefined;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** Adds what the model thinks next. */
  append(piece: string): void {
    const text = this.#text + piece;
    // Cut at twice the size, so that a long text is not copied for every piece.
    const extra = text.length > 2 * MAX_KEPT ? text.length - MAX_KEPT : 0;
    this.#dropped += extra;
    this.#text = text.slice(extra);
    this.#milliseconds = performance.now() - this.#started;
    this.invalidate();
  }

  /** Ends the thoughts. */
  finish(): void {
    this.#isDone = true;
    this.invalidate();
  }

  /** Opens the folded block, or folds the open one. */
  toggle(): void {
    this.#isOpen = !this.#isOpen;
    this.invalidate();
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  render(columns: number): string[] {
    if (this.#rows?.columns !== columns) {
      const rows = [this.#headRow(columns), ...(this.#isOpen ? this.#openRows(columns) : [])];
      this.#rows = { columns, rows: rows.map((row) => paintRow(fitSpans(row, columns), this.#theme)) };
    }
    return this.#rows.rows;
  }

  #headRow(columns: number) {
    const time = roundedDuration(this.#milliseconds);
    const head = [span(this.#isDone ? `✻ thought for ${time} · Ctrl+T` : `✻ thinking ${time} · Ctrl+T`, "dim")];
    if (this.#isDone || this.#isOpen) return head;
    return [...head, ...fitSpans([span(`  ${this.#lastLine()}`, "dim", "italic")], columns - widthOfRow(head))];
  }

  #lastLine(): string {
    const lines = cleanOutput(this.#text.slice(-MAX_PREVIEW)).split("\n");
    return lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
  }

  #openRows(columns: number) {
    const note = this.#dropped > 0 ? [`… ${this.#dropped} earlier characters are not kept`] : [];
    return openRows([...note, ...linesOf(this.#text)], columns, ["dim"]);
  }
}
