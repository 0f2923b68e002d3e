import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { type GuardedRequest, guardedFetch } from "../../lib/network/guarded-fetch.ts";
import { traceHeaders } from "../../trace/active.ts";
import { FLOOD_TEXTS, MCP_SERVER_DID_NOT_START, NotDeliveredError, type ServerMonitor } from "./bounds.ts";
import { watchBody } from "./watch-body.ts";

/** A server that hooksh reaches over HTTP. */
export interface RemoteServer {
  url: URL;
  kind: "streamable" | "sse";
  /** Sent with every request, but only to the origin of `url`. */
  headers: Readonly<Record<string, string>>;
  /** Expands the headers' values, again for every request. */
  expand: (text: string) => string;
  allowPrivate: boolean;
  env: Env;
}

/** How long reading the rest of an event stream may take after it has ended. */
const SETTLE_MS = 250;

/**
 * Opens a connection over HTTP. Every request is guarded against internal addresses and stays at the origin of the URL,
 * and the size of responses is limited.
 */
export async function openRemote(server: RemoteServer, watch: ServerMonitor): Promise<Transport> {
  return server.kind === "sse" ? openEventSource(server, watch) : openStreamable(server, watch);
}

async function openStreamable(server: RemoteServer, watch: ServerMonitor): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const unanswered = new Set<RequestId>();
  const transport: Transport = new StreamableHTTPClientTransport(server.url, {
    fetch: async (url, init) => {
      const isPost = init?.method === "POST";
      const response = await request(server, watch, { url: new URL(url), init, mustArrive: isPost });
      const expired = response.status === 404 && new Headers(init?.headers).has("mcp-session-id");
      if (expired && isPost) throw new NotDeliveredError("has forgotten the session");
      return watchBody(response, watch, ({ resumable }) => {
        if (isPost && !resumable) setTimeout(breakOff, SETTLE_MS, requestId(init));
      });
    },
  });
  const breakOff = (id: RequestId | undefined) => {
    if (id === undefined || !unanswered.delete(id)) return;
    transport.onmessage?.({
      jsonrpc: "2.0",
      id,
      error: { code: -32000, message: "the answer broke off; the call may or may not have run" },
    });
  };
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) unanswered.add(message.id);
    return send(message, options);
  };
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!("method" in message) && message.id !== undefined) unanswered.delete(message.id);
  };
  return transport;
}

async function openEventSource(server: RemoteServer, watch: ServerMonitor): Promise<Transport> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  return new SSEClientTransport(server.url, {
    fetch: async (url, init) => {
      const isPost = init?.method === "POST";
      const response = await request(server, watch, { url: new URL(url), init, mustArrive: true });
      return watchBody(response, watch, () => {
        if (!isPost) watch.ended("closed the connection"); // a new stream would begin a new session
      });
    },
  });
}

interface Sent {
  url: URL;
  init: RequestInit | undefined;
  /** True if a failed request means that the server has ended. */
  mustArrive: boolean;
}

async function request(server: RemoteServer, watch: ServerMonitor, { url, init, mustArrive }: Sent): Promise<Response> {
  const { origin } = server.url;
  // A server can make the client repeat requests endlessly.
  if (!watch.meter.add({ messages: 1 })) watch.ended(FLOOD_TEXTS.rate, "flood");
  const answer = await guardedFetch(url, {
    method: methodOf(init),
    ownHeaders: headersOf(server, init),
    ...(typeof init?.body === "string" ? { body: init.body } : {}),
    signal: init?.signal ?? new AbortController().signal,
    env: server.env,
    allowPrivate: server.allowPrivate,
    refuse: (target) =>
      target.origin === origin ? undefined : `redirected to ${target.origin}: put that into the URL`,
  });
  if (answer.kind === "refused") throw new UserError(refusalText(answer.reason));
  if (answer.kind === "failed") {
    if (answer.isUnsent) throw new NotDeliveredError(answer.reason);
    if (mustArrive && !init?.signal?.aborted) watch.ended(answer.reason);
    throw new UserError(answer.reason);
  }
  if (answer.response.status !== 401) return answer.response;
  await answer.response.body?.cancel().catch(() => {}); // the body is not needed
  throw new UserError(`${origin} requires authorization (status 401): set it in remote.headers`, {
    help: MCP_SERVER_DID_NOT_START,
  });
}

function refusalText(reason: string): string {
  return reason.includes("internal address") ? `${reason}: allow_private_ips: true allows it` : reason;
}

const METHODS = ["GET", "POST", "DELETE"] as const satisfies GuardedRequest["method"][];

function methodOf(init: RequestInit | undefined): (typeof METHODS)[number] {
  return METHODS.find((method) => method === init?.method) ?? "GET";
}

function headersOf({ headers, expand }: RemoteServer, init: RequestInit | undefined): Record<string, string> {
  const all = new Headers(init?.headers);
  for (const [name, value] of Object.entries(traceHeaders())) all.set(name, value);
  for (const [name, value] of Object.entries(headers)) {
    try {
      all.set(name, expand(value));
    } catch {
      throw new UserError(`remote.headers: ${name} cannot be sent`); // the original error would quote the value
    }
  }
  return Object.fromEntries(all.entries());
}

function requestId(init: RequestInit | undefined): RequestId | undefined {
  const message: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
