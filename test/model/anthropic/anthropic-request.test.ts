import { expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import {
  type ContentBlock,
  type Message,
  textMessage,
  toolCallsOf,
  toolResult,
} from "../../../src/model/messages/message.ts";
import type { ModelRequest } from "../../../src/model/model.ts";
import { serve } from "../loopback.ts";
import { type AnthropicServer, anthropicServer, type Scripted } from "../servers/anthropic.ts";
import { PIXEL_PNG } from "../servers/image-bytes.ts";

const tools = [{ name: "list", description: "Lists", parameters: { type: "object" } }];
const ENABLED = { model: "claude-sonnet-4-5", thinking_budget: 2048 };
const ADAPTIVE = {
  model: "claude-opus-4-7",
  thinking_budget: "high",
  provider_opts: { thinking_display: "summarized" },
};

/** A reply with every kind of block, in an unusual order. */
const MIXED: Scripted[] = [
  { thinking: "First, the secret is hunter2." },
  { text: "Let me see." },
  { redacted: true },
  { thinking: "Then the list." },
  { call: "list", input: { path: "." } },
  { call: "list", input: { path: "/" } },
];

interface Talk {
  messages: Message[];
  logs: string[];
  /** Makes one call, adds the reply and a result for each of its calls. */
  step(more?: Partial<ModelRequest>): Promise<void>;
}

function talk(server: { url: string }, spec: Partial<ModelSpec>): Talk {
  const logs: string[] = [];
  const model = createModel(
    { provider: "anthropic", model: "claude-sonnet-4-5", base_url: server.url, ...spec },
    { env: () => "key", log: (level, message) => logs.push(`${level} ${message}`) },
  );
  const messages: Message[] = [textMessage("user", "hi")];
  return {
    messages,
    logs,
    async step(more = {}) {
      const request = { messages, tools, signal: new AbortController().signal, ...more };
      const { blocks } = await model.stream(request, () => {});
      messages.push({ role: "assistant", blocks });
      messages.push(...toolCallsOf({ blocks }).map(({ id }) => toolResult(id, [{ type: "text", text: "ok" }])));
    },
  };
}

/** Returns the content of a message of the last request, without cache markers. */
function sent(server: AnthropicServer, message: number): unknown {
  const content = server.requests.at(-1)?.messages[message]?.content ?? [];
  return content.map(({ cache_control: _marker, ...block }) => block);
}

/** Applies a rewrite by a hook to one message. */
function rewrite(messages: Message[], at: number, change: (shown: ReturnType<typeof toHookMessage>) => object): void {
  const shown = messages.map(toHookMessage);
  const updated = shown.map((message, index) => (index === at ? { ...message, ...change(message) } : message));
  messages.splice(0, messages.length, ...applyHookRewrite(messages, updated));
}

test.each([
  ["a budget", ENABLED],
  ["adaptive thinking", ADAPTIVE],
])("with %s a reply is sent back block for block", async (_name, spec) => {
  await using server = anthropicServer(
    MIXED,
    [{ thinking: "Go on." }, { call: "list" }],
    [{ text: "Done." }],
    [{ text: "Bye." }],
  );
  const { messages, step } = talk(server, spec);
  for (let count = 0; count < 3; count++) await step();
  messages.push(textMessage("user", "and now?"));
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.replies[0]).toHaveLength(6);
  expect([sent(server, 1), sent(server, 3)]).toEqual([server.replies[0], server.replies[1]]);
});

