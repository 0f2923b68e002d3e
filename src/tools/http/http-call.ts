import type { Env } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { type GuardedRequest, guardedFetch, readAtMost } from "../../lib/network/guarded-fetch.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { type ToolResult, toolError } from "../tool.ts";

const BODY_LIMIT = 1024 * 1024;
const SHOWN_CHARACTERS = 30_000;

/** The default timeout of a call, in seconds. */
export const DEFAULT_HTTP_TIMEOUT = 30;

/** A call of a configured HTTP interface. */
export interface HttpCall {
  url: URL;
  method: NonNullable<GuardedRequest["method"]>;
  /** Sent only to the origin of `url`. */
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  timeoutSeconds: number;
  allowPrivate: boolean;
  /** Cuts the response to so many bytes instead of 30,000 characters; 0 leaves it as it was read. */
  maxBytes?: number | undefined;
}

/**
 * Makes the call and returns the response, cut to 30,000 characters or `maxBytes`. A status of 400 or more is an error result. Never
 * throws.
 */
export async function callHttp(call: HttpCall, context: { env: Env; signal: AbortSignal }): Promise<ToolResult> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(call.timeoutSeconds * 1000)]);
  const withBody = call.body !== undefined;
  const answer = await guardedFetch(call.url, {
    method: call.method,
    headers: { Accept: "application/json, */*;q=0.5", ...(withBody ? { "Content-Type": "application/json" } : {}) },
    ownHeaders: call.headers,
    ...(withBody ? { body: JSON.stringify(call.body) } : {}),
    allowPrivate: call.allowPrivate,
    env: context.env,
    signal,
  });
  if (answer.kind !== "response") return toolError(`Error: ${answer.reason}`);
  try {
    const { bytes, truncated } = await readAtMost(answer.response, BODY_LIMIT);
    const whole = new TextDecoder().decode(bytes);
    const kept = cut(whole, call.maxBytes);
    const text = truncated || kept !== whole ? `${kept}\n... (truncated)` : kept;
    const { status } = answer.response;
    return status < 400 ? { text } : toolError(`Error: status ${status}\n${text}`.trim());
  } catch (error) {
    return toolError(`Error: ${call.url.host}: ${errorText(signal.aborted ? signal.reason : error)}`);
  }
}

/** Returns the given arguments in the order of `names`. Throws a {@link UserError} that names missing required ones. */
export function declaredArguments(
  input: Readonly<Record<string, unknown>>,
  names: readonly string[],
  required: readonly string[],
): Record<string, unknown> {
  const given = names.filter((name) => Object.hasOwn(input, name) && input[name] !== null && input[name] !== undefined);
  const missing = required.filter((name) => !given.includes(name));
  if (missing.length > 0) throw new UserError(`missing arguments: ${missing.join(", ")}`);
  return Object.fromEntries(given.map((name) => [name, input[name]]));
}

/** Encodes a value as one segment of a path or query. Throws a {@link UserError} for `.` and `..`. */
export function urlPart(name: string, value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // Even encoded, these would move within the path.
  if (/^\.{1,2}$/.test(text)) throw new UserError(`${name} must not be ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}

function cut(text: string, maxBytes?: number): string {
  if (maxBytes === undefined) return text.slice(0, SHOWN_CHARACTERS);
  return maxBytes === 0 ? text : cutBytes(text, maxBytes);
}
