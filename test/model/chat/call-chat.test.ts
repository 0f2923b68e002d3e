import { expect, test } from "bun:test";
import { createModel } from "../../../src/model/create-model.ts";
import { replyText } from "../../../src/model/model.ts";
import { ask, chatReply, chunk, collector, events, modelAt, plain, rejection, serve } from "../loopback.ts";

const tool = {
  name: "list",
  description: "Lists",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

test("text and reasoning arrive as deltas and as one reply", async () => {
  await using server = serve(() =>
    events(
      chunk({ reasoning_content: "Hm. " }),
      chunk({ reasoning: "Yes." }),
      chunk({ content: "4" }),
      chunk({ content: "2" }),
      chunk({}, "stop"),
      "[DONE]",
    ),
  );
  const { deltas, onDelta } = collector();
  const reply = await modelAt(server.url).stream(ask(), onDelta);
  expect(plain(reply)).toEqual({ text: "42", reasoning: "Hm. Yes.", toolCalls: [], finishReason: "stop" });
  expect(deltas).toEqual([
    { kind: "reasoning", text: "Hm. " },
    { kind: "reasoning", text: "Yes." },
    { kind: "text", text: "4" },
    { kind: "text", text: "2" },
  ]);
});

test("thinking parts and text parts of the content are separated", async () => {
  await using server = serve(() =>
    events(
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] }),
      chunk({ content: [{ type: "text", text: "4" }] }),
      chunk({}, "stop"),
    ),
  );
  expect(plain(await modelAt(server.url).stream(ask(), () => {}))).toMatchObject({ text: "4", reasoning: "Hm" });
});

test("fragments of tool calls are joined by index", async () => {
  const part = (index: number, more: Record<string, unknown>) => chunk({ tool_calls: [{ index, ...more }] });
  await using server = serve(() =>
    events(
      part(0, { id: "a", function: { name: "list", arguments: '{"pa' } }),
      part(1, { id: "b", function: { name: "list", arguments: "" } }),
      part(0, { function: { arguments: 'th":1}' } }),
      part(1, { function: { name: "list", arguments: "{}" } }),
      chunk({}, "tool_calls"),
    ),
  );
  const { deltas, onDelta } = collector();
  const reply = await modelAt(server.url).stream(ask({ tools: [tool] }), onDelta);
  expect(reply.finishReason).toBe("tool_calls");
  expect(plain(reply).toolCalls).toEqual([
    { id: "a", name: "list", arguments: '{"path":1}' },
    { id: "b", name: "list", arguments: "{}" },
  ]);
  expect(deltas).toEqual([
    { kind: "tool_call", index: 0, id: "a", name: "list", arguments: '{"pa' },
    { kind: "tool_call", index: 1, id: "b", name: "list" },
    { kind: "tool_call", index: 0, arguments: 'th":1}' },
    { kind: "tool_call", index: 1, arguments: "{}" },
  ]);
});

test("calls without an index, or with the same one, are identified by their ids", async () => {
  const call = (id: string, index?: number) => ({
    id,
    ...(index === undefined ? {} : { index }),
    function: { name: "list", arguments: "{}" },
  });
  for (const index of [undefined, 0]) {
    await using server = serve(() =>
      events(chunk({ tool_calls: [call("a", index)] }), chunk({ tool_calls: [call("b", index)] }, "stop")),
    );
    const reply = await modelAt(server.url).stream(ask({ tools: [tool] }), () => {});
    expect(plain(reply).toolCalls.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(reply.finishReason).toBe("tool_calls");
  }
});

test("arguments that arrive as an object are written as JSON, and a missing id is generated", async () => {
  await using server = serve(() =>
    events(
      chunk({ tool_calls: [{ index: 0, id: "", function: { name: "list", arguments: { path: "." } } }] }, "tool_calls"),
    ),
  );
  const [call] = plain(await modelAt(server.url).stream(ask({ tools: [tool] }), () => {})).toolCalls;
  expect(call?.arguments).toBe('{"path":"."}');
  expect(call?.id).toMatch(/^call_\w+$/);
});

test("a refusal is text, drops the tool calls and says so", async () => {
  await using server = serve(() =>
    events(
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "list", arguments: "{}" } }] }),
      chunk({ refusal: "I will not." }),
      chunk({}, "stop"),
    ),
  );
  expect(plain(await modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
    text: "I will not.",
    toolCalls: [],
    finishReason: "refusal",
  });
});

