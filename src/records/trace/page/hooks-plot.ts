import { formatSpan } from "../format-time.ts";
import { button, element } from "./dom.ts";
import type { HookDurations } from "./page-data.ts";

type Column = keyof HookDurations;

/** The columns, with the explanation of each. */
const COLUMNS: readonly (readonly [Column, string, string])[] = [
  ["hook", "Hook", "Name"],
  ["event", "Event", "Event on which it ran"],
  ["runs", "Runs", "How often it ran"],
  ["failures", "Failed", "Runs that failed or timed out"],
  ["p50", "p50", "Half of the runs took at most this long"],
  ["p95", "p95", "95 of 100 runs took at most this long"],
  ["max", "Max", "The longest run"],
  ["total", "Total", "All runs together"],
];

/** Of more hooks, only the first rows are shown: they would make the page slow. */
const MOST_ROWS = 500;

const TEXTS: readonly Column[] = ["hook", "event"];
const COUNTS: readonly Column[] = ["runs", "failures"];
/** In milliseconds: shorter times are drawn there. */
const SHORTEST = 0.01;

/** The table of hooks with a plot of their durations on a logarithmic scale. */
export class HooksPlot {
  readonly view: HTMLElement = element("section", { class: "hooks", "aria-label": "Durations of hooks", hidden: true });
  #by: Column = "p95";
  #descending = true;

  readonly #hooks: readonly HookDurations[];
  readonly #show: (hook: string) => void;

  /** `show` shows the runs of a hook in the waterfall. */
  constructor(hooks: readonly HookDurations[], show: (hook: string) => void) {
    this.#hooks = hooks;
    this.#show = show;
    this.#draw();
  }

  #draw(): void {
    if (this.#hooks.length === 0)
      return this.view.replaceChildren(element("p", { class: "empty" }, "No hook ran in this trace."));
    const scale = scaleFor(this.#hooks);
    const legend = element(
      "p",
      { class: "legend" },
      ...["p50", "p95", "max"].flatMap((name) => [
        element("span", { class: `point ${name}`, "aria-hidden": "true" }),
        `${name} `,
      ]),
      element("span", { class: "hint" }, "logarithmic scale"),
    );
    const table = element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...COLUMNS.map((column) => this.#heading(column)), scaleHeading(scale))),
      element(
        "tbody",
        {},
        ...this.#sorted()
          .slice(0, MOST_ROWS)
          .map((row) => this.#row(row, scale)),
      ),
    );
    const hidden = this.#hooks.length - MOST_ROWS;
    const rest = hidden > 0 ? [element("p", { class: "hint" }, `${hidden} more hooks are not shown.`)] : [];
    this.view.style.setProperty("--powers", String(powersOf(scale)));
    this.view.replaceChildren(legend, table, ...rest);
  }

  #heading([column, label, title]: (typeof COLUMNS)[number]): HTMLElement {
    const isSorted = this.#by === column;
    const order = this.#descending ? "descending" : "ascending";
    const sort = button({ title, "data-column": column }, label, () => {
      this.#descending = isSorted ? !this.#descending : !TEXTS.includes(column);
      this.#by = column;
      this.#draw();
      this.view.querySelector<HTMLElement>(`[data-column="${column}"]`)?.focus();
    });
    return element(
      "th",
      { scope: "col", class: TEXTS.includes(column) ? "" : "number", "aria-sort": isSorted ? order : undefined },
      sort,
    );
  }

  #sorted(): HookDurations[] {
    const sign = this.#descending ? -1 : 1;
    return [...this.#hooks].sort((a, b) => {
      const [one, other] = [a[this.#by], b[this.#by]];
      return (
        sign *
        (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other)))
      );
    });
  }

  #row(row: HookDurations, scale: Scale): HTMLElement {
    const cells = COLUMNS.map(([column]) => {
      const value = row[column];
      if (column === "hook")
        return element(
          "th",
          { scope: "row" },
          button({ class: "link", title: "Show its runs" }, row.hook, () => this.#show(row.hook)),
        );
      if (typeof value === "string") return element("td", {}, value);
      const isBad = column === "failures" && value > 0;
      return element(
        "td",
        { class: `number${isBad ? " bad" : ""}` },
        COUNTS.includes(column) ? String(value) : formatSpan(value),
      );
    });
    return element("tr", {}, ...cells, plotCell(row, scale));
  }
}

/** The ends of the scale: powers of ten, in milliseconds. */
interface Scale {
  from: number;
  to: number;
}

function scaleFor(hooks: readonly HookDurations[]): Scale {
  const least = Math.min(...hooks.map(({ p50 }) => Math.max(SHORTEST, p50)));
  const most = Math.max(...hooks.map(({ max }) => Math.max(SHORTEST, max)));
  const from = 10 ** Math.floor(Math.log10(least));
  return { from, to: Math.max(10 * from, 10 ** Math.ceil(Math.log10(most))) };
}

/** The place of a duration on the scale, in percent. */
function placeOf(milliseconds: number, { from, to }: Scale): number {
  return (100 * Math.log10(Math.max(from, milliseconds) / from)) / Math.log10(to / from);
}

/** How many powers of ten the scale spans. */
function powersOf({ from, to }: Scale): number {
  return Math.round(Math.log10(to / from));
}

function scaleHeading(scale: Scale): HTMLElement {
  const powers = powersOf(scale);
  const ticks = Array.from({ length: powers + 1 }, (_none, power) => {
    const tick = element("span", { class: "tick" }, formatSpan(scale.from * 10 ** power));
    tick.style.left = `${(100 * power) / powers}%`;
    return tick;
  });
  return element(
    "th",
    { scope: "col", class: "plot", "aria-label": "Plot" },
    element("div", { class: "track" }, ticks),
  );
}

function plotCell(row: HookDurations, scale: Scale): HTMLElement {
  const { p50, p95, max } = row;
  const range = element("span", { class: "range" });
  range.style.left = `${placeOf(p50, scale)}%`;
  range.style.width = `${placeOf(max, scale) - placeOf(p50, scale)}%`;
  const points = Object.entries({ max, p95, p50 }).map(([name, value]) => {
    const point = element("span", { class: `point ${name}` });
    point.style.left = `${placeOf(value, scale)}%`;
    return point;
  });
  const label = `p50 ${formatSpan(p50)}, p95 ${formatSpan(p95)}, max ${formatSpan(max)}`;
  return element(
    "td",
    { class: "plot" },
    element("div", { class: "track", role: "img", "aria-label": label, title: label }, range, points),
  );
}
