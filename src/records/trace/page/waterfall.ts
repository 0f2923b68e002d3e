import { Axis } from "./axis.ts";
import { button, element, oncePerFrame } from "./dom.ts";
import { collapseAll, collapsedOf, type PageState, type Row, rowsOf } from "./page-state.ts";
import { headRow, ROW, rowElement } from "./row-element.ts";
import type { SpanIndex } from "./span-index.ts";
import { endOfAll, rangeBetween, startOf, zoomed } from "./time-range.ts";
import { VisibleRows } from "./visible-rows.ts";

/** Rows above and below the visible ones that exist, so that scrolling shows no gaps. */
const MARGIN = 10;
/** How much one step zooms or pans. */
const STEP = { in: 0.5, out: 2, pan: 0.25 };

/** The events of the waterfall that the rest of the page handles. */
export interface WaterfallEvents {
  /** Another span is selected. */
  selected: (span: number) => void;
  /** The user wants to read the details. */
  opened: () => void;
  /** The rows changed: this many spans match. */
  matched: (matches: number) => void;
  /** Removes all filters. */
  cleared: () => void;
}

/**
 * The tree of spans with their bars. Only the rows on the screen exist as elements, so that tens of thousands of spans
 * cost no more than fifty. Follows the treegrid pattern (https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/): the grid
 * has the focus, and names the active row.
 */
export class Waterfall {
  readonly grid: HTMLElement = element("div", {
    class: "grid",
    id: "waterfall",
    role: "treegrid",
    tabindex: 0,
    "aria-label": "Spans",
    "aria-colcount": 4,
  });
  readonly #body = element("div", { class: "body", role: "rowgroup" });
  readonly #empty = element("p", { class: "empty", hidden: true }, "No span matches. ");
  readonly #axis: Axis;
  readonly #visible = new VisibleRows(this.#body);
  readonly #draw = oncePerFrame(() => this.#drawRows());
  #rows: Row[] = [];
  #width = 1;

  readonly #index: SpanIndex;
  readonly #state: PageState;
  readonly #events: WaterfallEvents;

