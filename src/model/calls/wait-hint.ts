import { isObject } from "../../lib/json.ts";

/**
 * Returns the delay in milliseconds that a provider asks for: from the headers `retry-after-ms` and `retry-after`,
 * Google's `RetryInfo`, the text of the message, or the headers that give the time of a limit's reset. Undefined
 * without any of them. `body` is the parsed body of the error.
 */
export function readWaitHint(headers: Headers, body: unknown, now: number = Date.now()): number | undefined {
  const error = errorIn(body);
  return (
    readRetryAfter(headers, now) ??
    hintInText(typeof body === "string" ? body : JSON.stringify(error)) ??
    resetTime(headers, now) ??
    resetTime(relayedHeaders(error), now)
  );
}

/** Reads `retry-after-ms` or `retry-after` (seconds or a date), in milliseconds. */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Number(exact));
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const milliseconds = Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** Returns the `error` of a body or of its first item, else the body itself. */
function errorIn(body: unknown): Record<string, unknown> {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return {};
  return isObject(outer["error"]) ? outer["error"] : outer;
}

/** The maximum number of characters of an error that are searched. */
const MAX_SEARCHED = 16_384;

const SPAN = String.raw`((?:\d+(?:\.\d+)?\s?[a-zµ]+\s?)+)`;

/** Wordings of a delay in an error, also inside one that a gateway quotes as text. */
const DELAYS_IN_TEXT: readonly RegExp[] = [
  // google.rpc.RetryInfo
  new RegExp(String.raw`\bretryDelay\W{1,8}${SPAN}`),
  // "try again in 1m12.5s", "retry after 26 seconds", "wait 40 seconds": OpenAI, Groq, Azure, Gemini, GitHub and others
  new RegExp(String.raw`\b(?:(?:try again|retry) (?:in|after)|wait(?: for)?) ${SPAN}`, "i"),
];

function hintInText(text: string): number | undefined {
  const searched = text.slice(0, MAX_SEARCHED);
  const delay = DELAYS_IN_TEXT.map((pattern) => pattern.exec(searched)?.[1]).find((span) => span !== undefined);
  return delay === undefined ? undefined : parseSpan(delay);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `20s`, `6m0s`, `1h 2m`, `26 seconds` or `450ms` to milliseconds; undefined without a unit. */
function parseSpan(text: string): number | undefined {
  let total: number | undefined;
  for (const [, amount, unit = ""] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const name = unit.startsWith("ms") || unit.startsWith("milli") ? "ms" : unit.charAt(0);
    const scale = UNIT_MS[name];
    if (scale === undefined) break;
    total = (total ?? 0) + Number(amount) * scale;
  }
  return total === undefined ? undefined : Math.ceil(total);
}

/** Pairs of headers: the time of a reset, and the amount that remains until then. */
const RESETS: readonly { reset: string; remaining: string }[] = [
  ...["requests", "tokens"].map((kind) => ({
    reset: `x-ratelimit-reset-${kind}`,
    remaining: `x-ratelimit-remaining-${kind}`,
  })),
  ...["requests", "tokens", "input-tokens", "output-tokens"].map((kind) => ({
    reset: `anthropic-ratelimit-${kind}-reset`,
    remaining: `anthropic-ratelimit-${kind}-remaining`,
  })),
  { reset: "x-ratelimit-reset", remaining: "x-ratelimit-remaining" },
  { reset: "ratelimit-reset", remaining: "ratelimit-remaining" },
];

/** All headers that can give a delay, in lower case. */
export const WAIT_HEADERS: readonly string[] = [
  "retry-after-ms",
  "retry-after",
  ...RESETS.flatMap(({ reset, remaining }) => [reset, remaining]),
];

/**
 * Returns the last reset of the used-up limits. If none is known to be used up, any may be: returns the first reset.
 */
function resetTime(headers: Headers, now: number): number | undefined {
  const resets = RESETS.flatMap(({ reset, remaining }) => {
    const time = parseReset(headers.get(reset)?.trim() ?? "", now);
    return time === undefined ? [] : [{ time, isUsedUp: Number(headers.get(remaining) ?? NaN) === 0 }];
  });
  const usedUp = resets.filter(({ isUsedUp }) => isUsedUp).map(({ time }) => time);
  if (usedUp.length > 0) return Math.max(...usedUp);
  return resets.length > 0 ? Math.min(...resets.map(({ time }) => time)) : undefined;
}

/** Larger numbers are points in time since 1970, in seconds or in milliseconds. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** Parses a span (`6m0s`), seconds, a Unix time in seconds or milliseconds, or a date to a delay in milliseconds. */
function parseReset(value: string, now: number): number | undefined {
  if (value === "") return undefined;
  const number = Number(value);
  if (Number.isFinite(number)) {
    if (number > EPOCH_MS) return Math.max(0, number - now);
    if (number > EPOCH_SECONDS) return Math.max(0, number * 1000 - now);
    return Math.max(0, number * 1000);
  }
  if (/^[\d.]+[a-z]/.test(value)) return parseSpan(value);
  const time = Date.parse(value) - now;
  return Number.isNaN(time) ? undefined : Math.max(0, time);
}

/** Returns the headers of the service behind a gateway, which OpenRouter passes on in `metadata.headers`. */
function relayedHeaders(error: Record<string, unknown>): Headers {
  const metadata = error["metadata"];
  const relayed = isObject(metadata) && isObject(metadata["headers"]) ? Object.entries(metadata["headers"]) : [];
  const known = relayed.filter(([name]) =>
    RESETS.some(({ reset, remaining }) => [reset, remaining].includes(name.toLowerCase())),
  );
  return new Headers(known.map(([name, value]) => [name, String(value).replace(/[^\x20-\x7e]/g, "")]));
}
