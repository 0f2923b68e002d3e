import { describe, expect, test } from "bun:test";
import { type ResolvedModel, resolveModel } from "../../../src/model/catalog/resolve.ts";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { googleBody } from "../../../src/model/google/google-request.ts";
import { toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import {
  type ContentBlock,
  type Message,
  textMessage,
  toolCallsOf,
  toolResult,
} from "../../../src/model/messages/message.ts";
import { googleServer, type Scripted } from "../servers/google.ts";
import { PIXEL_PNG } from "../servers/image-bytes.ts";

const tools = [{ name: "list", description: "Lists", parameters: { type: "object" } }];
const call: Scripted = { call: "list", args: { path: "." } };

const key = (name: string) => (name === "GOOGLE_API_KEY" ? "key" : undefined);

interface Talk {
  messages: Message[];
  /** Makes one call, adds the reply and a result for each of its calls. */
  step(): Promise<void>;
}

function talk(server: { url: string }, model = "gemini-3-flash", more: Partial<ModelSpec> = {}): Talk {
  const created = createModel(
    { provider: "google", model, base_url: server.url, ...more },
    { env: () => "key", log: () => {} },
  );
  const messages: Message[] = [textMessage("user", "hi")];
  return {
    messages,
    async step() {
      const { blocks } = await created.stream({ messages, tools, signal: new AbortController().signal }, () => {});
      messages.push({ role: "assistant", blocks });
      messages.push(...toolCallsOf({ blocks }).map(({ id }) => toolResult(id, [{ type: "text", text: "ok" }])));
    },
  };
}

test("signatures and ids are sent back with the same calls and texts", async () => {
  await using server = googleServer(
    [{ thought: "Hm." }, { text: "Let me " }, { text: "see." }, call, { ...call, args: {} }],
    [call],
    [{ text: "Do" }, { text: "ne." }, { text: "" }],
    [{ text: "Bye" }, { text: "." }],
    [{ text: "Really." }],
  );
  const { messages, step } = talk(server);
  for (let count = 0; count < 3; count++) await step();
  for (const text of ["and now?", "and then?"]) {
    messages.push(textMessage("user", text));
    await step();
  }
  expect(server.refusals).toEqual([]);
  const contents = server.requests.at(-1)?.contents.map(({ parts }) => parts) ?? [];
  const [first, second, third, fourth] = server.replies;
  const unsigned = { text: "Let me see." };
  expect(contents.filter((_, index) => index % 2 === 1)).toEqual([
    [unsigned, ...(first?.slice(3) ?? [])],
    second ?? [],
    [{ text: "Done." }, third?.at(-1) ?? {}],
    [{ text: "Bye" }, fourth?.at(-1) ?? {}],
  ]);
  expect(contents[2]).toEqual([
    { functionResponse: { id: "fc_0_3", name: "list", response: { output: "ok" } } },
    { functionResponse: { id: "fc_0_4", name: "list", response: { output: "ok" } } },
  ]);
});

test("a thought is sent back if it is signed", async () => {
  await using server = googleServer(
    [{ thought: "Hm." }, { thought: "Well.", signed: true }, call],
    [{ text: "Done." }],
  );
  const { step } = talk(server);
  await step();
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.contents[1]?.parts).toEqual(server.replies[0]?.slice(1) ?? []);
});

