import { expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { type Message, textMessage, toolResult } from "../../../src/model/messages/message.ts";
import type { Model } from "../../../src/model/model.ts";
import { ask, collector, plain, rejection, serve } from "../loopback.ts";
import { anthropicServer } from "../servers/anthropic.ts";

const KEY = ["sk", "ant", "0123456789"].join("-");

const modelAt = (url: string, more: Partial<ModelSpec> = {}, idleTimeoutMs = 5000): Model =>
  createModel(
    { provider: "anthropic", model: "claude-sonnet-4-0", base_url: url, ...more },
    { env: () => KEY, log: () => {}, idleTimeoutMs },
  );

function events(...list: Record<string, unknown>[]): Response {
  const body = list.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
const begin = (index: number, block: Record<string, unknown>) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const more = (index: number, delta: Record<string, unknown>) => ({ type: "content_block_delta", index, delta });
const end = (index: number) => ({ type: "content_block_stop", index });
const start = {
  type: "message_start",
  message: {
    usage: { input_tokens: 10, cache_read_input_tokens: 7, cache_creation_input_tokens: 3, output_tokens: 1 },
  },
};
const stop = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
];
const reply = (text: string) =>
  events(
    start,
    begin(0, { type: "text", text: "" }),
    more(0, { type: "text_delta", text }),
    end(0),
    ...stop("end_turn"),
  );

test("thoughts, text and tool calls arrive as deltas and as one reply", async () => {
  await using server = serve(() =>
    events(
      start,
      begin(0, { type: "thinking", thinking: "", signature: "" }),
      more(0, { type: "thinking_delta", thinking: "Hm." }),
      more(0, { type: "signature_delta", signature: "sig" }),
      end(0),
      { type: "ping" },
      begin(1, { type: "text", text: "" }),
      more(1, { type: "text_delta", text: "Let me" }),
      end(1),
      begin(2, { type: "tool_use", id: "t1", name: "list", input: {} }),
      more(2, { type: "input_json_delta", partial_json: '{"a":' }),
      more(2, { type: "input_json_delta", partial_json: "1}" }),
      end(2),
      begin(3, { type: "tool_use", id: "t2", name: "think", input: {} }),
      end(3),
      ...stop("tool_use"),
    ),
  );
  const { deltas, onDelta } = collector();
  const reply = await modelAt(server.url).stream(ask(), onDelta);
  expect(reply.blocks[0]).toEqual({
    type: "thinking",
    text: "Hm.",
    origin: { provider: "anthropic", api: "anthropic", data: { signature: "sig" } },
  });
  expect(plain(reply)).toEqual({
    text: "Let me",
    reasoning: "Hm.",
    finishReason: "tool_calls",
    toolCalls: [
      { id: "t1", name: "list", arguments: '{"a":1}' },
      { id: "t2", name: "think", arguments: "{}" },
    ],
    usage: { input_tokens: 10, output_tokens: 20, cached_input_tokens: 7, cached_write_tokens: 3 },
  });
  expect(deltas.slice(0, 3)).toEqual([
    { kind: "reasoning", text: "Hm." },
    { kind: "text", text: "Let me" },
    { kind: "tool_call", index: 0, id: "t1", name: "list" },
  ]);
});

test("several thoughts, hidden ones included, are sent back unchanged", async () => {
  const blocks = [
    { type: "thinking", thinking: "a", signature: "s" },
    { type: "redacted_thinking", data: "x" },
  ];
  await using server = serve(() =>
    events(start, ...blocks.map((block, index) => begin(index, block)), ...stop("end_turn")),
  );
  const thinking = modelAt(server.url, { thinking_budget: 2048 });
  const { blocks: written } = await thinking.stream(ask(), () => {});
  const messages: Message[] = [
    textMessage("user", "hi"),
    { role: "assistant", blocks: [...written, { type: "text", text: "ok" }] },
    textMessage("user", "go"),
  ];
  await thinking.stream({ ...ask(), messages }, () => {});
  expect(server.seen[1]?.body["messages"]).toMatchObject([
    {},
    { role: "assistant", content: [...blocks, { type: "text", text: "ok" }] },
    {},
  ]);
});

test.each([
  ["max_tokens", "length"],
  ["refusal", "refusal"],
  ["stop_sequence", "stop"],
  ["model_context_window_exceeded", "length"],
])("stop reason %s is %s", async (reason, expected) => {
  await using server = serve(() => events(start, begin(0, { type: "tool_use", id: "t", name: "x" }), ...stop(reason)));
  const { finishReason, toolCalls } = plain(await modelAt(server.url).stream(ask(), () => {}));
  expect(finishReason).toBe((expected === "stop" ? "tool_calls" : expected) as never);
  expect(toolCalls).toHaveLength(expected === "refusal" ? 0 : 1);
});

test("a request holds the key, the version, messages by turns, and cache markers", async () => {
  await using server = serve(() => reply("ok"));
  const call = (id: string) => ({ type: "tool_call" as const, id, name: "list", arguments: '{"path":"."}' });
  const origin = { provider: "anthropic", api: "anthropic", data: { signature: "sig" } };
  const thought = { type: "thinking" as const, text: "Hm.", origin };
  await modelAt(`${server.url}/v1`, { temperature: 0.5, provider_opts: { top_k: 4 } }).stream(
    {
      ...ask(),
      messages: [
        textMessage("system", "one"),
        textMessage("developer", "two"),
        textMessage("user", "first"),
        { role: "assistant", blocks: [thought, call("call:1"), call("t2")] },
        toolResult("call:1", [{ type: "text", text: "done" }]),
        toolResult(
          "t2",
          [
            { type: "text", text: "failed" },
            { type: "image", source: { kind: "data", mimeType: "image/png", data: "AA==" } },
          ],
          true,
        ),
        textMessage("user", "go on"),
      ],
      tools: [
        {
          name: "list",
          description: "Lists",
          parameters: { type: "object", properties: { path: { type: "string" } } },
        },
      ],
    },
    () => {},
  );
  const [seen] = server.seen;
  expect(seen).toMatchObject({
    path: "/v1/messages",
    headers: { "x-api-key": KEY, "anthropic-version": "2023-06-01", "user-agent": "hooksh" },
  });
  expect(Object.keys(seen?.headers ?? {}).filter((name) => name.includes("stainless"))).toEqual([]);
  const cache_control = { type: "ephemeral" };
  expect(seen?.body).toEqual({
    model: "claude-sonnet-4-0",
    max_tokens: 64_000,
    temperature: 0.5,
    top_k: 4,
    stream: true,
    system: [
      { type: "text", text: "one" },
      { type: "text", text: "two", cache_control },
    ],
    tools: [
      {
        name: "list",
        description: "Lists",
        input_schema: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "first" }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "call_1", name: "list", input: { path: "." } },
          { type: "tool_use", id: "t2", name: "list", input: { path: "." }, cache_control },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", is_error: false, content: [{ type: "text", text: "done" }] },
          {
            type: "tool_result",
            tool_use_id: "t2",
            is_error: true,
            content: [{ type: "text", text: "failed" }],
          },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
          { type: "text", text: "go on", cache_control },
        ],
      },
    ],
  });
});

