import { FLOOD_TEXTS, MESSAGE_LIMIT, type Watch } from "./bounds.ts";

/** How a response ended. */
export interface BodyEnd {
  /** The server has given its events ids, so that the stream can be taken up again. */
  resumable: boolean;
}

/**
 * The response with a body that is measured while it is read: one message may be of MESSAGE_LIMIT bytes, that is the
 * whole body or one event of a stream. `onEnd` is told when a stream of events has ended, whichever way.
 */
export function watchBody(response: Response, watch: Watch, onEnd: (end: BodyEnd) => void): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const reader = body.getReader();
  let size = 0;
  let resumable = false;
  let isOver = false;
  const end = () => {
    if (isStream && !isOver) onEnd({ resumable });
    isOver = true;
  };
  const measure = (chunk: Uint8Array): string | undefined => {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const blank = isStream ? lastBlankLine(bytes) : -1;
    size = blank < 0 ? size + bytes.length : bytes.length - blank;
    resumable ||= isStream && (bytes.includes("\nid:") || bytes.indexOf("id:") === 0);
    if (size > MESSAGE_LIMIT) return FLOOD_TEXTS.message;
    return watch.meter.add({ bytes: bytes.length }) ? undefined : FLOOD_TEXTS.rate;
  };
  const stop = () => reader.cancel().catch(() => {}); // the other end is gone, or will find out
  const measured = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return end();
        }
        const flood = measure(value);
        if (flood === undefined) return controller.enqueue(value);
        watch.gone(flood, "flood");
        controller.error(new Error(flood));
        isOver = true;
        await stop();
      } catch (error) {
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

const BLANK_LINES = ["\n\n", "\r\n\r\n", "\r\r"];

/** Where the text after the last blank line begins; -1 without one. A blank line cut in two counts as none. */
function lastBlankLine(bytes: Buffer): number {
  return Math.max(
    ...BLANK_LINES.map((blank) => {
      const at = bytes.lastIndexOf(blank);
      return at < 0 ? -1 : at + blank.length;
    }),
  );
}
