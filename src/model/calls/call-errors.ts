import { errorText, type Help } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { blankValues } from "../../lib/secrets/blank-values.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { classifyFailure, type FailureRow, readComplaint } from "../catalog/failure.ts";
import { ModelError } from "../model.ts";
import { readWaitHint } from "./wait-hint.ts";

const STREAM_BROKE: Help = {
  cause: "A proxy, a gateway or the server ended the answer midway, or sent something that is not an event.",
  cure: "hooksh has tried again. Check `base_url` and any proxy in between.",
};

/** A failure that the provider reported inside a stream; {@link CallErrors.toModelError} reads it. */
export class StreamFailure extends Error {
  /** The error as the provider wrote it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super("the stream reported a failure");
    this.name = "StreamFailure";
    this.error = error;
  }
}

/** Creates the errors of one call. Each names the provider and, once known, the address. */
export interface CallErrors {
  /** Sets the address that later errors name. */
  setAddress(method: string, url: string): void;
  /** The provider reported an error, with this status, body and headers. */
  complaint(status: number, body: unknown, headers?: Headers): ModelError;
  /** The response is not a stream but `content`, such as an HTML page. */
  notAStream(status: number, content: string): ModelError;
  network(error: unknown): ModelError;
  silence(milliseconds: number): ModelError;
  truncated(): ModelError;
  /** The provider sent more than a reply can hold; `amount` says how much. */
  tooMuchData(amount: string): ModelError;
  /** Converts any error that an SDK or a parser threw. */
  toModelError(thrown: unknown): ModelError;
}

const MAX_MESSAGE = 2000;

/**
 * Creates the errors of a call to a provider, with all `secrets` blanked out. `failures` are the rows of the model's
 * family.
 */
export function createCallErrors(
  provider: string,
  secrets: readonly string[],
  failures: readonly FailureRow[] = [],
): CallErrors {
  let where = provider;
  const hide = (text: string) => blankValues(text, secrets);
  const complaint = (status: number, body: unknown, headers = new Headers()) => {
    const read = readComplaint(status, body);
    const retryAfterMs = readWaitHint(headers, body);
    const message = cutBytes(hide(read.message).trim(), MAX_MESSAGE);
    return classifyFailure(where, { ...read, message, retryAfterMs }, failures);
  };
  return {
    setAddress: (method, url) => {
      where = `${provider}: ${method} ${displayUrl(url)}`;
    },
    complaint,
    notAStream: (status, content) =>
      new ModelError(`${where}: HTTP ${status} with ${content} instead of a stream`, { status, help: STREAM_BROKE }),
    network: (error) => new ModelError(`${where}: ${hide(networkText(error))}`, { retryable: true, cause: error }),
    silence: (milliseconds) =>
      new ModelError(`${where}: no data for ${formatDuration(milliseconds)}`, { retryable: true, help: STREAM_BROKE }),
    truncated: () =>
      new ModelError(`${where}: the stream ended without a finish reason`, { retryable: true, help: STREAM_BROKE }),
    tooMuchData: (amount) => new ModelError(`${where}: the stream sent ${amount}`, { help: STREAM_BROKE }),
    toModelError: (thrown) => {
      if (thrown instanceof ModelError) return thrown;
      if (thrown instanceof SyntaxError) {
        return new ModelError(`${where}: malformed JSON in the stream`, {
          retryable: true,
          cause: thrown,
          help: STREAM_BROKE,
        });
      }
      if (isObject(thrown) && thrown["error"]) return complaint(0, thrown["error"]);
      return new ModelError(`${where}: ${hide(errorText(thrown))}`, { cause: thrown });
    },
  };
}

/** Returns the URL without user, password, query and fragment, each of which can hold a credential. */
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
