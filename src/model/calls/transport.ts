import { EventSplitter } from "../../lib/network/event-splitter.ts";
import { ModelError } from "../model.ts";
import { createCallErrors } from "./call-errors.ts";
import type { FailureRow } from "./failure.ts";
import { inspectResponse } from "./inspect-response.ts";

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
  /** The failures that only the model's family has. */
  failures?: readonly FailureRow[];
  /** The call ends with an error after this many milliseconds without data. */
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
  throwIfAborted(): void;
  /** The error for a stream that ended too early. */
  truncated(): ModelError;
  /** What to throw for anything that was thrown during the call: the reason of the abort, or a {@link ModelError}. */
  errorFor(thrown: unknown): unknown;
  /** Stops the idle timer. */
  close(): void;
}

/** The request headers of the APIs that are not credentials; whatever else a package adds is not sent. */
const API_HEADERS = ["content-type", "accept", "anthropic-version", "anthropic-beta"];

const MIB = 1024 * 1024;
/** One event of a stream, and the whole of it: several times what the longest replies take. */
const EVENT_LIMIT = 16 * MIB;
const STREAM_LIMIT = 256 * MIB;

/** A redirect could carry prompt and key to another host; Bun's own limit of silence would hide ours. */
const TRANSPORT_INIT = { redirect: "manual", timeout: false } as const;

/**
 * Opens a transport. Requests carry the given headers only, so a package never sees the key and adds nothing of its
 * own; redirects are not followed; a failed request, silence, a cut body and one without end become a
 * {@link ModelError}.
 */
export function openTransport(options: TransportOptions): Transport {
  const errors = createCallErrors(options.provider, options.secrets, options.failures);
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  // The first failure counts: what a package makes of it later says less.
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
        const response = await options.fetch(url, { ...init, ...TRANSPORT_INIT, headers, signal });
        timer.touch();
        const misfit = await inspectResponse(response, errors);
        if (misfit) throw misfit;
        const body = watchBody(response.body, {
          onChunk: timer.touch,
          onCut: (error) => fail(errors.network(error)),
          onFlood: (what) => silence.abort(fail(errors.tooMuchData(what))),
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
    // Betas that the user asks for come on top of those that the request needs.
    if (name === "anthropic-beta") picked.append(name, value);
    else picked.set(name, value);
  }
  return picked;
}

interface BodyWatch {
  onChunk(): void;
  onCut(error: unknown): void;
  /** The body is longer than any reply. */
  onFlood(what: string): void;
}

/** Passes a body on in whole events; reports every chunk, a cut, and an event or a body that is too long. */
function watchBody(
  body: ReadableStream<Uint8Array> | null,
  { onChunk, onCut, onFlood }: BodyWatch,
): ReadableStream<Uint8Array> | null {
  if (!body) return null;
  const reader = body.getReader();
  const splitter = new EventSplitter(EVENT_LIMIT);
  let received = 0;
  let wanted = true;
  /** What came next: whole events, none yet, or undefined at the end. */
  const next = async (): Promise<readonly Uint8Array[] | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    onChunk();
    received += value.length;
    const events = splitter.push(value);
    if (!splitter.isTooLong && received <= STREAM_LIMIT) return events;
    const flood = splitter.isTooLong
      ? `an event of more than ${EVENT_LIMIT / MIB} MiB`
      : `more than ${STREAM_LIMIT / MIB} MiB`;
    onFlood(flood);
    throw new Error(flood);
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const events = await next();
          // The reader may have lost interest while this waited; its stream takes nothing more then.
          if (!wanted) return;
          for (const event of events ?? [splitter.rest()]) if (event) controller.enqueue(event);
          if (!events) return controller.close();
          if (events.length > 0) return;
        }
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
