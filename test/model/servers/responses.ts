import { azureToolRefusal, type Fields, type Memory, reasons, refusal } from "./responses-rules.ts";

/** An item of a scripted reply; the server creates ids and encrypted contents. */
export type Scripted =
  | { reasoning: string | readonly string[] }
  | { text: string; phase?: string }
  | { refusal: string }
  | { call: string; input?: unknown; id?: string };

/** A reply of the script: its items, or a raw response. */
export type ResponsesStep =
  | readonly Scripted[]
  | { items: readonly Scripted[]; incomplete?: "max_output_tokens" | "content_filter" }
  | (() => Response | Promise<Response>);

/** A strict Responses API on loopback. */
export interface ResponsesServer extends AsyncDisposable {
  /** The value for `base_url`. */
  url: string;
  /** The bodies of accepted requests, in order. */
  requests: (Fields & { input: Fields[] })[];
  /** The reasons for refused requests, in order. */
  refusals: string[];
  /** The items of each reply, as they were issued. */
  replies: Fields[][];
  /** Returns the number of unused steps. */
  left(): number;
}

/**
 * Starts a server that answers `POST /v1/responses` with a stream from the script and refuses, with the status and the
 * error shape of OpenAI's API, invalid requests; see `responses-rules.ts`. A refused request uses no step. A server
 * accepts only items that it issued itself.
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function responsesServer(options: { azure?: boolean }, ...script: ResponsesStep[]): ResponsesServer {
  const memory: Memory = new Map();
  const requests: ResponsesServer["requests"] = [];
  const refusals: string[] = [];
  const replies: Fields[][] = [];
  const mark = crypto.randomUUID().replaceAll("-", "").slice(0, 8);
  let next = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(http) {
      const body = (await http.json()) as ResponsesServer["requests"][number];
      const path = new URL(http.url).pathname;
      const step = script[next];
      const problem =
        path === "/v1/responses"
          ? (refusal(body, memory) ?? (options.azure ? azureToolRefusal(body) : undefined))
          : `Invalid URL (POST ${path})`;
      const said = problem ?? (step === undefined ? "the script has no further step" : undefined);
      if (said !== undefined || step === undefined) {
        refusals.push(said ?? "");
        return Response.json(
          { error: { message: said, type: "invalid_request_error", param: null, code: null } },
          { status: 400 },
        );
      }
      next++;
      requests.push(body);
      if (typeof step === "function") return step();
      const { items, incomplete } = "items" in step ? step : { items: step, incomplete: undefined };
      const issued = issue(items, `${mark}${next}`, body);
      issued.forEach((item, index) => {
        const reasoning = issued.slice(0, index).findLast(({ type }) => type === "reasoning")?.["id"];
        const following = issued[index + 1]?.["id"];
        const before = issued[index - 1]?.["id"];
        memory.set(String(item["id"]), {
          item,
          ...(following === undefined ? {} : { next: String(following) }),
          ...(before === undefined ? {} : { follows: String(before) }),
          ...(reasoning === undefined ? {} : { reasoning: String(reasoning) }),
        });
      });
      replies.push(issued);
      return new Response(streamOf(issued, incomplete), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    refusals,
    replies,
    left: () => script.length - next,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function issue(items: readonly Scripted[], mark: string, body: Fields): Fields[] {
  const encrypts = Array.isArray(body["include"]) && body["include"].includes("reasoning.encrypted_content");
  return items
    .filter((item) => !("reasoning" in item) || reasons(String(body["model"])))
    .map((item, index): Fields => {
      const id = `${mark}_${index}`;
      if ("reasoning" in item) {
        const summary = [item.reasoning]
          .flat()
          .filter((text) => text !== "")
          .map((text) => ({ type: "summary_text", text }));
        return {
          id: `rs_${id}`,
          type: "reasoning",
          summary,
          ...(encrypts ? { encrypted_content: `gAAA${crypto.randomUUID()}` } : {}),
        };
      }
      if ("call" in item) {
        return {
          id: `fc_${id}`,
          type: "function_call",
          status: "completed",
          arguments: JSON.stringify(item.input ?? {}),
          call_id: item.id ?? `call_${id}`,
          name: item.call,
        };
      }
      const part =
        "text" in item
          ? { type: "output_text", annotations: [], logprobs: [], text: item.text }
          : { type: "refusal", refusal: item.refusal };
      return {
        id: `msg_${id}`,
        type: "message",
        status: "completed",
        content: [part],
        role: "assistant",
        ...("phase" in item ? { phase: item.phase } : {}),
      };
    });
}

function streamOf(items: readonly Fields[], incomplete: string | undefined): string {
  const response = {
    id: "resp_1",
    object: "response",
    status: "in_progress",
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 15,
  };
  const end = incomplete
    ? {
        type: "response.incomplete",
        response: {
          ...response,
          status: "incomplete",
          incomplete_details: { reason: incomplete },
          output: items,
          usage,
        },
      }
    : { type: "response.completed", response: { ...response, status: "completed", output: items, usage } };
  const events: Event[] = [{ type: "response.created", response }, ...items.flatMap(itemEvents), end];
  return events
    .map((event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`)
    .join("");
}

type Event = Fields & { type: string };

function itemEvents(item: Fields, output_index: number): Event[] {
  const at = { item_id: item["id"], output_index };
  const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter(Boolean);
  const frame = (started: Fields, inner: Event[]): Event[] => [
    { type: "response.output_item.added", output_index, item: { ...item, ...started } },
    ...inner,
    { type: "response.output_item.done", output_index, item },
  ];
  if (item["type"] === "reasoning") {
    const summary = item["summary"] as { type: string; text: string }[];
    return frame(
      { summary: [], ...(item["encrypted_content"] ? { encrypted_content: "gAAAunfinished" } : {}) },
      summary.flatMap((part, summary_index) => [
        {
          type: "response.reasoning_summary_part.added",
          ...at,
          summary_index,
          part: { type: "summary_text", text: "" },
        },
        ...halves(part.text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...at,
          summary_index,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", ...at, summary_index, text: part.text },
        { type: "response.reasoning_summary_part.done", ...at, summary_index, part },
      ]),
    );
  }
  if (item["type"] === "function_call") {
    return frame({ arguments: "", status: "in_progress" }, [
      ...halves(String(item["arguments"])).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: item["arguments"] },
    ]);
  }
  const [part = { type: "" }] = item["content"] as { type: string; text?: string; refusal?: string }[];
  const isText = part.type === "output_text";
  const kind = isText ? "output_text" : "refusal";
  return frame({ content: [], status: "in_progress" }, [
    {
      type: "response.content_part.added",
      ...at,
      content_index: 0,
      part: { ...part, [isText ? "text" : "refusal"]: "" },
    },
    ...halves(part.text ?? part.refusal ?? "").map((delta) => ({
      type: `response.${kind}.delta`,
      ...at,
      content_index: 0,
      delta,
    })),
    { type: `response.${kind}.done`, ...at, content_index: 0, text: part.text },
    { type: "response.content_part.done", ...at, content_index: 0, part },
  ]);
}