test("a thought that a hook changed is not sent, and with a budget thinking is off for the request", async () => {
  await using server = anthropicServer(MIXED, [{ text: "Done." }], [{ thinking: "Hm." }, { text: "Yes." }]);
  const { messages, logs, step } = talk(server, ENABLED);
  await step();
  rewrite(messages, 1, ({ reasoning_content = "" }) => ({
    reasoning_content: reasoning_content.replace("hunter2", "***"),
  }));
  await step();
  expect(server.refusals).toEqual([]);
  expect(JSON.stringify(server.requests[1]?.body)).not.toContain("hunter2");
  expect(server.requests[1]?.body["thinking"]).toBeUndefined();
  expect(sent(server, 1)).toEqual(server.replies[0]?.filter(({ type }) => !String(type).includes("thinking")));
  expect(logs).toEqual([
    expect.stringMatching(/^debug anthropic\/claude-sonnet-4-5: thinking is off for this request: /),
  ]);
  messages.push(textMessage("user", "and now?"));
  await step();
  expect(server.requests[2]?.body["thinking"]).toEqual({ type: "enabled", budget_tokens: 2048 });
});

test("a hook that removes the thoughts turns off thinking for the rest of the loop", async () => {
  await using server = anthropicServer(MIXED, [{ text: "Done." }]);
  const { messages, step } = talk(server, ENABLED);
  await step();
  rewrite(messages, 1, () => ({ reasoning_content: undefined, thinking_signature: undefined }));
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.body["thinking"]).toBeUndefined();
});

test("another vendor's model behind the same API gets its unsigned thoughts back", async () => {
  const events = [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "Hm." } },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "a", name: "list", input: {} } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  await using server = serve(() => new Response(events.join(""), { headers: { "content-type": "text/event-stream" } }));
  const { step } = talk(server, { model: "deepseek-reasoner" });
  await step();
  await step();
  const [, assistant] = server.seen[1]?.body["messages"] as { content: unknown }[];
  expect(assistant?.content).toMatchObject([
    { type: "thinking", thinking: "Hm.", signature: "" },
    { type: "tool_use" },
  ]);
});

test("sequential tool calls can be combined with thinking", async () => {
  await using server = anthropicServer([{ text: "Yes." }]);
  await talk(server, { ...ENABLED, parallel_tool_calls: false }).step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.body["tool_choice"]).toEqual({ type: "auto", disable_parallel_tool_use: true });
});

test("adaptive thinking continues without the thoughts that a hook changed", async () => {
  await using server = anthropicServer(MIXED, [{ text: "Done." }]);
  const { messages, logs, step } = talk(server, ADAPTIVE);
  await step();
  rewrite(messages, 1, () => ({ reasoning_content: "[redacted]" }));
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.body["thinking"]).toEqual({ type: "adaptive", display: "summarized" });
  expect(JSON.stringify(sent(server, 1))).not.toContain("thinking");
  expect(logs).toHaveLength(1);
});

test("a hook that changes the text or the calls leaves the thoughts in place", async () => {
  await using server = anthropicServer(MIXED, [{ text: "Done." }]);
  const { messages, step } = talk(server, ENABLED);
  await step();
  rewrite(messages, 1, ({ tool_calls = [] }) => ({
    content: "Let me look.",
    tool_calls: tool_calls.map((call) => ({ ...call, function: { ...call.function, arguments: '{"path":"x"}' } })),
  }));
  await step();
  expect(server.refusals).toEqual([]);
  const [first, , hidden, second] = server.replies[0] ?? [];
  expect(sent(server, 1)).toMatchObject([
    first,
    { type: "text", text: "Let me look." },
    hidden,
    second,
    { input: { path: "x" } },
    { input: { path: "x" } },
  ]);
});

test("a tool loop started by another model continues without thinking, and the next turn thinks again", async () => {
  await using server = anthropicServer([{ text: "Done." }], [{ thinking: "Hm." }, { text: "Yes." }]);
  const { messages, logs, step } = talk(server, ENABLED);
  messages.push(
    {
      role: "assistant",
      blocks: [
        { type: "thinking", text: "Foreign.", origin: { provider: "deepseek", api: "chat", data: { signature: "x" } } },
        { type: "tool_call", id: "functions.list:0", name: "list", arguments: "{}" },
      ],
    },
    toolResult("functions.list:0", [{ type: "text", text: "ok" }]),
  );
  await step();
  messages.push(textMessage("user", "and now?"));
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests.map(({ body }) => body["thinking"] !== undefined)).toEqual([false, true]);
  expect(sent(server, 1)).toEqual([{ type: "tool_use", id: "functions_list_0", name: "list", input: {} }]);
  expect(logs).toHaveLength(1);
});

