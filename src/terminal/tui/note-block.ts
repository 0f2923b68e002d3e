import { type Component, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** Text that is wrapped at the window's width. Indented rows continue at their indentation, rows of a list at its second column. */
export class NoteBlock implements Component {
  readonly #text: string;
  #rows: string[] | undefined;
  #columns = 0;

  constructor(text: string) {
    this.#text = text;
  }

  render(columns: number): string[] {
    if (this.#rows === undefined || columns !== this.#columns) {
      this.#rows = this.#text.split("\n").flatMap((line) => wrapIndented(line, columns));
      this.#columns = columns;
    }
    return this.#rows;
  }

  invalidate(): void {
    this.#rows = undefined;
  }
}

const MAX_INDENT = 8;

/** Wraps a line at words; further rows get the indentation of the first, or that of its second column. */
function wrapIndented(line: string, columns: number): string[] {
  const text = line.replaceAll("\t", "    ");
  const column = secondColumn(text);
  if (column > 0 && column <= columns / 2) return wrapAfter(text, column, columns);
  return wrapAfter(text, Math.min(MAX_INDENT, text.length - text.trimStart().length), columns);
}

/** Returns the column after the first gap of two or more spaces, as in `/help  Shows commands`; 0 without a gap. */
function secondColumn(text: string): number {
  const [first = ""] = /^\S[^\x1b]*? {2,}(?=\S)/.exec(text) ?? [];
  return visibleWidth(first) === first.length ? first.length : 0;
}

/** Wraps what follows the first `indent` characters; further rows are indented as far. */
function wrapAfter(text: string, indent: number, columns: number): string[] {
  const rows = wrapTextWithAnsi(text.slice(indent), Math.max(4, columns - indent));
  const [first = "", ...more] = rows;
  return [text.slice(0, indent) + first, ...more.map((row) => " ".repeat(indent) + row)];
}
