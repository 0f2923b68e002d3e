import { REDACTION_MARK } from "./redaction-mark.ts";

/**
 * The search for secrets reads no more than this many characters of a text: it keeps everything else waiting, and a host that
 * waits too long for a denial goes on without it.
 */
const SEARCH_LIMIT = 64 * 1024;

/**
 * Returns the redacted text, of a long one only the start. That has more than `kept` characters, so that cutting it to
 * `kept` removes what stood at its end: a part of a secret there is not recognised. If redaction leaves fewer, the whole
 * text becomes a mark.
 */
export function redactStart(text: string, redact: (text: string) => string, kept: number): string {
  if (text.length <= SEARCH_LIMIT) return redact(text);
  const start = redact(text.slice(0, SEARCH_LIMIT));
  return start.length > kept ? start : REDACTION_MARK;
}