test("a request without thinking sends no thoughts", async () => {
  await using server = anthropicServer(MIXED, [{ text: "A summary." }]);
  const { messages, logs, step } = talk(server, ENABLED);
  await step();
  messages.push(textMessage("user", "summarize"));
  await step({ minimalThinking: true, tools: [] });
  expect(server.refusals).toEqual([]);
  expect(JSON.stringify(server.requests[1]?.messages)).not.toContain("thinking");
  expect(server.requests[1]?.body).toMatchObject({ tools: [{ name: "list" }], tool_choice: { type: "none" } });
  expect(logs).toEqual([]);
});

test("a newer model drops thoughts after a changed system text instead of refusing, and the log says so", async () => {
  await using server = anthropicServer([{ thinking: "Hm." }, { call: "list" }], [{ text: "Done." }]);
  const { messages, logs, step } = talk(server, { model: "claude-opus-5-5", thinking_budget: "high" });
  const at = (time: string): Partial<ModelRequest> => ({
    messages: [textMessage("system", `It is ${time}.`), ...messages],
  });
  await step(at("noon"));
  await step(at("one"));
  expect(server.refusals).toEqual([]);
  expect(sent(server, 1)).toEqual(server.replies[0]);
  expect(logs).toEqual([
    "debug anthropic/claude-opus-5-5: thoughts dropped by the provider: 1 (prefix_binding_mismatch)",
  ]);
});

test.each([
  ["a budget, none of the loop", ENABLED, false],
  ["adaptive thinking, those of other messages", ADAPTIVE, true],
])("no thought of a message is sent if one of them is missing; with %s", async (_name, spec, keepsOthers) => {
  await using server = anthropicServer(MIXED, [{ thinking: "Go on." }, { call: "list" }], [{ text: "Done." }]);
  const { messages, step } = talk(server, spec);
  await step();
  await step();
  const [, first] = messages;
  const blocks = first?.blocks.map((block, index) =>
    index === 0 && block.type === "thinking"
      ? { ...block, text: "***", origin: { provider: "anthropic", api: "anthropic" } }
      : block,
  );
  messages[1] = { role: "assistant", blocks: blocks ?? [] };
  await step();
  expect(server.refusals).toEqual([]);
  expect(JSON.stringify(sent(server, 1))).not.toMatch(/thinking|Then the list/);
  expect(JSON.stringify(sent(server, 3)).includes("Go on.")).toBe(keepsOthers);
});

test.each([
  ["another provider", { provider: "mine", api: "anthropic" }],
  ["another API", { provider: "anthropic", api: "chat" }],
])("a thought of %s is not sent, nor one at the end of a message", async (_name, service) => {
  await using server = anthropicServer([{ thinking: "Hm." }, { text: "Well." }], [{ text: "Yes." }]);
  const { messages, step } = talk(server, ENABLED);
  await step();
  const [thought, text] = messages[1]?.blocks ?? [];
  if (thought?.type !== "thinking" || text?.type !== "text") throw new Error("expected a thought and a text");
  const foreign = { ...thought, text: "Foreign.", origin: { ...service, data: { signature: "x" } } };
  messages[1] = { role: "assistant", blocks: [foreign, text, thought] };
  messages.push(textMessage("user", "go on"));
  await step();
  expect(server.refusals).toEqual([]);
  expect(sent(server, 1)).toEqual([{ type: "text", text: "Well." }]);
});

test("a beta that the user asks for does not displace one that the request needs", async () => {
  await using server = anthropicServer([{ text: "Yes." }]);
  const provider_opts = { http_headers: { "Anthropic-Beta": "context-1m-2025-08-07" } };
  await talk(server, { model: "claude-opus-5-5", provider_opts }).step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.betas).toEqual(["thinking-binding-controls-2026-08-01", "context-1m-2025-08-07"]);
});

