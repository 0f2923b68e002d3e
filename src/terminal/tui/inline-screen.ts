import { type Component, type Terminal, TuiMainScreen, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { Transcript } from "./transcript.ts";

/** A position on the screen, counted from 0; the row is an index in all rows that are kept. */
interface Cursor {
  row: number;
  col: number;
}

/**
 * Terminals that know mode 2026 show everything between the two at once, without flicker; others ignore them. Mode 7,
 * automatic wrapping, is off meanwhile: terminals disagree about the width of some emoji, and a row that one of them
 * wrapped would move all rows below it.
 */
const BEGIN_FRAME = "\x1b[?2026h\x1b[?7l";
const END_FRAME = "\x1b[?7h\x1b[?2026l";

/**
 * Erases the cursor's row and those below it. From the first cell of the screen, tmux takes `CSI J` for a cleared screen
 * and moves it to the scrollback, so this erases from the second one.
 */
const ERASE_BELOW = "\x1b[2K\x1b[2G\x1b[J\r";

/** Marks, joiners, skin tones and flags: terminals disagree about how wide the characters with them are. */
const UNCERTAIN = /[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]/u;

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Rows above the screen that are kept, so that a wider window can show them again. */
const KEPT_ROWS = 400;

/**
 * Draws a transcript and, below it, the rows that change (the input line, a question), in the terminal's normal screen:
 * what scrolls off stays in the terminal's scrollback, and the scrollback is never erased. The renderer of pi-tui is not
 * used, because it erases the scrollback whenever the window's size changes
 * (https://github.com/earendil-works/pi/blob/main/packages/tui/src/tui-main-screen.ts), and because it compares every row
 * since the start, so that a key takes longer the longer the session is.
 */
export class InlineScreen extends TuiMainScreen {
  readonly transcript: Transcript;
  /** The rows drawn last that are still kept. */
  #rows: string[] = [];
  /** The index of the first row that is still on the screen; rows before it are in the scrollback. */
  #top = 0;
  #cursor: Cursor = { row: 0, col: 0 };
  #columns = 0;
  #height = 0;
  /** The rows of the transcript that the terminal showed when it was cleared or left to another program. */
  #leftRows: string[] = [];
  /** The rows that were on the screen then, and are now above it. */
  #aboveBreak = { from: 0, to: 0 };

  constructor(terminal: Terminal) {
    super(terminal, true);
    this.transcript = new Transcript();
    this.addChild(this.transcript);
  }

  /** Shows components below the transcript, in this order. */
  setBottom(components: readonly Component[]): void {
    this.children = [this.transcript, ...components];
    this.requestRender();
  }

  /** True if the first row of a block is still on the screen, so that a change of it can be seen. */
  isReachable(block: Component): boolean {
    const row = this.transcript.rowOf(block);
    return row !== undefined && row >= this.#top;
  }

  /**
   * Clears the screen, and shows only the rows at the bottom. The scrollback stays; many terminals add to it what this
   * sequence clears, so the rows at the bottom are erased before.
   */
  clearScreen(): void {
    const end = Math.max(this.transcript.length, this.#top);
    this.terminal.write(`${this.#moveTo({ row: end, col: 0 })}${ERASE_BELOW}\x1b[H\x1b[2J`);
    this.#breakAfter(end);
    this.renderNow();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns, rows: height } = this.terminal;
    const next = this.render(columns);
    const cursor = this.extractCursorPosition(next, height);
    const isResized = this.#columns !== 0 && (columns !== this.#columns || height !== this.#height);
    const frame = isResized ? this.#redraw(next, columns, height) : this.#update(next, height);
    this.#columns = columns;
    this.#height = height;
    this.#rows = next;
    this.terminal.write(BEGIN_FRAME + frame + this.#moveTo(cursor) + END_FRAME);
    this.#forget();
  }

  protected override resetRenderState(): void {
    this.#rows = [];
    this.#top = 0;
    this.#cursor = { row: 0, col: 0 };
  }

  /** Erases the rows at the bottom, and leaves the cursor below the transcript, for the shell or another program. */
  protected override beforeTerminalStop(): void {
    const end = Math.max(this.transcript.length, this.#top);
    if (end < this.#rows.length) this.terminal.write(`${this.#moveTo({ row: end, col: 0 })}${ERASE_BELOW}`);
    else if (end > 0) this.terminal.write(`${this.#moveTo({ row: this.#rows.length - 1, col: 0 })}\r\n`);
    this.#breakAfter(end);
  }

  /** Makes the next frame start below the rows before `end`. */
  #breakAfter(end: number): void {
    this.#leftRows = this.#rows.slice(0, end);
    this.#aboveBreak = { from: this.#top, to: end };
    this.resetRenderState();
  }

  /** Draws again after another program had the terminal: the rows that it does not show yet. */
  resume(): void {
    this.start();
    this.renderNow();
  }

  /** Returns the sequences that turn the rows drawn last into `next`, in a window of the same size. */
  #update(next: readonly string[], height: number): string {
    const shown = this.#rows;
    let first = 0;
    while (first < shown.length && shown[first] === next[first]) first++;
    if (first === shown.length && first === next.length) return "";
    if (first < this.#top) return this.#redrawFrom(this.#reachableFrom(first, next.length - height), next, height);
    if (shown.length === 0) return this.#printAfterBreak(next, height);
    if (first === shown.length) return this.#moveDown(first - 1) + this.#print(next, first, height, "\r\n");
    if (shown.length !== next.length)
      return `${this.#moveDown(first)}${ERASE_BELOW}${this.#print(next, first, height)}`;
    let last = next.length - 1;
    while (shown[last] === next[last]) last--;
    const changed = next.slice(first, last + 1).map((row) => `\x1b[2K${this.#fit(row)}`);
    const start = this.#moveDown(first);
    this.#cursor = { row: last, col: 0 };
    return start + changed.join("\r\n");
  }

  /** Prints what was not printed before the screen was cleared or left to another program. */
  #printAfterBreak(next: readonly string[], height: number): string {
    const left = this.#leftRows.splice(0);
    let from = 0;
    while (from < left.length && left[from] === next[from]) from++;
    this.#top = Math.min(from, next.length - 1);
    return this.#print(next, from, height);
  }

  /**
   * Returns the row to draw from after a row above the screen has changed: the first row of the screen. If the rows have
   * become so few that the screen would be empty, it is `lastWindow`, the first of the rows that fill the window. A row
   * that is above the screen only because the screen was cleared, or because another program used it, is drawn again with
   * the rows below it, so that the rest of an answer is not lost.
   */
  #reachableFrom(changed: number, lastWindow: number): number {
    const { from, to } = this.#aboveBreak;
    if (changed < from || changed >= to) return Math.min(this.#top, Math.max(0, lastWindow));
    this.#aboveBreak = { from, to: changed };
    return changed;
  }

  /** Draws the rows of the screen again, `from` being the first of them. */
  #redrawFrom(from: number, next: readonly string[], height: number): string {
    const start = `${this.#moveDown(this.#top)}${ERASE_BELOW}`;
    this.#top = from;
    return start + this.#print(next, from, height);
  }

  /**
   * Draws the screen again after a change of its size. Most terminals wrap rows that have become too long and push what
   * no longer fits into the scrollback, so the top of our rows is as far up as the wrapped rows say.
   */
  #redraw(next: readonly string[], columns: number, height: number): string {
    const physical = (row: string) => Math.max(1, Math.ceil(visibleWidth(row) / columns));
    const above = this.#rows.slice(this.#top, this.#cursor.row).reduce((sum, row) => sum + physical(row), 0);
    const up = Math.min(height - 1, above + Math.floor(this.#cursor.col / columns));
    const hasSameWidth = columns === this.#columns;
    const from = hasSameWidth ? Math.min(this.#top, next.length) : this.transcript.sameRow(this.#rows, next);
    this.#top = Math.max(0, Math.min(from, next.length - 1), hasSameWidth ? 0 : next.length - 2 * height);
    return `${up > 0 ? `\x1b[${up}A` : ""}\r${ERASE_BELOW}${this.#print(next, this.#top, height)}`;
  }

  /** Prints rows from an index on to the end, at the place of the cursor. */
  #print(next: readonly string[], from: number, height: number, before = ""): string {
    this.#cursor = { row: Math.max(0, next.length - 1), col: 0 };
    this.#top = Math.max(this.#top, next.length - height);
    return (
      before +
      next
        .slice(from)
        .map((row) => this.#fit(row))
        .join("\r\n")
    );
  }

  /** Ends the styles of a row, and cuts one that is too wide: it would be wrapped, and all rows below would be off. */
  #fit(row: string): string {
    const { columns } = this.terminal;
    const fitting = row.length > columns && visibleWidth(row) > columns ? truncateToWidth(row, columns, "") : row;
    return pinColumns(fitting.includes("\x1b") ? `${fitting}\x1b[0m` : fitting);
  }

  /** Moves to the start of a row that is on the screen. */
  #moveDown(row: number): string {
    const by = row - this.#cursor.row;
    this.#cursor = { row, col: 0 };
    return `${by > 0 ? `\x1b[${by}B` : by < 0 ? `\x1b[${-by}A` : ""}\r`;
  }

  #moveTo(cursor: Cursor | null): string {
    if (!cursor) return "\x1b[?25l";
    const rows = this.#moveDown(cursor.row);
    this.#cursor = cursor;
    return `${rows}\x1b[${cursor.col + 1}G\x1b[?25h`;
  }

  /** Drops blocks that are far above the screen. */
  #forget(): void {
    const dropped = this.transcript.drop(this.#top - KEPT_ROWS);
    this.transcript.markTop(this.#top - dropped);
    if (dropped === 0) return;
    this.#rows.splice(0, dropped);
    this.#top -= dropped;
    this.#aboveBreak = { from: this.#aboveBreak.from - dropped, to: this.#aboveBreak.to - dropped };
    this.#cursor = { ...this.#cursor, row: this.#cursor.row - dropped };
  }
}

/**
 * Moves the cursor to its column after each character whose width is uncertain, so that the rest of the row, such as
 * the next cell of a table, is where it belongs in every terminal.
 */
function pinColumns(row: string): string {
  if (!UNCERTAIN.test(row)) return row;
  let pinned = "";
  for (const { segment, index } of clusters.segment(row)) {
    pinned += segment;
    if (UNCERTAIN.test(segment)) pinned += `\x1b[${visibleWidth(row.slice(0, index + segment.length)) + 1}G`;
  }
  return pinned;
}
