import type { SpanKind } from "./page-data.ts";
import type { SpanIndex } from "./span-index.ts";

/** What the user has chosen on the page. */
export interface PageState {
  query: string;
  /** Only these kinds; empty for all. */
  kinds: Set<SpanKind>;
  /** Only these verdicts; empty for all. */
  verdicts: Set<string>;
  /** The spans whose children are hidden; a filter has a list of its own, empty at first. */
  collapsed: Set<number>;
  collapsedInFilter: Set<number>;
  selected: number;
  /** The times that the waterfall shows, in milliseconds. */
  from: number;
  to: number;
  /** Every clock starts at 0, instead of at its time after the first span of all. */
  aligned: boolean;
}

/** A row of the waterfall. */
export interface Row {
  span: number;
  /** Undefined if it has no children in the waterfall. */
  expanded: boolean | undefined;
  /** It is only there because a span below it matches. */
  context: boolean;
}

export function initialState(): PageState {
  return {
    query: "",
    kinds: new Set(),
    verdicts: new Set(),
    collapsed: new Set(),
    collapsedInFilter: new Set(),
    selected: 0,
    from: 0,
    to: 1,
    aligned: true,
  };
}

function isFiltering({ query, kinds, verdicts }: PageState): boolean {
  return query.trim() !== "" || kinds.size > 0 || verdicts.size > 0;
}

/** The list of collapsed spans that counts now. */
export function collapsedOf(state: PageState): Set<number> {
  return isFiltering(state) ? state.collapsedInFilter : state.collapsed;
}

/** Hides the children of every span, or shows them. */
export function collapseAll(index: SpanIndex, state: PageState, isCollapsed: boolean): void {
  const collapsed = collapsedOf(state);
  collapsed.clear();
  if (!isCollapsed) return;
  for (const [span, children] of index.children.entries()) if (children.length > 0) collapsed.add(span);
}

/** The rows to show, from top to bottom, and how many of them match. */
export function rowsOf(index: SpanIndex, state: PageState): { rows: Row[]; matches: number } {
  const matching = isFiltering(state) ? matchesOf(index, state) : undefined;
  const within = matching && withAncestors(index, matching);
  const collapsed = collapsedOf(state);
  const rows: Row[] = [];
  const hidden = new Set<number>();
  for (const [span, { parent }] of index.spans.entries()) {
    if (within && !within.has(span)) continue;
    if (hidden.has(parent)) {
      hidden.add(span);
      continue;
    }
    if (collapsed.has(span)) hidden.add(span);
    const hasChildren = (index.children[span] ?? []).some((child) => !within || within.has(child));
    rows.push({
      span,
      expanded: hasChildren ? !collapsed.has(span) : undefined,
      context: matching !== undefined && !matching.has(span),
    });
  }
  return { rows, matches: matching ? matching.size : index.spans.length };
}

function matchesOf(index: SpanIndex, { query, kinds, verdicts }: PageState): Set<number> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = new Set<number>();
  for (const [at, { kind, verdict }] of index.spans.entries()) {
    if (kinds.size > 0 && !kinds.has(kind)) continue;
    if (verdicts.size > 0 && !verdicts.has(verdict)) continue;
    if (words.length === 0 || words.every((word) => index.text(at).includes(word))) matches.add(at);
  }
  return matches;
}

function withAncestors({ spans }: SpanIndex, matches: ReadonlySet<number>): Set<number> {
  const within = new Set<number>();
  for (const match of matches)
    for (let at = match; at >= 0 && !within.has(at); at = spans[at]?.parent ?? -1) within.add(at);
  return within;
}
