import { describe, expect, test } from "bun:test";
import { HISTOGRAM_ERROR, Histogram, percentile } from "../../src/lib/percentiles.ts";
import { diceFrom } from "../helpers/dice.ts";

const histogramOf = (values: readonly number[]) => {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
};

describe("percentile", () => {
  test("is the smallest value that enough values do not exceed", () => {
    const values = [15, 20, 35, 40, 50];
    expect([0, 0.05, 0.2, 0.3, 0.4, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([
      15, 15, 15, 20, 20, 35, 50, 50,
    ]);
  });

  test("of one value is that value, of none undefined", () => {
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([], 0.5)).toBeUndefined();
  });
});

describe("Histogram", () => {
  test("is within its error of the exact percentiles, over nine orders of magnitude", () => {
    const roll = diceFrom(13);
    const values = Array.from({ length: 20_000 }, () => 10 ** (roll(9000) / 1000 - 2));
    const histogram = histogramOf(values);
    const sorted = values.toSorted((a, b) => a - b);
    for (const share of [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1]) {
      const exact = percentile(sorted, share) ?? Number.NaN;
      const error = Math.abs((histogram.percentile(share) ?? Number.NaN) / exact - 1);
      expect({ share, close: error <= HISTOGRAM_ERROR + 1e-9 }).toEqual({ share, close: true });
    }
  });

  test("counts, adds up and keeps the ends exactly", () => {
    const histogram = histogramOf([3, 0.5, 123.456]);
    expect([histogram.count, histogram.total, histogram.greatest]).toEqual([3, 126.956, 123.456]);
    expect([histogram.percentile(0), histogram.percentile(1)]).toEqual([0.5, 123.456]);
  });

  test("reports the only value exactly", () => {
    expect(histogramOf([42]).percentile(0.95)).toBe(42);
  });

  test("without values has no figures", () => {
    const histogram = new Histogram();
    expect([histogram.count, histogram.total, histogram.greatest, histogram.percentile(0.5)]).toEqual([
      0,
      0,
      undefined,
      undefined,
    ]);
    expect([...histogram.buckets()]).toEqual([]);
  });

  test("ignores what is no duration, and takes extremes", () => {
    const histogram = histogramOf([Number.NaN, -1, Number.POSITIVE_INFINITY, 0, 1e300]);
    expect([histogram.count, histogram.percentile(0), histogram.greatest]).toEqual([2, 0, 1e300]);
    expect([...histogram.buckets()].length).toBe(2);
  });

  test("has every value in the bucket whose range holds it", () => {
    for (const value of [0.002, 1, 9.99, 10, 10_000]) {
      const [bucket] = histogramOf([value]).buckets();
      expect([value, (bucket?.from ?? 1e9) < value, (bucket?.to ?? 0) >= value * (1 - 1e-12)]).toEqual([
        value,
        true,
        true,
      ]);
    }
  });
});
