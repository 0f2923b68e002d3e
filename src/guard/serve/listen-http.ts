import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { errorText } from "../../lib/errors.ts";
import { widenBacklogs } from "../../lib/process/descriptors.ts";
import { denialResponse } from "./http-answer.ts";

/** Where a server listens: a socket file, or a port of 127.0.0.1; 0 is a free port. */
export type HttpPlace = { socket: string } | { port: number };

/** A request, before any part of it is checked. */
export interface HttpRequest {
  method: string;
  /** The target as sent, such as `/claude/PreToolUse?deadline=2s` (RFC 9112, section 3.2). */
  target: string;
  headers: Headers;
  body: Readable;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

export interface HttpListener {
  /** The port, if it listens on one. */
  port: number | undefined;
  /** Accepts no more connections, and resolves when the open ones have ended; with `now`, cuts them off. */
  stop: (now?: boolean) => Promise<void>;
}

/** How long a client may take to send the headers of a request, and an unread body, in milliseconds. */
const RECEIVE_MS = 10_000;

/** How long an open connection may wait for its next request; clients are told in the header Keep-Alive. */
const IDLE_MS = 60_000;

/**
 * Starts a server. Every request gets an answer, in the order of the requests on its connection: that of `respond`, or a
 * denial with status 200 if it is not HTTP. A body may have any size, and an answer may take any time. Rejects if the
 * place is taken or cannot be used.
 *
 * Not `Bun.serve`: it closes a connection on which a second request arrives before the first is answered.
 */
export async function listenHttp(
  place: HttpPlace,
  respond: (request: HttpRequest) => Promise<Response>,
): Promise<HttpListener> {
  const options = {
    requireHostHeader: false,
    headersTimeout: RECEIVE_MS,
    // Those who read a body limit its time, and answer.
    requestTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: RECEIVE_MS / 2,
  };
  const server = createServer(options, (message, out) => void answer(message, out, respond));
  server.on("clientError", (error: Error, socket: Socket) => void refuse(error, socket));
  if ("socket" in place) server.listen(place.socket);
  else server.listen(place.port, "127.0.0.1");
  await once(server, "listening"); // rejects on "error"
  widenBacklogs();
  const address = server.address();
  return {
    port: typeof address === "object" ? address?.port : undefined,
    stop: async (now = false) => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      if (now) server.closeAllConnections();
      await closed;
    },
  };

  async function answer(
    message: IncomingMessage,
    out: ServerResponse,
    judge: (request: HttpRequest) => Promise<Response>,
  ): Promise<void> {
    const gone = new AbortController();
    out.once("close", () => gone.abort());
    const { status, headers, body } = await judged(message, gone.signal, judge);
    if (!server.listening) out.setHeader("connection", "close");
    out.writeHead(status, { ...Object.fromEntries(headers), "content-length": body.length });
    out.end(body);
    if (message.complete) return;
    message.resume();
    message.socket.setTimeout(RECEIVE_MS, () => message.socket.destroy());
  }
}

async function judged(
  message: IncomingMessage,
  signal: AbortSignal,
  judge: (request: HttpRequest) => Promise<Response>,
): Promise<{ status: number; headers: Headers; body: Buffer }> {
  const { method = "", url: target = "" } = message;
  const response = await readHeaders(message).then(
    (headers) => judge({ method, target, headers, body: message, signal }),
    (error: unknown) => denialResponse(`hooksh: the headers of the request are invalid: ${errorText(error)}`),
  );
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

/** Returns all headers; `message.headers` drops repeated ones. Rejects if a value is invalid. */
async function readHeaders({ rawHeaders }: IncomingMessage): Promise<Headers> {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

/** Answers bytes that are no request, or only the beginning of one. */
async function refuse({ message }: Error, socket: Socket): Promise<void> {
  const body = await denialResponse(`hooksh: not an HTTP request: ${message}`).text();
  socket.end(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