test("a call that a hook changed is sent back without the original's signature and id", async () => {
  await using server = googleServer([call, { ...call, args: { path: "secret" } }], [{ text: "Done." }]);
  const { messages, step } = talk(server);
  await step();
  const updated = messages.map(toHookMessage).map(({ tool_calls, ...message }) => ({
    ...message,
    ...(tool_calls
      ? { tool_calls: tool_calls.map((each) => ({ ...each, function: { ...each.function, arguments: "{}" } })) }
      : {}),
  }));
  messages.splice(0, messages.length, ...applyHookRewrite(messages, updated));
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.contents[1]?.parts).toEqual([
    { functionCall: { name: "list", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
    { functionCall: { name: "list", args: {} } },
  ]);
});

test("a tool loop started by another model continues", async () => {
  await using server = googleServer([call], [{ text: "Done." }]);
  const { messages, step } = talk(server);
  const foreign = { provider: "anthropic", api: "anthropic", data: { signature: "x" } };
  messages.push(
    {
      role: "assistant",
      blocks: [
        { type: "thinking", text: "Foreign.", origin: foreign },
        {
          type: "tool_call",
          id: "toolu_1",
          name: "list",
          arguments: "{}",
          origin: { ...foreign, data: { thoughtSignature: "x" } },
        },
      ],
    },
    toolResult("toolu_1", [{ type: "text", text: "ok" }]),
  );
  await step();
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.contents[1]?.parts).toEqual([
    { functionCall: { name: "list", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
  ]);
  expect(server.requests[1]?.contents[3]?.parts).toEqual(server.replies[0] ?? []);
});

test.each([
  ["gemini-2.5-flash", false],
  ["gemini-3.1-pro-preview", true],
])("a call signed by %s keeps its signature for Gemini 3: %p", async (writer, keeps) => {
  await using server = googleServer([call], [{ text: "Done." }]);
  const { messages, step } = talk(server);
  await step();
  const [question, reply, result] = messages;
  messages.splice(
    0,
    3,
    ...[question, reply && { ...reply, model: `google/${writer}` }, result].flatMap((message) => message ?? []),
  );
  const refused = await step().then(
    () => false,
    () => true,
  );
  // The server knows the call as its own, so it refuses the placeholder.
  expect(refused).toBe(!keeps);
});

test("a signature of an older model, or of another provider with the same API, is not sent", async () => {
  await using server = googleServer([{ text: "Yes." }]);
  const { messages, step } = talk(server);
  const origin = { provider: "mine", api: "google", data: { thoughtSignature: "x", id: "y" } };
  const older = { ...origin, provider: "google" };
  messages.push(
    { role: "assistant", blocks: [{ type: "text", text: "Well.", origin }] },
    textMessage("user", "go on"),
    { role: "assistant", model: "google/gemini-2.5-pro", blocks: [{ type: "text", text: "Hm.", origin: older }] },
    textMessage("user", "go on"),
  );
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.contents[1]?.parts).toEqual([{ text: "Well." }]);
  expect(server.requests[0]?.contents[3]?.parts).toEqual([{ text: "Hm." }]);
});

test.each([
  ["gemini-3-flash", true],
  ["gemini-2.5-flash", false],
])("%s reads media inside a response: %p", async (model, inside) => {
  await using server = googleServer([call, call], [{ text: "Done." }]);
  const { messages, step } = talk(server, model);
  await step();
  const image: ContentBlock = { type: "image", source: { kind: "data", mimeType: "image/png", data: PIXEL_PNG } };
  const [first, second] = toolCallsOf(messages[1] ?? { blocks: [] });
  messages.splice(
    2,
    2,
    toolResult(first?.id ?? "", [image]),
    toolResult(second?.id ?? "", [{ type: "text", text: "no" }], true),
  );
  await step();
  expect(server.refusals).toEqual([]);
  const part = { inlineData: { mimeType: "image/png", data: PIXEL_PNG } };
  const id = (place: number) => (inside ? { id: `fc_0_${place}` } : {});
  expect(server.requests[1]?.contents[2]?.parts).toEqual([
    { functionResponse: { ...id(0), name: "list", response: { output: "" }, ...(inside ? { parts: [part] } : {}) } },
    { functionResponse: { ...id(1), name: "list", response: { error: "no" } } },
    ...(inside ? [] : [part]),
  ]);
});

test("any conversation is sent in the shape that the API requires", async () => {
  await using server = googleServer([{ text: "Yes." }]);
  const { messages, step } = talk(server);
  messages.splice(
    0,
    1,
    { role: "assistant", blocks: [{ type: "tool_call", id: "a", name: "list", arguments: "not JSON" }] },
    toolResult("a", []),
    {
      role: "user",
      blocks: [
        { type: "document", name: "c.zip", source: { kind: "data", mimeType: "application/zip", data: "AA==" } },
      ],
    },
    { role: "assistant", blocks: [{ type: "refusal", text: "No." }] },
  );
  await step();
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.contents.map(({ parts }) => parts)).toEqual([
    [{ text: "Continue." }],
    [{ functionCall: { name: "list", args: {} }, thoughtSignature: "skip_thought_signature_validator" }],
    [
      { functionResponse: { name: "list", response: { output: "" } } },
      { text: expect.stringContaining("c.zip (application/zip, 1 byte) left out") },
    ],
    [{ text: "No." }],
    [{ text: "Continue." }],
  ]);
});

