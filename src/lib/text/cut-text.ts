/** Returns the longest beginning of a text that fits into `limit` UTF-8 bytes without splitting a character. */
export function cutBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** Returns the longest end of a text that fits into `limit` UTF-8 bytes without splitting a character. */
export function cutBytesFromEnd(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns a text whose beginning was cut off without the rest of its first line. */
export function fromLineStart(text: string): string {
  return text.replace(/^[^\r\n]*[\r\n]*/, "");
}

/**
 * Replaces the middle of a text longer than `limit` UTF-16 units with a note of how many were cut. Never splits a
 * surrogate pair, because providers refuse half of one.
 */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.max(0, Math.floor(limit / 2));
  const head = text.slice(0, splitsCharacter(text, half) ? half - 1 : half);
  const end = text.length - half;
  const tail = text.slice(splitsCharacter(text, end) ? end + 1 : end);
  return [head, `[... ${text.length - head.length - tail.length} characters cut ...]`, tail].join("\n");
}

/** True if a position is between the two halves of a surrogate pair. */
function splitsCharacter(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
