import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import { RULE_EVENT_NAMES } from "../event-table.ts";
import type { PastEvent, RuleHistory, RulePath } from "../rule.ts";
import { type ConditionOptions, readCondition } from "./read-condition.ts";
import { kindOf, quoted, type Reading, unknownKey, unknownName } from "./reading.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST = 30 * 86_400_000;

/** `since` in `since` and so on. */
const MAX_DEPTH = 8;

/** Reads a window of time: `10m`, at most `30d`. Undefined if it has a mistake, which is reported. */
function readWindow(value: unknown, path: RulePath, reading: Reading): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})([smhd])$/.exec(typeof value === "string" ? value : "") ?? [];
  const time = Number(amount) * (UNITS[unit] ?? 0);
  const message =
    amount === undefined
      ? `expected a time with its unit, s, m, h or d, such as "10m", but got ${quoted(value)}`
      : time === 0
        ? "a time of zero covers no call"
        : time > LONGEST
          ? `${amount}${unit} is too long: at most 30d are kept`
          : undefined;
  if (message === undefined) return time;
  reading.problems.push({ path, message });
  return undefined;
}

/** Reads a description of a call in the past, or a list of them. */
export function readPastEvents(
  value: unknown,
  path: RulePath,
  reading: Reading,
  options: ConditionOptions,
): PastEvent[] | undefined {
  if (!Array.isArray(value)) {
    const only = readPastEvent(value, path, reading, options, 0);
    return only && [only];
  }
  if (value.length === 0) reading.problems.push({ path, message: "expected a mapping of facts but got an empty list" });
  const events = value.map((item, index) => readPastEvent(item, [...path, index], reading, options, 0));
  return events.length > 0 && events.every((event) => event !== undefined) ? events : undefined;
}

function readPastEvent(
  value: unknown,
  path: RulePath,
  reading: Reading,
  options: ConditionOptions,
  depth: number,
): PastEvent | undefined {
  if (!isObject(value) || Object.keys(value).length === 0 || depth > MAX_DEPTH) {
    const message =
      depth > MAX_DEPTH ? "since stands too deep in since" : `expected a mapping of facts but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return undefined;
  }
  const before = reading.problems.length;
  const { ok, within, since, event, ...facts } = value;
  const on = event === undefined ? undefined : readEvent(event, [...path, "event"], reading);
  const past: PastEvent = { when: undefined, event: on ?? "tool calls", written: flow(value) };
  if ("ok" in value) {
    if (typeof ok === "boolean") past.ok = ok;
    else reading.problems.push({ path: [...path, "ok"], message: `expected true or false but got ${kindOf(ok)}` });
    if (on !== undefined && !CALLS.includes(on)) {
      reading.problems.push({ path: [...path, "ok"], at: "key", message: `${on} has no outcome` });
    }
  }
  if ("within" in value) {
    const time = readWindow(within, [...path, "within"], reading);
    if (time !== undefined) past.within = time;
  }
  if ("since" in value) {
    const start = readPastEvent(since, [...path, "since"], reading, options, depth + 1);
    if (start) past.since = start;
  }
  if (Object.keys(facts).length > 0) {
    past.when = readCondition(facts, path, reading, { ...options, on: [on ?? "pre_tool_use"] });
  }
  return reading.problems.length === before ? past : undefined;
}

const CALLS: readonly EventName[] = ["pre_tool_use", "permission_request", "post_tool_use"];

function readEvent(value: unknown, path: RulePath, reading: Reading): EventName | undefined {
  const event = RULE_EVENT_NAMES.find((name) => name === value);
  if (event === undefined) {
    const message =
      typeof value === "string"
        ? unknownName("event", value, RULE_EVENT_NAMES)
        : `expected an event but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
  }
  return event;
}

/** A value in one line, as YAML would have it, without the outermost braces. */
function flow(value: Record<string, unknown>): string {
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${flowValue(inner)}`)
    .join(", ");
}

function flowValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowValue).join(", ")}]`;
  return isObject(value) ? `{${flow(value)}}` : String(value);
}

/** Reads `more_than: { n, per, same_call }`. */
export function readMoreThan(value: unknown, path: RulePath, reading: Reading): RuleHistory["moreThan"] {
  if (!isObject(value)) {
    const message = `expected a mapping, such as {n: 20, per: 10m}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return undefined;
  }
  const others = {
    count: "n",
    times: "n",
    max: "n",
    calls: "n",
    within: "per",
    since: "per",
    window: "per",
    in: "per",
  };
  return readCount(value, "n", ["n", "per", "same_call"], others, path, reading);
}

/** Reads `same_call: { more_than, per }`. */
export function readSameCall(value: unknown, path: RulePath, reading: Reading): RuleHistory["moreThan"] {
  if (!isObject(value)) {
    const message = `expected a mapping, such as {more_than: 5, per: 10m}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return undefined;
  }
  const others = { n: "more_than", count: "more_than", within: "per", in: "per" };
  const count = readCount(value, "more_than", ["more_than", "per"], others, path, reading);
  return count && { ...count, sameCall: true };
}

function readCount(
  value: Record<string, unknown>,
  number: string,
  keys: readonly string[],
  others: Readonly<Record<string, string>>,
  path: RulePath,
  reading: Reading,
): RuleHistory["moreThan"] {
  const before = reading.problems.length;
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) unknownKey(reading, path, key, unknownName("key", key, keys, others));
  }
  const n = value[number];
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 0) {
    const message = `${number} must be a whole number of 0 or more, but is ${number in value ? quoted(n) : "missing"}`;
    reading.problems.push({ path: number in value ? [...path, number] : path, message });
  }
  const per = "per" in value ? readWindow(value["per"], [...path, "per"], reading) : undefined;
  const same = keys.includes("same_call") ? value["same_call"] : undefined;
  if (same !== undefined && typeof same !== "boolean") {
    reading.problems.push({ path: [...path, "same_call"], message: `expected true or false but got ${kindOf(same)}` });
  }
  if (reading.problems.length > before) return undefined;
  return {
    n: Number(n),
    ...(per === undefined ? {} : { per, perText: String(value["per"]) }),
    sameCall: same === true,
  };
}