test.each([
  ["length", "length"],
  ["model_context_window_exceeded", "length"],
  ["content_filter", "refusal"],
  ["sensitive", "refusal"],
  ["SAFETY", "refusal"],
  ["eos", "stop"],
  ["tool_calls", "stop"],
])("finish reason %s without calls is %s", async (reason, expected) => {
  await using server = serve(() => events(chunk({ content: "x" }, reason)));
  expect((await modelAt(server.url).stream(ask(), () => {})).finishReason).toBe(expected as never);
});

test.each(["error", "insufficient_system_resource", "network_error"])(
  "a reply that ends with %s is cut",
  async (reason) => {
    await using server = serve(() => events(chunk({ content: "x" }, reason)));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({ retryable: true });
  },
);

test("a malformed usage is dropped without failing the answer", async () => {
  for (const usage of [{ prompt_tokens: "5" }, "none", { prompt_tokens: 5, prompt_tokens_details: "x" }]) {
    await using server = serve(() => events(chunk({ content: "x" }, "stop"), { choices: [], usage }, "[DONE]"));
    const reply = await modelAt(server.url).stream(ask(), () => {});
    expect(replyText(reply)).toBe("x");
    expect(reply.usage).toBeUndefined();
  }
});

test("usage counts uncached tokens separately from cached ones", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  await using server = serve(() => events(chunk({ content: "x" }, "stop"), { choices: [], usage }, "[DONE]"));
  expect((await modelAt(server.url).stream(ask(), () => {})).usage).toEqual({
    input_tokens: 40,
    output_tokens: 20,
    cached_input_tokens: 60,
    cached_write_tokens: 0,
    reasoning_tokens: 5,
  });
  const silent = await modelAt(server.url, { track_usage: false }).stream(ask(), () => {});
  expect(silent.usage).toBeUndefined();
  expect(server.seen[0]?.body["stream_options"]).toEqual({ include_usage: true });
  expect(server.seen[1]?.body["stream_options"]).toBeUndefined();
});

test("a tool call written as text at the end of a reply is a call, a quoted one is not", async () => {
  const call = '<tool_call>\n{"name": "list", "arguments": {"path": "."}}\n</tool_call>';
  const texts = [`Let me look. ${call}`, `Write ${call} to call it.`, call.replace('"list"', '"rm"')];
  await using server = serve((index) => chatReply(texts[index] ?? ""));
  const model = modelAt(server.url);
  expect(plain(await model.stream(ask({ tools: [tool] }), () => {}))).toMatchObject({
    text: "Let me look.",
    finishReason: "tool_calls",
    toolCalls: [{ name: "list", arguments: '{"path":"."}' }],
  });
  for (const text of texts.slice(1)) {
    expect(plain(await model.stream(ask({ tools: [tool] }), () => {}))).toMatchObject({
      text,
      toolCalls: [],
      finishReason: "stop",
    });
  }
});

