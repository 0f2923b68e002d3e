import { describe, expect, test } from "bun:test";
import { Histogram } from "../../../src/lib/percentiles.ts";
import { plotAxis, plotDurations, scaleOf } from "../../../src/records/stats/duration-plot.ts";

const bucketsOf = (values: readonly number[]) => {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return [...histogram.buckets()];
};

describe("plotDurations", () => {
  const scale = { least: 1, most: 1000, columns: 30 };

  test("places each duration on the logarithmic scale", () => {
    expect(plotDurations(bucketsOf([1.2]), scale, "ascii")).toBe("@");
    expect(plotDurations(bucketsOf([32]), scale, "ascii")).toBe(`${" ".repeat(15)}@`);
    expect(plotDurations(bucketsOf([999]), scale, "ascii")).toBe(`${" ".repeat(29)}@`);
  });

  test("is the higher the more runs took that long, and shows a single one", () => {
    const values = [2, ...Array.from({ length: 50 }, () => 20), ...Array.from({ length: 100 }, () => 200)];
    expect(plotDurations(bucketsOf(values), scale, "blocks")).toBe("   ▁         ▄         █");
    expect(plotDurations(bucketsOf(values), scale, "ascii")).toBe("   .         =         @");
  });

  test("puts durations beyond the scale at its ends", () => {
    const plot = plotDurations(bucketsOf([0, 1e6]), scale, "ascii");
    expect([plot[0], plot[29], plot.length]).toEqual(["@", "@", 30]);
  });
});

describe("scaleOf", () => {
  test.each([
    [[0.3], 0.1, 1],
    [[4, 700], 1, 1000],
    [[0.001, 5], 0.01, 10],
    [[0.001], 0.01, 0.1],
  ])("of %p begins and ends at a power of ten", (values, least, most) => {
    const scale = scaleOf([bucketsOf(values)], 50);
    expect([scale.least, scale.most].map((value) => Number(value.toPrecision(6)))).toEqual([least, most]);
  });
});

describe("plotAxis", () => {
  test.each([60, 30, 12, 8])("fits into %d columns and keeps the first label", (columns) => {
    const axis = plotAxis({ least: 0.1, most: 10_000, columns });
    expect(axis.length).toBeLessThanOrEqual(columns);
    expect(axis).toStartWith("0.1ms");
  });

  test("has each label in the column of its duration, the last one at the end", () => {
    expect(plotAxis({ least: 1, most: 1000, columns: 30 })).toBe("1ms       10ms      100ms   1s");
    expect(plotAxis({ least: 1, most: 1000, columns: 15 })).toBe("1ms  10ms 100ms");
  });

  test("labels every power of ten if there is room", () => {
    expect(plotAxis({ least: 0.1, most: 10_000, columns: 60 }).split(/ +/)).toEqual([
      "0.1ms",
      "1ms",
      "10ms",
      "100ms",
      "1s",
      "10s",
    ]);
  });
});
