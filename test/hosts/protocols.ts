import type { Step } from "./model-server.ts";

/** One answer twice: as the text of a stream of server-sent events, and as one JSON value. */
interface Reply {
  events: string;
  whole: unknown;
}

/** How one model API is read and answered. */
export interface Protocol {
  /** The paths of the API that ask the model. */
  path: RegExp;
  /** The tools that a request offers, and those that a search for tools has found. */
  tools(body: unknown): Offer[];
  /** Whether the client wants a stream. */
  streams(path: string, body: unknown): boolean;
  /** The answer; `turn` makes its ids unique. */
  reply(step: Step, turn: number): Reply;
}

/** A tool that a program offers to the model: its name and the properties of its input, in order. */
export interface Offer {
  name: string;
  input: string[];
}

type Fields = Record<string, unknown>;

/** The protocol that serves a path, if there is one. */
export function protocolFor(path: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.path.test(path));
}

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const offer = (tool: Fields): Offer => {
  const schema = tool["input_schema"] ?? tool["parametersJsonSchema"] ?? tool["parameters"];
  const input = Object.keys(fieldsOf(fieldsOf(schema)["properties"])).sort();
  return { name: String(tool["name"] ?? tool["type"]), input };
};
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: Fields) => `event: ${value["type"]}\n${data(value)}`;
const asked = (_path: string, body: unknown) => fieldsOf(body)["stream"] === true;

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
const anthropic: Protocol = {
  path: /\/messages$/,
  streams: asked,
  tools: (body) => listOf(fieldsOf(body)["tools"]).map(offer),
  reply(step, turn) {
    const block: Fields =
      "call" in step
        ? { type: "tool_use", id: `toolu_${turn}`, name: step.call, input: step.input }
        : { type: "text", text: step.text };
    const stop = { stop_reason: "call" in step ? "tool_use" : "end_turn", stop_sequence: null };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = { id: `msg_${turn}`, type: "message", role: "assistant", model: "fake", content: [], usage };
    const delta =
      "call" in step
        ? { type: "input_json_delta", partial_json: JSON.stringify(step.input) }
        : { type: "text_delta", text: step.text };
    const empty = "call" in step ? { ...block, input: {} } : { ...block, text: "" };
    const events = [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: empty },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: stop, usage },
      { type: "message_stop" },
    ];
    return { events: events.map(named).join(""), whole: { ...message, content: [block], ...stop } };
  },
};

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const responses: Protocol = {
  path: /\/responses$/,
  streams: asked,
  tools: (body) =>
    [body, ...listOf(fieldsOf(body)["input"])]
      .flatMap((holder) => listOf(fieldsOf(holder)["tools"]))
      .flatMap((tool) => (tool["type"] === "namespace" ? listOf(tool["tools"]) : [tool]))
      .map(offer),
  reply(step, turn) {
    const item: Fields =
      "call" in step
        ? { ...responsesCall(step), id: `fc_${turn}`, status: "completed", call_id: `call_${turn}`, name: step.call }
        : {
            type: "message",
            id: `msg_${turn}`,
            status: "completed",
            role: "assistant",
            content: [{ type: "output_text", text: step.text, annotations: [] }],
          };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const base = { id: `resp_${turn}`, object: "response", created_at: 1, model: "fake" };
    const whole = { ...base, status: "completed", output: [item], usage };
    const events = [
      { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ];
    return { events: events.map(named).join(""), whole };
  },
};

/** A tool with a grammar of its own takes a text, all others take JSON; the search for tools is no function. */
function responsesCall({ call, input, namespace }: Extract<Step, { call: string }>): Fields {
  if (call === "tool_search") return { type: "tool_search_call", execution: "client", arguments: input };
  return typeof input === "string"
    ? { type: "custom_tool_call", input }
    : { type: "function_call", arguments: JSON.stringify(input), ...(namespace === undefined ? {} : { namespace }) };
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
const chat: Protocol = {
  path: /\/chat\/completions$/,
  streams: asked,
  tools: (body) =>
    [...listOf(fieldsOf(body)["tools"]).map((tool) => fieldsOf(tool["function"] ?? tool)), ...described(body)].map(
      offer,
    ),
  reply(step, turn) {
    const message: Fields =
      "call" in step
        ? { role: "assistant", content: null, tool_calls: [chatCall(step, turn)] }
        : { role: "assistant", content: step.text };
    const finish_reason = "call" in step ? "tool_calls" : "stop";
    const base = { id: `chatcmpl-${turn}`, created: 1, model: "fake" };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const chunk = (delta: Fields, finish: string | null) =>
      data({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
    const last = data({ ...base, object: "chat.completion.chunk", choices: [], usage });
    return {
      events: `${chunk(message, null)}${chunk({}, finish_reason)}${last}data: [DONE]\n\n`,
      whole: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage },
    };
  },
};

/** Tools that a search has found and described as `<function>JSON</function>` in its result. */
function described(body: unknown): Fields[] {
  const results = listOf(fieldsOf(body)["messages"]).filter(({ role }) => role === "tool");
  const texts = results.flatMap(({ content }) =>
    typeof content === "string" ? [content] : listOf(content).map(({ text }) => String(text)),
  );
  const found = texts.flatMap((text) => [...text.matchAll(/<function>(.*?)<\/function>/g)]);
  return found.map(([, json = ""]) => fieldsOf(JSON.parse(json)));
}

function chatCall(step: { call: string; input: unknown }, turn: number): Fields {
  const call = { name: step.call, arguments: JSON.stringify(step.input) };
  return { index: 0, id: `call_${turn}`, type: "function", function: call };
}

/** https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse */
const gemini: Protocol = {
  path: /:(?:streamGenerateContent|generateContent)$/,
  streams: (path) => path.endsWith(":streamGenerateContent"),
  tools: (body) => listOf(fieldsOf(body)["tools"]).flatMap((group) => listOf(group["functionDeclarations"]).map(offer)),
  reply(step) {
    const part = "call" in step ? { functionCall: { name: step.call, args: step.input } } : { text: step.text };
    const whole = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "fake",
    };
    return { events: data(whole), whole };
  },
};

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];
