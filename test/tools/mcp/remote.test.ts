import { afterEach, describe, expect, test } from "bun:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as ServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Toolset, ToolsetContext } from "../../../src/tools/tool.ts";
import { endless } from "../../helpers/endless.ts";
import { settled } from "../../helpers/settled.ts";
import { until } from "../../helpers/until.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** How an HTTP server treats a request before the MCP server sees it; undefined passes it on. */
type Gate = (request: Request) => Response | Promise<Response> | undefined;

interface Remote {
  url: string;
  /** Method and the header `x-key` of every request. */
  seen: string[];
  /** Forgets every session. */
  forget(): void;
  stop(): void;
}

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** What an error result with these words in it looks like. */
const errorWith = (words: string) => ({ text: expect.stringContaining(words), isError: true });

/** An MCP server over streamable HTTP on loopback. */
function serve(gate: Gate = () => undefined): Remote {
  const sessions = new Map<string, ServerTransport>();
  const seen: string[] = [];
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      seen.push(`${request.method} ${request.headers.get("x-key")}`);
      const answer = await gate(request);
      if (answer) return answer;
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (known) return known.handleRequest(request);
      if (id !== null) return new Response("no such session", { status: 404 });
      const transport = new ServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      const server = new McpServer({ name: "remote", version: "1" });
      server.registerTool("look", { annotations: { readOnlyHint: true } }, () => text("seen"));
      server.registerTool("add", {}, () => text("added"));
      server.registerTool("hang", {}, () => new Promise(() => {}));
      server.registerTool("large", {}, () => text("x".repeat(20 * 1024 * 1024)));
      await server.connect(transport);
      return transport.handleRequest(request);
    },
  });
  const stop = () => void http.stop(true);
  cleanups.push(stop);
  return { url: `http://127.0.0.1:${http.port}/mcp`, seen, forget: () => sessions.clear(), stop };
}

async function make(
  url: string,
  { remote = {}, ...options }: { remote?: Record<string, unknown> } & Record<string, unknown> = {},
  more: Partial<ToolsetContext> = {},
): Promise<Toolset> {
  const entry = { remote: { url, ...remote }, allow_private_ips: true, ...options };
  const toolset = await makeToolset("mcp", temporaryDirectory(), entry, more);
  cleanups.push(() => toolset.close?.());
  return toolset;
}

const context = toolContext("/");

test.each([{}, { transport_type: "streamable" }, { transport_type: "streamable-http" }])(
  "a server over HTTP offers its tools with %o",
  async (remote) => {
    const toolset = await make(serve().url, { remote });
    expect(toolset.tools.map(({ name }) => name)).toEqual(["look", "add", "hang", "large"]);
    expect(toolset.tools[0]).toMatchObject({ qualifiedName: "mcp:127.0.0.1:look", readOnly: true });
    expect(await call(toolset, "look", {}, context)).toEqual({ text: "seen" });
  },
);

test("headers are expanded anew for every request", async () => {
  const { url, seen } = serve();
  let count = 0;
  const expand = (text: string) => text.replace("${n}", () => String(++count));
  const toolset = await make(url, { remote: { headers: { "X-Key": "k${n}" } } }, { expand });
  await call(toolset, "look", {}, context);
  const keys = seen.map((line) => line.split(" ")[1]);
  expect(keys.length).toBeGreaterThan(3);
  expect(keys.toSorted()).toEqual(keys.map((_, index) => `k${index + 1}`).toSorted());
});

test("a header that cannot be sent is named without its value", async () => {
  const made = make(serve().url, { remote: { headers: { "X-Key": "a\nsecret" } } });
  expect(await settled(made)).toThrow("remote.headers: X-Key cannot be sent");
});

test("an internal address is refused unless the entry allows it", async () => {
  const { url, seen } = serve();
  expect(await settled(make(url, { allow_private_ips: false }))).toThrow(/internal address.*allow_private_ips/);
  expect(seen).toEqual([]);
});

test("a redirect to another origin is not followed", async () => {
  const target = serve();
  const { url } = serve(() => Response.redirect(target.url, 307));
  expect(await settled(make(url))).toThrow("redirected to http://127.0.0.1");
  expect(target.seen).toEqual([]);
});

test("the error for a server that requires authorization names it", async () => {
  const { url } = serve(() => new Response("", { status: 401, headers: { "WWW-Authenticate": "Bearer" } }));
  const { origin } = new URL(url);
  expect(await settled(make(url, { name: "hub" }))).toThrow(
    `MCP server hub: ${origin} requires authorization (status 401)`,
  );
});

test("an error of the server is shown, cut", async () => {
  const { url } = serve(() => new Response("y".repeat(100_000), { status: 500 }));
  const error = await make(url).catch((thrown: Error) => thrown.message);
  expect(error).toContain("yyy");
  expect(String(error).length).toBeLessThan(1000);
});

test("hooksh gives up on a server that does not answer within its startup timeout", async () => {
  const { url } = serve(() => new Promise<Response>(() => {}));
  expect(await settled(make(url, { lifecycle: { startup_timeout: 300 } }))).toThrow("did not start within 300ms");
});

test("closing tells the server that the session is over", async () => {
  const { url, seen } = serve();
  const toolset = await make(url);
  await toolset.close?.();
  expect(seen).toContain("DELETE null");
});

