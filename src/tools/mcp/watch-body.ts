import { EventSplitter } from "../../lib/network/event-splitter.ts";
import { FLOOD_TEXTS, MESSAGE_LIMIT, type Watch } from "./bounds.ts";

/** How a response ended. */
export interface BodyEnd {
  /** The server has given its events ids, so that the stream can be taken up again. */
  resumable: boolean;
}

/**
 * The response with a body that is measured while it is read: one message may be of MESSAGE_LIMIT bytes, that is the
 * whole body or one event of a stream. Events are passed on whole. `onEnd` is called when a stream of events has ended,
 * whichever way.
 */
export function watchBody(response: Response, watch: Watch, onEnd: (end: BodyEnd) => void): Response {
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
  const stop = () => reader.cancel().catch(() => {}); // the other end is gone, or will find out
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
          watch.gone(error.message, "flood");
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

/** The server has sent more than it may. */
class FloodError extends Error {}

/** True for an event that the stream can be taken up again from. */
function hasId(event: Uint8Array): boolean {
  const bytes = Buffer.from(event.buffer, event.byteOffset, event.length);
  return bytes.includes("\nid:") || bytes.includes("\rid:") || bytes.indexOf("id:") === 0;
}
