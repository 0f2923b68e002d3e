import { errorText } from "../lib/errors.ts";
import { formatDuration } from "../lib/duration.ts";
import { isObject } from "../lib/json.ts";
import { cutBytes } from "../lib/text.ts";
import { classifyFailure, readComplaint, readRetryAfter } from "./failure.ts";
import { ModelError } from "./model.ts";

/** What sends a request: the global `fetch`, a recording, or a replay. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What one call of a model is made with. */
export interface TransportOptions {
  /** The provider's name as configured, for messages. */
  provider: string;
  fetch: Fetch;
  /** Credentials and what the configuration adds; the only headers beside those of the API itself. */
  headers: Readonly<Record<string, string>>;
  /** Blanked out in messages. */
  secrets: readonly string[];
  /** The call ends with an error after so many milliseconds without data. */
  idleTimeoutMs: number;
  signal: AbortSignal;
}

/** One call's way to the provider. */
export interface Transport {
  /** Given to the provider's package in place of `fetch`. */
  fetch: Fetch;
  /** Ends with the call: aborted by the caller or by silence. */
  signal: AbortSignal;
  /** Throws when the call was aborted; packages end an aborted stream as if it were complete. */
  check(): void;
  /** The error for a stream that ended too early. */
  truncated(): ModelError;
  /** What to throw for anything that was thrown during the call: the reason of the abort, or a {@link ModelError}. */
  explain(thrown: unknown): unknown;
  /** Stops the idle timer. */
  close(): void;
}

/** A failure that the provider reported inside a stream; `explain` turns it into the error of its class. */
export class StreamFailure extends Error {
  /** The error as the provider wrote it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super("the stream reported a failure");
    this.name = "StreamFailure";
    this.error = error;
  }
}

const MAX_ERROR_BODY = 64 * 1024;
const MAX_MESSAGE = 2000;
/** The request headers of the APIs that are not credentials; whatever else a package adds is not sent. */
const API_HEADERS = ["content-type", "accept", "anthropic-version", "anthropic-beta"];

/**
 * Opens a transport. Requests carry the given headers only, so a package never sees the key and adds nothing of its
 * own; redirects are not followed; a failed request, silence and a cut body become a {@link ModelError}.
 */
export function openTransport(options: TransportOptions): Transport {
  const controller = new AbortController();
  const signal = AbortSignal.any([options.signal, controller.signal]);
  let where = options.provider;
  let failure: unknown;
  const fail = (error: unknown) => (failure ??= error);
  const timer = idleTimer(options.idleTimeoutMs, () => {
    fail(new ModelError(`${where}: no data for ${formatDuration(options.idleTimeoutMs)}`, { retryable: true }));
    controller.abort(failure);
  });
  const hide = (text: string) => options.secrets.reduce((kept, secret) => kept.replaceAll(secret, "[REDACTED]"), text);
  const blame = (status: number, body: unknown, retryAfterMs?: number) => {
    const complaint = readComplaint(status, body);
    const message = cutBytes(hide(complaint.message).trim(), MAX_MESSAGE);
    return classifyFailure(where, { ...complaint, message, retryAfterMs });
  };
  const network = (error: unknown) =>
    new ModelError(`${where}: ${hide(networkText(error))}`, { retryable: true, cause: error });

  return {
    signal,
    fetch: async (input, init) => {
      const request = requestUrl(input);
      where = `${options.provider}: ${init?.method ?? "GET"} ${displayUrl(request)}`;
      try {
        const response = await options.fetch(request, { ...init, ...TRANSPORT_INIT, headers: pickHeaders(init, options.headers), signal });
        timer.touch();
        const refusal = await inspect(response, where, blame);
        if (refusal) throw refusal;
        return new Response(watchBody(response.body, timer.touch, (error) => fail(network(error))), response);
      } catch (error) {
        throw fail(error instanceof ModelError ? error : network(error));
      }
    },
    check: () => {
      if (options.signal.aborted) throw options.signal.reason;
    },
    truncated: () => new ModelError(`${where}: the stream ended without a finish reason`, { retryable: true }),
    explain: (thrown) => {
      if (options.signal.aborted) return options.signal.reason;
      if (failure) return failure;
      if (thrown instanceof ModelError) return thrown;
      if (thrown instanceof SyntaxError) {
        return new ModelError(`${where}: malformed JSON in the stream`, { retryable: true, cause: thrown });
      }
      if (isObject(thrown) && thrown["error"]) return blame(0, thrown["error"]);
      return new ModelError(`${where}: ${hide(errorText(thrown))}`, { cause: thrown });
    },
    close: () => timer.stop(),
  };
}

/** A redirect could carry prompt and key to another host; Bun's own limit of silence would hide ours. */
const TRANSPORT_INIT = { redirect: "manual", timeout: false } as const;

function pickHeaders(init: RequestInit | undefined, own: Readonly<Record<string, string>>): Headers {
  const given = new Headers(init?.headers);
  const picked = new Headers();
  for (const name of API_HEADERS) {
    const value = given.get(name);
    if (value !== null) picked.set(name, value);
  }
  picked.set("user-agent", "hooksh");
  for (const [name, value] of Object.entries(own)) picked.set(name, value);
  return picked;
}

/** The error for a response that is not a stream; nothing for one that may be. */
async function inspect(
  response: Response,
  where: string,
  blame: (status: number, body: unknown, retryAfterMs?: number) => ModelError,
): Promise<ModelError | undefined> {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel().catch(() => {}); // the answer is an error already
    const target = response.headers.get("location") ?? "";
    return blame(response.status, `redirected${URL.canParse(target) ? ` to ${displayUrl(target)}` : ""}, which is not followed`);
  }
  if (!response.ok) {
    const body = await readText(response);
    return blame(response.status, type === "text/html" ? htmlTitle(body) : parseJson(body), readRetryAfter(response.headers));
  }
  if (type === "text/html" || type === "application/xhtml+xml") {
    const title = htmlTitle(await readText(response));
    return new ModelError(`${where}: HTTP ${response.status} with a web page instead of a stream${title ? `: ${title}` : ""}`, { status: response.status });
  }
  if (type === "application/json") {
    const body = parseJson(await readText(response));
    if (isObject(body) && body["error"]) return blame(0, body);
    return new ModelError(`${where}: HTTP ${response.status} with JSON instead of a stream`, { status: response.status });
  }
  return undefined;
}

