import { formatSpan } from "../format-time.ts";
import { element } from "./dom.ts";
import type { PageSpan } from "./page-data.ts";
import type { PageState, Row } from "./page-state.ts";
import type { SpanIndex } from "./span-index.ts";
import { startOf } from "./time-range.ts";

/** The height of a row in pixels; `--row` of the style sheet. */
export const ROW = 26;

/** Deeper spans are not indented further. */
const MOST_INDENTED = 16;
/** In pixels. A shorter bar would not be seen. */
const SHORTEST_BAR = 2;

/** The range of times that the bars show, and their width in pixels. */
export interface Timeline {
  state: Pick<PageState, "aligned" | "from" | "to">;
  width: number;
}

/** Makes the row at this place from the top. */
export function rowElement({ span, expanded, context }: Row, at: number, index: SpanIndex, timeline: Timeline) {
  const data = index.spans[span];
  const level = index.level[span] ?? 1;
  const row = element("div", {
    class: `row${context ? " context" : ""}`,
    id: `row-${at}`,
    role: "row",
    "data-row": at,
    "data-root": level === 1,
    "aria-rowindex": at + 2,
    "aria-level": level,
    "aria-posinset": index.position[span],
    "aria-setsize": data && data.parent >= 0 ? index.children[data.parent]?.length : undefined,
    "aria-expanded": expanded === undefined ? undefined : String(expanded),
  });
  row.style.top = `${at * ROW}px`;
  if (data)
    row.append(
      nameCell(data, level),
      ...verdictCells(data),
      timeCell(data, startOf(index, timeline.state, span), timeline),
    );
  return row;
}

function nameCell({ name, kind, preview }: PageSpan, level: number): HTMLElement {
  const cell = element(
    "div",
    { class: "name", role: "gridcell", title: preview === "" ? name : `${name}: ${preview}` },
    element("span", { class: "twisty", "aria-hidden": "true" }),
    element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }),
    element("span", { class: "kind" }, `${kind} `),
    element("span", { class: "label" }, name),
    preview === "" ? undefined : element("span", { class: "preview" }, preview),
  );
  cell.style.paddingLeft = `${8 + Math.min(MOST_INDENTED, level - 1) * 15}px`;
  return cell;
}

function verdictCells({ verdict, tone, reason, milliseconds }: PageSpan): HTMLElement[] {
  return [
    element("div", { class: `verdict ${tone}`, role: "gridcell", title: reason || undefined }, verdict),
    element("div", { class: "duration", role: "gridcell" }, formatSpan(milliseconds)),
  ];
}

/** The bar of a span, or an arrow to the side on which it lies outside the range. */
function timeCell({ kind, tone, milliseconds }: PageSpan, start: number, { state: { from, to }, width }: Timeline) {
  const end = start + milliseconds;
  const cell = element("div", { class: "time", role: "gridcell", "aria-label": `starts at ${formatSpan(start)}` });
  if (end < from || start > to) {
    cell.classList.toggle("later", start > to);
    cell.append(element("span", { class: "beyond" }, start > to ? "›" : "‹"));
    return cell;
  }
  const scale = width / (to - from);
  const left = Math.max(0, (start - from) * scale);
  const bar = element("div", { class: `bar ${kind} ${tone}` });
  bar.style.left = `${Math.min(left, width - SHORTEST_BAR)}px`;
  bar.style.width = `${Math.max(SHORTEST_BAR, Math.min(width, (end - from) * scale) - left)}px`;
  cell.append(bar);
  return cell;
}

/** Makes the row of column headings, which ends with the axis. */
export function headRow(axis: HTMLElement): HTMLElement {
  const names = ["Span", "Verdict", "Duration"].map((name) => element("div", { role: "columnheader" }, name));
  return element(
    "div",
    { class: "heads", role: "rowgroup" },
    element("div", { class: "row head", role: "row", "aria-rowindex": 1 }, names, axis),
  );
}
