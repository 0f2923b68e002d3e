import { describe, expect, test } from "bun:test";
import { fromHookMessage, toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { type Message, resultOf, textOf, toolResult } from "../../../src/model/messages/message.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";
import { type AgentLimits, NO_LIMITS } from "../../../src/runtime/agent/agent.ts";
import { cleanConversation as clean, truncateToolResult } from "../../../src/runtime/prompt/clean-up.ts";
import { estimateTokens } from "../../../src/runtime/prompt/estimate-tokens.ts";

const cleanConversation = (messages: HookMessage[], limits: AgentLimits) =>
  clean(messages.map(fromHookMessage), limits).map(toHookMessage);
const user = (content: string): HookMessage => ({ role: "user", content });
const says = (content: string): HookMessage => ({ role: "assistant", content });
const calls = (...ids: string[]): HookMessage => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "t", arguments: '{"long":"argument"}' } })),
});
const result = (tool_call_id: string, content = "fine"): HookMessage => ({ role: "tool", content, tool_call_id });
const idOf = ({ role, content, tool_call_id, is_error }: HookMessage) =>
  `${role} ${tool_call_id ?? content}${is_error ? "!" : ""}`;
const ids = (messages: HookMessage[]) => messages.map(idOf);

describe("a conversation that is sent", () => {
  test("has one result after every call, in the order of the calls", () => {
    const messages = [user("a"), calls("1", "2", "3"), result("3"), result("1"), result("1"), result("9"), user("b")];
    expect(ids(cleanConversation(messages, NO_LIMITS))).toEqual([
      "user a",
      "assistant ",
      "tool 1",
      "tool 2!",
      "tool 3",
      "user b",
    ]);
  });

  test("distinguishes two calls with the same id", () => {
    const messages = [calls("1", "1"), result("1", "first"), result("1", "second")];
    expect(cleanConversation(messages, NO_LIMITS).map(({ content }) => content)).toEqual(["", "first", "second"]);
  });

  test("takes a result only from the batch of its own call", () => {
    const messages = [calls("1"), calls("1"), result("1", "second")];
    expect(cleanConversation(messages, NO_LIMITS).map(({ content, is_error }) => is_error ?? content)).toEqual([
      "",
      true,
      "",
      "second",
    ]);
  });

  test("holds no empty message and no trailing white space in an answer", () => {
    const image: HookMessage = {
      role: "user",
      content: "",
      multi_content: [{ type: "image_url", image_url: { url: "data:," } }],
    };
    const messages = [user("  "), says("done \n"), says(" "), image];
    expect(cleanConversation(messages, NO_LIMITS)).toEqual([says("done"), image]);
  });

  test("drops the oldest answers and results beyond the limit, never messages of the user", () => {
    const messages = [user("a"), calls("1"), result("1"), says("b"), user("c"), says("d")];
    expect(ids(cleanConversation(messages, { ...NO_LIMITS, historyItems: 4 }))).toEqual([
      "user a",
      "assistant b",
      "user c",
      "assistant d",
    ]);
    expect(ids(cleanConversation(messages, { ...NO_LIMITS, historyItems: 5 }))).toEqual([
      "user a",
      "assistant b",
      "user c",
      "assistant d",
    ]);
    expect(cleanConversation(messages, { ...NO_LIMITS, historyItems: 6 })).toHaveLength(6);
  });

  test("keeps the newest tool texts within their budget and replaces older ones", () => {
    const messages = [calls("1"), result("1", "x".repeat(40)), calls("2"), result("2", "y".repeat(40))];
    const cleaned = cleanConversation(messages, { ...NO_LIMITS, oldToolCallTokens: 15 });
    expect(cleaned.map(({ content, tool_calls }) => tool_calls?.[0]?.function.arguments ?? content)).toEqual([
      '{"truncated":true}',
      "[truncated: an old tool result]",
      '{"long":"argument"}',
      "y".repeat(40),
    ]);
  });

  test("cuts the middle out of a long result", () => {
    const [, cut] = cleanConversation([calls("1"), result("1", `${"a".repeat(50)}${"b".repeat(50)}`)], {
      ...NO_LIMITS,
      toolResultTokens: 5,
    });
    expect(cut?.content).toBe(`${"a".repeat(10)}\n[... 80 characters cut ...]\n${"b".repeat(10)}`);
  });

  test("cuts the longest texts of a result first, and keeps media and order", () => {
    const image = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;
    const [text, caption] = [
      { type: "text", text: "x".repeat(100) },
      { type: "text", text: "a caption" },
    ] as const;
    const called: Message = { role: "assistant", blocks: [{ type: "tool_call", id: "1", name: "t", arguments: "{}" }] };
    const messages = [called, toolResult("1", [caption, image, text])];
    const [, cut] = clean(messages, { ...NO_LIMITS, toolResultTokens: 10 });
    const cutText = {
      type: "text",
      text: `${"x".repeat(15)}\n[... 70 characters cut ...]\n${"x".repeat(15)}`,
    } as const;
    expect(cut).toEqual(toolResult("1", [caption, image, cutText]));
  });
});