describe("the body", () => {
  const gemini = (model = "gemini-3-flash", more: Partial<ModelSpec> = {}) =>
    resolveModel({ provider: "google", model, ...more }, key);
  const body = (messages: Message[], model: ResolvedModel = gemini()) =>
    googleBody(model, { messages, tools: [], signal: new AbortController().signal }, 0);
  const parts = (message: Message, model?: ResolvedModel) =>
    (Object(body([textMessage("user", "hi"), message], model)["contents"]) as { parts: object[] }[])[1]?.parts;

  test("has a turn of the user even if the conversation holds only instructions", () => {
    expect(body([textMessage("system", "Be brief.")])).toMatchObject({
      contents: [{ role: "user", parts: [{ text: "Continue." }] }],
      systemInstruction: { parts: [{ text: "Be brief." }] },
    });
  });

  test("offers no functions if there are none", () => {
    const hello = [textMessage("user", "hi")];
    expect(body(hello)).not.toHaveProperty("tools");
    const searching = gemini("gemini-3-flash", { provider_opts: { google_search: true } });
    expect(body(hello, searching)["tools"]).toStrictEqual([{ googleSearch: {} }]);
    const reading = gemini("gemini-3-flash", { provider_opts: { url_context: true } });
    expect(body(hello, reading)["tools"]).toStrictEqual([{ urlContext: {} }]);
    expect(body(hello, gemini("gemini-3-flash", { provider_opts: { url_context: "yes" } }))).not.toHaveProperty(
      "tools",
    );
  });

  test("sends the service tier if it is a text", () => {
    const tier = (value: unknown) =>
      body([textMessage("user", "hi")], gemini("gemini-3-flash", { provider_opts: { service_tier: value } }))[
        "serviceTier"
      ];
    expect([tier("flex"), tier(""), tier(5)]).toEqual(["flex", undefined, undefined]);
  });

  test.each([
    ["gemini-2.0-flash", 100_000, 8192],
    ["gemini-2.0-flash", 500, 500],
    ["a-tuned-model", 100_000, 100_000],
  ])("limits the output of %s, set to %i tokens, to %i", (model, max_tokens, limit) => {
    const sent = body([textMessage("user", "hi")], gemini(model, { max_tokens }));
    expect(sent["generationConfig"]).toMatchObject({ maxOutputTokens: limit });
  });

  test("names a result without a call unknown", () => {
    const [turn] = Object(body([toolResult("lost", [{ type: "text", text: "ok" }])])["contents"]);
    expect(turn.parts).toStrictEqual([{ functionResponse: { name: "unknown", response: { output: "ok" } } }]);
  });

  test.each(["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"])(
    "holds %s inside a response, and media by URL beside it",
    (mimeType) => {
      const inline: ContentBlock = { type: "image", source: { kind: "data", mimeType, data: "AA==" } };
      const linked: ContentBlock = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } };
      const [turn] = Object(body([toolResult("a", [inline, linked])])["contents"]);
      expect(turn.parts).toMatchObject([
        { functionResponse: { parts: [{ inlineData: { mimeType, data: "AA==" } }] } },
        { fileData: { fileUri: "https://example.com/a.png" } },
      ]);
    },
  );

  const written = (data: Record<string, unknown>, provider = "google"): Message => {
    const origin = { provider, api: "google", data };
    return {
      role: "assistant",
      blocks: [
        { type: "text", text: "Well.", origin },
        { type: "tool_call", id: "a", name: "list", arguments: "{}", origin },
      ],
    };
  };

  test.each([
    [
      { thoughtSignature: "s", id: "i" },
      { thoughtSignature: "s" },
      { functionCall: { id: "i", name: "list", args: {} }, thoughtSignature: "s" },
    ],
    [{ thoughtSignature: 1, id: 2 }, {}, { functionCall: { name: "list", args: {} } }],
    [{}, {}, { functionCall: { name: "list", args: {} } }],
  ])("returns of the stored data %j what are texts", (data, text, call) => {
    expect(parts(written(data), gemini("gemini-2.5-flash"))).toStrictEqual([{ text: "Well.", ...text }, call]);
  });

  test("holds no signature of a model that signs nothing, whatever its provider is called", () => {
    const model = resolveModel({ provider: "own-gemini", model: "gemini-3-flash" }, key, {
      "own-gemini": { provider: "google", base_url: "http://localhost" },
    });
    const message = { ...written({ thoughtSignature: "s" }, "own-gemini"), model: "own-gemini/tuned" };
    expect(parts(message, model)?.[0]).toStrictEqual({ text: "Well." });
    const signing = { ...message, model: "own-gemini/gemini-3-flash" };
    expect(parts(signing, model)?.[0]).toStrictEqual({ text: "Well.", thoughtSignature: "s" });
  });
});
