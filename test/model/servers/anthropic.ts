import { isObject } from "../../../src/lib/json.ts";
import {
  type Fields,
  fieldsOf,
  isThought,
  type Memory,
  misplacedThoughts,
  prefixOf,
  refusal,
  rulesFor,
  type SentRequest,
  thinks,
} from "./anthropic-rules.ts";

/** A block of a scripted reply. The server signs thoughts. */
export type Scripted =
  | { thinking: string }
  | { redacted: true }
  | { text: string }
  | { call: string; input?: unknown; id?: string };

/** A reply of the script: its blocks, or a raw response. */
export type AnthropicStep =
  | readonly Scripted[]
  | { blocks: readonly Scripted[]; stop?: string; usage?: Fields }
  | (() => Response | Promise<Response>);

/** A strict Messages API on loopback. */
export interface AnthropicServer extends AsyncDisposable {
  /** The value for `base_url`. */
  url: string;
  /** The requests that were accepted or answered by a raw response, in order. */
  requests: SentRequest[];
  /** The reasons for refused requests, in order. */
  refusals: string[];
  /** The content of each reply, as the client received it. */
  replies: Fields[][];
  /** Returns the number of unused steps. */
  left(): number;
}

/**
 * Starts a server that answers `POST /v1/messages` with a stream from the script, and refuses, with the status and the
 * error shape of Anthropic's API, requests that the API refuses; see `anthropic-rules.ts`. A refused request uses no step.
 * https://platform.claude.com/docs/en/build-with-claude/streaming, https://platform.claude.com/docs/en/api/errors
 */
export function anthropicServer(...script: AnthropicStep[]): AnthropicServer {
  const memory: Memory = { replies: [], prefixes: new Map() };
  const requests: SentRequest[] = [];
  const refusals: string[] = [];
  let next = 0;
  const refuse = (status: number, type: string, message: string) => {
    refusals.push(message);
    return Response.json({ type: "error", error: { type, message }, request_id: `req_${refusals.length}` }, { status });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(http) {
      const { pathname } = new URL(http.url);
      if (http.method !== "POST" || pathname !== "/v1/messages")
        return refuse(404, "not_found_error", `Not found: ${pathname}`);
      if (!http.headers.get("x-api-key")) return refuse(401, "authentication_error", "x-api-key header is required");
      if (!http.headers.get("anthropic-version")) {
        return refuse(400, "invalid_request_error", "anthropic-version: header is required");
      }
      const request = readRequest(fieldsOf(await http.json()), http.headers.get("anthropic-beta") ?? "");
      const step = script[next];
      const message = refusal(request, memory) ?? (step === undefined ? "the script has no further step" : undefined);
      if (message !== undefined || step === undefined) return refuse(400, "invalid_request_error", message ?? "");
      next++;
      requests.push(request);
      if (typeof step === "function") return step();
      const reply = "blocks" in step ? step : { blocks: step };
      return stream(reply.blocks, reply, request, memory);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    refusals,
    replies: memory.replies,
    left: () => script.length - next,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function readRequest(body: Fields, betas: string): SentRequest {
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  return {
    body,
    model: String(body["model"]),
    betas: betas
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
    messages: messages.map(({ role, content }) => ({
      role: String(role),
      content: Array.isArray(content) ? content.filter(isObject) : [{ type: "text", text: content }],
    })),
  };
}

/** Streams a reply and remembers its blocks. Omits thoughts if the request has thinking off. */
function stream(
  blocks: readonly Scripted[],
  { stop, usage }: { stop?: string; usage?: Fields },
  request: SentRequest,
  memory: Memory,
): Response {
  const content = blocks
    .map((block, index) => replyBlock(block, `${memory.replies.length}_${index}`, request))
    .filter((block) => thinks(request) || !isThought(block));
  memory.replies.push(content);
  content.forEach((block, index) => {
    if (typeof block["signature"] !== "string") return;
    const whole = { ...request, messages: [...request.messages, { role: "assistant", content }] };
    memory.prefixes.set(block["signature"], prefixOf(whole, request.messages.length, index));
  });
  const dropped = misplacedThoughts(request, memory.prefixes).map((path) => ({
    type: "thinking_dropped",
    path,
    reason: "prefix_binding_mismatch",
  }));
  const called = content.some(({ type }) => type === "tool_use");
  const events: Fields[] = [
    {
      type: "message_start",
      message: {
        id: `msg_${memory.replies.length}`,
        type: "message",
        role: "assistant",
        model: request.model,
        content: [],
        usage: {
          input_tokens: 10,
          output_tokens: 1,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          ...usage,
        },
        ...(dropped.length > 0 ? { input_transformations: dropped } : {}),
      },
    },
    { type: "ping" },
    ...content.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason: stop ?? (called ? "tool_use" : "end_turn") },
      usage: { output_tokens: 20, ...usage },
    },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function replyBlock(block: Scripted, place: string, { body, model }: SentRequest): Fields {
  if ("text" in block) return { type: "text", text: block.text };
  if ("call" in block) {
    return { type: "tool_use", id: block.id ?? `toolu_${place}`, name: block.call, input: block.input ?? {} };
  }
  if ("redacted" in block) return { type: "redacted_thinking", data: `encrypted+/${place}==` };
  // Models without sampling settings also omit the text of thoughts by default.
  const shown =
    fieldsOf(body["thinking"])["display"] ?? (rulesFor(model).sampling === "none" ? "omitted" : "summarized");
  return { type: "thinking", thinking: shown === "omitted" ? "" : block.thinking, signature: `signed+/${place}==` };
}

/** Returns the events of one block: it starts empty, grows by deltas, and stops. */
function blockEvents(block: Fields, index: number): Fields[] {
  const delta = (fields: Fields): Fields => ({ type: "content_block_delta", index, delta: fields });
  const [empty, deltas] = opened(block, delta);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas,
    { type: "content_block_stop", index },
  ];
}

function opened(block: Fields, delta: (fields: Fields) => Fields): [Fields, Fields[]] {
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: "" }, halves(block["text"]).map((text) => delta({ type: "text_delta", text }))];
    case "thinking":
      return [
        { type: "thinking", thinking: "", signature: "" },
        [
          ...halves(block["thinking"]).map((thinking) => delta({ type: "thinking_delta", thinking })),
          delta({ type: "signature_delta", signature: block["signature"] }),
        ],
      ];
    case "tool_use": {
      const input = JSON.stringify(block["input"]);
      return [
        { ...block, input: {} },
        input === "{}" ? [] : halves(input).map((partial_json) => delta({ type: "input_json_delta", partial_json })),
      ];
    }
    default:
      return [block, []];
  }
}

/** Splits a text into two pieces, as a stream does; none if it is empty. */
function halves(value: unknown): string[] {
  const text = String(value);
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}