test("cached stretches end at the system messages that the caller marked", async () => {
  await using server = serve(() => reply("ok"));
  const system = (content: string, marked: boolean) => ({
    role: "system" as const,
    content,
    ...(marked ? { cache_control: true } : {}),
  });
  await modelAt(server.url).stream(
    ask({ messages: [system("a", true), system("b", true), system("c", false), { role: "user", content: "hi" }] }),
    () => {},
  );
  const cache_control = { type: "ephemeral" };
  expect(server.seen[0]?.body["system"]).toEqual([
    { type: "text", text: "a", cache_control },
    { type: "text", text: "b", cache_control },
    { type: "text", text: "c" },
  ]);
});

const disabled = { type: "disabled" };
const binding = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
const INTERLEAVED = "interleaved-thinking-2025-05-14";
const BINDING = "thinking-binding-controls-2026-08-01";

test.each<[model: string, budget: unknown, thinking: unknown, effort: string | undefined, minimal: unknown]>([
  ["claude-opus-4-6", "minimal", { type: "adaptive" }, "low", undefined],
  ["claude-opus-4-6", "adaptive", { type: "adaptive" }, "high", undefined],
  ["claude-opus-4-6", "xhigh", { type: "adaptive" }, "high", undefined],
  ["claude-opus-4-6", 2048, { type: "enabled", budget_tokens: 2048 }, undefined, undefined],
  ["claude-sonnet-4-5", "medium", { type: "enabled", budget_tokens: 8192 }, undefined, undefined],
  ["claude-sonnet-4-0", 100_000, { type: "enabled", budget_tokens: 62_976 }, undefined, undefined],
  ["claude-sonnet-4-0", "none", undefined, undefined, undefined],
  ["claude-3-5-sonnet-latest", "high", undefined, undefined, undefined],
  ["claude-opus-4-8", 9000, { type: "adaptive" }, "medium", undefined],
  ["claude-opus-4-8", undefined, undefined, undefined, undefined],
  ["claude-sonnet-5", undefined, undefined, undefined, disabled],
  ["claude-sonnet-5", "none", disabled, undefined, disabled],
  ["claude-sonnet-5-5", "max", { type: "adaptive", ...binding }, "max", { type: "between_tools" }],
  ["claude-opus-5-5", "none", { type: "adaptive", ...binding }, "low", { type: "adaptive", ...binding }],
  ["some-alias", "high", { type: "adaptive" }, "high", undefined],
])("%s with thinking_budget %j gets the fields %j", async (model, thinking_budget, thinking, effort, minimal) => {
  await using server = anthropicServer([{ text: "ok" }], [{ text: "ok" }]);
  const create = modelAt(server.url, { model, thinking_budget, temperature: model === "some-alias" ? undefined : 0.5 });
  await create.stream(ask(), () => {});
  await create.stream(ask({ minimalThinking: true }), () => {});
  expect(server.refusals).toEqual([]);
  const [loud, silent] = server.requests;
  expect(loud?.body["thinking"]).toEqual(thinking as never);
  expect(loud?.body["output_config"]).toEqual((effort ? { effort } : undefined) as never);
  expect(silent?.body["thinking"]).toEqual(minimal as never);
  const asks = thinking !== undefined && thinking !== disabled;
  const isBound = JSON.stringify(thinking ?? {}).includes("block_binding");
  expect(loud?.betas).toEqual([...(asks ? [INTERLEAVED] : []), ...(isBound ? [BINDING] : [])]);
});

