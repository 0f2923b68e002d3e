import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { blankValues } from "../../lib/secrets/blank-values.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { ModelError } from "../model.ts";
import { classifyFailure, type FailureRow, readComplaint } from "./failure.ts";
import { readWaitHint } from "./wait-hint.ts";

/** A failure that the provider reported inside a stream, for {@link CallErrors.toModelError}. */
export class StreamFailure extends Error {
  /** The error as the provider wrote it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super("the stream reported a failure");
    this.name = "StreamFailure";
    this.error = error;
  }
}

/** Makes the errors of one call; each names the provider and, once it is known, the address. */
export interface CallErrors {
  /** Notes what is asked where. */
  setAddress(method: string, url: string): void;
  /** The provider complained, with this status, body and headers. */
  complaint(status: number, body: unknown, headers?: Headers): ModelError;
  /** The provider answered with something else than a stream. */
  notAStream(status: number, what: string): ModelError;
  network(error: unknown): ModelError;
  silence(milliseconds: number): ModelError;
  truncated(): ModelError;
  /** The provider sent more than a reply can hold; `what` says how much. */
  tooMuchData(what: string): ModelError;
  /** The error for anything a package or a parser threw. */
  toModelError(thrown: unknown): ModelError;
}

const MAX_MESSAGE = 2000;

/**
 * The errors of a call to a provider. The secrets are blanked out in all of them; `failures` are the rows of the model's
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
    notAStream: (status, what) =>
      new ModelError(`${where}: HTTP ${status} with ${what} instead of a stream`, { status }),
    network: (error) => new ModelError(`${where}: ${hide(networkText(error))}`, { retryable: true, cause: error }),
    silence: (milliseconds) =>
      new ModelError(`${where}: no data for ${formatDuration(milliseconds)}`, { retryable: true }),
    truncated: () => new ModelError(`${where}: the stream ended without a finish reason`, { retryable: true }),
    tooMuchData: (what) => new ModelError(`${where}: the stream sent ${what}`),
    toModelError: (thrown) => {
      if (thrown instanceof ModelError) return thrown;
      if (thrown instanceof SyntaxError) {
        return new ModelError(`${where}: malformed JSON in the stream`, { retryable: true, cause: thrown });
      }
      if (isObject(thrown) && thrown["error"]) return complaint(0, thrown["error"]);
      return new ModelError(`${where}: ${hide(errorText(thrown))}`, { cause: thrown });
    },
  };
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
