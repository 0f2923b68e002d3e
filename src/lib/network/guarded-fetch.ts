import type { Env } from "../env.ts";
import { rememberCredentials } from "../secrets/known-secrets.ts";
import { isPublicAddress, resolveHost } from "./address.ts";

const MAX_REDIRECTS = 10;
const REFUSED_CONNECTION = "connection refused";

/** A request to a URL that may come from an untrusted source. */
export interface GuardedRequest {
  method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent to every host, also after redirects. */
  headers?: Readonly<Record<string, string>>;
  /** Sent only to the origin of the first URL; credentials belong here. */
  ownHeaders?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** The environment with `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`. */
  env: Env;
  /** Allows internal addresses. Connections still go only to the address that was resolved first. */
  allowPrivate?: boolean;
  /** Called before every request, the first one included. Returns why the URL is refused, or undefined. */
  refuse?: (url: URL) => string | undefined;
}

/** The result of a guarded request. A reason never contains credentials, a path or a query. */
export type GuardedResponse =
  /** `url` is the URL that answered; `response.url` has the IP address in place of the host name. */
  | { kind: "response"; response: Response; url: URL }
  | { kind: "refused"; reason: string }
  /** `isUnsent`: the request certainly did not reach a server. */
  | { kind: "failed"; reason: string; isUnsent?: true };

/**
 * Fetches a URL, follows at most 10 redirects, and never connects to an internal address. Before each request it
 * resolves the host, checks the addresses and connects to one that it checked, so that a name server cannot answer
 * differently the second time. A configured proxy is exempt: it resolves names itself, so only names that also resolve
 * here are checked. Redirects change the method as in the Fetch Standard, and a body never goes to another host. Never
 * throws; a status of 400 or more is a response.
 */
export async function guardedFetch(first: URL, request: GuardedRequest): Promise<GuardedResponse> {
  let url = first;
  let { method = "GET", body } = request;
  let isBodyDropped = false;
  rememberCredentials(request.ownHeaders ?? {});
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return { kind: "refused", reason: "only http(s) URLs are supported" };
    }
    const refused = request.refuse?.(url);
    if (refused !== undefined) return { kind: "refused", reason: refused };
    if (body !== undefined && !mayTakeBody(first, url)) {
      return {
        kind: "refused",
        reason: `redirected to another host, ${url.host}, where the body of the request does not go`,
      };
    }

    const sameOrigin = url.origin === first.origin;
    const given = { ...request.headers, ...(sameOrigin ? request.ownHeaders : {}), ...authorization(url) };
    const headers = isBodyDropped ? withoutBodyHeaders(given) : given;
    const hop = await fetchOnce(url, { ...request, method, body: body ?? "", headers });
    if (hop.kind === "failed" && redirects > 0) return { kind: "failed", reason: hop.reason };
    if (hop.kind !== "response") return hop;

    const next = redirectTarget(hop.response, url);
    if (!next) return hop;
    await hop.response.body?.cancel().catch(() => {}); // the connection is not used again
    if (becomesGet(hop.response.status, method)) {
      method = "GET";
      body = undefined;
      isBodyDropped = true;
    }
    url = next;
  }
  return { kind: "failed", reason: `stopped after ${MAX_REDIRECTS} redirects` };
}

/** Reads at most `limit` bytes of a response and discards the rest. Throws if the connection breaks. */
export async function readAtMost(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; truncated: boolean }> {
  const parts: Uint8Array[] = [];
  let room = limit;
  for await (const chunk of response.body ?? []) {
    parts.push(chunk.length > room ? chunk.slice(0, room) : chunk);
    room -= chunk.length;
    if (room < 0) break;
  }
  return { bytes: Buffer.concat(parts), truncated: room < 0 };
}

/**
 * Returns the proxy for a URL from the usual variables: lower case before upper case, `ALL_PROXY` last. Hosts in
 * `NO_PROXY` (with their subdomains; `*` for all; `host:port`) and the local machine have none.
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = read(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY") || read("ALL_PROXY");
  if (!proxy || /^(localhost|127\..*|\[::1\])$/.test(url.hostname)) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const exempt = (read("NO_PROXY") ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  const direct = exempt.some((entry) => {
    if (entry === "*") return true;
    const [, name = "", onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (name === "" || (onlyPort !== undefined && onlyPort !== port)) return false;
    return url.hostname === name || url.hostname.endsWith(`.${name}`);
  });
  return direct ? undefined : proxy.includes("://") ? proxy : `http://${proxy}`;
}

type Hop = GuardedRequest & { headers: Record<string, string>; body: string | Uint8Array };

/** Where a request goes: to an address that was checked, or to a proxy that resolves the name itself. */
type Route = { address: string } | { proxy: string };

async function fetchOnce(url: URL, hop: Hop): Promise<GuardedResponse> {
  const proxy = proxyFor(url, hop.env);
  const resolution = await resolveHost(url.hostname, hop.signal);
  if (resolution.kind === "failed") {
    return proxy ? send(url, { proxy }, hop) : { kind: "failed", reason: resolution.reason, isUnsent: true };
  }
  const address = resolution.addresses.find((candidate) => hop.allowPrivate || isPublicAddress(candidate));
  if (address === undefined) {
    return { kind: "refused", reason: `${url.hostname} is an internal address (${resolution.addresses.join(", ")})` };
  }
  return send(url, proxy ? { proxy } : { address }, hop);
}

async function send(url: URL, route: Route, hop: Hop): Promise<GuardedResponse> {
  const target = new URL(url);
  target.username = "";
  target.password = "";
  if ("address" in route) target.hostname = route.address.includes(":") ? `[${route.address}]` : route.address;
  try {
    const response = await fetch(target, {
      method: hop.method ?? "GET",
      headers: { ...hop.headers, Host: url.host },
      ...(hop.method === "GET" || hop.method === "HEAD" ? {} : { body: hop.body }),
      redirect: "manual",
      signal: hop.signal,
      keepalive: false, // a pooled connection would belong to an address, not to the name it was checked for
      proxy: "proxy" in route ? route.proxy : false, // false, because Bun looks up the proxy variables on its own
      // The certificate must be for the host, whose name the URL no longer contains.
      ...(target.hostname === url.hostname ? {} : { tls: { serverName: url.hostname.replace(/\.$/, "") } }),
    } as BunFetchRequestInit);
    return { kind: "response", response, url };
  } catch (error) {
    const reason = failureText(error, hop.signal);
    return {
      kind: "failed",
      reason: `${url.host}: ${reason}`,
      ...(reason === REFUSED_CONNECTION ? { isUnsent: true } : {}),
    };
  }
}

/** The messages of `fetch` quote the whole URL, which may contain credentials, so only the error code is used. */
function failureText(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason instanceof Error && signal.reason.name === "TimeoutError" ? "timed out" : "aborted";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED" || code === "ConnectionRefused") return REFUSED_CONNECTION;
  return code || "request failed";
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.get("location");
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** As in the Fetch Standard: PUT, PATCH and DELETE keep their method, except after 303. */
function becomesGet(status: number, method: NonNullable<GuardedRequest["method"]>): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

const BODY_HEADERS = ["content-encoding", "content-language", "content-location", "content-type"];

function withoutBodyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !BODY_HEADERS.includes(name.toLowerCase())));
}

/** True if the body may go to this URL: same origin, or the same host redirecting from http to https. */
function mayTakeBody(first: URL, to: URL): boolean {
  return (
    to.origin === first.origin ||
    (to.hostname === first.hostname && first.protocol === "http:" && to.protocol === "https:")
  );
}

function authorization(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  return { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing is a literal one
  }
}
