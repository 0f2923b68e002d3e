import { expect, test } from "bun:test";
import { ModelError } from "../../../src/model/model.ts";
import { ask, collector, events, modelAt, plain, rejection, serve } from "../loopback.ts";

const completed = (response: Record<string, unknown> = {}) => ({ type: "response.completed", response });
const settings = { api_type: "openai_responses" };

test("text and reasoning arrive as deltas and as one reply", async () => {
  await using server = serve(() =>
    events(
      { type: "response.created", response: { error: null, incomplete_details: null, usage: null } },
      { type: "response.reasoning_summary_part.added", output_index: 0 },
      { type: "response.reasoning_summary_text.delta", delta: "First." },
      { type: "response.reasoning_summary_part.added", output_index: 0 },
      { type: "response.reasoning_summary_text.delta", delta: "Second." },
      { type: "response.output_text.delta", delta: "4" },
      { type: "response.output_text.delta", delta: "2" },
      completed({
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens_details: { reasoning_tokens: 3 },
        },
      }),
    ),
  );
  const { deltas, onDelta } = collector();
  expect(plain(await modelAt(server.url, settings).stream(ask(), onDelta))).toEqual({
    text: "42",
    reasoning: "First.\n\nSecond.",
    toolCalls: [],
    finishReason: "stop",
    usage: { input_tokens: 6, output_tokens: 5, cached_input_tokens: 4, cached_write_tokens: 0, reasoning_tokens: 3 },
  });
  expect(deltas.map((delta) => delta.kind)).toEqual(["reasoning", "reasoning", "reasoning", "text", "text"]);
  expect(server.seen[0]?.path).toBe("/v1/responses");
});

test("tool calls are joined, even if their arguments arrive only at the end", async () => {
  const item = (output_index: number, name: string, args: string, done: boolean) => ({
    type: `response.output_item.${done ? "done" : "added"}`,
    output_index,
    item: { type: "function_call", id: `f${output_index}`, call_id: `call-${name}`, name, arguments: args },
  });
  await using server = serve(() =>
    events(
      item(0, "a", "", false),
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"x":' },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: "1}" },
      item(0, "a", '{"x":1}', true),
      item(1, "b", "", false),
      item(1, "b", '{"y":2}', true),
      item(2, "c", "{}", true),
      completed(),
    ),
  );
  const reply = await modelAt(server.url, settings).stream(ask(), () => {});
  expect(reply.finishReason).toBe("tool_calls");
  expect(plain(reply).toolCalls).toEqual([
    { id: "call-a", name: "a", arguments: '{"x":1}' },
    { id: "call-b", name: "b", arguments: '{"y":2}' },
    { id: "call-c", name: "c", arguments: "{}" },
  ]);
});

test.each([
  [[{ type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }], "length"],
  [[{ type: "response.incomplete", response: { incomplete_details: { reason: "content_filter" } } }], "refusal"],
  [[{ type: "response.refusal.delta", delta: "No." }, completed()], "refusal"],
])("the end %j is %s", async (ending, reason) => {
  await using server = serve(() => events(...ending));
  expect((await modelAt(server.url, settings).stream(ask(), () => {})).finishReason).toBe(reason as never);
});

test("a failed response has the expected class", async () => {
  await using server = serve(() =>
    events({ type: "response.failed", response: { error: { code: "context_length_exceeded", message: "Too long." } } }),
  );
  const error = await rejection(modelAt(server.url, settings).stream(ask(), () => {}));
  expect(error).toBeInstanceOf(ModelError);
  expect(error).toMatchObject({
    code: "context_exceeded",
    message: `local: POST ${server.url}/v1/responses: Too long.`,
  });
});

test("a stream without an ending event is a retryable error", async () => {
  await using server = serve(() => events({ type: "response.output_text.delta", delta: "4" }));
  expect(await rejection(modelAt(server.url, settings).stream(ask(), () => {}))).toMatchObject({
    retryable: true,
    message: `local: POST ${server.url}/v1/responses: the stream ended without a finish reason`,
  });
});

