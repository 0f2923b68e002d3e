/** What every redaction puts in the place of a secret. */
export const REDACTION_MARK = "[REDACTED]";

/** How many marks a text holds. */
export function countMarks(text: string): number {
  return text.split(REDACTION_MARK).length - 1;
}
