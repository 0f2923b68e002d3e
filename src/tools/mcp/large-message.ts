import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type LongLine, MESSAGE_LIMIT } from "./bounds.ts";

const VERSION = /"jsonrpc"\s*:\s*"2\.0"/;

/**
 * Makes an answer from the beginning and the end of one that is too large, with a note of how much is missing.
 * Undefined if the message is not the result of a request, or if its beginning and end do not show the request's id.
 */
export function shortenedAnswer(line: LongLine): JSONRPCMessage | undefined {
  const head = new TextDecoder().decode(line.head);
  const tail = new TextDecoder().decode(line.tail);
  const id = idOf(head, tail);
  if (id === undefined) return undefined;
  const missing = line.bytes - line.head.length - line.tail.length;
  const notice = `[... ${missing} bytes cut: the answer of ${line.bytes} bytes is larger than ${MESSAGE_LIMIT / 1024 / 1024} MiB ...]`;
  const isError = /"isError"\s*:\s*true/.test(tail.slice(-200));
  return {
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: `${head}\n${notice}\n${tail}` }], ...(isError ? { isError } : {}) },
  };
}

/** Servers write the id before or after the result. Inside a text its quotes would be escaped. */
function idOf(head: string, tail: string): number | undefined {
  const start = head.replace(new RegExp(`^(\\{\\s*)${VERSION.source}\\s*,\\s*`), "$1");
  const before = /^\{\s*"id"\s*:\s*(\d+)\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"\s*:/.exec(start)?.[1];
  const end = tail.replace(new RegExp(`,\\s*${VERSION.source}(?=\\s*(?:,\\s*"id"\\s*:\\s*\\d+\\s*)?\\}\\s*$)`), "");
  const behind = /^\{\s*"result"\s*:/.test(start) ? /\}\s*,\s*"id"\s*:\s*(\d+)\s*\}\s*$/.exec(end)?.[1] : undefined;
  const id = before ?? behind;
  return id === undefined ? undefined : Number(id);
}
