import type { HookFigures } from "./stats-report.ts";

const ORDERS = {
  p95: ({ p95_ms }: HookFigures) => p95_ms,
  p50: ({ p50_ms }: HookFigures) => p50_ms,
  max: ({ max_ms }: HookFigures) => max_ms,
  total: ({ total_ms }: HookFigures) => total_ms,
  runs: ({ runs }: HookFigures) => runs,
  failed: ({ failed }: HookFigures) => failed,
  blocked: ({ blocked }: HookFigures) => blocked,
  name: () => 0,
} as const;

export type SortKey = keyof typeof ORDERS;

export const SORT_KEYS = Object.keys(ORDERS) as readonly SortKey[];

/** Sorts figures by a key, the largest first, and equal ones by name and event. */
export function sortFigures(figures: readonly HookFigures[], key: SortKey): HookFigures[] {
  const order = ORDERS[key];
  const text = ({ hook, event, source }: HookFigures) => [hook, event, source].join("\0");
  return figures.toSorted((a, b) => order(b) - order(a) || (text(a) < text(b) ? -1 : 1));
}
