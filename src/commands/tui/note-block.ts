import { type Component, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** Text that is wrapped at the window's width. Indented rows continue at their indentation. */
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

/** Wraps a line at words; further rows get the indentation of the first. */
function wrapIndented(line: string, columns: number): string[] {
  const text = line.replaceAll("\t", "    ");
  const indent = " ".repeat(Math.min(MAX_INDENT, text.length - text.trimStart().length));
  const rows = wrapTextWithAnsi(text.slice(indent.length), Math.max(4, columns - indent.length));
  return rows.length === 0 ? [""] : rows.map((row) => indent + row);
}
