import { EventSplitter } from "../../lib/network/event-splitter.ts";
import { collectWhileWaiting } from "../../lib/platform.ts";
import type { FailureRow } from "../catalog/failure.ts";
import { ModelError } from "../model.ts";
import { createCallErrors } from "./call-errors.ts";
import { inspectResponse } from "./inspect-response.ts";

/** Sends a request: the global `fetch`, a recorder, or a replay. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The options of one model call. */
export interface TransportOptions {
  /** The provider's name as configured, for messages. */
  provider: string;
  fetch: Fetch;
  /** Credentials and configured headers. Besides these, only the headers of the API itself are sent. */
  headers: Readonly<Record<string, string>>;
  /** Blanked out in messages. */
  secrets: readonly string[];
  /** Failures that only the model's family has. */
  failures?: readonly FailureRow[];
  /** Milliseconds without data after which the call fails. */
  idleTimeoutMs: number;
  signal: AbortSignal;
}

/** The connection of one call to its provider. */
export interface Transport {
  /** Replaces `fetch` in the provider's SDK. */
  fetch: Fetch;
  /** Aborted by the caller, or after too long a silence. */
  signal: AbortSignal;
  /** Throws if the caller aborted the call. SDKs end an aborted stream as if it were complete. */
  throwIfAborted(): void;
  /** Returns the error for a stream that ended too early. */
  truncated(): ModelError;
  /** Returns the error to throw for one that was caught during the call: the abort reason, or a {@link ModelError}. */
  errorFor(thrown: unknown): unknown;
  /** Stops the idle timer. */
  close(): void;
}

/** The request headers of the APIs, credentials aside. All other headers of an SDK are dropped. */
const API_HEADERS = ["content-type", "accept", "anthropic-version", "anthropic-beta"];

const MIB = 1024 * 1024;
/** Maximum size of one event and of a whole stream: several times the longest replies. */
const EVENT_LIMIT = 16 * MIB;
const STREAM_LIMIT = 256 * MIB;

/** A redirect could carry prompt and key to another host; Bun's own idle timeout would end a call before ours. */
const TRANSPORT_INIT = { redirect: "manual", timeout: false } as const;

/**
 * Opens a transport. Requests carry only the given headers and those of the API, so an SDK never sees the key.
 * Redirects are not followed. A failed request, silence, a broken body and an endless one become a {@link ModelError}.
 */
export function openTransport(options: TransportOptions): Transport {
  const errors = createCallErrors(options.provider, options.secrets, options.failures);
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  // The first failure counts: an SDK wraps it in an error that says less.
  let failure: ModelError | undefined;
  const fail = (error: ModelError) => (failure ??= error);
  const timer = idleTimer(options.idleTimeoutMs, () => silence.abort(fail(errors.silence(options.idleTimeoutMs))));

  return {
    signal,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      errors.setAddress(init?.method ?? "GET", url);
      try {
        const headers = pickHeaders(init, options.headers);
        const asked = options.fetch(url, { ...init, ...TRANSPORT_INIT, headers, signal });
        collectWhileWaiting();
        const response = await asked;
        timer.touch();
        const problem = await inspectResponse(response, errors);
        if (problem) throw problem;
        const body = watchBody(response.body, {
          onChunk: timer.touch,
          onCut: (error) => fail(errors.network(error)),
          onFlood: (amount) => silence.abort(fail(errors.tooMuchData(amount))),
        });
        return new Response(body, response);
      } catch (error) {
        throw fail(error instanceof ModelError ? error : errors.network(error));
      }
    },
    throwIfAborted: () => {
      if (options.signal.aborted) throw options.signal.reason;
    },
    truncated: errors.truncated,
    errorFor: (thrown) => (options.signal.aborted ? options.signal.reason : (failure ?? errors.toModelError(thrown))),
    close: timer.stop,
  };
}

function pickHeaders(init: RequestInit | undefined, own: Readonly<Record<string, string>>): Headers {
  const given = new Headers(init?.headers);
  const picked = new Headers();
  for (const name of API_HEADERS) {
    const value = given.get(name);
    if (value !== null) picked.set(name, value);
  }
  picked.set("user-agent", "hooksh");
  for (const [name, value] of Object.entries(own)) {
    // Configured betas are added to those that the request needs.
    if (name === "anthropic-beta") picked.append(name, value);
    else picked.set(name, value);
  }
  return picked;
}

interface BodyWatch {
  onChunk(): void;
  onCut(error: unknown): void;
  /** An event or the body exceeds its limit. */
  onFlood(amount: string): void;
}

/** Passes a body on in whole events. Reports every chunk, a broken connection, and an event or body over its limit. */
function watchBody(
  body: ReadableStream<Uint8Array> | null,
  { onChunk, onCut, onFlood }: BodyWatch,
): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const reader = body.getReader();
  const splitter = new EventSplitter(EVENT_LIMIT);
  let received = 0;
  let isRead = true;
  /** Returns the next whole events, which may be none yet; undefined at the end. */
  const next = async (): Promise<readonly Uint8Array[] | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    onChunk();
    received += value.length;
    const events = splitter.push(value);
    if (!splitter.isTooLong && received <= STREAM_LIMIT) return events;
    const amount = splitter.isTooLong
      ? `an event of more than ${EVENT_LIMIT / MIB} MiB`
      : `more than ${STREAM_LIMIT / MIB} MiB`;
    onFlood(amount);
    throw new Error(amount);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const events = await next();
          // The reader may have cancelled during the wait; a cancelled stream throws on enqueue.
          if (!isRead) return;
          for (const event of events ?? [splitter.rest()]) if (event) controller.enqueue(event);
          if (!events) return controller.close();
          if (events.length > 0) return;
        }
      } catch (error) {
        if (!isRead) return;
        onCut(error);
        controller.error(error);
      }
    },
    cancel: (reason) => {
      isRead = false;
      // Not awaited: if a recorder reads a tee of the body, cancelling ends only with the whole response.
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
