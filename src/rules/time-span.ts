import { once } from "../lib/once.ts";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Hours of some days of the week, in a time zone. */
export interface TimeSpan {
  /** The days on which it begins: 0 is Sunday. */
  days: readonly number[];
  /** Minutes since midnight; an end at or before the start is on the next day. */
  start: number;
  end: number;
  /** Undefined for the zone of the machine. */
  zone: string | undefined;
}

/** Reads `22:00-06:00`, `sat,sun`, `mon-fri 09:00-18:00`, `TZ=Europe/Berlin ...`. A text says what is wrong. */
export function parseTimeSpan(text: string): TimeSpan | string {
  const words = text.trim().split(/\s+/);
  let zone: string | undefined;
  if (words[0]?.startsWith("TZ=")) {
    zone = words.shift()?.slice(3) ?? "";
    if (!isZone(zone)) return `unknown time zone ${JSON.stringify(zone)}`;
  }
  const hours = /^\d/.test(words.at(-1) ?? "") ? words.pop() : undefined;
  const [list, ...rest] = words;
  if (rest.length > 0 || (list === undefined && hours === undefined)) return EXPECTED;
  const days = list === undefined ? [0, 1, 2, 3, 4, 5, 6] : parseDays(list);
  if (typeof days === "string") return days;
  const [start, end] = hours === undefined ? [0, 1440] : hours.split("-").map(parseMinutes);
  if (start === undefined || end === undefined || start === 1440 || (hours?.split("-").length ?? 2) !== 2)
    return EXPECTED;
  if (start === end) return `${hours} is no time: write "00:00-24:00" for the whole day`;
  return { days, start, end, zone };
}

const EXPECTED = 'expected hours, days or both: "22:00-06:00", "sat,sun", "mon-fri 09:00-18:00"';

function parseDays(list: string): number[] | string {
  const days = new Set<number>();
  for (const part of list.toLowerCase().split(",")) {
    const [first = -1, last = first, ...more] = part.split("-").map((name) => DAYS.indexOf(name));
    if (first < 0 || last < 0 || more.length > 0) return EXPECTED;
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === last) break;
    }
  }
  return [...days];
}

function parseMinutes(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59) return undefined;
  const total = Number(hours) * 60 + Number(minutes);
  return total <= 1440 ? total : undefined;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

const ENGLISH = once(() => new Map<string, Intl.DateTimeFormat>());

/** The day of the week and the minutes since midnight of a moment in a time zone. */
function clockIn(now: number, zone: string | undefined): { day: number; minutes: number } {
  const date = new Date(now);
  if (zone === undefined) return { day: date.getDay(), minutes: date.getHours() * 60 + date.getMinutes() };
  let format = ENGLISH().get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    ENGLISH().set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
  return {
    day: DAYS.indexOf((parts["weekday"] ?? "").toLowerCase()),
    minutes: Number(parts["hour"]) * 60 + Number(parts["minute"]),
  };
}

/** True if a moment is in the span. What goes over midnight belongs to the day on which it begins. */
export function isInSpan({ days, start, end, zone }: TimeSpan, now: number): boolean {
  const { day, minutes } = clockIn(now, zone);
  if (start < end) return days.includes(day) && minutes >= start && minutes < end;
  return (days.includes(day) && minutes >= start) || (days.includes((day + 6) % 7) && minutes < end);
}
