import { ConfigError, type Help } from "../../lib/errors.ts";
import { isPublicAddress, resolveHost } from "../../lib/network/address.ts";
import { type GuardedRequest, guardedFetch, readAtMost } from "../../lib/network/guarded-fetch.ts";
import { FETCH_TIMEOUT_MS, type SourceContext } from "./source-context.ts";

export const FORBIDDEN_ADDRESS: Help = {
  cause:
    "hooksh fetches agents over https only, follows no redirect away from the host that gets credentials, and lets no agent from elsewhere refer to this machine.",
  cure: "Use the final https address.",
};

/** The host did not answer. The caller may use a stored copy. */
export class UnreachableError extends ConfigError {}

export interface AgentRequest {
  method?: NonNullable<GuardedRequest["method"]>;
  headers?: Readonly<Record<string, string>>;
  /** Headers that only the first host receives. */
  credentials?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The maximum size of the answer in bytes. */
  limit: number;
  /** The name of the answer in messages: `the manifest`. */
  what: string;
  /** `public` forbids the local machine and private networks; `named` allows them, because the user named the host. */
  allowedHosts: "public" | "named";
  /** `same_host` forbids redirects to other hosts, which would not receive the credentials. */
  redirects: "anywhere" | "same_host";
  context: SourceContext;
}

/** A complete answer with any status. */
export interface AgentResponse {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** True for the names of this machine for which plain http is allowed. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** Returns which hosts a request may go to: a remote agent may name only its own host and public ones. */
export function allowedHostsFor(host: string, context: SourceContext): "public" | "named" {
  return context.namedBy === undefined || context.namedBy === host ? "named" : "public";
}

/**
 * Requests a URL over https (plain http only on this machine) and reads the whole answer. A public host cannot
 * redirect to a private one, and only the first host receives credentials. Throws an {@link UnreachableError} if the
 * host does not answer, and a {@link ConfigError} if the request is forbidden. Messages name the host and contain no
 * secrets.
 */
export async function requestAgent(url: URL, request: AgentRequest): Promise<AgentResponse> {
  const { method = "GET", headers = {}, credentials = {}, body, limit, context } = request;
  const forbidden = problemOfUrl(url, request);
  if (forbidden !== undefined)
    throw new ConfigError(url.host === "" ? forbidden : `${url.host}: ${forbidden}`, { help: FORBIDDEN_ADDRESS });
  const timeout = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const signal = context.signal ? AbortSignal.any([context.signal, timeout]) : timeout;
  const allowPrivate = request.allowedHosts === "named" && (await isPrivateHost(url.hostname, signal));
  const hop = await guardedFetch(url, {
    method,
    headers,
    ownHeaders: credentials,
    ...(body === undefined ? {} : { body }),
    signal,
    env: context.env,
    allowPrivate,
    refuse: (next) => (next === url ? undefined : problemOfRedirect(url, next, request)),
  });
  if (hop.kind === "refused")
    throw new ConfigError(hop.reason.includes(url.host) ? hop.reason : `${url.host}: ${hop.reason}`, {
      help: FORBIDDEN_ADDRESS,
    });
  if (hop.kind === "failed")
    throw new UnreachableError(hop.reason.includes(url.hostname) ? hop.reason : `${url.host}: ${hop.reason}`);
  return {
    status: hop.response.status,
    headers: hop.response.headers,
    bytes: await readWhole(hop.response, url, request, limit),
  };
}

function problemOfUrl(url: URL, { allowedHosts }: AgentRequest): string | undefined {
  const local = isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:"))
    return "only https is allowed, except on this machine";
  if (local && allowedHosts === "public") return "a remote agent must not refer to this machine";
  return undefined;
}

function problemOfRedirect(first: URL, next: URL, { redirects }: AgentRequest): string | undefined {
  const local = isLoopbackHost(first.hostname);
  if (local && !isLoopbackHost(next.hostname))
    return `redirects from this machine to ${next.host}, which is not allowed`;
  if (next.protocol !== "https:" && !local) return `redirects to plain http at ${next.host}; only https is allowed`;
  if (redirects === "same_host" && next.origin !== first.origin) {
    return `redirects to another host, ${next.host}, which must not receive the credentials`;
  }
  return undefined;
}

problemOfRedirect.help = FORBIDDEN_ADDRESS;

/** True if all addresses of a host are this machine or in private networks. */
export async function isPrivateHost(hostname: string, signal?: AbortSignal): Promise<boolean> {
  const resolution = await resolveHost(hostname, signal);
  return resolution.kind === "resolved" && resolution.addresses.every((address) => !isPublicAddress(address));
}

async function readWhole(
  response: Response,
  url: URL,
  { method, what }: AgentRequest,
  limit: number,
): Promise<Uint8Array> {
  if (method === "HEAD") return new Uint8Array();
  const announced = Number(response.headers.get("content-length") ?? 0);
  const tooLong = () => new ConfigError(`${url.host}: ${what} is larger than ${limit} bytes`);
  if (announced > limit) {
    await response.body?.cancel().catch(() => {}); // the answer is not needed, so an error does not matter
    throw tooLong();
  }
  let read;
  try {
    read = await readAtMost(response, limit);
  } catch (error) {
    throw new UnreachableError(`${url.host}: the connection was closed before the answer was complete`, {
      cause: error,
    });
  }
  if (read.truncated) throw tooLong();
  return read.bytes;
}
