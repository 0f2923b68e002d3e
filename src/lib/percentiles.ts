/**
 * The percentile of sorted values by nearest rank: the smallest value that at least `share` of all values do not
 * exceed. It is always one of the values. `share` is from 0 to 1; undefined if there are no values.
 */
export function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[rankOf(share, sorted.length) - 1];
}

/** The nearest rank, from 1 to `count`. */
function rankOf(share: number, count: number): number {
  return Math.min(count, Math.max(1, Math.ceil(share * count)));
}

/** How far a percentile of a {@link Histogram} may be from the exact one, as a share of it. */
export const HISTOGRAM_ERROR = 0.01;

/** Each bucket ends at its start times this, so that its middle is within {@link HISTOGRAM_ERROR} of every value. */
const RATIO = (1 + HISTOGRAM_ERROR) / (1 - HISTOGRAM_ERROR);
const LOG_RATIO = Math.log(RATIO);

/** The range that buckets cover; values outside count as its ends. The range is that of milliseconds: 1 µs to 30 years. */
const LEAST = 1e-3;
const MOST = 1e12;

const BUCKETS = Math.ceil(Math.log(MOST / LEAST) / LOG_RATIO) + 1;

/** The number of values in a range: more than `from`, at most `to`. */
export interface Bucket {
  from: number;
  to: number;
  count: number;
}

/**
 * Counts any number of values in buckets of equal ratio, in at most 14 KB of memory. Count, total and greatest value
 * are exact; a percentile is within 1 % of the exact one. The method is that of DDSketch
 * (https://arxiv.org/abs/1908.10693).
 */
export class Histogram {
  /** Grows with the greatest value. */
  #counts: number[] = [];
  #count = 0;
  #total = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  /** Adds a value. Ignores one that is not a finite number of at least 0. */
  add(value: number): void {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) return;
    const at = bucketOf(value);
    while (this.#counts.length <= at) this.#counts.push(0);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count++;
    this.#total += value;
    if (value < this.#least) this.#least = value;
    if (value > this.#greatest) this.#greatest = value;
  }

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.#total;
  }

  /** The greatest value; undefined if there is none. */
  get greatest(): number | undefined {
    return this.#count === 0 ? undefined : this.#greatest;
  }

  /** The percentile, as {@link percentile} defines it, to within 1 %; undefined if there are no values. */
  percentile(share: number): number | undefined {
    if (this.#count === 0) return undefined;
    const rank = rankOf(share, this.#count);
    let seen = 0;
    const at = this.#counts.findIndex((count) => (seen += count) >= rank);
    const middle = at === 0 ? 0 : (2 * endOf(at)) / (RATIO + 1);
    return Math.min(this.#greatest, Math.max(this.#least, middle));
  }

  /** The buckets that hold values, in ascending order. */
  *buckets(): Generator<Bucket> {
    for (const [at, count] of this.#counts.entries())
      if (count > 0) yield { from: at === 0 ? 0 : endOf(at - 1), to: endOf(at), count };
  }
}

function bucketOf(value: number): number {
  if (value <= LEAST) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(value / LEAST) / LOG_RATIO));
}

function endOf(bucket: number): number {
  return LEAST * RATIO ** bucket;
}
