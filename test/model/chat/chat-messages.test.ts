import { afterEach, describe, expect, test } from "bun:test";
import type { ModelSpec, ProviderSpecs } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../../src/model/messages/hook-rewrite.ts";
import { type Block, type Message, textMessage, toolResult } from "../../../src/model/messages/message.ts";
import type { Model, Reply as ModelReply } from "../../../src/model/model.ts";
import { settled } from "../../helpers/settled.ts";
import { type Reply, type StrictChat, strictChat } from "../servers/chat.ts";
import { CHAT_PROVIDERS } from "../servers/chat-providers.ts";

const servers: StrictChat[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

const tools = [{ name: "list", description: "Lists", parameters: { type: "object" } }];
const call = (more: object = {}) => ({ name: "list", arguments: {}, ...more });

/** A model at a provider's server, which sets the model of its replies. */
function meet(provider: keyof typeof CHAT_PROVIDERS, spec: ModelSpec, ...script: Reply[]) {
  const server = strictChat(CHAT_PROVIDERS[provider], script);
  servers.push(server);
  return { server, model: at(server, spec) };
}

function at(server: StrictChat, spec: ModelSpec, providers: ProviderSpecs = { own: { base_url: server.url } }): Model {
  return createModel(
    { ...(spec.provider === "own" ? {} : { base_url: server.url }), ...spec },
    { env: () => undefined, providers, log: () => {} },
  );
}

async function answer(model: Model, messages: readonly Message[]): Promise<Message> {
  const reply: ModelReply = await model.stream({ messages, tools, signal: new AbortController().signal }, () => {});
  return { role: "assistant", blocks: reply.blocks, model: model.id };
}

/** The results of the calls of a message. */
function results({ blocks }: Message): Message[] {
  return blocks.flatMap((block) =>
    block.type === "tool_call" ? [toolResult(block.id, [{ type: "text", text: "ok" }])] : [],
  );
}

const ask = textMessage("user", "go");
const DEEPSEEK = { provider: "deepseek", model: "deepseek-reasoner" };
const MISTRAL = { provider: "mistral", model: "magistral-medium-latest" };
const OWN = { provider: "own", model: "some-model" };

/** Returns the messages of the last request that a server accepted. */
const sent = (server: StrictChat) => server.requests.at(-1)?.messages ?? [];

describe("reasoning", () => {
  test("is sent back in its original field during a tool loop", async () => {
    for (const field of ["reasoning_content", "reasoning", "reasoning_text"]) {
      const provider = {
        ...CHAT_PROVIDERS.vllm,
        thinking: () => [{ [field]: "Hm." }],
        thought: () => ({ [field]: "Hm." }),
        rules: [],
      };
      const server = strictChat(provider, [{ thinking: ["Hm."], calls: [call()] }, { text: "a" }, { text: "b" }]);
      servers.push(server);
      const model = at(server, OWN);
      const first = await answer(model, [ask]);
      const talk = [ask, first, ...results(first)];
      const last = await answer(model, talk);
      expect(sent(server)[1]?.[field]).toBe("Hm.");
      await answer(model, [...talk, last, ask]);
      expect(sent(server)[1]?.[field]).toBeUndefined();
    }
  });

  test("of another model or provider is not sent back, and a server that requires the field gets an empty one", async () => {
    const { server, model } = meet("deepseek", DEEPSEEK, { text: "a" }, { text: "b" });
    const foreign = (provider: string, name: string): Message => ({
      role: "assistant",
      model: `${provider}/${name}`,
      blocks: [
        { type: "thinking", text: "Secret plans.", origin: { provider, api: "chat", data: { field: "reasoning" } } },
        {
          type: "tool_call",
          id: "x",
          name: "list",
          arguments: "{}",
          origin: { provider, api: "chat", data: { extra_content: { a: 1 } } },
        },
      ],
    });
    await answer(model, [ask, foreign("groq", "gpt-oss-120b"), toolResult("x", [])]);
    const bare: object = { id: "x", type: "function", function: { name: "list", arguments: "{}" } };
    expect<object | undefined>(sent(server)[1]).toEqual({
      role: "assistant",
      reasoning_content: "",
      tool_calls: [bare],
    });
    await answer(model, [ask, foreign("deepseek", "deepseek-chat"), toolResult("x", [])]);
    expect(sent(server)[1]).toMatchObject({ reasoning_content: "Secret plans." });
    expect(sent(server)[1]?.tool_calls).toEqual([bare as never]);
  });

  test("of turns without tools is not sent back to DeepSeek, that of turns with tools always is", async () => {
    const { server, model } = meet(
      "deepseek",
      DEEPSEEK,
      { thinking: ["One."], text: "a" },
      { thinking: ["Two."], calls: [call()] },
      { thinking: ["Three."], text: "b" },
      { text: "c" },
    );
    let talk: Message[] = [ask];
    for (let turn = 0; turn < 4; turn++) {
      const said = await answer(model, talk);
      talk = [...talk, said, ...results(said), ...(turn === 1 ? [] : [ask])];
    }
    expect(
      sent(server).flatMap(({ role, ...rest }) => (role === "assistant" ? [rest["reasoning_content"]] : [])),
    ).toEqual([undefined, "Two.", "Three."]);
  });

  test("with details is sent back whole to the model that wrote it, and not to another of its provider", async () => {
    const claude = { provider: "openrouter", model: "anthropic/claude-sonnet-4.5" };
    const { server, model } = meet(
      "openrouter",
      claude,
      { thinking: ["One ", "and two."], calls: [call()] },
      { text: "a" },
    );
    const first = await answer(model, [ask]);
    await answer(model, [ask, first, ...results(first)]);
    const lenient = strictChat({ ...CHAT_PROVIDERS.openrouter, rules: [] }, [{ text: "ok" }]);
    servers.push(lenient);
    await answer(at(lenient, { ...claude, model: "openai/gpt-5" }), [ask, first, ...results(first)]);
    expect(Object.keys(sent(lenient)[1] ?? {})).toEqual(["role", "tool_calls"]);
    expect(server.refused).toEqual([]);
  });

  test("that an unknown server refuses is omitted from this call and all later ones", async () => {
    const server = strictChat(CHAT_PROVIDERS.groq, [
      { thinking: ["One."], calls: [call()] },
      { thinking: ["Two."], calls: [call()] },
      { text: "a" },
    ]);
    servers.push(server);
    const warnings: string[] = [];
    const log = (_level: string, message: string) => void warnings.push(message);
    const model = createModel(OWN, { env: () => undefined, providers: { own: { base_url: server.url } }, log });
    const first = await answer(model, [ask]);
    const second = await answer(model, [ask, first, ...results(first)]);
    await answer(model, [ask, first, ...results(first), second, ...results(second)]);
    expect(server.refused).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(
        /property 'reasoning' is unsupported.*; sent again without the reasoning of earlier replies$/,
      ),
    ]);
    expect(server.left()).toBe(0);
  });

  test("is still sent back after a refusal of something else", async () => {
    const failure = () => Response.json({ error: { message: "reasoning is too expensive now" } }, { status: 400 });
    const server = strictChat({ ...CHAT_PROVIDERS.groq, rules: [] }, [
      { thinking: ["One."], calls: [call()] },
      failure,
      { text: "a" },
    ]);
    servers.push(server);
    const model = at(server, OWN);
    const first = await answer(model, [ask]);
    const talk = [ask, first, ...results(first)];
    expect(await settled(answer(model, talk))).toThrow("reasoning is too expensive now");
    await answer(model, talk);
    expect(sent(server)[1]?.["reasoning"]).toBe("One.");
  });

  test("in a session stored by an earlier version is sent back to its model", async () => {
    const { server, model } = meet("deepseek", DEEPSEEK, { text: "a" });
    const stored: Message = {
      role: "assistant",
      model: "deepseek/deepseek-reasoner",
      blocks: [
        { type: "thinking", text: "Old thoughts." },
        { type: "tool_call", id: "x", name: "list", arguments: "{}" },
      ],
    };
    await answer(model, [ask, stored, toolResult("x", [])]);
    expect(sent(server)[1]?.["reasoning_content"]).toBe("Old thoughts.");
  });

  test("that a hook changed is sent back as the hook wrote it, without its signature", async () => {
    const { server, model } = meet(
      "openrouter",
      { provider: "openrouter", model: "anthropic/claude-sonnet-4.5" },
      { thinking: ["The password ", "is swordfish."], calls: [call()] },
      { text: "ok" },
    );
    const first = await answer(model, [ask]);
    expect(first.blocks[0]).toMatchObject({ type: "thinking", text: "The password is swordfish." });
    const [changed] = applyHookRewrite(
      [first],
      [{ ...toHookMessage(first), reasoning_content: "The password is [REDACTED]." }],
    );
    await answer(model, [ask, changed ?? first, ...results(first)]);
    expect(server.refused).toEqual([]);
    expect(sent(server)[1]).toMatchObject({ reasoning: "The password is [REDACTED]." });
    expect(JSON.stringify(sent(server))).not.toMatch(/swordfish|c2lnbmVk/);
  });

  test("in parts of the content keeps its place between texts", async () => {
    const parts = [
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "One " }] }] },
      { content: [{ type: "thinking", thinking: [{ type: "text", text: "and two." }] }] },
      { content: "Said." },
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Three." }] },
          { type: "text", text: "More." },
        ],
      },
      { content: [{ type: "thinking", thinking: "Four." }] },
    ];
    const provider = { ...CHAT_PROVIDERS.mistral, thinking: () => parts };
    const server = strictChat(provider, [{ thinking: [""], calls: [call()] }, { text: "done" }]);
    servers.push(server);
    const model = at(server, MISTRAL);
    const first = await answer(model, [ask]);
    expect(first.blocks.map(({ type }) => type)).toEqual([
      "thinking",
      "text",
      "thinking",
      "text",
      "thinking",
      "tool_call",
    ]);
    await answer(model, [ask, first, ...results(first)]);
    const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }], closed: true });
    expect(sent(server)[1]?.content).toEqual([
      thinking("One and two."),
      { type: "text", text: "Said." },
      thinking("Three."),
      { type: "text", text: "More." },
      thinking("Four."),
    ]);
  });
});

