import { expect, test } from "bun:test";
import { parseSince } from "../../../src/lib/text/parse-since.ts";

const NOW = new Date(2026, 10, 23, 15, 30).getTime();
const HOUR = 3_600_000;

test.each([
  ["90m", NOW - 1.5 * HOUR],
  ["24h", NOW - 24 * HOUR],
  ["7d", NOW - 168 * HOUR],
  ["2w", NOW - 336 * HOUR],
  ["today", new Date(2026, 10, 23).getTime()],
  ["yesterday", new Date(2026, 10, 22).getTime()],
  ["2026-10-31", new Date(2026, 9, 31).getTime()],
  ["2026-11-22T21:00:00Z", Date.UTC(2026, 10, 22, 21)],
  ["2026-11-22T21:00:00.5+01:00", Date.UTC(2026, 10, 22, 20, 0, 0, 500)],
])("%s is a moment", (text, expected) => {
  expect(parseSince(text, NOW)).toBe(expected);
});

test.each([
  "",
  "7",
  "-1d",
  "7x",
  "2026-02-30",
  "2026-13-01",
  "2026-11-22T99:00:00Z",
  "2026-11-22T21:00:00",
  "last week",
])("%p is none", (text) => {
  expect(parseSince(text, NOW)).toBeUndefined();
});

test("yesterday begins at midnight although the clocks changed", () => {
  const at = parseSince("yesterday", NOW) ?? 0;
  expect([new Date(at).getHours(), new Date(at).getMinutes()]).toEqual([0, 0]);
});
