import { expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { textMessage, toolCallsOf, toolResult } from "../../../src/model/messages/message.ts";
import type { Model } from "../../../src/model/model.ts";
import { ask, collector, events, plain, rejection, serve } from "../loopback.ts";
import { googleServer } from "../servers/google.ts";

const modelAt = (url: string, more: Partial<ModelSpec> = {}, idleTimeoutMs = 5000): Model =>
  createModel(
    { provider: "google", model: "gemini-2.5-flash", base_url: url, ...more },
    { env: () => "google-key", log: () => {}, idleTimeoutMs },
  );

const chunk = (parts: unknown[], finishReason?: string, more: object = {}) => ({
  candidates: [{ content: { parts, role: "model" }, ...(finishReason ? { finishReason } : {}) }],
  ...more,
});

test("thoughts, text and tool calls arrive as deltas and as one reply", async () => {
  await using server = serve(() =>
    events(
      chunk([{ text: "Hm.", thought: true }]),
      chunk([{ text: "Let " }]),
      chunk(
        [
          { text: "me" },
          { functionCall: { name: "list", args: { path: "." } }, thoughtSignature: "sig" },
          { functionCall: { name: "think" } },
        ],
        "STOP",
        {
          usageMetadata: {
            promptTokenCount: 30,
            candidatesTokenCount: 5,
            thoughtsTokenCount: 4,
            cachedContentTokenCount: 10,
          },
        },
      ),
    ),
  );
  const { deltas, onDelta } = collector();
  const reply = await modelAt(server.url).stream(ask(), onDelta);
  expect(toolCallsOf(reply)[0]?.origin?.data).toEqual({ thoughtSignature: "sig" });
  expect(plain(reply)).toEqual({
    text: "Let me",
    reasoning: "Hm.",
    finishReason: "tool_calls",
    toolCalls: [
      { id: expect.stringMatching(/^call_/), name: "list", arguments: '{"path":"."}' },
      { id: expect.stringMatching(/^call_/), name: "think", arguments: "{}" },
    ],
    usage: { input_tokens: 20, output_tokens: 9, cached_input_tokens: 10, cached_write_tokens: 0, reasoning_tokens: 4 },
  });
  expect(deltas.map(({ kind }) => kind)).toEqual(["reasoning", "text", "text", "tool_call", "tool_call"]);
  expect(server.seen[0]).toMatchObject({
    path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
    search: "?alt=sse",
    headers: { "x-goog-api-key": "google-key" },
  });
});

test("the last event may lack its empty line", async () => {
  await using server = serve(
    () =>
      new Response(`data: ${JSON.stringify(chunk([{ text: "ok" }], "STOP"))}`, {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  expect(plain(await modelAt(server.url).stream(ask(), () => {})).text).toBe("ok");
});

test("a request holds turns, results by name, tools and settings", async () => {
  const origin = { provider: "google", api: "google", data: { thoughtSignature: "sig" } };
  await using server = serve(() => events(chunk([{ text: "ok" }], "STOP")));
  await modelAt(`${server.url}/v1beta`, {
    max_tokens: 50,
    temperature: 0,
    thinking_budget: -1,
    provider_opts: { google_search: true, top_k: 2 },
  }).stream(
    {
      ...ask(),
      messages: [
        textMessage("developer", "be brief"),
        {
          role: "user",
          blocks: [
            { type: "text", text: "look" },
            { type: "image", source: { kind: "data", mimeType: "image/png", data: "AA==" } },
          ],
        },
        {
          role: "assistant",
          blocks: [{ type: "tool_call", id: "a", name: "list", arguments: '{"path":"."}', origin }],
        },
        toolResult("a", [{ type: "text", text: "no" }], true),
      ],
      tools: [{ name: "list", description: "Lists", parameters: { type: "object" } }],
    },
    () => {},
  );
  expect(server.seen[0]?.body).toEqual({
    contents: [
      { role: "user", parts: [{ text: "look" }, { inlineData: { mimeType: "image/png", data: "AA==" } }] },
      { role: "model", parts: [{ functionCall: { name: "list", args: { path: "." } }, thoughtSignature: "sig" }] },
      { role: "user", parts: [{ functionResponse: { name: "list", response: { error: "no" } } }] },
    ],
    systemInstruction: { parts: [{ text: "be brief" }] },
    tools: [
      {
        functionDeclarations: [
          { name: "list", description: "Lists", parametersJsonSchema: { type: "object", properties: {} } },
        ],
      },
      { googleSearch: {} },
    ],
    generationConfig: {
      temperature: 0,
      topK: 2,
      maxOutputTokens: 50,
      thinkingConfig: { includeThoughts: true, thinkingBudget: -1 },
    },
  });
});

test.each([
  ["gemini-3-flash", 4596],
  ["gemini-2.5-pro", 4596],
  ["gemini-2.5-flash", 500],
])(
  "a call of %s with minimal thinking gets %d tokens for an answer of 500 and unavoidable thoughts",
  async (model, most) => {
    await using server = googleServer([{ text: "ok" }]);
    await modelAt(server.url, { model }).stream(ask({ minimalThinking: true, maxTokens: 500 }), () => {});
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]?.body["generationConfig"]).toMatchObject({ maxOutputTokens: most });
  },
);

test.each([
  ["gemini-3-flash", true, true],
  ["gemini-2.5-flash", true, false],
  ["gemini-2.5-flash", false, true],
])("%s with tools: %p enforces the answer's schema: %p", async (model, withTools, isEnforced) => {
  await using server = googleServer([{ text: 'Well: {"a":1}' }]);
  const tools = withTools ? [{ name: "list", description: "Lists", parameters: { type: "object" } }] : [];
  const reply = await modelAt(server.url, { model }).stream(
    ask({ tools, structuredOutput: { name: "answer", schema: { type: "object" } } }),
    () => {},
  );
  const { generationConfig, systemInstruction } = server.requests[0]?.body ?? {};
  expect(generationConfig).toEqual(
    (isEnforced ? { responseMimeType: "application/json", responseJsonSchema: { type: "object" } } : {}) as never,
  );
  expect(systemInstruction === undefined).toBe(isEnforced);
  expect(plain(reply).text).toBe(isEnforced ? 'Well: {"a":1}' : '{"a":1}');
});

test.each<[string, unknown, unknown]>([
  ["gemini-2.5-flash", 0, { thinkingBudget: 0 }],
  ["gemini-2.5-pro", "none", { thinkingBudget: 128 }],
  ["gemini-2.5-flash", "low", { includeThoughts: true, thinkingBudget: 2048 }],
  ["gemini-3-pro", "minimal", { includeThoughts: true, thinkingLevel: "low" }],
  ["gemini-3-flash", "minimal", { includeThoughts: true, thinkingLevel: "minimal" }],
  ["gemini-3.1-pro-preview", "medium", { includeThoughts: true, thinkingLevel: "medium" }],
  ["gemini-3-flash", "none", { thinkingLevel: "minimal" }],
  ["gemini-2.5-flash", "max", { includeThoughts: true, thinkingBudget: 24_576 }],
  ["gemini-2.5-flash-lite", 100, { includeThoughts: true, thinkingBudget: 512 }],
  ["gemini-2.0-flash", "high", undefined],
  ["gemini-3-pro", "max", { includeThoughts: true, thinkingLevel: "high" }],
  ["gemini-3-pro", undefined, undefined],
])("%s with thinking_budget %j is sent %j", async (model, thinking_budget, expected) => {
  await using server = googleServer([{ text: "ok" }], [{ text: "ok" }]);
  const create = modelAt(server.url, {
    model,
    thinking_budget,
    frequency_penalty: model === "gemini-2.0-flash" ? undefined : 1,
  });
  await create.stream(ask(), () => {});
  await create.stream(ask({ minimalThinking: true }), () => {});
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.body["generationConfig"]).toEqual((expected ? { thinkingConfig: expected } : {}) as never);
});

test.each([
  [events(chunk([{ text: "x" }], "MAX_TOKENS")), "length"],
  [events(chunk([], "SAFETY")), "refusal"],
  [events(chunk([], "IMAGE_PROHIBITED_CONTENT")), "refusal"],
  [events({ promptFeedback: { blockReason: "SAFETY" } }), "refusal"],
])("ending %# is %s", async (answer, reason) => {
  await using server = serve(() => answer);
  expect((await modelAt(server.url).stream(ask(), () => {})).finishReason).toBe(reason as never);
});

test.each([
  [
    Response.json([{ error: { code: 400, message: "API key not valid", status: "INVALID_ARGUMENT" } }], {
      status: 400,
    }),
    { status: 400, retryable: false, message: expect.stringMatching(/HTTP 400: API key not valid$/) },
  ],
  [
    Response.json(
      { error: { code: 400, message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." } },
      { status: 400 },
    ),
    { code: "context_exceeded" },
  ],
  [
    Response.json({ error: { code: 429, message: "Quota", status: "RESOURCE_EXHAUSTED" } }, { status: 429 }),
    { code: "rate_limited" },
  ],
  [
    events(chunk([{ text: "half" }]), { error: { code: 503, message: "Gone", status: "UNAVAILABLE" } }),
    { retryable: true, message: expect.stringMatching(/: Gone$/) },
  ],
  [events(chunk([{ text: "half" }])), { retryable: true, message: expect.stringContaining("without a finish reason") }],
  [
    events(chunk([], "MALFORMED_FUNCTION_CALL")),
    { retryable: true, message: expect.stringContaining("a tool call that does not parse") },
  ],
  [
    events(chunk([], "UNEXPECTED_TOOL_CALL")),
    { retryable: true, message: expect.stringContaining("that it was not given") },
  ],
  [events("{"), { message: expect.stringContaining("malformed JSON in the stream") }],
  [new Response('data: {"cand', { headers: { "content-type": "text/event-stream" } }), { retryable: true }],
])("failure %# has the expected class", async (answer, expected) => {
  await using server = serve(() => answer);
  const error = await rejection(modelAt(server.url).stream(ask(), () => {}));
  expect(`${Object(error).message}`).toStartWith(
    `google: POST ${server.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent: `,
  );
  expect(error).toMatchObject(expected);
});

test("silence ends the call, and so does an abort", async () => {
  await using server = serve(
    () =>
      new Response(
        new ReadableStream({
          start: (controller) =>
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk([{ text: "half" }]))}\r\n\r\n`)),
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

test.each([
  ["true", true],
  ["1", true],
  ["", false],
  ["false", false],
  ["0", false],
  ["yes", false],
])("GOOGLE_GENAI_USE_VERTEXAI=%s selects Vertex AI, which is refused: %p", (value, isRefused) => {
  const env = (name: string) => (name === "GOOGLE_GENAI_USE_VERTEXAI" ? value : undefined);
  const create = () => createModel({ provider: "google", model: "gemini-2.5-flash" }, { env, log: () => {} }).id;
  const message =
    "GOOGLE_GENAI_USE_VERTEXAI selects Vertex AI, which hooksh does not speak; remove it to use the Gemini API";
  if (isRefused) expect(create).toThrow(message);
  else expect(create()).toBe("google/gemini-2.5-flash");
});