describe("the order of messages", () => {
  const toolTurn = (id: string): Message[] => [
    { role: "assistant", blocks: [{ type: "tool_call", id, name: "list", arguments: "{}" }] },
    toolResult(id, [{ type: "text", text: "ok" }]),
  ];

  test("at Mistral: system text first, an answer between a result and the user, ids of nine characters", async () => {
    const { server, model } = meet("mistral", MISTRAL, { text: "done" });
    await answer(model, [
      textMessage("system", "one"),
      ask,
      ...toolTurn("toolu_01AbC"),
      textMessage("system", "a hook's note"),
      textMessage("user", "hurry"),
    ]);
    expect(server.refused).toEqual([]);
    const roles = sent(server).map(({ role, content }) => `${role}: ${String(content)}`);
    expect(roles).toEqual([
      "system: one",
      "system: a hook's note",
      "user: go",
      "assistant: undefined",
      "tool: ok",
      "assistant: Noted.",
      "user: hurry",
    ]);
    expect(sent(server)[3]?.tool_calls?.[0]?.id).toBe(sent(server)[4]?.tool_call_id ?? "");
  });

  test("at Mistral: an image from a tool", async () => {
    const { server, model } = meet(
      "mistral",
      { provider: "mistral", model: "mistral-medium-latest" },
      { text: "done" },
    );
    const image: Block = { type: "image", source: { kind: "data", mimeType: "image/png", data: "iVBORw0KGgo=" } };
    const [asked] = toolTurn("Call00001");
    await answer(model, [ask, ...(asked ? [asked] : []), toolResult("Call00001", [image])]);
    expect(server.refused).toEqual([]);
  });

  test("at a custom server: one system message, and one user message between answers", async () => {
    const { server, model } = meet("template", { provider: "own", model: "qwen3.5-27b" }, { text: "done" });
    await answer(model, [
      textMessage("system", "one"),
      textMessage("developer", "two"),
      ask,
      textMessage("user", "now"),
      ...toolTurn("a"),
      textMessage("system", "a hook's note"),
    ]);
    expect(server.refused).toEqual([]);
    expect(sent(server).slice(0, 2)).toEqual([
      { role: "system", content: "one\n\ntwo\n\na hook's note" },
      { role: "user", content: "go\n\nnow" },
    ]);
  });

  test("elsewhere: unchanged", async () => {
    const { server, model } = meet("deepseek", DEEPSEEK, { text: "done" });
    await answer(model, [
      textMessage("system", "one"),
      textMessage("system", "two"),
      ask,
      textMessage("system", "three"),
    ]);
    expect(sent(server).map(({ role, content }) => `${role}: ${String(content)}`)).toEqual([
      "system: one",
      "system: two",
      "user: go",
      "system: three",
    ]);
  });
});

