/** The rows on the screen, which are the only ones that exist as elements. Rows are numbered from the top. */
export class VisibleRows {
  readonly #body: HTMLElement;
  readonly #elements = new Map<number, HTMLElement>();

  constructor(body: HTMLElement) {
    this.#body = body;
  }

  clear(): void {
    this.#elements.clear();
    this.#body.replaceChildren();
  }

  /** Shows the rows from `first` up to, but not including, `last`. Makes those that do not exist, and removes others. */
  show(first: number, last: number, make: (at: number) => HTMLElement | undefined): void {
    for (const [at, row] of this.#elements) {
      if (at >= first && at < last) continue;
      row.remove();
      this.#elements.delete(at);
    }
    const added: HTMLElement[] = [];
    for (let at = first; at < last; at++) {
      const row = this.#elements.has(at) ? undefined : make(at);
      if (!row) continue;
      this.#elements.set(at, row);
      added.push(row);
    }
    this.#body.append(...added);
  }

  /** Marks the selected row. Returns it; undefined if it is not on the screen. */
  markSelected(isSelected: (at: number) => boolean): HTMLElement | undefined {
    let selected: HTMLElement | undefined;
    for (const [at, row] of this.#elements) {
      row.setAttribute("aria-selected", String(isSelected(at)));
      if (isSelected(at)) selected = row;
    }
    return selected;
  }
}
