import { expect, test } from "bun:test";
import { formatSpan, formatTick, ticksBetween } from "../../../src/records/trace/format-time.ts";

test.each([
  [0, "0"],
  [0.0004, "0.4 µs"],
  [0.25, "250 µs"],
  [1, "1 ms"],
  [12.345, "12.3 ms"],
  [999.4, "999 ms"],
  [999.6, "1 s"],
  [59_960, "1 min"],
  [90_000, "1.5 min"],
  [7_200_000, "2 h"],
])("%d ms is %s", (milliseconds, text) => {
  expect(formatSpan(milliseconds)).toBe(text);
});

test.each([
  [0, 10, 5, [0, 2, 4, 6, 8, 10]],
  [3, 7, 4, [3, 4, 5, 6, 7]],
  [0, 5000, 6, [0, 1000, 2000, 3000, 4000, 5000]],
  [0.1, 0.4, 3, [0.1, 0.2, 0.3, 0.4]],
  [5, 5, 3, []],
])("ticks between %d and %d", (from, to, count, ticks) => {
  const found = ticksBetween(from, to, count);
  expect(found).toHaveLength(ticks.length);
  ticks.forEach((tick, at) => expect(found[at]).toBeCloseTo(tick, 9));
});

test("ticks that are close together have enough digits to differ", () => {
  const ticks = ticksBetween(1234.5, 1234.52, 4);
  expect(ticks.map((tick) => formatTick(tick, 0.005))).toEqual([
    "1.2345 s",
    "1.234505 s",
    "1.23451 s",
    "1.234515 s",
    "1.23452 s",
  ]);
});
