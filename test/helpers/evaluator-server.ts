import { afterEach } from "bun:test";
import { createServer, type Socket } from "node:net";

/** A reply of a service: a JSON value, or the bytes to send with a status; `hangs` sends nothing. */
export type EvaluatorStep =
  | { json: unknown }
  | { text: string | Uint8Array<ArrayBuffer>; status?: number; headers?: Readonly<Record<string, string>> }
  | "hangs";

/** One request that the service received. */
export interface EvaluatorRequest {
  path: string;
  headers: Headers;
  body: Record<string, unknown>;
}

/** A scripted service on this machine. */
export interface EvaluatorServer {
  url: string;
  requests: EvaluatorRequest[];
  stop: () => void;
}

/** Starts services that reply from their scripts, the last reply again and again, and end with each test of the file. */
export function evaluatorServers(): (...script: EvaluatorStep[]) => EvaluatorServer {
  const servers: EvaluatorServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.stop();
  });
  return (...script) => {
    const server = evaluatorServer(script);
    servers.push(server);
    return server;
  };
}

function evaluatorServer(script: readonly EvaluatorStep[]): EvaluatorServer {
  const requests: EvaluatorRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown>;
      const step = script[Math.min(requests.length, script.length - 1)];
      requests.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      if (step === undefined || step === "hangs") return new Promise<Response>(() => {});
      if ("json" in step) return Response.json(step.json);
      return new Response(step.text, {
        status: step.status ?? 200,
        ...(step.headers ? { headers: step.headers } : {}),
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, stop: () => void server.stop(true) };
}

/** Starts a service that sends bytes as they are and then closes the connection. */
export async function rawServer(bytes: string): Promise<{ url: string; stop: () => void }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** The reply of TypeSafe about a yes-or-no question. */
export function noul(probability: unknown, more: object = {}): EvaluatorStep {
  return { json: { model: "jev-1", answers: { evaluation: { type: "noul", noul: probability } }, ...more } };
}

/** The reply of TypeSafe about a question with choices. */
export function choice(chosen: unknown, probabilities: unknown, more: object = {}): EvaluatorStep {
  return {
    json: { model: "jev-1", answers: { evaluation: { type: "choice", choice: chosen, probabilities } }, ...more },
  };
}
