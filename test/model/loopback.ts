import type { ModelSpec } from "../../src/model/catalog/spec.ts";
import { createModel, type ModelDeps } from "../../src/model/create-model.ts";
import { fromHookMessage } from "../../src/model/messages/hook-messages.ts";
import { thinkingOf, toolCallsOf } from "../../src/model/messages/message.ts";
import { type Model, type ModelDelta, type ModelRequest, type Reply, replyText } from "../../src/model/model.ts";
import type { Message as HookMessage } from "../../src/protocol/fields.ts";

/** A request that a loopback server received. */
export interface SeenRequest {
  method: string;
  path: string;
  search: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** A provider on the loopback address. */
export interface Loopback extends AsyncDisposable {
  url: string;
  seen: SeenRequest[];
}

/** Serves every request with `answer`, which gets the number of the request from 0, and keeps the requests. */
export function serve(answer: (index: number, request: Request) => Response | Promise<Response>): Loopback {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const body = text.startsWith("{") ? JSON.parse(text) : {};
      seen.push({ method: request.method, path: pathname, search, headers: Object.fromEntries(request.headers), body });
      return answer(seen.length - 1, request);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** Returns a stream of server-sent events; strings are sent unchanged, other values as JSON. */
export function events(...data: unknown[]): Response {
  const body = data.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A chunk of Chat Completions. */
export function chunk(delta: Record<string, unknown>, finish: string | null = null): Record<string, unknown> {
  return { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** Returns a complete Chat Completions reply with one text. */
export function chatReply(text: string): Response {
  return events(chunk({ role: "assistant", content: text }), chunk({}, "stop"), "[DONE]");
}

/** Returns a request with one user message, or with the given messages in the form that hooks see. */
export function ask({
  messages,
  ...more
}: Partial<Omit<ModelRequest, "messages">> & { messages?: HookMessage[] } = {}): ModelRequest {
  const given = messages ?? [{ role: "user" as const, content: "hi" }];
  return { messages: given.map(fromHookMessage), tools: [], signal: new AbortController().signal, ...more };
}

/** A reply without the order of its blocks. */
export function plain({ blocks, ...rest }: Reply) {
  const calls = toolCallsOf({ blocks }).map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
  return { text: replyText({ blocks }), reasoning: thinkingOf({ blocks }), toolCalls: calls, ...rest };
}

/** A model of a custom provider at a loopback server. */
export function modelAt(url: string, more: Partial<ModelSpec> = {}, deps: Partial<ModelDeps> = {}): Model {
  return createModel(
    { provider: "local", model: "test-model", ...more },
    { env: () => undefined, providers: { local: { base_url: `${url}/v1` } }, log: () => {}, ...deps },
  );
}

/** Collects deltas. */
export function collector(): { deltas: ModelDelta[]; onDelta: (delta: ModelDelta) => void } {
  const deltas: ModelDelta[] = [];
  return { deltas, onDelta: (delta) => deltas.push(delta) };
}

/** Returns the error of a rejected promise; fails if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => error,
  );
}
