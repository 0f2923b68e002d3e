import { REDACTION_MARK } from "./redaction-mark.ts";

/** A shorter value is hardly a secret, and replacing it would garble ordinary text. */
const SHORTEST_SECRET = 6;

/**
 * Replaces every occurrence of the given values with `[REDACTED]`, the longest value first: if one value is the
 * beginning of another, replacing it first would leave the end of the longer one in the text.
 */
export function blankValues(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((blanked, value) => blanked.replaceAll(value, REDACTION_MARK), text);
}
