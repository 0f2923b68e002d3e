import type { Bucket } from "../../lib/percentiles.ts";

/** Eight heights, from one run to the most frequent duration of a row. */
const HEIGHTS = { blocks: "▁▂▃▄▅▆▇█", ascii: ".:-=+*#@" } as const;

/** The characters of a plot: block elements, or plain ASCII for terminals without them. */
export type PlotStyle = keyof typeof HEIGHTS;

/** A logarithmic scale from `least` to `most` milliseconds over a number of columns. */
export interface LogScale {
  least: number;
  most: number;
  columns: number;
}

/** Returns a scale on which the durations fit. It begins and ends at a power of ten. */
export function scaleOf(rows: readonly (readonly Bucket[])[], columns: number): LogScale {
  const buckets = rows.flat();
  // Durations are recorded to a hundredth of a millisecond.
  const least = Math.min(...buckets.map(({ from, to }) => Math.max(0.01, Math.sqrt(from * to))));
  const most = Math.max(...buckets.map(({ to }) => Math.max(0.01, to)));
  const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  return { least: 10 ** from, most: 10 ** Math.max(to, from + 1), columns };
}

function columnOf(milliseconds: number, { least, most, columns }: LogScale): number {
  const share = Math.log(milliseconds / least) / Math.log(most / least);
  return Math.min(columns - 1, Math.max(0, Math.floor(share * columns)));
}

/** Draws the distribution of durations as one line: the higher a character, the more runs took about that long. */
export function plotDurations(buckets: readonly Bucket[], scale: LogScale, style: PlotStyle): string {
  const counts = Array.from({ length: scale.columns }, () => 0);
  for (const { from, to, count } of buckets) {
    const column = columnOf(Math.sqrt(from * to), scale);
    counts[column] = (counts[column] ?? 0) + count;
  }
  const most = Math.max(...counts);
  const heights = HEIGHTS[style];
  return counts
    .map((count) => heights[Math.ceil((count / most) * heights.length) - 1] ?? " ") // a blank for 0
    .join("")
    .trimEnd();
}

/** Labels the powers of ten below a plot; labels for which there is no room are left out. */
export function plotAxis({ least, most, columns }: LogScale): string {
  const [from, to] = [Math.round(Math.log10(least)), Math.round(Math.log10(most))];
  let axis = "";
  for (let power = from; power <= to; power++) {
    const label = power < 3 ? `${Number((10 ** power).toFixed(3))}ms` : `${10 ** (power - 3)}s`;
    const column = Math.min(columns - label.length, Math.floor((columns * (power - from)) / (to - from)));
    if (power === from || column > axis.length) axis = axis.padEnd(column) + label;
  }
  return axis;
}