test("an id that is too long for OpenAI is replaced by the same one in every request", async () => {
  const { server, model } = meet("openai", { provider: "openai", model: "gpt-4o" }, { text: "a" }, { text: "b" });
  const id = `call_${"x".repeat(60)}`;
  const talk: Message[] = [
    ask,
    { role: "assistant", blocks: [{ type: "tool_call", id, name: "list", arguments: "{}" }] },
    toolResult(id, []),
  ];
  await answer(model, talk);
  await answer(model, talk);
  expect(server.refused).toEqual([]);
  const ids = server.requests.map(({ messages }) => messages[1]?.tool_calls?.[0]?.id);
  expect(ids[0]).toMatch(/^[a-z0-9]{9}$/);
  expect(ids[1]).toBe(ids[0] ?? "");
});

test("Gemini behind Google's OpenAI-compatible API gets its signatures back, and a placeholder for calls of others", async () => {
  const extra = { extra_content: { google: { thought_signature: "c2lnbmVk" } } };
  const server = strictChat(CHAT_PROVIDERS.gemini, [{ calls: [call({ extra }), call()] }, { text: "done" }]);
  servers.push(server);
  const address = "https://generativelanguage.googleapis.com/v1beta/openai";
  const model = createModel(
    { provider: "own", model: "gemini-3-flash" },
    {
      env: () => undefined,
      log: () => {},
      providers: { own: { base_url: address } },
      fetch: (input, init) => fetch(String(input).replace(address, server.url), init),
    },
  );
  const foreign: Message[] = [
    { role: "assistant", blocks: [{ type: "tool_call", id: "x", name: "list", arguments: "{}" }] },
    toolResult("x", []),
  ];
  const first = await answer(model, [ask, ...foreign]);
  await answer(model, [ask, ...foreign, first, ...results(first)]);
  expect(server.refused).toEqual([]);
  expect(
    sent(server)
      .flatMap(({ tool_calls: calls }) => calls ?? [])
      .map((each) => "extra_content" in each),
  ).toEqual([true, true, false]);
});
