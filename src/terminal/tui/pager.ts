import { type Component, Input, isKeyRelease, parseKey, type Terminal } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Theme } from "../theme.ts";
import { cleanOutput } from "./tool-call/program-output.ts";
import { cutLine } from "./tool-call/result-rows.ts";
import { fitSpans, paintRow, type SpanRow, span, wrapSpans } from "./tool-call/spans.ts";

/** A row of a text: a line, and which of the rows that it takes when it is wrapped. */
interface Position {
  line: number;
  row: number;
}

const START: Position = { line: 0, row: 0 };

export interface PagerOptions {
  title: string;
  text: string;
  theme: Theme;
  /** The rows of the window. */
  screenRows: () => number;
  /** Called when the user leaves. */
  onLeave: () => void;
}

/**
 * Shows a long text in a whole window, with keys to move and to search. Only the lines that are visible are escaped and
 * wrapped, so that the length of the text does not matter.
 */
export class Pager implements Component {
  readonly #options: PagerOptions;
  readonly #lines: readonly string[];
  #top = START;
  #columns = 80;
  /** The line in which a search is typed. */
  #input: Input | undefined;
  #wanted = "";
  #message = "";

  constructor(options: PagerOptions) {
    this.#options = options;
    this.#lines = options.text.replace(/\n+$/, "").split("\n");
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "ctrl+c") return this.#options.onLeave();
    if (this.#input) return this.#input.handleInput(data);
    this.#message = "";
    if (key === "q" || key === "escape" || key === "ctrl+d") this.#options.onLeave();
    else if (key === "/") this.#openSearch();
    else if (key === "n") this.#find(1);
    else if (data === "N" || key === "shift+n") this.#find(-1);
    else this.#move(data === "G" ? "shift+g" : key);
  }

