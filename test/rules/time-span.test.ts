import { describe, expect, test } from "bun:test";
import { isInSpan, parseTimeSpan } from "../../src/rules/time-span.ts";

/** True if a moment in UTC, such as `5 12:30` of January 2026, is in a span. Monday is the 5th. */
function isIn(text: string, moment: string): boolean {
  const span = parseTimeSpan(`TZ=UTC ${text}`);
  if (typeof span === "string") throw new Error(span);
  const [, day, hour, minute] = /(\d+) (\d+):(\d+)/.exec(moment) ?? [];
  return isInSpan(span, Date.UTC(2026, 0, Number(day), Number(hour), Number(minute)));
}

describe("a span of time", () => {
  test.each([
    ["09:00-18:00", "5 09:00", true],
    ["09:00-18:00", "5 18:00", false],
    ["22:00-06:00", "5 23:00", true],
    ["22:00-06:00", "5 05:59", true],
    ["22:00-06:00", "5 12:00", false],
    ["00:00-24:00", "5 23:59", true],
    ["sat,sun", "4 12:00", true],
    ["sat,sun", "5 12:00", false],
    ["mon-fri 09:00-18:00", "9 17:00", true],
    ["mon-fri 09:00-18:00", "10 17:00", false],
    ["fri-mon", "4 00:00", true],
    ["fri-mon", "6 00:00", false],
    ["fri 22:00-06:00", "10 05:00", true],
    ["fri 22:00-06:00", "9 05:00", false],
    ["MON", "5 00:00", true],
  ])("%s at %s: %p", (text, moment, expected) => {
    expect(isIn(text, moment)).toBe(expected);
  });

  test("in another zone, and in that of the machine", () => {
    const noon = Date.UTC(2026, 0, 5, 12, 0);
    const at = (text: string) => {
      const span = parseTimeSpan(text);
      return typeof span !== "string" && isInSpan(span, noon);
    };
    expect(at("TZ=Europe/Berlin 13:00-13:01")).toBe(true);
    expect(at("TZ=Asia/Tokyo mon 21:00-22:00")).toBe(true);
    const local = new Date(noon);
    const hours = `${local.getHours()}:00-${local.getHours() + 1}:00`;
    expect(at(hours)).toBe(true);
  });

  test.each([
    "",
    "x",
    "25:00-26:00",
    "10:60-11:00",
    "10:00",
    "10:00-11:00-12:00",
    "mon 10:00-11:00 x",
    "mon-",
    "10:00-10:00",
    "24:00-06:00",
    "TZ=Nowhere/Land 10:00-11:00",
    "TZ= mon",
    "moon",
  ])("%j is none", (text) => {
    expect(typeof parseTimeSpan(text)).toBe("string");
  });
});
