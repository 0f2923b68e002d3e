import { isObject } from "../lib/json.ts";

/** The lengths to which texts are cut, one after the other, until a value is short enough. */
const TEXT_LENGTHS = [16_384, 4096, 1024, 256, 64];

/**
 * Returns a value as JSON text without its secrets, with at most `limit` UTF-16 units. A longer one loses the ends of
 * its texts, then the first items of its lists, then everything. Redacts before it cuts, because half a secret is not
 * recognised. Never throws: a value that cannot be written becomes `null`.
 */
export function boundedJson(value: unknown, redact: (text: string) => string, limit: number): string {
  const whole = written(value);
  const isLong = whole.length > SEARCH_LIMIT;
  const text = redact(isLong ? longJson(value) : whole);
  if (text.length <= limit && !isLong) return text;
  const redacted = parsed(text);
  for (const length of TEXT_LENGTHS) {
    const shorter = written(withShortTexts(redacted, length));
    if (shorter.length <= limit) return shorter;
  }
  return lastItems(withShortTexts(redacted, 64), limit);
}

/** Limits the search for secrets, which delays verdicts; in UTF-16 units. */
const SEARCH_LIMIT = 256 * 1024;
/** Longer than any text is in the end: what is cut here may be a part of a secret, and goes with the second cut. */
const SEARCHED_TEXT = 4 * (TEXT_LENGTHS[0] ?? 0);

/** The JSON text of a value that is too long to be searched: with long texts cut, and of a list only the last items. */
function longJson(value: unknown): string {
  const shorter = withShortTexts(value, SEARCHED_TEXT);
  const text = written(shorter);
  return text.length <= SEARCH_LIMIT ? text : lastItems(shorter, SEARCH_LIMIT);
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null"; // a cycle or a big integer, which no payload read from JSON holds
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withShortTexts(value: unknown, length: number): unknown {
  if (typeof value === "string") {
    return value.length <= length ? value : `${value.slice(0, length)} [... ${value.length - length} characters cut]`;
  }
  if (Array.isArray(value)) return value.map((item) => withShortTexts(item, length));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, length)]));
}

/** The newest items of a list that fit, because the last messages say most; `null` for any other value. */
function lastItems(value: unknown, limit: number): string {
  if (!Array.isArray(value)) return "null";
  const kept: string[] = [];
  let left = limit - 2;
  for (const item of value.toReversed()) {
    const text = written(item);
    left -= text.length + 1;
    if (left < 0) break;
    kept.unshift(text);
  }
  return `[${kept.join(",")}]`;
}