test.each([
  ["claude-opus-5-5", 4596],
  ["claude-sonnet-5", 500],
  ["claude-sonnet-4-5", 500],
])(
  "a call of %s with minimal thinking gets %d tokens for an answer of 500 and unavoidable thoughts",
  async (model, most) => {
    await using server = anthropicServer([{ text: "ok" }]);
    await modelAt(server.url, { model }).stream(ask({ minimalThinking: true, maxTokens: 500 }), () => {});
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]?.body["max_tokens"]).toBe(most);
  },
);

test("a thinking budget below the API's minimum fails before any call", () => {
  expect(() => modelAt("http://localhost", { thinking_budget: 100 })).toThrow(
    "anthropic/claude-sonnet-4-0: thinking_budget: expected at least 1024 tokens but received 100",
  );
});

test("an instruction asks for structured output, and text around the object is dropped", async () => {
  const object = '{"a": {"text": "} not the end"}}';
  await using server = serve(() => reply(`Of {course}: \`\`\`${object}\`\`\` and {"b": 1}`));
  const structuredOutput = { name: "answer", schema: { type: "object", required: ["a"] } };
  expect(plain(await modelAt(server.url).stream(ask({ structuredOutput }), () => {})).text).toBe(object);
  expect(JSON.stringify(server.seen[0]?.body["system"])).toContain('\\"required\\":[\\"a\\"]');
});

test.each([
  [
    Response.json(
      { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
      { status: 401 },
    ),
    { code: "model_error", retryable: false, status: 401 },
  ],
  [
    Response.json(
      { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 2 tokens > 1 maximum" } },
      { status: 400 },
    ),
    { code: "context_exceeded" },
  ],
  [
    Response.json({ type: "error", error: { type: "request_too_large", message: "Request exceeds" } }, { status: 413 }),
    { code: "request_too_large" },
  ],
  [
    Response.json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, { status: 529 }),
    { code: "model_error", retryable: true },
  ],
  [
    events(start, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    { code: "model_error", retryable: true, status: 0 },
  ],
  [
    events(start, begin(0, { type: "text", text: "half" })),
    { retryable: true, message: expect.stringContaining("without a finish reason") },
  ],
  [
    new Response("event: message_start\ndata: {\n\n", { headers: { "content-type": "text/event-stream" } }),
    { message: expect.stringContaining("malformed JSON in the stream") },
  ],
])("failure %# has the expected class", async (answer, expected) => {
  await using server = serve(() => answer);
  const error = await rejection(modelAt(server.url).stream(ask(), () => {}));
  expect(`${Object(error).message}`).toStartWith(`anthropic: POST ${server.url}/v1/messages: `);
  expect(error).toMatchObject(expected);
  expect(server.seen).toHaveLength(1);
});

test("silence ends the call, and so does an abort", async () => {
  await using server = serve(
    () =>
      new Response(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(
              new TextEncoder().encode(
                `event: content_block_start\ndata: ${JSON.stringify(begin(0, { type: "text", text: "half" }))}\n\n`,
              ),
            ),
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  );
  expect(await rejection(modelAt(server.url, {}, 60).stream(ask(), () => {}))).toMatchObject({
    retryable: true,
    message: expect.stringContaining("no data for 60ms"),
  });
  const controller = new AbortController();
  expect(
    await rejection(modelAt(server.url).stream(ask({ signal: controller.signal }), () => controller.abort("enough"))),
  ).toBe("enough");
});
