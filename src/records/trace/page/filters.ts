import { element } from "./dom.ts";
import { type PageData, SPAN_KINDS } from "./page-data.ts";
import type { PageState } from "./page-state.ts";

const MOST_VERDICTS = 12;

/** The controls that choose which spans the waterfall shows. */
export class Filters {
  readonly search: HTMLInputElement = element("input", {
    id: "search",
    type: "search",
    placeholder: "Filter spans by any text",
    "aria-label": "Filter spans by text",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
  });
  readonly bar: HTMLElement = element("div", { class: "filters", role: "group", "aria-label": "Filters" });
  readonly count: HTMLElement = element("span", { class: "count", role: "status" });
  readonly #toggles: HTMLButtonElement[] = [];

  readonly #data: PageData;
  readonly #state: PageState;
  readonly #changed: () => void;

  /** `changed` is called after the state has changed. */
  constructor(data: PageData, state: PageState, changed: () => void) {
    this.#data = data;
    this.#state = state;
    this.#changed = changed;
    this.search.addEventListener("input", () => this.#change(() => (state.query = this.search.value)));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.setQuery("");
    });
    const kinds = SPAN_KINDS.filter((kind) => data.spans.some((span) => span.kind === kind));
    const verdicts = frequentVerdicts(data);
    this.bar.append(
      this.search,
      this.count,
      this.#group(
        "Kinds",
        kinds.map((kind) => this.#toggle(state.kinds, kind, element("span", { class: `swatch ${kind}` }))),
      ),
      this.#group(
        "Verdicts",
        verdicts.map((verdict) => this.#toggle(state.verdicts, verdict)),
      ),
    );
  }

  /** Writes a text into the search field, as if the user had. */
  setQuery(text: string): void {
    this.search.value = text;
    this.#change(() => (this.#state.query = text));
  }

  clear(): void {
    this.#state.kinds.clear();
    this.#state.verdicts.clear();
    for (const toggle of this.#toggles) toggle.setAttribute("aria-pressed", "false");
    this.setQuery("");
  }

  /** Says how many spans match. */
  showCount(matches: number): void {
    const { length } = this.#data.spans;
    this.count.textContent =
      matches === length ? `${countText(length)} spans` : `${countText(matches)} of ${countText(length)}`;
  }

  #change(change: () => void): void {
    change();
    this.#state.collapsedInFilter.clear();
    this.#changed();
  }

  #group(label: string, toggles: readonly HTMLElement[]): HTMLElement {
    return element("div", { role: "group", "aria-label": label, class: "toggles" }, toggles);
  }

  /** A button that switches one value of a filter on and off. */
  #toggle<T extends string>(chosen: Set<T>, value: T, swatch?: HTMLElement): HTMLElement {
    const count = this.#data.spans.filter(({ kind, verdict }) => kind === value || verdict === value).length;
    const toggle = element(
      "button",
      { type: "button", class: "toggle", "aria-pressed": "false" },
      swatch,
      `${value} `,
      element("span", { class: "number" }, countText(count)),
    );
    toggle.addEventListener("click", () =>
      this.#change(() => {
        if (!chosen.delete(value)) chosen.add(value);
        toggle.setAttribute("aria-pressed", String(chosen.has(value)));
      }),
    );
    this.#toggles.push(toggle);
    return toggle;
  }
}

/** The verdicts that occur most often, in order of their first. A broken trace may have any number of them. */
function frequentVerdicts({ spans }: PageData): string[] {
  const counts = new Map<string, number>();
  for (const { verdict } of spans) if (verdict !== "") counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_VERDICTS);
  return [...counts.keys()].filter((verdict) => frequent.some(([name]) => name === verdict));
}

/** A count with commas: `10,000`. */
function countText(count: number): string {
  return count.toLocaleString("en-US");
}
