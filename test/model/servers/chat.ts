import { isObject } from "../../../src/lib/json.ts";

/** A message of a request, including unknown fields. */
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

/** A refused request: the status and the error body. */
export interface Refusal {
  status: number;
  body: unknown;
}

/** The server's replies so far: each message in the provider's own shape, by the id of its first call. */
export type Said = ReadonlyMap<string, WireMessage>;

/** Returns a refusal of a request; undefined if this rule accepts it. */
export type Rule = (request: WireRequest, said: Said) => Refusal | undefined;

/** One reply of the scripted model, or a function that answers the request. */
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

/** A provider with Chat Completions: its rules, and its form of thoughts. */
export interface ChatProvider {
  rules: readonly Rule[];
  /** Returns the deltas with the pieces of a thought. */
  thinking: (pieces: readonly string[]) => Record<string, unknown>[];
  /** Returns the fields with which a thought must be sent back. */
  thought: (pieces: readonly string[]) => Record<string, unknown>;
  /** Returns the id of the n-th call. */
  callId: (n: number) => string;
}

/** A provider's server on loopback. */
export interface StrictChat {
  /** The base URL, with `/v1`. */
  url: string;
  /** The accepted requests. */
  requests: WireRequest[];
  /** The refusals, as `status message`. */
  refused: string[];
  /** The unused replies. */
  left(): number;
  stop(): Promise<void>;
}

/**
 * Starts a server that checks every request by the provider's rules and answers valid ones with a stream from the
 * script. A request beyond the script gets status 418.
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

/** Thoughts in a separate text field, such as `reasoning_content`. */
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

/** True for a non-empty text. */
export function isFilled(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (Array.isArray(value) && value.length > 0) || isObject(value);
}
