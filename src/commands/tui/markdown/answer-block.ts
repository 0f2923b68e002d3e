import type { Component } from "@earendil-works/pi-tui";
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import type { Theme } from "../theme.ts";
import { highlight, MAX_HIGHLIGHTED } from "./highlight.ts";
import { styleInline } from "./inline.ts";
import type { Container, Leaf } from "./leaf.ts";
import { closeLooks, styleLines } from "./looks.ts";
import { tableRows } from "./table.ts";

const CODE_MARGIN = "  ";
const LONGEST_RULE = 80;

/** Shows one leaf of an answer; keeps its rows until the leaf or the width changes. */
export class AnswerBlock implements Component {
  private leaf: Leaf | undefined;
  private readonly theme: Theme;
  private rows: readonly string[] | undefined;
  private width = 0;

  /** `leaf` is undefined if there is nothing to show. */
  constructor(leaf: Leaf | undefined, theme: Theme) {
    this.leaf = leaf;
    this.theme = theme;
  }

  /** Shows another leaf, or the same one after a change. */
  show(leaf: Leaf | undefined): void {
    this.leaf = leaf;
    this.rows = undefined;
  }

  invalidate(): void {
    this.rows = undefined;
  }

  render(width: number): string[] {
    if (this.rows === undefined || this.width !== width) {
      this.rows = this.leaf === undefined ? [] : leafRows(this.leaf, width, this.theme);
      this.width = width;
    }
    return [...this.rows];
  }
}

/** Returns the rows of a leaf with the margins and markers of its containers, after an empty row where one belongs. */
function leafRows(leaf: Leaf, width: number, theme: Theme): string[] {
  const { containers, fresh, gap } = leaf;
  const margin = marginOf(containers, containers.length, width, theme);
  const first = marginOf(containers, fresh, width, theme);
  const isMarked = first.shown <= fresh;
  const rows = contentRows(leaf, Math.max(1, width - visibleWidth(margin.text)), theme).map(
    (row, index) => (index === 0 && isMarked ? first.text : margin.text) + row,
  );
  const empty = gap === undefined ? [] : [marginOf(containers.slice(0, gap), gap, width, theme).text];
  const markers = isMarked ? [] : wrapTextWithAnsi(markersOf(containers.slice(fresh)), width);
  return [...empty, ...markers, ...rows].map(closeLooks);
}

/**
 * Returns the quote bars, markers and blanks before a row. Containers from `fresh` on show their marker. Where all
 * would take more than half of the row, only the inner ones are in `text`; `shown` is the index of the first.
 */
function marginOf(
  containers: readonly Container[],
  fresh: number,
  width: number,
  theme: Theme,
): { text: string; shown: number } {
  let left = Math.floor(width / 2);
  let shown = containers.length;
  const parts: string[] = [];
  for (const [index, container] of [...containers.entries()].reverse()) {
    const marker = markerOf(container);
    if (marker.length > left) break;
    left -= marker.length;
    shown = index;
    if (container.kind === "quote") parts.unshift(theme.style("quoteBorder", marker));
    else parts.unshift(index < fresh ? " ".repeat(marker.length) : theme.style("bullet", marker));
  }
  return { text: parts.join(""), shown };
}

function markersOf(containers: readonly Container[]): string {
  return containers.map(markerOf).join("");
}

function markerOf(container: Container): string {
  return container.kind === "quote" ? "│ " : `${container.marker} `;
}

function contentRows(leaf: Leaf, width: number, theme: Theme): string[] {
  switch (leaf.kind) {
    case "code":
      return codeRows(leaf, width, theme);
    case "table":
      return tableRows(leaf, width, theme);
    case "rule":
      return [theme.style("rule", "─".repeat(Math.min(width, LONGEST_RULE)))];
    case "heading":
      return wrapTextWithAnsi(headingText(leaf, theme), width);
    case "paragraph":
      return wrapTextWithAnsi(paragraphText(leaf, theme), width);
  }
}

function headingText({ lines, level }: Leaf, theme: Theme): string {
  const text = styleInline(lines.join("\n"), theme);
  if (theme.name === "none") return `${"#".repeat(level)} ${text}`;
  return styleLines(level === 1 ? ["underline", "heading"] : ["heading"], text, theme);
}

function paragraphText({ lines, containers }: Leaf, theme: Theme): string {
  const text = styleInline(lines.join("\n").trim(), theme);
  return containers.some(({ kind }) => kind === "quote") ? styleLines(["quote"], text, theme) : text;
}

/** Code is indented and wraps at the width; its language stands above it. */
function codeRows(leaf: Leaf, width: number, theme: Theme): string[] {
  const margin = width > 2 * CODE_MARGIN.length ? CODE_MARGIN : "";
  const rows = highlightedLines(leaf, theme).flatMap((line) =>
    wrapTextWithAnsi(line, width - margin.length).map((row) => margin + row),
  );
  if (leaf.language === "" || leaf.isContinued) return rows;
  return [...wrapTextWithAnsi(theme.style("codeBorder", leaf.language), width), ...rows];
}

/** Highlights the lines together with those before them, which may have begun a comment or a text. */
function highlightedLines({ lines, language, fence, context, offset, size }: Leaf, theme: Theme): string[] {
  const shown = fence === "indented" ? lines.slice(0, lines.findLastIndex((line) => line !== "") + 1) : lines;
  if (language === "" || offset + size > MAX_HIGHLIGHTED) return shown;
  const before = context === "" ? [] : context.split("\n");
  return highlight([...before, ...shown].join("\n"), language, theme).slice(before.length);
}
