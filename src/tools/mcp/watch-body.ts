import { EventSplitter } from "../../lib/network/event-splitter.ts";
import { FLOOD_TEXTS, MESSAGE_LIMIT, type ServerMonitor } from "./bounds.ts";

/** How a response ended. */
export interface BodyEnd {
  /** True if the events have ids, so that the stream can be resumed. */
  resumable: boolean;
}

/**
 * Returns the response with a body that is measured while it is read. A message, which is the whole body or an event of
 * a stream, may have MESSAGE_LIMIT bytes. Events are passed on whole. Calls `onEnd` when a stream of events has ended,
 * with or without an error.
 */
export function watchBody(response: Response, watch: ServerMonitor, onEnd: (end: BodyEnd) => void): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const reader = body.getReader();
  const splitter = new EventSplitter(MESSAGE_LIMIT);
  let size = 0;
  let resumable = false;
  let isOver = false;
  const end = () => {
    if (isStream && !isOver) onEnd({ resumable });
    isOver = true;
  };
  const take = (chunk: Uint8Array): readonly Uint8Array[] => {
    if (!watch.meter.add({ bytes: chunk.length })) throw new FloodError(FLOOD_TEXTS.rate);
    size += chunk.length;
    const parts = isStream ? splitter.push(chunk) : [chunk];
    if (isStream ? splitter.isTooLong : size > MESSAGE_LIMIT) throw new FloodError(FLOOD_TEXTS.message);
    return parts;
  };
  const stop = () => reader.cancel().catch(() => {}); // the connection is already closed
  const measured = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          const parts = done ? [splitter.rest() ?? []].flat() : take(value);
          for (const part of parts) {
            resumable ||= isStream && hasId(part);
            controller.enqueue(part);
          }
          if (done) {
            controller.close();
            return end();
          }
          if (parts.length > 0) return;
        }
      } catch (error) {
        if (error instanceof FloodError) {
          watch.ended(error.message, "flood");
          isOver = true;
          void stop();
        }
        controller.error(error);
        end();
      }
    },
    cancel: () => {
      isOver = true;
      return stop();
    },
  });
  return new Response(measured, { status, statusText, headers });
}

/** Thrown if a server sends too much. */
class FloodError extends Error {}

/** True for an event with an id, from which the stream can be resumed. */
function hasId(event: Uint8Array): boolean {
  const bytes = Buffer.from(event.buffer, event.byteOffset, event.length);
  return bytes.includes("\nid:") || bytes.includes("\rid:") || bytes.indexOf("id:") === 0;
}