test("messages become input items, and a call without a result gets one", async () => {
  await using server = serve(() => events(completed()));
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
  const call = (id: string) => ({ id, type: "function", function: { name: "list", arguments: "{}" } });
  await modelAt(server.url, {
    ...settings,
    model: "gpt-5.6",
    thinking_budget: "high",
    max_tokens: 50,
    temperature: 1,
  }).stream(
    ask({
      messages: [
        { role: "developer", content: "be brief" },
        { role: "user", content: "hi", multi_content: [{ type: "text", text: "look" }, image] },
        { role: "assistant", content: "well", tool_calls: [call("a"), call("b")] },
        { role: "tool", tool_call_id: "a", content: "done" },
      ],
      tools: [{ name: "list", description: "Lists", parameters: { type: "object" } }],
      structuredOutput: { name: "answer", schema: { type: "object" } },
    }),
    () => {},
  );
  expect(server.seen[0]?.body).toEqual({
    model: "gpt-5.6",
    input: [
      { role: "system", content: [{ type: "input_text", text: "be brief" }] },
      {
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          { type: "input_image", image_url: image.image_url.url, detail: "auto" },
        ],
      },
      { role: "assistant", content: "well" },
      { type: "function_call", call_id: "a", name: "list", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "list", arguments: "{}" },
      { type: "function_call_output", call_id: "b", output: "The call has no result: it was interrupted" },
      { type: "function_call_output", call_id: "a", output: "done" },
    ],
    max_output_tokens: 50,
    tools: [
      {
        type: "function",
        name: "list",
        description: "Lists",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
        strict: true,
      },
    ],
    tool_choice: "auto",
    reasoning: { effort: "high", summary: "detailed" },
    store: false,
    include: ["reasoning.encrypted_content"],
    text: { format: { type: "json_schema", name: "answer", schema: { type: "object" } } },
    stream: true,
  });
});

test("the service tier is sent if it is a text", async () => {
  await using server = serve(() => events(completed()));
  for (const service_tier of ["priority", 5])
    await modelAt(server.url, { ...settings, provider_opts: { service_tier } }).stream(ask(), () => {});
  expect(server.seen.map(({ body }) => body["service_tier"])).toEqual(["priority", undefined]);
});

test("a model that does not reason gets no reasoning fields", async () => {
  await using server = serve(() => events(completed()));
  await modelAt(server.url, { ...settings, model: "gpt-4.1", thinking_budget: "high" }).stream(ask(), () => {});
  await modelAt(server.url, { ...settings, model: "gpt-5" }).stream(ask(), () => {});
  expect(server.seen.map(({ body }) => body["reasoning"])).toEqual([undefined, { summary: "detailed" }]);
});

test("call ids that are too long for the API are shortened alike in call and result", async () => {
  await using server = serve(() => events(completed()));
  const id = `call_${"x".repeat(80)}`;
  await modelAt(server.url, settings).stream(
    ask({
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id, type: "function", function: { name: "list", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: id, content: "done" },
      ],
    }),
    () => {},
  );
  const ids = (server.seen[0]?.body as { input: { call_id?: string }[] }).input
    .slice(1)
    .map(({ call_id }) => call_id ?? "");
  expect(ids).toHaveLength(2);
  expect(ids[0]).toBe(ids[1] ?? "");
  expect(ids[0]?.length).toBeLessThanOrEqual(64);
});

test("a file given by URL is sent as its URL", async () => {
  await using server = serve(() => events(completed()));
  const file = { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } };
  await modelAt(server.url, { ...settings, model: "gpt-5" }).stream(
    ask({ messages: [{ role: "user", content: "read", multi_content: [file] }] }),
    () => {},
  );
  expect(JSON.stringify(server.seen[0]?.body)).toContain(
    '{"type":"input_file","file_url":"https://example.com/a.pdf"}',
  );
});
