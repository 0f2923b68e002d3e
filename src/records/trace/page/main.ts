import { formatSpan } from "../format-time.ts";
import { Details } from "./details.ts";
import { button, element, oncePerFrame } from "./dom.ts";
import { Filters } from "./filters.ts";
import { HooksPlot } from "./hooks-plot.ts";
import type { PageData } from "./page-data.ts";
import { initialState } from "./page-state.ts";
import { indexSpans } from "./span-index.ts";
import { Waterfall } from "./waterfall.ts";

/** The themes: that of the system, or one of the two. */
const THEMES = ["auto", "light", "dark"] as const;

const STORED = "hooksh-theme";

type ViewName = "waterfall" | "hooks";

const KEYS = [
  ["↑ ↓", "move"],
  ["← →", "fold"],
  ["Enter", "details"],
  ["/", "filter"],
  ["+ − 0", "zoom"],
  ["[ ]", "pan"],
  ["f", "fit span"],
  ["n", "next problem"],
] as const;

buildPage(readData(), document.body);

/** Reads the data that hooksh wrote into the page. */
function readData(): PageData {
  return JSON.parse(document.getElementById("data")?.textContent ?? "") as PageData;
}

function buildPage(data: PageData, body: HTMLElement): void {
  const state = initialState();
  const index = indexSpans(data);
  const plot = new HooksPlot(data.hooks, (hook) => {
    filters.clear();
    filters.setQuery(hook);
    views.show("waterfall");
  });
  const filters = new Filters(
    data,
    state,
    oncePerFrame(() => waterfall.update()),
  );
  const details = new Details(data, index, (span) => {
    filters.clear();
    waterfall.reveal(span);
  });
  const showDetails = oncePerFrame(() => details.show(state.selected));
  const waterfall = new Waterfall(index, state, {
    selected: showDetails,
    opened: () => details.pane.focus(),
    matched: (matches) => filters.showCount(matches),
    cleared: () => filters.clear(),
  });
  const views = viewSwitch(
    element(
      "div",
      { class: "waterfall" },
      element("div", { class: "main" }, toolbar(data, state, filters, waterfall), waterfall.grid),
      details.pane,
      keyHelp(),
    ),
    plot.view,
  );
  body.append(header(data, views.tabs), ...notes(data), views.main);
  waterfall.resize();
  waterfall.update();
  details.show(0);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "Escape" && event.target !== filters.search) waterfall.grid.focus();
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    views.show("waterfall");
    filters.search.focus();
  });
}

function header(data: PageData, tabs: HTMLElement): HTMLElement {
  const end = data.spans.reduce((last, { start, milliseconds }) => Math.max(last, start + milliseconds), 0);
  const denied = data.spans.filter(
    ({ kind, tone, verdict }) => kind === "event" && tone === "bad" && verdict !== "failed",
  ).length;
  const failed = data.spans.filter(({ verdict }) => verdict === "failed" || verdict === "timed out").length;
  const count = (number: number, name: string) =>
    element("span", { class: number > 0 ? "bad" : "" }, `${number.toLocaleString("en-US")} ${name}`);
  return element(
    "header",
    { class: "top" },
    element("h1", {}, data.title),
    element(
      "p",
      { class: "facts" },
      element("span", {}, `${new Date(data.origin).toISOString().slice(0, 19).replace("T", " ")} UTC`),
      element("span", {}, formatSpan(end)),
      count(denied, "denied"),
      count(failed, "failed"),
    ),
    tabs,
    themeSwitch(),
  );
}

function notes({ notes }: PageData): HTMLElement[] {
  if (notes.length === 0) return [];
  return [
    element(
      "details",
      { class: "notes" },
      element("summary", {}, notes.length === 1 ? "1 note about this trace" : `${notes.length} notes about this trace`),
      element(
        "ul",
        {},
        notes.map((note) => element("li", {}, note)),
      ),
    ),
  ];
}

function toolbar(
  data: PageData,
  state: ReturnType<typeof initialState>,
  filters: Filters,
  waterfall: Waterfall,
): HTMLElement {
  const actions = element(
    "div",
    { class: "actions", role: "group", "aria-label": "Waterfall" },
    button({ "aria-label": "Unfold all", title: "Unfold all" }, "⊞", () => waterfall.setAllCollapsed(false)),
    button({ "aria-label": "Fold all", title: "Fold all" }, "⊟", () => waterfall.setAllCollapsed(true)),
    button({ "aria-label": "Zoom in", title: "Zoom in (+)" }, "+", () => waterfall.zoom("in")),
    button({ "aria-label": "Zoom out", title: "Zoom out (-)" }, "−", () => waterfall.zoom("out")),
    button({ title: "Show the whole time (0)" }, "Fit", () => waterfall.fitAll()),
  );
  if (data.spans.some(({ clock }) => clock > 0)) {
    const clock = element(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        title: "Draw all spans on one clock, instead of each group from its own start",
      },
      "One clock",
    );
    clock.addEventListener("click", () => {
      state.aligned = !state.aligned;
      clock.setAttribute("aria-pressed", String(!state.aligned));
      waterfall.fitAll();
    });
    actions.append(clock);
  }
  filters.count.after(actions);
  return filters.bar;
}

/** The tabs of the two views. */
function viewSwitch(waterfall: HTMLElement, hooks: HTMLElement) {
  const panels: Record<ViewName, HTMLElement> = { waterfall, hooks };
  const labels: Record<ViewName, string> = { waterfall: "Waterfall", hooks: "Hooks" };
  const names: readonly ViewName[] = ["waterfall", "hooks"];
  const buttons = names.map((name) =>
    button({ role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, labels[name], () => show(name)),
  );
  const tabs = element("div", { role: "tablist", "aria-label": "Views", class: "tabs" }, buttons);
  const show = (shown: ViewName) => {
    for (const [at, name] of names.entries()) {
      const isShown = name === shown;
      panels[name].hidden = !isShown;
      buttons[at]?.setAttribute("aria-selected", String(isShown));
      buttons[at]?.setAttribute("tabindex", isShown ? "0" : "-1");
    }
  };
  for (const name of names) {
    panels[name].id = `panel-${name}`;
    panels[name].setAttribute("role", "tabpanel");
    panels[name].setAttribute("aria-labelledby", `tab-${name}`);
  }
  tabs.addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const other = buttons.find((tab) => tab.getAttribute("aria-selected") === "false");
    other?.click();
    other?.focus();
  });
  show("waterfall");
  return { tabs, show, main: element("main", {}, waterfall, hooks) };
}

function keyHelp(): HTMLElement {
  return element(
    "footer",
    {},
    ...KEYS.map(([key, action]) => element("span", {}, element("kbd", {}, key), ` ${action}`)),
  );
}

/** Makes the list of themes, and switches to the one that was chosen last. */
function themeSwitch(): HTMLElement {
  const select = element("select", { id: "theme", "aria-label": "Theme" });
  for (const theme of THEMES) select.append(element("option", { value: theme }, `${theme} theme`));
  select.value = THEMES.find((theme) => theme === storedTheme()) ?? "auto";
  const apply = () => {
    document.documentElement.dataset["theme"] = select.value;
  };
  select.addEventListener("change", () => {
    apply();
    storeTheme(select.value);
  });
  apply();
  return select;
}

function storedTheme(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // a browser may give files no storage
  }
}

function storeTheme(theme: string): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}
