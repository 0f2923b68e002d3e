import type { HostEvent } from "../../dialects/dialect.ts";
import type { HostFiles, HostTimeout } from "../../dialects/host-file.ts";
import type { HostRules } from "../../dialects/translate/host-rules.ts";

/** What the timeout of a hook depends on. */
export interface TimeoutContext {
  files: HostFiles;
  rules: HostRules;
  /** The event in the host's spelling, and its row. */
  event: string;
  row: HostEvent;
}

/** The default timeout of a hook of hooksh, in seconds. */
const OWN_DEFAULT = 60;

/** Seconds from this number on probably mean milliseconds; milliseconds below this number probably mean seconds. */
const SUSPICIOUS = { s: 1000, ms: 100 };

/** Converts the timeout of a host's hook to whole seconds; undefined if that is hooksh's default. */
export function timeoutOf(
  entry: Readonly<Record<string, unknown>>,
  context: TimeoutContext,
): { seconds?: number; losses: string[] } {
  const { files, rules } = context;
  const keys = [files.timeout.key, ...(rules.timeoutKeys ?? [])].filter((key) => key !== undefined);
  const key = keys.find((name) => entry[name] !== undefined && entry[name] !== null);
  if (key === undefined) return { ...written(defaultSeconds(context)), losses: [] };
  const value = entry[key];
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    const fallback = defaultSeconds(context) ?? OWN_DEFAULT;
    return {
      ...written(fallback),
      losses: [`${key} ${JSON.stringify(value)} is not a number: ${fallback} s are used`],
    };
  }
  if (value === 0 && rules.zeroTimeout) {
    const { seconds, means } = rules.zeroTimeout;
    return { ...written(seconds), losses: [`${key} 0 becomes ${seconds} s: ${means}`] };
  }
  return convert(key, value, files.timeout, rules);
}

function convert(
  key: string,
  value: number,
  { unit }: HostTimeout,
  { millisecondsFrom }: HostRules,
): { seconds?: number; losses: string[] } {
  const isMilliseconds = unit === "ms" || (millisecondsFrom !== undefined && value >= millisecondsFrom);
  const exact = isMilliseconds ? value / 1000 : value;
  const seconds = Math.max(1, Math.ceil(exact));
  const losses = seconds === exact ? [] : [`${key} ${value} becomes ${seconds} s: hooksh counts whole seconds`];
  if (unit === "s" && millisecondsFrom === undefined && value >= SUSPICIOUS.s)
    losses.push(`${key} ${value} means ${value} s here: were milliseconds meant?`);
  if (unit === "ms" && value < SUSPICIOUS.ms)
    losses.push(`${key} ${value} means ${value} ms here: were seconds meant?`);
  return { ...written(seconds), losses };
}

/** How long the host waits for a hook without a timeout; undefined if that is also hooksh's default. */
export function defaultSeconds({ files: { timeout }, rules, event, row }: TimeoutContext): number | undefined {
  const isFixed = timeout.fixed !== undefined && Object.hasOwn(timeout.fixed, event);
  return isFixed || rules.untimed ? undefined : (row.timeoutSeconds ?? timeout.defaultSeconds);
}

function written(seconds: number | undefined): { seconds?: number } {
  return seconds === undefined || seconds === OWN_DEFAULT ? {} : { seconds: Math.ceil(seconds) };
}
