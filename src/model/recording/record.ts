import { appendFile, writeFile } from "node:fs/promises";
import { errorText, UserError } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import type { Fetch } from "../calls/transport.ts";
import { WAIT_HEADERS } from "../calls/wait-hint.ts";
import { RECORDING_HEAD, renderInteraction } from "./recording-file.ts";

/** How traffic is recorded. */
export interface RecordOptions {
  /** What sends the requests; the global `fetch` when absent. */
  fetch?: Fetch | undefined;
  /** Takes secrets out of a text before it is written. */
  redact: (text: string) => string;
  /** Told when an interaction could not be written; the call it belongs to goes on. */
  onError: (message: string) => void;
}

/** Traffic that is being recorded. */
export interface Recorder {
  fetch: Fetch;
  /** Resolves when everything that has ended is written; waits for open responses for two seconds. Never throws. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 2000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Starts a recording in a file, which is replaced. An interaction is written as soon as its response has ended, so a
 * crash keeps what came before; one that was cut or aborted is left out. No request header is kept, credentials in URLs
 * are not either; of the response's headers those stay that a replay needs, the type of the body and, in a refusal, when
 * the provider wants to be asked again. Everything passes through `redact`. Throws a {@link UserError} when the file
 * cannot be written.
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

/** A whole body as text, unless it was cut, given up, or is longer than a recording can hold. */
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

/** The URL without what can hold a credential: user, password, and query values that look like one. */
function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  for (const name of [...url.searchParams.keys()])
    if (/key|token|secret|signature/i.test(name)) url.searchParams.delete(name);
  return url.href;
}
