/** The units of a duration with their size in milliseconds, largest first. */
const UNITS = [
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
  ["µs", 0.001],
] as const;

/** Formats a duration with three significant digits in the unit that fits: `12.4 s`, `1.05 ms`, `250 µs`; `0` for 0. */
export function formatSpan(milliseconds: number): string {
  if (!(milliseconds > 0)) return "0";
  // 999.9 ms is 1 s: the unit is chosen after rounding.
  const rounded = Number(milliseconds.toPrecision(3));
  const [unit, size] = UNITS.find(([, least]) => rounded >= least) ?? (["µs", 0.001] as const);
  return `${Number((rounded / size).toPrecision(3))} ${unit}`;
}

/**
 * Returns round points of time in a range, about as many as asked for, at distances of 1, 2 or 5 times a power of ten.
 * `from`, `to` and the result are in milliseconds.
 */
export function ticksBetween(from: number, to: number, count: number): number[] {
  const range = to - from;
  if (!(range > 0) || count < 1) return [];
  // A little less, so that an exact distance does not count as too short.
  const raw = (range / count) * (1 - 1e-9);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_none, index) => (first + index) * step);
}

/** Formats a point of time with as many digits as ticks at this distance need to differ: `1.5 s`, `0`. */
export function formatTick(milliseconds: number, distance: number): string {
  if (milliseconds === 0) return "0";
  const [unit, size] = UNITS.find(([, least]) => Math.abs(milliseconds) >= least) ?? (["µs", 0.001] as const);
  const digits = Math.max(0, Math.ceil(-Math.log10(distance / size) - 1e-9));
  return `${Number((milliseconds / size).toFixed(Math.min(digits, 9)))} ${unit}`;
}
