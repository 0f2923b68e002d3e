import { expect, test } from "bun:test";
import type { WireMessage, WireRequest } from "./chat.ts";
import { CHAT_PROVIDERS } from "./chat-providers.ts";

const user = (content = "hi"): WireMessage => ({ role: "user", content });
const system = (content = "be brief"): WireMessage => ({ role: "system", content });
const said = (content: unknown = "hello", more: object = {}): WireMessage => ({ role: "assistant", content, ...more });
const call = (id: string, more: object = {}): WireMessage => ({
  role: "assistant",
  tool_calls: [{ id, function: { name: "list", arguments: "{}" } }],
  ...more,
});
const result = (id: string): WireMessage => ({ role: "tool", tool_call_id: id, content: "ok" });
const request = (messages: WireMessage[], more: object = {}): WireRequest => ({ model: "m", messages, ...more });
const loop = (id: string, more: object = {}) => [user(), call(id, more), result(id)];
const thought = { reasoning_content: "hm" };
const chunks = [
  { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
  { type: "text", text: "hello" },
];
/** The memory of the stateful servers after a reply with the call `a`. */
const signed: object = { id: "a", function: { name: "list", arguments: "{}" }, extra_content: { google: 1 } };
const memory = new Map<string, WireMessage>([
  [
    "a",
    {
      role: "assistant",
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "hm" }],
      reasoning_opaque: "o",
      tool_calls: [signed as never],
    },
  ],
]);

test.each<[keyof typeof CHAT_PROVIDERS, string, WireRequest, string | undefined]>([
  ["openai", "a whole loop", request([system(), ...loop("a"), system(), user(), said()]), undefined],
  ["openai", "a call without result", request([user(), call("a"), user()]), "did not have response messages: a"],
  ["openai", "a result without call", request([user(), result("a")]), "must be a response"],
  ["openai", "reasoning", request(loop("a", thought)), "Unknown parameter: 'messages[1].reasoning_content'"],
  ["openai", "a long id", request(loop("a".repeat(41))), "string too long"],
  [
    "openai",
    "parallel_tool_calls for o3",
    request([user()], { model: "o3", parallel_tool_calls: true }),
    "'parallel_tool_calls' is not supported",
  ],
  [
    "openai",
    "parallel_tool_calls for gpt-4o",
    request([user()], { model: "gpt-4o", parallel_tool_calls: true }),
    undefined,
  ],
  ["openai", "max_tokens for o3", request([user()], { model: "o3", max_tokens: 5 }), "Use 'max_completion_tokens'"],
  [
    "openai",
    "an effort for gpt-4o",
    request([user()], { model: "gpt-4o", reasoning_effort: "low" }),
    "'reasoning_effort' is not supported",
  ],
  ["openai", "temperature for gpt-5", request([user()], { model: "gpt-5", temperature: 0.2 }), "does not support 0.2"],
  [
    "openai",
    "temperature without reasoning",
    request([user()], { model: "gpt-5.6", temperature: 0.2, reasoning_effort: "none" }),
    undefined,
  ],
  ["openai", "top_p for gpt-5", request([user()], { model: "gpt-5", top_p: 0.2 }), "'top_p' is not supported"],
  ["deepseek", "a whole loop", request([...loop("a", thought), said("x", thought), user(), said(), user()]), undefined],
  ["deepseek", "a loop without reasoning", request(loop("a")), "must be passed back"],
  ["deepseek", "an empty reasoning", request(loop("a", { reasoning_content: "" })), undefined],
  ["deepseek", "an earlier loop without reasoning", request([...loop("a"), said(), user()]), "must be passed back"],
  [
    "deepseek",
    "the reasoning of a turn without tools",
    request([user(), said("x", thought), user()]),
    "Unexpected reasoning_content",
  ],
  ["moonshot", "a whole loop", request(loop("a", thought)), undefined],
  [
    "moonshot",
    "an empty reasoning",
    request(loop("a", { reasoning_content: "" })),
    "missing in assistant tool call message at index 1",
  ],
  ["moonshot", "an empty answer", request([user(), said(""), user()]), "must not be empty"],
  ["moonshot", "a temperature", request([user()], { model: "kimi-k2.5", temperature: 0.3 }), "only 1 is allowed"],
  [
    "mistral",
    "a whole loop",
    request([system(), system(), ...loop("abcdef123"), said(chunks), user(), user()]),
    undefined,
  ],
  [
    "mistral",
    "a system message after a result",
    request([...loop("abcdef123"), system()]),
    "Unexpected role 'system' after role 'tool'",
  ],
  [
    "mistral",
    "a user after a result",
    request([...loop("abcdef123"), user()]),
    "Unexpected role 'user' after role 'tool'",
  ],
  ["mistral", "an assistant last", request([user(), said()]), "Expected last role User or Tool"],
  ["mistral", "a long id", request(loop("call_1")), "must be a-z, A-Z, 0-9, with a length of 9"],
  ["mistral", "too few results", request([user(), call("abcdef123"), said(), user()]), "Not the same number"],
  ["mistral", "an empty answer", request([user(), said(""), user()]), "but not none"],
  ["mistral", "reasoning in a field", request(loop("abcdef123", thought)), "Extra inputs are not permitted"],
  ["groq", "reasoning", request(loop("a", { reasoning: "hm" })), "property 'reasoning' is unsupported"],
  [
    "cerebras",
    "reasoning",
    request(loop("a", thought)),
    "property 'messages.1.assistant.reasoning_content' is unsupported",
  ],
  ["xai", "a penalty", request([user()], { presence_penalty: 1 }), "not supported on this model: presencePenalty"],
  [
    "openrouter",
    "a whole loop",
    request(loop("a", { reasoning_details: [{ type: "reasoning.text", text: "hm" }] })),
    undefined,
  ],
  [
    "openrouter",
    "changed details",
    request(loop("a", { reasoning_details: [{ type: "reasoning.text", text: "h" }] })),
    "Invalid `signature`",
  ],
  ["openrouter", "an earlier loop without details", request([...loop("a"), said(), user()]), undefined],
  ["github-copilot", "lost opaque reasoning", request(loop("a")), "invalid_request_body"],
  ["gemini", "an unsigned call", request(loop("a")), "missing a thought_signature"],
  ["vllm", "a loop without reasoning", request(loop("a")), "reasoning is missing"],
  ["template", "a whole loop", request([system(), ...loop("a"), said(), user()]), undefined],
  ["template", "two system messages", request([system(), system(), user()]), "must be at the beginning"],
  ["template", "a late system message", request([...loop("a"), system()]), "must be at the beginning"],
  ["template", "a user after a result", request([...loop("a"), user()]), "roles must alternate"],
])("%s and %s", (provider, _name, body, expected) => {
  const refusal = CHAT_PROVIDERS[provider].rules.map((rule) => rule(body, memory)).find((found) => found !== undefined);
  if (expected === undefined) expect(refusal).toBeUndefined();
  else expect(JSON.stringify(refusal)).toContain(expected);
});
