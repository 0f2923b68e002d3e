/** A message as Chat Completions carries it. */
export interface WireMessage {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A request as the server saw it. */
export interface WireRequest {
  messages: WireMessage[];
  tools?: unknown[];
  max_tokens?: number;
}

/** What the model of a {@link WindowServer} says. */
export interface WireReply {
  text?: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
  /** `finish_reason`; by default what fits the calls. */
  finish?: string;
  /** Tokens reported; absent means that the server reports none, as many local servers do. */
  usage?: { prompt: number; completion: number };
}

/** A model server with a context window. */
export interface WindowServer extends Disposable {
  url: string;
  requests: WireRequest[];
  /** Requests that were too long, by their index. */
  tooLong: number[];
}

/** Characters that count as one token here. */
const CHARACTERS_A_TOKEN = 4;

/**
 * Starts a server on loopback that speaks Chat Completions. Like the real ones it refuses with status 400 a request
 * that does not fit its window (in tokens, the room for the answer included), a tool call without its result, and a
 * tool result without its call.
 */
export function windowServer(
  window: number,
  answer: (request: WireRequest, index: number) => WireReply | Promise<WireReply>,
): WindowServer {
  const requests: WireRequest[] = [];
  const tooLong: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(http) {
      const request = (await http.json()) as WireRequest;
      const index = requests.push(request) - 1;
      const tokens = Math.ceil(textsOf(request).join("").length / CHARACTERS_A_TOKEN) + (request.max_tokens ?? 0);
      if (tokens > window) {
        tooLong.push(index);
        const message = `This model's maximum context length is ${window} tokens, but ${tokens} were requested`;
        return refusal(message, "context_length_exceeded");
      }
      const unpaired = unpairedOf(request.messages);
      if (unpaired) return refusal(unpaired, "invalid_request_error");
      return new Response(streamOf(await answer(request, index), index), {
        headers: { "content-type": "text/event-stream" },
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    tooLong,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** The text of a message. */
export function wireText({ content }: WireMessage): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
}

/** Every text of a request: the system's, the conversation's and the tools'. */
function textsOf({ messages, tools = [] }: WireRequest): string[] {
  const calls = messages.flatMap((message) => message.tool_calls ?? []).map(({ function: call }) => call.arguments);
  return [...messages.map(wireText), ...calls, JSON.stringify(tools)];
}

/** What is wrong with the pairs of calls and results; undefined if nothing is. */
export function unpairedOf(messages: readonly WireMessage[]): string | undefined {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const at = open.indexOf(message.tool_call_id ?? "");
      if (at < 0) return `no tool call for the result ${message.tool_call_id}`;
      open.splice(at, 1);
      continue;
    }
    if (open.length > 0) return `tool calls without results: ${open.join(", ")}`;
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? `tool calls without results: ${open.join(", ")}` : undefined;
}

function refusal(message: string, code: string): Response {
  return Response.json({ error: { message, type: "invalid_request_error", code } }, { status: 400 });
}

function streamOf({ text, calls = [], finish, usage }: WireReply, index: number): string {
  const base = { id: `c${index}`, object: "chat.completion.chunk", created: 1, model: "fake" };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const called = calls.map((call, at) => ({
    index: at,
    id: `call_${index}_${at}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const events: object[] = [
    chunk({ role: "assistant", ...(text ? { content: text } : {}) }),
    ...(called.length > 0 ? [chunk({ tool_calls: called })] : []),
    chunk({}, finish ?? (called.length > 0 ? "tool_calls" : "stop")),
  ];
  if (usage) {
    const total = usage.prompt + usage.completion;
    const counted = { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: total };
    events.push({ ...base, choices: [], usage: counted });
  }
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"].join("");
}
