import type { PageState } from "./page-state.ts";
import type { SpanIndex } from "./span-index.ts";

/** The narrowest range, in milliseconds: clocks do not tell shorter times apart. */
const NARROWEST = 0.001;

/** The time of a span on the axis, in milliseconds. */
export function startOf({ spans }: SpanIndex, { aligned }: Pick<PageState, "aligned">, span: number): number {
  const { start = 0, clock = 0 } = spans[span] ?? {};
  return aligned ? start - clock : start;
}

/** The end of the last span on the axis; at least {@link NARROWEST}. */
export function endOfAll(index: SpanIndex, state: Pick<PageState, "aligned">): number {
  let end = NARROWEST;
  for (const [at, { milliseconds }] of index.spans.entries())
    end = Math.max(end, startOf(index, state, at) + milliseconds);
  return end;
}

/** The range that shows everything between two times, kept inside the trace. */
export function rangeBetween(from: number, to: number, end: number): { from: number; to: number } {
  const width = Math.min(end, Math.max(NARROWEST, to - from));
  const start = Math.min(Math.max(0, from), end - width);
  return { from: start, to: start + width };
}

/** The range after zooming: `factor` below 1 zooms in; the time at `anchor`, from 0 to 1, keeps its place. */
export function zoomed({ from, to }: PageState, factor: number, anchor: number, end: number) {
  const fixed = from + (to - from) * anchor;
  const width = Math.max(NARROWEST, (to - from) * factor);
  return rangeBetween(fixed - width * anchor, fixed + width * (1 - anchor), end);
}
