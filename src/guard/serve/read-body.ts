import type { Readable } from "node:stream";
import { settleWithin } from "../../lib/settle-within.ts";

/** The largest body of a request, in bytes. */
export const BODY_LIMIT = 10 * 1024 * 1024;

/** How long the body of a request may take to arrive, in milliseconds. */
const BODY_MS = 10_000;

/** The body of a request, or why it is rejected. */
export type Body = { bytes: Uint8Array } | { problem: string };

/**
 * Reads the body of a request. Reads one that is too large to its end, but keeps none of it: a client that is still
 * sending reads no answer.
 */
export async function readBody(body: Readable): Promise<Body> {
  const stop = new AbortController();
  const reading = readAll(body, stop.signal).catch((): Body => ({ problem: "the body of the request is incomplete" }));
  const settled = await settleWithin(reading, { ms: BODY_MS });
  if (settled.kind === "done") return settled.value;
  stop.abort();
  return { problem: `the body of the request was incomplete after ${BODY_MS / 1000} s` };
}

async function readAll(body: Readable, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (signal.aborted) break;
    size += chunk.length;
    if (size > BODY_LIMIT) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (size > BODY_LIMIT) return { problem: `the body of the request is larger than ${BODY_LIMIT / 1024 / 1024} MiB` };
  return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
}
