import { type Offer, type Protocol, protocolFor } from "./protocols.ts";

/** What the model does when it is asked: it calls a tool, or it ends the turn with a text. */
export type Step =
  | { call: string; input: Readonly<Record<string, unknown>> | string; namespace?: string }
  | { text: string };

/** A model service on loopback that speaks four protocols and plays a script. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a path. */
  url: string;
  /** What the model does, one step for each request of the conversation; the last one is repeated. */
  script: Step[];
  /** The bodies of the requests that continue the conversation, as text, in order. */
  turns: string[];
  /** Every tool that any request offered, by its name. */
  offers: Map<string, Offer>;
  /** Method and path of every request, for `--verbose`. */
  seen: string[];
  stop(): void;
}

/**
 * Starts a server that plays a script for the requests that offer a tool. Requests without it, such as those for a
 * title, get a short text. Unknown paths get a 404, so that nothing else a program wants is answered.
 */
export function startModelServer(tool: string): ModelServer {
  const script: Step[] = [];
  const turns: string[] = [];
  const offers = new Map<string, Offer>();
  const seen: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      seen.push(`${request.method} ${pathname}${search}`);
      const protocol = request.method === "POST" ? protocolFor(pathname) : undefined;
      if (!protocol) return other(pathname);
      const text = await request.text();
      const body: unknown = JSON.parse(text);
      const offered = protocol.tools(body);
      for (const each of offered) offers.set(each.name, each);
      if (!offered.some(({ name }) => name === tool)) {
        seen.push(`  offered: ${offered.map(({ name }) => name).join(" ")}`);
        return respond(protocol, { text: "ok" }, pathname, body, seen.length);
      }
      turns.push(text);
      const step = script[turns.length - 1] ?? script.at(-1) ?? { text: "ok" };
      return respond(protocol, step, pathname, body, turns.length);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    script,
    turns,
    offers,
    seen,
    stop: () => void server.stop(true),
  };
}

function respond(protocol: Protocol, step: Step, path: string, body: unknown, turn: number): Response {
  const { events, whole } = protocol.reply(step, turn);
  if (!protocol.streams(path, body)) return Response.json(whole);
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}

function other(path: string): Response {
  if (path.endsWith("/models")) return Response.json({ object: "list", data: [] });
  return Response.json({ error: { message: `not served: ${path}`, type: "not_found_error" } }, { status: 404 });
}
