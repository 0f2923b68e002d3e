import { REDACTION_MARK } from "./redaction-mark.ts";

/** A shorter value is no secret, and blanking it would garble every text. */
const SHORTEST_SECRET = 6;

/**
 * Replaces every occurrence of the given values with `[REDACTED]`. The longest goes first: a value that begins like another
 * one would leave the end of the longer one in the text.
 */
export function blankValues(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length)
    .reduce((blanked, value) => blanked.replaceAll(value, REDACTION_MARK), text);
}
