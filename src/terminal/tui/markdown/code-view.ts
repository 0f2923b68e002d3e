import { wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../../theme.ts";
import { highlight, loadLanguage, MAX_HIGHLIGHTED } from "./highlight.ts";
import type { Leaf } from "./leaf.ts";

const MARGIN = "  ";

/** Shows code, indented and wrapped, below the name of its language. Reads complete lines once. */
export class CodeView {
  readonly #theme: Theme;
  #complete: { leaf: Leaf; lines: number; width: number; rows: string[] } | undefined;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** Forgets what was read, because a language has been loaded. */
  invalidate(): void {
    this.#complete = undefined;
  }

  /** Returns the rows of a piece of code, and of the line that is still being written. */
  rows(leaf: Leaf, partial: string | undefined, width: number): string[] {
    const lines = leaf.lines.length;
    const known = this.#complete;
    if (known === undefined || known.leaf !== leaf || known.lines !== lines || known.width !== width)
      this.#complete = { leaf, lines, width, rows: this.#completeRows(leaf, width) };
    const rows = [...(this.#complete?.rows ?? [])];
    if (partial === undefined) return rows;
    const last = highlight(leaf.nextContext ?? leaf.context, [partial], leaf.language, this.#theme);
    return [...rows, ...indentedRows(last.rows, width)];
  }

  #completeRows(leaf: Leaf, width: number): string[] {
    const rows = indentedRows(this.#highlighted(leaf), width);
    if (leaf.language === "" || leaf.isContinued) return rows;
    return [...wrapTextWithAnsi(this.#theme.style("codeBorder", leaf.language), width), ...rows];
  }

  /** Highlights the lines of a piece, and stores what the next piece must know of them. */
  #highlighted(leaf: Leaf): readonly string[] {
    const { lines, language, fence, offset, size, previous } = leaf;
    if (fence === "indented") return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
    if (language === "" || offset + size > MAX_HIGHLIGHTED) return lines;
    if (previous !== undefined && loadLanguage(language) === undefined) {
      leaf.context = previous.nextContext ?? [];
      delete leaf.previous;
    }
    const { rows, open } = highlight(leaf.context, lines, language, this.#theme);
    if (open !== undefined) leaf.nextContext = open;
    return rows;
  }
}

function indentedRows(lines: readonly string[], width: number): string[] {
  const margin = width > 2 * MARGIN.length ? MARGIN : "";
  return lines.flatMap((line) => wrapTextWithAnsi(line, width - margin.length).map((row) => margin + row));
}
