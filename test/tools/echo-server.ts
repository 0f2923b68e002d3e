import { afterAll } from "bun:test";

/** Answers every request with what it was, as JSON; `/documents/NAME` with a document put there. */
export function startEchoServer(documents: Record<string, string> = {}): { origin: string } {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, search, searchParams } = new URL(request.url);
      const document = documents[pathname.slice("/documents/".length)];
      if (pathname.startsWith("/documents/"))
        return document ? new Response(document) : new Response("", { status: 404 });
      const report = {
        method: request.method,
        path: pathname + search,
        key: request.headers.get("x-key"),
        type: request.headers.get("content-type"),
        body: await request.text(),
      };
      const status = Number(searchParams.get("status") ?? 200);
      const fill = "x".repeat(Number(searchParams.get("fill") ?? 0));
      return new Response(JSON.stringify(report) + fill, { status });
    },
  });
  afterAll(() => server.stop(true));
  return { origin: `http://127.0.0.1:${server.port}` };
}
