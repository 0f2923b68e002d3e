import { appendFile, writeFile } from "node:fs/promises";
import { errorText, UserError } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { Fetch } from "../calls/transport.ts";
import { WAIT_HEADERS } from "../calls/wait-hint.ts";
import { RECORDING_HEAD, renderInteraction } from "./recording-file.ts";

/** The options of a recording. */
export interface RecordOptions {
  /** Sends the requests; the global `fetch` if absent. */
  fetch?: Fetch | undefined;
  /** Removes secrets from a text before it is written. */
  redact: (text: string) => string;
  /** Called if an interaction could not be written; the model call continues. */
  onError: (message: string) => void;
}

/** A recording in progress. */
export interface Recorder {
  fetch: Fetch;
  /** Resolves once all completed interactions are written; waits two seconds for open responses. Never throws. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 2000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Starts a recording in a file, replacing it. Writes each interaction as soon as its response has ended, so that a
 * crash loses none before it; omits those that were cut off or aborted. Stores no request headers and no credentials in
 * URLs. Of the response headers, stores those that a replay needs: the content type and, on an error, the delay that
 * the provider asks for. Everything passes through `redact`. Throws a {@link UserError} if the file cannot be written.
 */
export async function startRecording(file: string, options: RecordOptions): Promise<Recorder> {
  const send: Fetch = options.fetch ?? fetch;
  await writeFile(file, RECORDING_HEAD, { mode: 0o600 }).catch((error: unknown) => {
    throw new UserError(`${file}: cannot write the recording: ${errorText(error)}`, { cause: error });
  });
  const open = new Set<Promise<void>>();
  let count = 0;
  let written: Promise<void> = Promise.resolve();
  const append = (text: string) =>
    (written = written
      .then(() => appendFile(file, text))
      .catch((error: unknown) => options.onError(`${file}: cannot write the recording: ${errorText(error)}`)));

  const keep = async (
    url: string,
    init: RequestInit | undefined,
    response: Response,
    body: ReadableStream<Uint8Array> | null,
  ) => {
    const id = count++;
    const started = performance.now();
    const text = await readWhole(body);
    if (text === "too long")
      options.onError(`${file}: a response of more than ${MAX_BODY_BYTES / 1024 / 1024} MiB is not recorded`);
    if (typeof text === "string") return;
    await append(
      renderInteraction({
        id,
        method: init?.method ?? "GET",
        url: withoutCredentials(url),
        requestBody: options.redact(typeof init?.body === "string" ? init.body : ""),
        code: response.status,
        status: `${response.status} ${response.statusText}`.trim(),
        headers: (response.ok ? ["Content-Type"] : ["Content-Type", ...WAIT_HEADERS]).flatMap((name) => {
          const value = response.headers.get(name);
          return value === null ? [] : [[name, options.redact(value)] as const];
        }),
        responseBody: options.redact(text.whole),
        durationMs: performance.now() - started,
      }),
    );
  };

  return {
    fetch: async (input, init) => {
      const response = await send(input, init);
      const [passedOn, kept] = response.body ? response.body.tee() : [null, null];
      const work = keep(input instanceof Request ? input.url : String(input), init, response, kept);
      open.add(work);
      void work.finally(() => open.delete(work));
      return new Response(passedOn, response);
    },
    close: async () => {
      await settleWithin(Promise.all(open), { ms: CLOSE_GRACE_MS });
      await written;
    },
  };
}

/** Reads a whole body as text, unless it was cut off, aborted, or exceeds the limit of a recording. */
async function readWhole(body: ReadableStream<Uint8Array> | null): Promise<{ whole: string } | "cut" | "too long"> {
  if (!body) return { whole: "" };
  const decoder = new TextDecoder();
  let text = "";
  try {
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return "too long";
      text += decoder.decode(chunk, { stream: true });
    }
    return { whole: text + decoder.decode() };
  } catch {
    return "cut"; // the caller sees the same failure on its own branch
  }
}

/** Returns the URL without user, password, and query parameters whose names suggest a credential. */
function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()])
    if (/key|token|secret|signature/i.test(name)) url.searchParams.delete(name);
  return url.href;
}