describe("a call", () => {
  test("begins a new session when the server has forgotten the old one", async () => {
    const remote = serve();
    const toolset = await make(remote.url);
    remote.forget();
    expect(await call(toolset, "look", {}, context)).toEqual({ text: "seen" });
    remote.forget();
    // Turned away, so it did not run: it is made in the new session, whatever its hints.
    expect(await call(toolset, "add", {}, context)).toEqual({ text: "added" });
  });

  test("to a server that has ended causes restarts in the background, as often as max_restarts says", async () => {
    const { url, stop } = serve();
    const warnings: string[] = [];
    const log: string[] = [];
    const lifecycle = { max_restarts: 2, backoff: { initial: 1, max: 1 } };
    const toolset = await make(
      url,
      { lifecycle },
      {
        warn: (message) => void warnings.push(message),
        log: (_level, message) => void log.push(message),
      },
    );
    stop();
    expect(await call(toolset, "look", {}, context)).toMatchObject({ isError: true });
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([
      expect.stringContaining("it was restarted 2 times without answering a call and is not restarted again"),
    ]);
    expect(log).toContainEqual(expect.stringMatching(/is restarted in 100ms \(restart 2 of 2\)/));
    expect(await call(toolset, "look", {}, context)).toMatchObject(
      errorWith("is not restarted again (lifecycle.max_restarts)"),
    );
  });

  test("to a server that has ended is an error result", async () => {
    const remote = serve();
    const toolset = await make(remote.url);
    remote.stop();
    expect(await call(toolset, "look", {}, context)).toMatchObject(errorWith("refused"));
  });

  test("whose answer breaks off is an error result, long before the call's time is up", async () => {
    let isBroken = false;
    const { url } = serve(() => {
      if (!isBroken) return undefined;
      return new Response(": wait\n\n", { headers: { "Content-Type": "text/event-stream" } });
    });
    const toolset = await make(url);
    isBroken = true;
    expect(await call(toolset, "look", {}, context)).toMatchObject(errorWith("broke off"));
  });

  test("with a result larger than the limit is an error result", async () => {
    const toolset = await make(serve().url);
    expect(await call(toolset, "large", {}, context)).toEqual({
      text: "Error: MCP server 127.0.0.1 sent a message of more than 16 MiB; the call may or may not have run and is not repeated",
      isError: true,
    });
    expect(await call(toolset, "look", {}, context)).toEqual({ text: "seen" });
  });

  test.each(["application/json", "text/event-stream"])(
    "answered with %s that unpacks without end is an error result",
    async (type) => {
      let isEndless = false;
      const { url } = serve((got) =>
        isEndless && got.method === "POST" ? endless("data: x", "gzip", { type }) : undefined,
      );
      const toolset = await make(url);
      isEndless = true;
      expect(await call(toolset, "add", {}, context)).toMatchObject(errorWith("sent a message of more than 16 MiB"));
    },
  );

  test("ends when the run is cancelled", async () => {
    const toolset = await make(serve().url);
    const controller = new AbortController();
    const result = call(toolset, "hang", {}, toolContext("/", { signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(await result).toEqual({ text: "Tool call cancelled", isError: true });
  });
});

describe("a server of the older kind", () => {
  /** Speaks just enough: the stream names the endpoint, and answers to what is posted come on the stream. */
  function serveEvents(): { url: string; drop(): void; streams(): number } {
    let stream: ReadableStreamDefaultController<string> | undefined;
    let opened = 0;
    const answerTo = (method: string) => {
      if (method === "initialize") {
        const serverInfo = { name: "old", version: "1" };
        return { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo };
      }
      return method === "tools/list" ? { tools: [{ name: "look", inputSchema: {} }] } : text("old");
    };
    const http = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (request) => {
        if (request.method === "GET") {
          opened++;
          const body = new ReadableStream<string>({
            start: (controller) => {
              stream = controller;
              controller.enqueue("event: endpoint\ndata: /post\n\n");
            },
          });
          return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
        }
        const { id, method } = (await request.json()) as { id?: number; method: string };
        const answer = JSON.stringify({ jsonrpc: "2.0", id, result: answerTo(method) });
        if (id !== undefined) stream?.enqueue(`data: ${answer}\n\n`);
        return new Response("", { status: 202 });
      },
    });
    cleanups.push(() => void http.stop(true));
    return { url: `http://127.0.0.1:${http.port}/sse`, drop: () => stream?.close(), streams: () => opened };
  }

  test("is reached over its event stream, and its undeclared schema is completed", async () => {
    const toolset = await make(serveEvents().url, { remote: { transport_type: "sse" } });
    expect(toolset.tools[0]).toMatchObject({ name: "look", parameters: { type: "object", properties: {} } });
    expect(await call(toolset, "look", {}, context)).toEqual({ text: "old" });
  });

  test("is connected to anew when the stream has ended", async () => {
    const server = serveEvents();
    const toolset = await make(server.url, { remote: { transport_type: "sse" } });
    server.drop();
    await Bun.sleep(50); // the end of the stream has no other sign
    expect(await call(toolset, "look", {}, context)).toEqual({ text: "old" });
    expect(server.streams()).toBe(2);
  });

  test("that requires authorization is named", async () => {
    const { url } = serve(() => new Response("", { status: 401 }));
    expect(await settled(make(url, { remote: { transport_type: "sse" } }))).toThrow("requires authorization");
  });
});
