import { parseDuration } from "./duration.ts";

/** The forms that {@link parseSince} takes, for messages. */
export const SINCE_FORMS = "a duration (90m, 24h, 7d, 2w), today, yesterday, a date (2026-11-22) or a time in RFC 3339";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS: Readonly<Record<string, number>> = { d: 1, w: 7 };

/**
 * Returns the moment that a text names, in milliseconds since 1970; undefined if it is in no form of
 * {@link SINCE_FORMS}. A duration counts back from `now`; days begin at midnight, local time.
 */
export function parseSince(text: string, now: number): number | undefined {
  if (text === "today") return startOfDay(now, 0);
  if (text === "yesterday") return startOfDay(now, -1);
  const [, amount, unit = ""] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (DAYS[unit] ?? 0) * DAY_MS;
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year !== undefined) return localMidnight(Number(year), Number(month), Number(day));
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : time;
  }
  const duration = /[a-z]$/.test(text) ? parseDuration(text) : undefined;
  return duration === undefined ? undefined : now - duration;
}

function startOfDay(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}

/** Undefined for a day that the month does not have, such as 30 February. */
function localMidnight(year: number, month: number, day: number): number | undefined {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : undefined;
}