/** Passes a body on, tells of every chunk and of a cut. */
function watchBody(body: ReadableStream<Uint8Array> | null, onChunk: () => void, onCut: (error: unknown) => void): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const reader = body.getReader();
  let wanted = true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        // The reader may have lost interest while this waited; its stream takes nothing more then.
        if (!wanted) return;
        if (done) return controller.close();
        onChunk();
        controller.enqueue(value);
      } catch (error) {
        if (!wanted) return;
        onCut(error);
        controller.error(error);
      }
    },
    cancel: (reason) => {
      wanted = false;
      // Not waited for: with a recorder listening it ends only with the response itself.
      reader.cancel(reason).catch(() => {});
    },
  });
}

function idleTimer(limit: number, onSilence: () => void) {
  let timer = setTimeout(onSilence, limit);
  return {
    touch: () => {
      clearTimeout(timer);
      timer = setTimeout(onSilence, limit);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Reads a body up to a limit; what cannot be read is left out. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_BODY) break;
    }
  } catch {
    // The status says what happened; a body that breaks off adds nothing.
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function htmlTitle(html: string): string {
  const start = html.search(/<title/i);
  const open = start < 0 ? -1 : html.indexOf(">", start);
  const end = open < 0 ? -1 : html.indexOf("<", open);
  return end < 0 ? "" : html.slice(open + 1, end).trim();
}

function requestUrl(input: string | URL | Request): string {
  return input instanceof Request ? input.url : String(input);
}

/** The URL without user, password, query and fragment: each of them can hold a credential. */
export function displayUrl(url: string): string {
  if (!URL.canParse(url)) return "an invalid URL";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function networkText(error: unknown): string {
  const code = isObject(error) && typeof error["code"] === "string" ? error["code"] : "";
  if (code === "ConnectionRefused" || code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET") return "the connection was cut";
  return errorText(error);
}
