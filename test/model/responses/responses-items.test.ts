import { afterEach, describe, expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { fromHookMessage, toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import { type Message, textMessage, thinkingOf, toolCallsOf, toolResult } from "../../../src/model/messages/message.ts";
import type { ModelRequest, Reply } from "../../../src/model/model.ts";
import { modelAt, rejection } from "../loopback.ts";
import { type ResponsesServer, type ResponsesStep, responsesServer } from "../servers/responses.ts";

const servers: ResponsesServer[] = [];

function serve(...script: ResponsesStep[]): ResponsesServer {
  const server = responsesServer({}, ...script);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

const tools = ["look", "list"].map((name) => ({
  name,
  description: `Tool ${name}`,
  parameters: { type: "object", properties: { at: { type: "string" } } },
}));

function modelOf(server: ResponsesServer, more: Partial<ModelSpec> = {}) {
  return modelAt(server.url.replace(/\/v1$/, ""), { api_type: "openai_responses", model: "gpt-5", ...more });
}

/** Makes one call; returns the reply as the message that the runtime keeps. */
async function call(
  server: ResponsesServer,
  messages: readonly Message[],
  more: Partial<ModelSpec> = {},
  request: Partial<ModelRequest> = {},
) {
  const reply = await modelOf(server, more).stream(
    { messages, tools, signal: new AbortController().signal, ...request },
    () => {},
  );
  return { reply, message: messageOf(reply) };
}

const messageOf = ({ blocks, finishReason }: Reply): Message => ({ role: "assistant", blocks, finishReason });
const user = textMessage("user", "Go.");
const results = (message: Message) =>
  toolCallsOf(message).map(({ id }) => toolResult(id, [{ type: "text", text: "done" }]));
const LOOP: readonly ResponsesStep[] = [
  [
    { reasoning: ["First thought.", "Second thought."] },
    { text: "I look.", phase: "commentary" },
    { call: "look", input: { at: "a" } },
    { reasoning: "Third." },
    { call: "list" },
    { call: "look" },
  ],
  [{ reasoning: "" }, { call: "list", input: { at: "b" } }],
  [{ reasoning: "Fourth." }, { text: "The answer is 42." }],
  [{ text: "Bye." }],
];

/** Plays the whole loop and returns the conversation. `change` may replace a reply by another message. */
async function play(
  server: ResponsesServer,
  change: (message: Message, turn: number) => Message = (message) => message,
) {
  let messages: Message[] = [textMessage("system", "Help."), user];
  for (let turn = 0; server.left() > 0; turn++) {
    const { message } = await call(server, messages);
    const kept = change(message, turn);
    messages = [...messages, kept, ...results(kept)];
  }
  return messages;
}

describe("reasoning is sent back unchanged", () => {
  test("over a loop of several turns, with thoughts, remarks and parallel calls in order", async () => {
    const server = serve(...LOOP);
    await play(server);
    expect(server.refusals).toEqual([]);
    const sent = server.requests.at(-1)?.input.filter(({ id }) => id !== undefined) ?? [];
    const issued = server.replies.slice(0, 3).flat();
    expect(sent.map(({ id }) => id)).toEqual(issued.map(({ id }) => id));
    expect(sent.filter(({ type }) => type === "reasoning")).toEqual(issued.filter(({ type }) => type === "reasoning"));
    expect(sent.find(({ type }) => type === "message")).toMatchObject({
      phase: "commentary",
      content: [{ text: "I look." }],
    });
    expect(server.requests.map(({ store, include }) => ({ store, include }))).toEqual(
      server.requests.map(() => ({ store: false, include: ["reasoning.encrypted_content"] })),
    );
  });

  test("after it was stored and read again as JSON", async () => {
    const server = serve(...LOOP);
    await play(server, (message) => JSON.parse(JSON.stringify(message)) as Message);
    expect(server.refusals).toEqual([]);
  });

  test("the summary is shown, in parts separated by a blank line", async () => {
    const server = serve(LOOP[0] as ResponsesStep, [
      { reasoning: ["One.", "Two."] },
      { reasoning: "Three." },
      { text: "Ok." },
    ]);
    const { message } = await call(server, [user]);
    expect(thinkingOf(message)).toBe("First thought.\n\nSecond thought.\n\nThird.");
    expect(message.blocks.map(({ type }) => type)).toEqual([
      "thinking",
      "text",
      "tool_call",
      "thinking",
      "tool_call",
      "tool_call",
    ]);
    const shown: string[] = [];
    await modelOf(server).stream({ messages: [user], tools, signal: new AbortController().signal }, (delta) => {
      if (delta.kind === "reasoning") shown.push(delta.text);
    });
    expect(shown.join("")).toBe("One.\n\nTwo.\n\nThree.");
  });

  test("its data does not repeat the summary, so that text removed from the summary is not sent", async () => {
    const server = serve(LOOP[0] as ResponsesStep, [{ text: "Bye." }]);
    const { message } = await call(server, [user]);
    expect(JSON.stringify(message).match(/First thought/g)).toHaveLength(1);
    const shorter = message.blocks.map((block) =>
      block.type === "thinking" ? { ...block, text: block.text.slice(1) } : block,
    );
    await call(server, [user, { ...message, blocks: shorter }, ...results(message)]);
    expect(server.refusals).toEqual([]);
    expect(server.requests[1]?.input.some(({ type, id }) => type === "reasoning" || id !== undefined)).toBe(false);
  });

  test("a reply that was cut off during a thought leaves no half pair", async () => {
    const server = serve({ items: [{ reasoning: "Long." }], incomplete: "max_output_tokens" }, [{ text: "Short." }]);
    const { message, reply } = await call(server, [user]);
    expect(reply.finishReason).toBe("length");
    await call(server, [user, message, user]);
    expect(server.refusals).toEqual([]);
    expect(server.requests[1]?.input.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  test("a thought that differs from its stream is not sent back, because hooks did not see it", async () => {
    const item = {
      id: "rs_1",
      type: "reasoning",
      summary: [{ type: "summary_text", text: "the secret" }],
      encrypted_content: "gAAA",
    };
    const done = (output_index: number, each: object) => ({
      type: "response.output_item.done",
      output_index,
      item: each,
    });
    const message = {
      id: "msg_1",
      type: "message",
      status: "completed",
      content: [{ type: "output_text", text: "Hi" }],
    };
    const lines = [
      done(0, item),
      { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hi" },
      done(1, message),
      { type: "response.completed", response: {} },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join("");
    const server = serve(
      () => new Response(lines, { headers: { "content-type": "text/event-stream" } }),
      [{ text: "Bye." }],
    );
    const { message: reply } = await call(server, [user]);
    expect(JSON.stringify(reply)).not.toContain("secret");
    await call(server, [user, reply, user]);
    expect(server.refusals).toEqual([]);
  });
});

test("an item whose id changes with every event stays linked to its reasoning", async () => {
  const blob = (name: string) => name + "x".repeat(400);
  const event = (step: string, output_index: number, item: object) => ({
    type: `response.output_item.${step}`,
    output_index,
    item,
  });
  const thought = { type: "reasoning", summary: [], encrypted_content: "gAAA" };
  const call = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
  const lines = [
    event("added", 0, { ...thought, id: blob("started") }),
    event("done", 0, { ...thought, id: blob("rs_done") }),
    event("added", 1, { ...call, id: blob("started too") }),
    event("done", 1, { ...call, id: blob("fc_done") }),
    { type: "response.completed", response: {} },
  ]
    .map((each) => `data: ${JSON.stringify(each)}\n\n`)
    .join("");
  const bodies: { input: object[] }[] = [];
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      bodies.push((await request.json()) as { input: object[] });
      return new Response(lines, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const ask = (messages: readonly Message[]) =>
    modelAt(server.url.origin, { api_type: "openai_responses", model: "gpt-5" }).stream(
      { messages, tools, signal: new AbortController().signal },
      () => {},
    );
  const message = messageOf(await ask([user]));
  await ask([user, message, ...results(message)]);
  expect(bodies[1]?.input.slice(1)).toEqual([
    { ...thought, id: blob("rs_done") },
    call,
    { type: "function_call_output", call_id: "call_1", output: "done" },
  ]);
});

describe("a changed item is sent back without its reasoning, and never half of a pair", () => {
  const edit =
    (change: (hook: Record<string, unknown>) => Record<string, unknown>) =>
    (message: Message, turn: number): Message => {
      if (turn > 0) return message;
      const hook = toHookMessage(message);
      const [merged] = applyHookRewrite([message], [{ ...hook, ...change(hook as Record<string, unknown>) }]);
      return merged ?? message;
    };

  test.each<[string, (message: Message, turn: number) => Message]>([
    [
      "a redacted summary",
      edit(({ reasoning_content }) => ({
        reasoning_content: String(reasoning_content).replace("First", "[REDACTED]"),
      })),
    ],
    ["a rewritten text", edit(() => ({ content: "[REDACTED]" }))],
    ["the text removed", edit(() => ({ content: "" }))],
    [
      "rewritten arguments",
      edit(({ tool_calls }) => ({
        tool_calls: (tool_calls as { function: object }[]).map((each, index) =>
          index === 0 ? { ...each, function: { ...each.function, arguments: '{"at":"z"}' } } : each,
        ),
      })),
    ],
    ["a call removed", edit(({ tool_calls }) => ({ tool_calls: (tool_calls as unknown[]).slice(1) }))],
    ["the last call removed", edit(({ tool_calls }) => ({ tool_calls: (tool_calls as unknown[]).slice(0, -1) }))],
    ["the thoughts removed", edit(() => ({ reasoning_content: "" }))],
    [
      "a message written by a hook",
      (message, turn) => (turn > 0 ? message : fromHookMessage(structuredClone(toHookMessage(message)))),
    ],
    [
      "every second block removed",
      (message) => ({ ...message, blocks: message.blocks.filter((_block, index) => index % 2 === 0) }),
    ],
    [
      "each block removed in turn",
      (message, turn) => ({ ...message, blocks: message.blocks.filter((_block, index) => index !== turn) }),
    ],
  ])("%s", async (_name, change) => {
    const server = serve(...LOOP);
    await play(server, change);
    expect(server.refusals).toEqual([]);
  });

  test.each<[string, ResponsesStep]>([
    ["of a reply with parallel calls", LOOP[0] as ResponsesStep],
    [
      "of a reply that thinks twice in a row",
      [{ reasoning: "One." }, { reasoning: "Two." }, { text: "I look." }, { call: "look" }, { call: "list" }],
    ],
  ])("any blocks %s may be removed", async (_name, step) => {
    for (let mask = 0; mask < 64; mask++) {
      const server = serve(step, [{ text: "Bye." }]);
      const { message } = await call(server, [user]);
      const kept = { ...message, blocks: message.blocks.filter((_block, index) => (mask >> index) % 2 === 0) };
      await call(server, [user, kept, ...results(kept), user]);
      expect({ mask, refusals: server.refusals }).toEqual({ mask, refusals: [] });
    }
  });

  test("an untouched part of a reply keeps its reasoning", async () => {
    const server = serve(LOOP[0] as ResponsesStep, [{ text: "Bye." }]);
    const { message } = await call(server, [user]);
    const kept = { ...message, blocks: message.blocks.filter(({ type }) => type !== "text") };
    await call(server, [user, kept, ...results(kept)]);
    expect(server.requests[1]?.input.filter(({ type }) => type === "reasoning").map(({ summary }) => summary)).toEqual([
      [{ type: "summary_text", text: "Third." }],
    ]);
  });
});

describe("reasoning is sent to the model service that wrote it", () => {
  test("and to no other, nor to a model that does not reason, and again after a switch back", async () => {
    const [first, second] = [
      serve(...LOOP),
      serve([{ reasoning: "Elsewhere." }, { call: "list" }], [{ text: "Bye." }]),
    ];
    const { message } = await call(first, [user]);
    const messages = [user, message, ...results(message)];
    const other = { api_type: "openai_responses" as const, model: "gpt-5", provider: "other" };
    const there = modelAt("", other, { providers: { other: { base_url: second.url } } });
    const reply = messageOf(await there.stream({ messages, tools, signal: new AbortController().signal }, () => {}));
    expect(second.requests[0]?.input.some(({ type, id }) => type === "reasoning" || id !== undefined)).toBe(false);
    const back = [...messages, reply, ...results(reply)];
    await call(first, back);
    expect(first.requests[1]?.input.filter(({ type }) => type === "reasoning")).toEqual(
      first.replies[0]?.filter(({ type }) => type === "reasoning"),
    );
    await call(first, back, { model: "gpt-4.1" });
    expect(first.requests[2]?.input.some(({ type }) => type === "reasoning")).toBe(false);
    expect(first.requests[2]).not.toHaveProperty("include");
    expect([...first.refusals, ...second.refusals]).toEqual([]);
  });

  test("and to a model that is not known to reason, if it wrote the reasoning", async () => {
    const server = serve(...LOOP);
    const model = { model: "computer-use-preview" };
    const { message } = await call(server, [user], model);
    const messages = (writer: string) => [user, { ...message, model: writer }, ...results(message)];
    await call(server, messages("local/computer-use-preview"), model);
    await call(server, messages("local/another"), model);
    expect(server.refusals).toEqual([]);
    expect(server.requests.map(({ input }) => input.filter(({ type }) => type === "reasoning").length)).toEqual([
      0, 2, 0,
    ]);
  });

  test("and if the service refuses it, the call is repeated without it", async () => {
    const [mine, other] = [serve(LOOP[0] as ResponsesStep), serve([{ text: "Ok." }])];
    const { message } = await call(mine, [user]);
    const logged: string[] = [];
    const model = modelAt(
      other.url.replace(/\/v1$/, ""),
      { api_type: "openai_responses", model: "gpt-5" },
      { log: (_level, text) => logged.push(text) },
    );
    const request = { messages: [user, message, ...results(message)], tools, signal: new AbortController().signal };
    expect((await model.stream(request, () => {})).finishReason).toBe("stop");
    expect(other.refusals).toEqual([expect.stringContaining("could not be verified")]);
    expect(logged).toEqual([expect.stringContaining("sent again without the reasoning of earlier replies")]);
    expect(other.requests[0]?.input.filter(({ type }) => type === "function_call")).toHaveLength(3);
  });
});

describe("requests that the API would refuse are avoided", () => {
  test("a result without its call becomes a user's text, and a call without a result gets one", async () => {
    const server = serve([{ text: "Ok." }]);
    const lone: Message = {
      role: "assistant",
      blocks: [{ type: "tool_call", id: "call_b", name: "list", arguments: "{}" }],
    };
    await call(server, [toolResult("call_a", [{ type: "text", text: "done" }]), user, lone]);
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]?.input).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "The result of an earlier tool call:" },
          { type: "input_text", text: "done" },
        ],
      },
      { role: "user", content: "Go." },
      { type: "function_call", call_id: "call_b", name: "list", arguments: "{}" },
      { type: "function_call_output", call_id: "call_b", output: "The call has no result: it was interrupted" },
    ]);
  });

  test("a refusal ends the reply and is sent back as text", async () => {
    const server = serve([{ reasoning: "No way." }, { refusal: "I cannot." }], [{ text: "Ok." }]);
    const { message, reply } = await call(server, [user]);
    expect(reply.finishReason).toBe("refusal");
    await call(server, [user, message, user]);
    expect(server.refusals).toEqual([]);
    expect(server.requests[1]?.input[1]).toEqual({ role: "assistant", content: "I cannot." });
  });

  test("images and files of users and of tools", async () => {
    const server = serve([{ text: "Ok." }]);
    const image = { type: "image", source: { kind: "data", mimeType: "image/png", data: "AAAA" } } as const;
    const file = {
      type: "document",
      name: "a.pdf",
      source: { kind: "data", mimeType: "application/pdf", data: "AAAA" },
    } as const;
    const lone: Message = {
      role: "assistant",
      blocks: [{ type: "tool_call", id: "call_a", name: "look", arguments: "{}" }],
    };
    await call(server, [
      { role: "user", blocks: [{ type: "text", text: "See." }, image, file] },
      lone,
      toolResult("call_a", [image]),
    ]);
    expect(server.refusals).toEqual([]);
  });

  test("the strict server refuses invalid requests", async () => {
    const server = serve([{ reasoning: "Thought." }, { call: "list" }]);
    const { message } = await call(server, [user]);
    const [, tool] = message.blocks;
    const post = async (input: unknown[]) => {
      const body = { model: "gpt-5", input, store: false, include: ["reasoning.encrypted_content"] };
      await fetch(`${server.url}/responses`, { method: "POST", body: JSON.stringify(body) });
      return server.refusals.at(-1);
    };
    const [item = {}] = server.replies[0] ?? [];
    const id = (tool as { origin?: { data?: { id?: string } } }).origin?.data?.id;
    const made = { type: "function_call", id, call_id: toolCallsOf(message)[0]?.id, name: "list", arguments: "{}" };
    const output = { type: "function_call_output", call_id: made.call_id, output: "x" };
    expect(await post([item])).toContain("without its required following item");
    expect(await post([made, output])).toContain("without its required 'reasoning' item");
    expect(await post([{ ...item, summary: [] }, made, output])).toContain("could not be verified");
    expect(await post([item, made])).toContain("No tool output found");
    expect(await post([output])).toContain("No tool call found");
    expect(await rejection(call(server, [user], { model: "gpt-4.1" }, { maxTokens: 3 }))).toMatchObject({
      status: 400,
    });
  });
});
