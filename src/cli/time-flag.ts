import { UsageError } from "../lib/errors.ts";
import { parseSince, SINCE_FORMS } from "../lib/text/parse-since.ts";

/** Reads a flag that takes a time, to milliseconds since 1970. Throws a {@link UsageError} if the text is not a time. */
export function timeFlag(name: string, text: string, now: number): number {
  const time = parseSince(text, now);
  if (time === undefined) throw new UsageError(`--${name} takes ${SINCE_FORMS}, not ${JSON.stringify(text)}`);
  return time;
}