test("a thought that was cut off is not sent", async () => {
  await using server = anthropicServer([{ text: "Yes." }]);
  const { messages, step } = talk(server, ENABLED);
  const origin = { provider: "anthropic", api: "anthropic", data: { signature: "" } };
  messages.push(
    {
      role: "assistant",
      blocks: [
        { type: "text", text: "Well" },
        { type: "thinking", text: "I", origin },
      ],
    },
    textMessage("user", "go on"),
  );
  await step();
  expect(sent(server, 1)).toEqual([{ type: "text", text: "Well" }]);
});

test("any conversation is sent in the shape that the API requires", async () => {
  await using server = anthropicServer([{ text: "Yes." }]);
  const { messages, step } = talk(server, {});
  const image: ContentBlock = { type: "image", source: { kind: "data", mimeType: "image/png", data: PIXEL_PNG } };
  const call = (id: string) => ({ type: "tool_call" as const, id, name: "list", arguments: "not JSON" });
  const file = (name: string, mimeType: string, data: string): ContentBlock => ({
    type: "document",
    name,
    source: { kind: "data", mimeType, data: Buffer.from(data).toString("base64") },
  });
  messages.splice(
    0,
    1,
    { role: "assistant", blocks: [{ type: "text", text: "I was first." }] },
    { role: "assistant", blocks: [{ type: "text", text: " " }, call("call:1"), call("call_1")] },
    toolResult("call:1", [image], true),
    toolResult("call_1", [image, { type: "text", text: "" }]),
    { role: "user", blocks: [{ type: "text", text: "" }, file("a.pdf", "application/pdf", "%PDF-1.7")] },
    {
      role: "user",
      blocks: [
        { type: "audio", source: { kind: "data", mimeType: "audio/wav", data: "AA==" } },
        file("c.zip", "application/zip", "PK"),
      ],
    },
    { role: "assistant", blocks: [call("call:1")] },
    toolResult("call:1", []),
    { role: "assistant", blocks: [{ type: "refusal", text: "No." }] },
  );
  await step();
  expect(server.refusals).toEqual([]);
  const source = { type: "base64", media_type: "image/png", data: PIXEL_PNG };
  expect(server.requests[0]?.messages.map((_message, index) => sent(server, index))).toEqual([
    [{ type: "text", text: "Continue." }],
    [
      { type: "text", text: "I was first." },
      { type: "tool_use", id: "call_1", name: "list", input: {} },
      { type: "tool_use", id: "call_1_2", name: "list", input: {} },
    ],
    [
      {
        type: "tool_result",
        tool_use_id: "call_1",
        is_error: true,
        content: [{ type: "text", text: "The tool failed without a message." }],
      },
      { type: "tool_result", tool_use_id: "call_1_2", is_error: false, content: [{ type: "image", source }] },
      { type: "image", source },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjc=" },
      },
      { type: "text", text: expect.stringContaining("takes no audio") },
      { type: "text", text: expect.stringContaining("c.zip (application/zip, 2 bytes) left out") },
    ],
    [{ type: "tool_use", id: "call_1_3", name: "list", input: {} }],
    [{ type: "tool_result", tool_use_id: "call_1_3", is_error: false, content: [] }],
    [{ type: "text", text: "No." }],
    [{ type: "text", text: "Continue." }],
  ]);
});

test("a request holds at most four cache markers, even if the caller set more", async () => {
  await using server = anthropicServer(MIXED, [{ text: "Done." }]);
  const { messages, step } = talk(server, ENABLED);
  const system = Array.from({ length: 5 }, (_, index) => ({
    ...textMessage("system", `part ${index}`),
    cacheControl: true,
  }));
  await step({ messages: [...system, ...messages] });
  await step({ messages: [...system, ...messages] });
  expect(server.refusals).toEqual([]);
  expect(JSON.stringify(server.requests[1]?.body).split('"cache_control"')).toHaveLength(5);
});
