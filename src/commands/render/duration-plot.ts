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

/** Returns the column in which a duration belongs. */
function columnOf(milliseconds: number, { least, most, columns }: LogScale): number {
  const share = Math.log(Math.max(milliseconds, least) / least) / Math.log(most / least);
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
    .map((count) => (count === 0 ? " " : (heights[Math.ceil((count / most) * heights.length) - 1] ?? " ")))
    .join("")
    .trimEnd();
}

/** Labels the powers of ten below a plot; labels for which there is no room are left out. */
export function plotAxis(scale: LogScale): string {
  let axis = "";
  for (let value = scale.least; value <= scale.most * 1.001; value *= 10) {
    const label = value >= 1000 ? `${Math.round(value / 1000)}s` : `${Number(value.toPrecision(1))}ms`;
    const column = value >= scale.most * 0.999 ? scale.columns - label.length : columnOf(value * 1.0001, scale);
    if (axis === "" ? column === 0 : column > axis.length) axis = axis.padEnd(column) + label;
  }
  return axis.slice(0, scale.columns);
}