  constructor(index: SpanIndex, state: PageState, events: WaterfallEvents) {
    this.#index = index;
    this.#state = state;
    this.#events = events;
    this.#axis = new Axis({ marked: (from, to) => this.#zoomTo(this.#timeAt(from), this.#timeAt(to)) });
    this.#empty.append(button({}, "Remove the filters", events.cleared));
    this.grid.append(headRow(this.#axis.cell), this.#body, this.#empty);
    this.grid.addEventListener("scroll", this.#draw, { passive: true });
    this.grid.addEventListener("keydown", (event) => this.#press(event));
    this.grid.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#body.addEventListener("click", (event) => this.#click(event));
    this.#body.addEventListener("dblclick", () => this.fitSelected());
    new ResizeObserver(() => this.resize()).observe(this.grid);
    this.fitAll();
  }

  /** Computes the rows again after the filter or the collapsed spans changed. */
  update(): void {
    const { rows, matches } = rowsOf(this.#index, this.#state);
    this.#rows = rows;
    this.#body.style.height = `${rows.length * ROW}px`;
    this.#empty.hidden = rows.length > 0;
    this.grid.setAttribute("aria-rowcount", String(rows.length + 1));
    this.#events.matched(matches);
    this.redraw();
  }

  /** Draws everything again after the range or the size changed. */
  redraw(): void {
    this.#visible.clear();
    this.#axis.draw(this.#state, this.#width, this.grid.style);
    this.#drawRows();
  }

  resize(): void {
    this.#width = Math.max(1, this.#axis.cell.clientWidth);
    this.redraw();
  }

  /** Selects a span and scrolls to it. Opens those above it if they are collapsed. */
  reveal(span: number): void {
    const collapsed = collapsedOf(this.#state);
    for (let at = this.#parentOf(span); at >= 0; at = this.#parentOf(at)) collapsed.delete(at);
    this.update();
    this.#select(this.#rows.findIndex((row) => row.span === span));
  }

  zoom(direction: "in" | "out", anchor = 0.5): void {
    Object.assign(this.#state, zoomed(this.#state, STEP[direction], anchor, endOfAll(this.#index, this.#state)));
    this.redraw();
  }

  fitAll(): void {
    this.#zoomTo(0, Number.POSITIVE_INFINITY);
  }

  /** Shows the time of the selected span, with a little before and after it. */
  fitSelected(): void {
    const span = this.#index.spans[this.#state.selected];
    if (!span) return;
    const start = startOf(this.#index, this.#state, this.#state.selected);
    const margin = span.milliseconds * 0.05;
    this.#zoomTo(start - margin, start + span.milliseconds + margin);
  }

  /** Shows or hides the children of every span. */
  setAllCollapsed(isCollapsed: boolean): void {
    collapseAll(this.#index, this.#state, isCollapsed);
    this.update();
    this.grid.scrollTop = 0;
  }

  #zoomTo(from: number, to: number): void {
    const end = endOfAll(this.#index, this.#state);
    Object.assign(this.#state, rangeBetween(from, Math.min(to, end), end));
    this.redraw();
  }

  #pan(share: number): void {
    const { from, to } = this.#state;
    const distance = (to - from) * share;
    Object.assign(this.#state, rangeBetween(from + distance, to + distance, endOfAll(this.#index, this.#state)));
    this.redraw();
  }

  #timeAt(share: number): number {
    return this.#state.from + (this.#state.to - this.#state.from) * share;
  }

  #drawRows(): void {
    const { clientHeight: room, scrollTop: top } = this.grid;
    const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
    const last = Math.min(this.#rows.length, Math.ceil((top + room) / ROW) + MARGIN);
    const timeline = { state: this.#state, width: this.#width };
    this.#visible.show(first, last, (at) => {
      const row = this.#rows[at];
      return row && rowElement(row, at, this.#index, timeline);
    });
    const active = this.#visible.markSelected((at) => this.#rows[at]?.span === this.#state.selected);
    if (active) this.grid.setAttribute("aria-activedescendant", active.id);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  #select(at: number): void {
    const row = this.#rows[Math.min(this.#rows.length - 1, Math.max(0, at))];
    if (!row) return;
    this.#state.selected = row.span;
    this.#scrollTo(this.#rows.indexOf(row));
    this.#drawRows();
    this.#events.selected(row.span);
  }

  /** Selects the next row that failed or was denied; after the last one, the first. */
  #selectProblem(at: number): void {
    const isProblem = ({ span }: Row) => this.#index.spans[span]?.tone === "bad";
    const next = this.#rows.findIndex((row, place) => place > at && isProblem(row));
    const found = next >= 0 ? next : this.#rows.findIndex(isProblem);
    if (found >= 0) this.#select(found);
  }

  #scrollTo(at: number): void {
    const top = at * ROW;
    const room = this.grid.clientHeight - this.#body.offsetTop - ROW;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top > this.grid.scrollTop + room) this.grid.scrollTop = top - room;
  }

  #click(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : undefined;
    const at = Number(target?.closest<HTMLElement>("[data-row]")?.dataset["row"] ?? Number.NaN);
    if (Number.isNaN(at)) return;
    if (target?.classList.contains("twisty")) this.#toggle(at);
    this.#select(at);
  }

  /** Shows the children of a row, or hides them. */
  #toggle(at: number): void {
    const row = this.#rows[at];
    if (row?.expanded === undefined) return;
    const collapsed = collapsedOf(this.#state);
    if (row.expanded) collapsed.add(row.span);
    else collapsed.delete(row.span);
    this.update();
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const { left } = this.#axis.cell.getBoundingClientRect();
    const anchor = Math.min(1, Math.max(0, (event.clientX - left) / this.#width));
    if (event.ctrlKey) this.zoom(event.deltaY < 0 ? "in" : "out", anchor);
    else this.#pan(Math.sign(event.deltaY || event.deltaX) * STEP.pan);
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#rows.findIndex((row) => row.span === this.#state.selected);
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW) - 2);
    const actions: Record<string, () => void> = {
      ArrowDown: () => this.#select(at + 1),
      ArrowUp: () => this.#select(at - 1),
      PageDown: () => this.#select(at + page),
      PageUp: () => this.#select(at - page),
      Home: () => this.#select(0),
      End: () => this.#select(this.#rows.length - 1),
      ArrowRight: () => this.#goIn(at),
      ArrowLeft: () => this.#goOut(at),
      Enter: this.#events.opened,
      " ": () => this.#toggle(at),
      "+": () => this.zoom("in"),
      "=": () => this.zoom("in"),
      "-": () => this.zoom("out"),
      "0": () => this.fitAll(),
      f: () => this.fitSelected(),
      n: () => this.#selectProblem(at),
      "[": () => this.#pan(-STEP.pan),
      "]": () => this.#pan(STEP.pan),
    };
    const act = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Opens a row, or goes to its first child. */
  #goIn(at: number): void {
    const expanded = this.#rows[at]?.expanded;
    if (expanded === false) this.#toggle(at);
    else if (expanded) this.#select(at + 1);
  }

  /** Closes a row, or goes to its parent. */
  #goOut(at: number): void {
    const row = this.#rows[at];
    if (row?.expanded) return this.#toggle(at);
    const parent = row ? this.#parentOf(row.span) : -1;
    if (parent >= 0) this.#select(this.#rows.findIndex(({ span }) => span === parent));
  }

  #parentOf(span: number): number {
    return this.#index.spans[span]?.parent ?? -1;
  }
}
