const UNITS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Rounds milliseconds to two decimals, for JSON and the audit log. */
export function roundedMilliseconds(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

/** Formats milliseconds in Go's notation: `500ms`, `15s`, `1m0s`, `1h0m0s`; 0 is `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds <= 0) return "0s";
  if (milliseconds < 1000) return `${trimNumber(milliseconds)}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const seconds = trimNumber((milliseconds % 60_000) / 1000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** Formats a measured duration with three digits or fewer: `0.31ms`, `4.2ms`, `127ms`, `1.5s`, `2m5s`. */
export function shortDuration(milliseconds: number): string {
  if (milliseconds >= 60_000) return formatDuration(Math.round(milliseconds / 1000) * 1000);
  const [value, unit] = milliseconds < 999.5 ? [milliseconds, "ms"] : [milliseconds / 1000, "s"];
  return `${Number(value.toPrecision(value < 0.1 ? 2 : 3))}${unit}`;
}

/** Formats a duration for people, rounded: `12 s`, `3 min`, `2 h`, `3 d`; at least `1 s`. */
export function roundedDuration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/**
 * Parses a duration in Go's notation (`90s`, `1m30s`, `250ms`) or a whole number of seconds (`60`) to milliseconds. An
 * empty text is 0. Undefined for any other text.
 */
export function parseDuration(text: string): number | undefined {
  if (text === "") return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^(\d{1,9}(\.\d{1,9})?(ns|us|µs|μs|ms|s|m|h)){1,6}$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  }
  return total;
}

function trimNumber(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
