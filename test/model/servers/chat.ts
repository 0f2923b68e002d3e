import { isObject } from "../../../src/lib/json.ts";

/** A message as a request holds it; unknown fields included. */
export interface WireMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  [field: string]: unknown;
}

/** The body of a Chat Completions request. */
export interface WireRequest {
  model: string;
  messages: WireMessage[];
  [field: string]: unknown;
}

/** How a provider says no. */
export interface Refusal {
  status: number;
  body: unknown;
}

/** What a server has said so far: the message of each reply in the provider's own shape, by the id of its first call. */
export type Said = ReadonlyMap<string, WireMessage>;

/** Refuses a request, or has no objection. */
export type Rule = (request: WireRequest, said: Said) => Refusal | undefined;

/** One reply of the scripted model. A function answers the request as it likes. */
export type Reply =
  | { thinking?: readonly string[]; text?: string; calls?: readonly Call[]; finish?: string }
  | (() => Response | Promise<Response>);

/** A tool call of a scripted reply. `extra` is added to the call as the provider sends it. */
export interface Call {
  name: string;
  arguments: Record<string, unknown>;
  id?: string;
  extra?: Record<string, unknown>;
}

/** A provider that speaks Chat Completions: what it refuses, and how it writes what its models think. */
export interface ChatProvider {
  rules: readonly Rule[];
  /** The deltas that carry the pieces of a thought. */
  thinking: (pieces: readonly string[]) => Record<string, unknown>[];
  /** The thought as it belongs into the message when it is sent back. */
  thought: (pieces: readonly string[]) => Record<string, unknown>;
  /** The id of the n-th call that the server makes. */
  callId: (n: number) => string;
}

/** A provider's server on loopback. */
export interface StrictChat {
  /** The base URL, with `/v1`. */
  url: string;
  /** The requests it took. */
  requests: WireRequest[];
  /** What it refused, as `status message`. */
  refused: string[];
  /** Replies that were not asked for. */
  left(): number;
  stop(): Promise<void>;
}

/**
 * Starts a server that judges every request by the provider's rules and answers those it takes from the script, as a
 * stream. A request beyond the script gets status 418.
 */
export function strictChat(provider: ChatProvider, script: readonly Reply[]): StrictChat {
  const requests: WireRequest[] = [];
  const refused: string[] = [];
  const said = new Map<string, WireMessage>();
  let next = 0;
  let calls = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as WireRequest;
      const refusal = provider.rules.map((rule) => rule(body, said)).find((found) => found !== undefined);
      if (refusal) {
        refused.push(`${refusal.status} ${JSON.stringify(refusal.body)}`);
        return Response.json(refusal.body, { status: refusal.status });
      }
      requests.push(body);
      const reply = script[next++];
      if (reply === undefined)
        return Response.json({ error: { message: "the script is at its end" } }, { status: 418 });
      if (typeof reply === "function") return reply();
      const made = (reply.calls ?? []).map(({ id, name, arguments: input, extra }) => ({
        id: id ?? provider.callId(calls++),
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
        ...extra,
      }));
      const [first] = made;
      if (first) said.set(first.id, messageOf(provider, reply, made));
      return new Response(streamOf(provider, reply, made), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    refused,
    left: () => script.length - next,
    stop: () => server.stop(true),
  };
}

type Scripted = Exclude<Reply, () => unknown>;
type WireCall = NonNullable<WireMessage["tool_calls"]>[number];

function messageOf(provider: ChatProvider, { thinking, text }: Scripted, calls: readonly WireCall[]): WireMessage {
  return {
    role: "assistant",
    ...(text ? { content: text } : {}),
    ...(thinking ? provider.thought(thinking) : {}),
    tool_calls: [...calls],
  };
}

function streamOf(provider: ChatProvider, { thinking, text, finish }: Scripted, calls: readonly WireCall[]): string {
  const base = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted" };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const events = [
    chunk({ role: "assistant", content: "" }),
    ...(thinking ? provider.thinking(thinking).map((delta) => chunk(delta)) : []),
    ...(text ?? "")
      .split(/(?<= )/)
      .filter(Boolean)
      .map((content) => chunk({ content })),
    ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, finish ?? (calls.length > 0 ? "tool_calls" : "stop")),
    { ...base, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
  ];
  return [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}

/** Thoughts in a text field of their own, such as `reasoning_content`. */
export function thinkingIn(field: string): Pick<ChatProvider, "thinking" | "thought"> {
  return {
    thinking: (pieces) => pieces.map((piece) => ({ [field]: piece })),
    thought: (pieces) => ({ [field]: pieces.join("") }),
  };
}

/** The assistant messages of a request that call tools, with their places. */
export function callingMessages({ messages }: WireRequest): { message: WireMessage; index: number }[] {
  return messages
    .map((message, index) => ({ message, index }))
    .filter(({ message }) => (message.tool_calls?.length ?? 0) > 0);
}

/** True for a text that is there and not empty. */
export function isFilled(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (Array.isArray(value) && value.length > 0) || isObject(value);
}