  /** Returns a row for each row of the window; the last says where the visible part is. */
  render(columns: number): string[] {
    this.#columns = columns;
    const top = this.#clamped(this.#top);
    this.#top = top;
    const rows: SpanRow[] = [];
    for (let line = top.line; line < this.#lines.length && rows.length < this.#bodyRows; line++)
      rows.push(...this.#wrapped(line).slice(line === top.line ? top.row : 0));
    const body = rows.slice(0, this.#bodyRows).map((row) => paintRow(row, this.#options.theme));
    const padding = Array.from({ length: this.#bodyRows - body.length }, () => "");
    return [...body, ...padding, ...(this.#input?.render(columns).slice(0, 1) ?? [this.#statusRow(columns)])];
  }

  invalidate(): void {}

  get #bodyRows(): number {
    return Math.max(1, this.#options.screenRows() - 1);
  }

  #statusRow(columns: number): string {
    const { title, theme } = this.#options;
    const place = `line ${this.#top.line + 1} of ${this.#lines.length}`;
    const help = "q leaves, / searches, n and N go on, g and G to the ends";
    const text = [escapeControls(title), place, this.#message || help].filter(Boolean).join(" · ");
    return paintRow(fitSpans([span(text, "inverse")], columns), theme);
  }

  #move(key: string | undefined): void {
    if (key === "up" || key === "k") this.#top = this.#above(this.#top, 1);
    else if (key === "down" || key === "j" || key === "enter") this.#top = this.#below(this.#top, 1);
    else if (key === "pageUp" || key === "b") this.#top = this.#above(this.#top, this.#bodyRows);
    else if (key === "pageDown" || key === "space") this.#top = this.#below(this.#top, this.#bodyRows);
    else if (key === "home" || key === "g") this.#top = START;
    else if (key === "end" || key === "shift+g") this.#top = this.#lastTop();
  }

  #above({ line, row }: Position, rows: number): Position {
    let at = { line, row: row - rows };
    while (at.row < 0 && at.line > 0) at = { line: at.line - 1, row: at.row + this.#wrapped(at.line - 1).length };
    return { line: at.line, row: Math.max(0, at.row) };
  }

  #below({ line, row }: Position, rows: number): Position {
    let at = { line, row: row + rows };
    for (;;) {
      const count = this.#wrapped(at.line).length;
      if (at.row < count) return at;
      if (at.line + 1 >= this.#lines.length) return { line: at.line, row: count - 1 };
      at = { line: at.line + 1, row: at.row - count };
    }
  }

  /** The position from which the window shows the end. */
  #lastTop(): Position {
    const line = this.#lines.length - 1;
    return this.#above({ line, row: this.#wrapped(line).length - 1 }, this.#bodyRows - 1);
  }

  /** Returns the position if it exists at this width, and if the window is full from there on; else the nearest. */
  #clamped({ line, row }: Position): Position {
    const last = this.#lastTop();
    if (line > last.line || (line === last.line && row > last.row)) return last;
    return { line, row: Math.min(row, this.#wrapped(line).length - 1) };
  }

  #text(line: number): string {
    return cleanOutput(cutLine(this.#lines[line] ?? ""));
  }

  #wrapped(line: number): SpanRow[] {
    const text = this.#text(line);
    const spans: SpanRow = this.#wanted === "" ? [span(text)] : this.#highlighted(text);
    return wrapSpans(spans, this.#columns);
  }

  /** Sets off what was searched for. */
  #highlighted(text: string): SpanRow {
    const spans = [];
    let from = 0;
    for (let at = this.#indexIn(text, 0); at >= 0; at = this.#indexIn(text, from)) {
      spans.push(span(text.slice(from, at)), span(text.slice(at, at + this.#wanted.length), "selected"));
      from = at + this.#wanted.length;
    }
    return [...spans, span(text.slice(from))].filter(
      (part, index, all) => part.text !== "" || all.length - 1 === index,
    );
  }

  /** Finds what is searched for; capitals count only if it has some. */
  #indexIn(text: string, from: number): number {
    const lower = this.#wanted === this.#wanted.toLowerCase() ? text.toLowerCase() : text;
    return (lower.length === text.length ? lower : text).indexOf(this.#wanted, from);
  }

  #openSearch(): void {
    const input = new Input();
    input.focused = true;
    input.onEscape = () => {
      this.#input = undefined;
    };
    input.onSubmit = (text) => {
      this.#input = undefined;
      this.#wanted = text || this.#wanted;
      this.#find(1, 0);
    };
    this.#input = input;
  }

  /** Goes to the next line in a direction that has what is searched for, and past the end on from the other end. */
  #find(direction: 1 | -1, first = 1): void {
    if (this.#wanted === "") return;
    const count = this.#lines.length;
    for (let step = first; step < count + first; step++) {
      const line = (this.#top.line + direction * step + count * 2) % count;
      const at = this.#indexIn(this.#text(line), 0);
      if (at < 0) continue;
      this.#top = { line, row: wrapSpans([span(this.#text(line).slice(0, at + 1))], this.#columns).length - 1 };
      return;
    }
    this.#message = `not found: ${escapeControls(this.#wanted)}`;
  }
}

/**
 * The other screen of the terminal, on which a pager shows its text: what the normal screen shows is untouched. Use it while
 * nothing else draws or reads keys.
 */
export class PagerScreen {
  readonly #terminal: Terminal;
  readonly #left = Promise.withResolvers<void>();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Leaves: {@link show} ends. */
  leave(): void {
    this.#left.resolve();
  }

  /** Shows a text until the user leaves. `onKey` is called for every key. */
  async show(options: Pick<PagerOptions, "title" | "text" | "theme">, onKey: () => void): Promise<void> {
    const terminal = this.#terminal;
    const pager = new Pager({ ...options, screenRows: () => terminal.rows, onLeave: () => this.leave() });
    const draw = () => terminal.write(frameOf(pager.render(terminal.columns)));
    terminal.write(ENTER);
    process.on("exit", this.#restore);
    terminal.start((data) => {
      if (isKeyRelease(data)) return;
      onKey();
      pager.handleInput(data);
      draw();
    }, draw);
    draw();
    await this.#left.promise;
    process.off("exit", this.#restore);
    this.#restore();
  }

  #restore = (): void => {
    // In this order: terminals keep the mode of the keyboard for each screen.
    this.#terminal.stop();
    this.#terminal.write(LEAVE);
  };
}

/** Changes to the other screen and hides the cursor; and back (modes 1049 and 25 of xterm). */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

/** All rows of the window, at once (mode 2026) and without automatic wrapping (mode 7). */
function frameOf(rows: readonly string[]): string {
  return `\x1b[?2026h\x1b[?7l\x1b[H${rows.map((row) => `${row}\x1b[0m\x1b[K`).join("\r\n")}\x1b[?7h\x1b[?2026l`;
}