test.each([
  ["in one text", ["x".repeat(9e6)]],
  ["of wide characters", ["漢".repeat(40_000)]],
  ["whose ends are wider than its middle", ["漢".repeat(9000) + "x".repeat(50_000) + "漢".repeat(9000)]],
  ["in two texts", ["x".repeat(40_000), "y".repeat(40_000)]],
])("a result of more than 52 KiB %s is cut without any setting, and its record is not", (_case, texts) => {
  const called: Message = { role: "assistant", blocks: [{ type: "tool_call", id: "1", name: "t", arguments: "{}" }] };
  const long = toolResult(
    "1",
    texts.map((text) => ({ type: "text", text })),
  );
  const before = structuredClone(long);
  const [, cut] = clean([called, long], NO_LIMITS);
  const size = Buffer.byteLength(cut ? textOf(cut) : "");
  expect(size).toBeWithin(30_000, 52 * 1024 + 100 * texts.length);
  expect(cut && textOf(cut)).toContain("characters cut ...]");
  expect(long).toEqual(before);
});

test("a result of 52 KiB is sent whole", () => {
  const called: Message = { role: "assistant", blocks: [{ type: "tool_call", id: "1", name: "t", arguments: "{}" }] };
  const whole = toolResult("1", [{ type: "text", text: "x".repeat(52 * 1024) }]);
  expect(clean([called, whole], NO_LIMITS)[1]).toEqual(whole);
});

test("a result cut to a size loses the media that do not fit, and says so", () => {
  const image = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;
  const text = { type: "text", text: "x".repeat(35_000) } as const;
  const cut = truncateToolResult(toolResult("1", [image, image, text]), 2000);
  expect(resultOf(cut)?.blocks.map((block) => (block.type === "text" ? block.text.slice(0, 30) : block.type))).toEqual([
    "image",
    "[image left out: it does not f",
    "x".repeat(30),
  ]);
  expect(estimateTokens(cut)).toBeLessThan(2100);
});

test("a result cut to a size says once how many media it loses", () => {
  const image = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } } as const;
  const note = { type: "text", text: "[199 files left out: they do not fit the context window]" } as const;
  const cut = truncateToolResult(toolResult("1", [...Array.from({ length: 200 }, () => image)]), 1600);
  expect(resultOf(cut)?.blocks).toEqual([image, note]);
});

test("the same message is the same object in every request", () => {
  const messages = [says("done \n")].map(fromHookMessage);
  const limits = { ...NO_LIMITS, oldToolCallTokens: 1, toolResultTokens: 1 };
  expect(clean(messages, limits)[0]).toBe(clean(messages, limits)[0] as Message);
});