test("a request without tools and settings holds no optional fields", async () => {
  await using server = serve(() => chatReply("ok"));
  await modelAt(server.url).stream(ask(), () => {});
  expect(server.seen[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions" });
  expect(server.seen[0]?.body).toEqual({
    model: "test-model",
    messages: [{ role: "user", content: "hi" }],
    stream_options: { include_usage: true },
    stream: true,
  });
});

test("the fields of extra_body win, but the reply is still a stream", async () => {
  await using server = serve(() => chatReply("ok"));
  const extra_body = { temperature: 1, stream: false, stream_options: { a: 1 }, own: [1] };
  const settings = { temperature: 0, provider_opts: { service_tier: "fast", extra_body } };
  await modelAt(server.url, settings).stream(ask(), () => {});
  expect(server.seen[0]?.body).toEqual({
    model: "test-model",
    messages: [{ role: "user", content: "hi" }],
    temperature: 1,
    service_tier: "fast",
    stream_options: { a: 1 },
    own: [1],
    stream: true,
  });
});

test("settings, tools and a schema for the answer are sent under their names", async () => {
  await using server = serve(() => chatReply("ok"));
  const settings = {
    model: "gpt-5.6",
    api_type: "openai_chatcompletions",
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 1,
    presence_penalty: -1,
    parallel_tool_calls: false,
    thinking_budget: "none",
    provider_opts: { top_k: 3, seed: 7, context_size: 2000 },
  };
  const structuredOutput = { name: "answer", schema: { type: "object" }, strict: true };
  await modelAt(server.url, settings).stream(ask({ tools: [tool], structuredOutput }), () => {});
  expect(server.seen[0]?.body).toMatchObject({
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: 1,
    presence_penalty: -1,
    parallel_tool_calls: false,
    reasoning_effort: "none",
    top_k: 3,
    seed: 7,
    tool_choice: "auto",
    tools: [
      {
        type: "function",
        function: {
          name: "list",
          description: "Lists",
          parameters: { required: ["path"], additionalProperties: false },
        },
      },
    ],
    response_format: { type: "json_schema", json_schema: structuredOutput },
  });
  expect(server.seen[0]?.body["max_tokens"]).toBeUndefined();
});

test("the completion budget fits the context window, and the request's own takes precedence", async () => {
  await using server = serve(() => chatReply("ok"));
  const model = modelAt(server.url, { max_tokens: 100_000, provider_opts: { context_size: 4096 } });
  await model.stream(ask(), () => {});
  await model.stream(ask({ maxTokens: 10 }), () => {});
  await model.stream(ask({ maxTokens: 10, minimalThinking: true }), () => {});
  expect(model.contextLimit).toBe(4096);
  expect(server.seen.map(({ body }) => body["max_tokens"])).toEqual([3072, 10, 256]);
});

test("messages keep their roles, calls and images", async () => {
  await using server = serve(() => chatReply("ok"));
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
  await modelAt(server.url, { provider: "groq", base_url: `${server.url}/v1` }).stream(
    ask({
      messages: [
        { role: "system", content: "one" },
        { role: "developer", content: "two" },
        { role: "user", multi_content: [{ type: "text", text: "look" }, image] },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "a", type: "function", function: { name: "list", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "done", multi_content: [image] },
        { role: "assistant", content: "" },
      ],
    }),
    () => {},
  );
  expect(server.seen[0]?.body["messages"]).toEqual([
    { role: "system", content: "one" },
    { role: "system", content: "two" },
    { role: "user", content: [{ type: "text", text: "look" }, image] },
    { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "list", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "a", content: "done" },
    { role: "user", content: [{ type: "text", text: "Attachments of the tool results above:" }, image] },
  ]);
});

test("adjacent system and user messages are merged if api_type is set, others never", async () => {
  await using server = serve(() => chatReply("ok"));
  const call = (id: string) => ({ id, type: "function", function: { name: "list", arguments: "{}" } });
  const messages = [
    { role: "system" as const, content: "one" },
    { role: "system" as const, content: "two" },
    { role: "user" as const, content: "hi" },
    { role: "user" as const, content: "there" },
    { role: "assistant" as const, tool_calls: [call("a"), call("b")] },
    { role: "tool" as const, tool_call_id: "a", content: "1" },
    { role: "tool" as const, tool_call_id: "b", content: "2" },
  ];
  await modelAt(server.url, {
    provider: "groq",
    base_url: `${server.url}/v1`,
    api_type: "openai_chatcompletions",
  }).stream(ask({ messages }), () => {});
  expect(server.seen[0]?.body["messages"]).toEqual([
    { role: "system", content: "one\n\ntwo" },
    { role: "user", content: "hi\n\nthere" },
    { role: "assistant", tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
  ]);
});

test("a request holds the key, the configured headers and nothing about the machine", async () => {
  await using server = serve(() => chatReply("ok"));
  const model = createModel(
    { provider: "own", model: "m", provider_opts: { http_headers: { "X-Team": "blue" } } },
    {
      env: (name) => (name === "OWN_KEY" ? "k-123456789" : undefined),
      providers: { own: { base_url: server.url, token_key: "OWN_KEY" } },
      log: () => {},
    },
  );
  await model.stream(ask(), () => {});
  const { headers } = server.seen[0] ?? { headers: {} };
  expect(headers).toMatchObject({
    authorization: "Bearer k-123456789",
    "x-team": "blue",
    "user-agent": "hooksh",
    "content-type": "application/json",
  });
  expect(Object.keys(headers).filter((name) => /stainless|openai/.test(name))).toEqual([]);
});

test("a custom provider without token_key gets no Authorization header", async () => {
  await using server = serve(() => chatReply("ok"));
  const env = (name: string) => (name === "OPENAI_API_KEY" ? "not-for-you" : undefined);
  await modelAt(server.url, {}, { env }).stream(ask(), () => {});
  expect(server.seen[0]?.headers["authorization"]).toBeUndefined();
});

test("azure gets its api-version", async () => {
  await using server = serve(() => chatReply("ok"));
  const spec = {
    provider: "azure",
    model: "gpt-4o",
    base_url: `${server.url}/openai`,
    provider_opts: { api_version: "2024-10-21" },
  };
  await createModel(spec, { env: () => "key", log: () => {} }).stream(ask(), () => {});
  expect(server.seen[0]).toMatchObject({
    path: "/openai/chat/completions",
    search: "?api-version=2024-10-21",
    headers: { "api-key": "key" },
  });
});
