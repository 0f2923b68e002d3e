import type { Component } from "@earendil-works/pi-tui";
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
import type { Role, Theme } from "../../theme.ts";
import { CodeView } from "./code-view.ts";
import { closeStyles, styleInline } from "./inline.ts";
import type { Container, Leaf } from "./leaf.ts";
import { TableView } from "./table-view.ts";

const LONGEST_RULE = 80;

/** Shows one leaf of an answer; keeps its rows until the leaf or the width changes. */
export class AnswerBlock implements Component {
  readonly #theme: Theme;
  #leaf: Leaf | undefined;
  #partial: string | undefined;
  #code: CodeView | undefined;
  #table: TableView | undefined;
  #rows: string[] | undefined;
  #width = 0;

  /** `leaf` is undefined if there is nothing to show. */
  constructor(leaf: Leaf | undefined, theme: Theme) {
    this.#leaf = leaf;
    this.#theme = theme;
  }

  /** Shows another leaf, or the same one after a change, and the line that is still being written. */
  show(leaf: Leaf | undefined, partial?: string): void {
    this.#leaf = leaf;
    this.#partial = partial;
    this.#rows = undefined;
  }

  invalidate(): void {
    this.#rows = undefined;
    this.#code?.invalidate();
  }

  render(width: number): string[] {
    if (this.#rows === undefined || this.#width !== width) {
      this.#rows = this.#leaf === undefined ? [] : this.#leafRows(this.#leaf, width);
      this.#width = width;
    }
    return this.#rows;
  }

  /** Returns the rows with the margins and markers of the containers, after an empty row where one belongs. */
  #leafRows(leaf: Leaf, width: number): string[] {
    const { containers, fresh, gap } = leaf;
    const margin = marginOf(containers, containers.length, width, this.#theme);
    const first = marginOf(containers, fresh, width, this.#theme);
    const isMarked = first.shown <= fresh;
    const content = this.#contentRows(leaf, Math.max(1, width - visibleWidth(margin.text)));
    if (content.length === 0 && fresh < containers.length) content.push("");
    const rows = content.map((row, index) => (index === 0 && isMarked ? first.text : margin.text) + row);
    const empty = gap === undefined ? [] : [marginOf(containers.slice(0, gap), gap, width, this.#theme).text];
    const markers = isMarked ? [] : wrapTextWithAnsi(containers.slice(fresh).map(markerOf).join(""), width);
    return [...empty, ...markers, ...rows].map(closeStyles);
  }

  #contentRows(leaf: Leaf, width: number): string[] {
    const whole = this.#partial === undefined ? leaf : { ...leaf, lines: [...leaf.lines, this.#partial] };
    switch (leaf.kind) {
      case "code":
        return (this.#code ??= new CodeView(this.#theme)).rows(leaf, this.#partial, width);
      case "table":
        return (this.#table ??= new TableView(this.#theme)).rows(whole, width);
      case "rule":
        return [this.#theme.style("rule", "─".repeat(Math.min(width, LONGEST_RULE)))];
      case "heading":
        return wrapTextWithAnsi(headingText(whole, this.#theme), width);
      case "paragraph":
        return wrapTextWithAnsi(paragraphText(whole, this.#theme), width);
    }
  }
}

/**
 * Returns the quote bars, markers and spaces before a row. Containers from `fresh` on show their marker. Where all
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

function markerOf(container: Container): string {
  return container.kind === "quote" ? "│ " : `${container.marker} `;
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

/** Styles each line of a text in some roles, the first one innermost. */
function styleLines(roles: readonly Role[], text: string, theme: Theme): string {
  const style = (line: string) => roles.reduce((styled, role) => theme.style(role, styled), line);
  return text.split("\n").map(style).join("\n");
}
