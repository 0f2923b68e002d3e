import type { SpanNode } from "./span-tree.ts";

/** A range of time that several trees share, in milliseconds since 1970. */
export interface Clock {
  start: number;
  end: number;
}

/** Trees of a session that are closer together share a clock, so that they are drawn on one scale. In milliseconds. */
const LONGEST_PAUSE = 1000;

/**
 * Gives each tree the clock on whose scale it is drawn. A run begins and ends with trees of their own, such as that of
 * `session_start`, which belong on its scale; the dispatches for another agent may be hours apart, and do not.
 */
export function clocksOf(roots: readonly SpanNode[]): Map<SpanNode, Clock> {
  const clocks = new Map<SpanNode, Clock>();
  const current = new Map<string, Clock>();
  for (const root of roots) {
    const end = root.start + root.milliseconds;
    const open = current.get(root.session);
    const isNear = open !== undefined && root.session !== "" && root.start - open.end <= LONGEST_PAUSE;
    const clock = isNear ? open : { start: root.start, end };
    clock.end = Math.max(clock.end, end);
    current.set(root.session, clock);
    clocks.set(root, clock);
  }
  return clocks;
}
