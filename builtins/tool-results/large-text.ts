import { cutBytes, cutBytesFromEnd } from "../../src/lib/text/cut-text.ts";

/** A text of more bytes than this is large. */
export const LIMIT_BYTES = 51_200;

/** A text of more lines than this is large. */
export const LIMIT_LINES = 2000;

/** True for a text of more than 51200 bytes or 2000 lines; a last line without newline counts. */
export function isLarge(text: string): boolean {
  return (
    text.length > LIMIT_BYTES ||
    Buffer.byteLength(text) > LIMIT_BYTES ||
    firstLines(text, LIMIT_LINES).length < text.length
  );
}

/** The first lines of a text, with the newlines they end with. */
export function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line++) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}

/** The last lines of a text, with the newlines they end with; a last line without newline counts. */
export function lastLines(text: string, count: number): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let line = 0; line < count; line++) {
    if (start === 0) return text;
    start = text.lastIndexOf("\n", start - 1);
    if (start < 0) return text;
  }
  return text.slice(start + 1);
}

/** Like {@link cutBytes}, in time that does not grow with the text. */
export function firstBytes(text: string, limit: number): string {
  return cutBytes(text.slice(0, limit + 1), limit); // a character has at least one byte
}

/** Like {@link cutBytesFromEnd}, in time that does not grow with the text. */
export function lastBytes(text: string, limit: number): string {
  return cutBytesFromEnd(text.slice(-limit - 1), limit);
}
