import { ConfigError } from "../../lib/errors.ts";
import { isPublicAddress, resolveHost } from "../../lib/network/address.ts";
import { type GuardedRequest, guardedFetch, readAtMost } from "../../lib/network/guarded-fetch.ts";
import { FETCH_TIMEOUT_MS, type SourceContext } from "./source-context.ts";

/** Nobody answered: a stored copy may do. */
export class UnreachableError extends ConfigError {}

/** A request for an agent, or for something on the way to one. */
export interface AgentRequest {
  method?: NonNullable<GuardedRequest["method"]>;
  headers?: Readonly<Record<string, string>>;
  /** Sent to the first host only. */
  credentials?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** A longer answer is refused, before it is read where its length is announced. */
  limit: number;
  /** What the answer is, for messages: `the manifest`. */
  what: string;
  /** `public` refuses the local machine and private networks; `named` lets them through where the user named them. */
  allowedHosts: "public" | "named";
  /** `same_host` refuses a redirect that would need the credentials elsewhere. */
  redirects: "anywhere" | "same_host";
  context: SourceContext;
}

/** An answer, whatever its status, read to its end. */
export interface AgentResponse {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** True for the names of this machine to which plain http is allowed. Source: config-and-cli 7.3, 7.5. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** Which hosts may be asked, given who named this one. */
export function allowedHostsFor(host: string, context: SourceContext): "public" | "named" {
  return context.namedBy === undefined || context.namedBy === host ? "named" : "public";
}

/**
 * Requests a URL over https (plain http on this machine only) and reads the whole answer. A host that is public never
 * leads to one that is not, and credentials never leave the first host. Throws an {@link UnreachableError} when nobody
 * answers, and a {@link ConfigError} for what is refused; both name the host and nothing secret.
 *
 * Source: config-and-cli 7.3, 11.2.
 */
export async function requestAgent(url: URL, request: AgentRequest): Promise<AgentResponse> {
  const { method = "GET", headers = {}, credentials = {}, body, limit, context } = request;
  const refused = refuseFirst(url, request);
  if (refused !== undefined) throw new ConfigError(`${url.host}: ${refused}`);
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
    refuse: (next) => (next === url ? undefined : refuseRedirect(url, next, request)),
  });
  if (hop.kind === "refused")
    throw new ConfigError(hop.reason.includes(url.host) ? hop.reason : `${url.host}: ${hop.reason}`);
  if (hop.kind === "failed")
    throw new UnreachableError(hop.reason.includes(url.hostname) ? hop.reason : `${url.host}: ${hop.reason}`);
  return {
    status: hop.response.status,
    headers: hop.response.headers,
    bytes: await readWhole(hop.response, url, request, limit),
  };
}

function refuseFirst(url: URL, { allowedHosts }: AgentRequest): string | undefined {
  const local = isLoopbackHost(url.hostname);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:"))
    return "only https is allowed, except on this machine";
  if (local && allowedHosts === "public") return "an agent from elsewhere cannot name one on this machine";
  return undefined;
}

function refuseRedirect(first: URL, next: URL, { redirects }: AgentRequest): string | undefined {
  const local = isLoopbackHost(first.hostname);
  if (local && !isLoopbackHost(next.hostname)) return `redirected off this machine, to ${next.host}`;
  if (next.protocol !== "https:" && !local) return `redirected to plain http, at ${next.host}`;
  if (redirects === "same_host" && next.origin !== first.origin) {
    return `redirected to another host, ${next.host}, where credentials do not go`;
  }
  return undefined;
}

/** True for a host all of whose addresses mean this machine or a private network. */
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
    await response.body?.cancel().catch(() => {}); // given up: how it ends does not matter
    throw tooLong();
  }
  let read;
  try {
    read = await readAtMost(response, limit);
  } catch (error) {
    throw new UnreachableError(`${url.host}: the connection broke off`, { cause: error });
  }
  if (read.truncated) throw tooLong();
  return read.bytes;
}
