import { expect, test } from "bun:test";
import {
  refusal as anthropicRefusal,
  type Fields,
  prefixOf,
  type SentMessage,
  type SentRequest,
} from "./anthropic-rules.ts";
import { refusal as googleRefusal, type SentContent } from "./google-rules.ts";
import { PIXEL_PNG } from "./image-bytes.ts";

const text = (value: string) => ({ type: "text", text: value });
const use = (id: string) => ({ type: "tool_use", id, name: "list", input: {} });
const result = (id: string, more: Fields = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text("ok")],
  ...more,
});
const thought = (name: string) => ({ type: "thinking", thinking: `about ${name}`, signature: `s-${name}` });
const user = (...content: Fields[]): SentMessage => ({ role: "user", content });
const assistant = (...content: Fields[]): SentMessage => ({ role: "assistant", content });
const tools = [{ name: "list", input_schema: { type: "object" } }];
const enabled = { thinking: { type: "enabled", budget_tokens: 2000 } };
const png = (mediaType: string) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data: PIXEL_PNG },
});

const reply = [thought("a"), text("Let me see."), thought("b"), use("t1")];
const loop = (...content: Fields[]) => [user(text("hi")), assistant(...content), user(result("t1"))];

function anthropic(
  messages: readonly SentMessage[],
  body: Fields = {},
  model = "claude-sonnet-4-5",
  betas: string[] = [],
): SentRequest {
  return { body: { model, max_tokens: 4096, tools, messages, ...body }, model, betas, messages };
}

test.each<[string, SentRequest, string | undefined]>([
  ["a whole loop", anthropic(loop(...reply), enabled), undefined],
  ["a loop without thoughts", anthropic(loop(use("t1"))), undefined],
  ["an unknown field", anthropic([user(text("hi"))], { audio: 1 }), "audio: Extra inputs"],
  ["too many tokens", anthropic([user(text("hi"))], { max_tokens: 64_001 }), "64001 > 64000"],
  ["a system role", anthropic([{ role: "system", content: [text("x")] }]), 'Unexpected role "system"'],
  ["two user turns", anthropic([user(text("a")), user(text("b"))]), "roles must alternate"],
  ["an assistant first", anthropic([assistant(text("a"))]), "first message"],
  ["an assistant last", anthropic([user(text("a")), assistant(text("b"))], {}, "claude-opus-4-6"), "prefill"],
  ["an empty message", anthropic([user(text("a")), assistant(), user(text("b"))]), "non-empty content"],
  ["an empty text", anthropic([user(text(""))]), "must be non-empty"],
  ["a blank text", anthropic([user(text(" \n"))]), "non-whitespace"],
  ["an audio block", anthropic([user({ type: "audio" })]), "Input tag 'audio'"],
  [
    "a call without result",
    anthropic([user(text("a")), assistant(use("t1")), user(text("b"))]),
    "without `tool_result` blocks",
  ],
  [
    "a result without call",
    anthropic([user(text("a")), assistant(text("b")), user(result("t1"))]),
    "unexpected `tool_use_id`",
  ],
  [
    "a result behind text",
    anthropic([user(text("a")), assistant(use("t1")), user(text("b"), result("t1"))]),
    "must come first",
  ],
  ["an illegal id", anthropic([user(text("a")), assistant(use("a:b")), user(result("a:b"))]), "should match pattern"],
  ["calls without tools", anthropic(loop(use("t1")), { tools: [] }), "must define tools"],
  [
    "an image in a failed result",
    anthropic([
      user(text("a")),
      assistant(use("t1")),
      user(result("t1", { is_error: true, content: [png("image/png")] })),
    ]),
    "all content must be type",
  ],
  [
    "five markers",
    anthropic([user(...Array.from({ length: 5 }, () => ({ ...text("a"), cache_control: {} })))]),
    "Found 5",
  ],
  [
    "a marked thought",
    anthropic(loop({ ...thought("a"), cache_control: {} }, use("t1")), enabled),
    "cache_control: Extra inputs",
  ],
  ["bytes of another type", anthropic([user(png("image/jpeg"))]), "appears to be a image/png"],
  ["an unsupported image type", anthropic([user(png("image/bmp"))]), "media_type"],
  [
    "a small budget",
    anthropic([user(text("a"))], { thinking: { type: "enabled", budget_tokens: 1000 } }),
    "greater than or equal to 1024",
  ],
  [
    "a budget of max_tokens",
    anthropic([user(text("a"))], { thinking: { type: "enabled", budget_tokens: 4096 } }),
    "`max_tokens` must be greater",
  ],
  ["a budget for a new model", anthropic([user(text("a"))], enabled, "claude-opus-5-5"), "thinking.type.enabled"],
  [
    "disabled for a model that always thinks",
    anthropic([user(text("a"))], { thinking: { type: "disabled" } }, "claude-opus-5-5"),
    "thinking.type.disabled",
  ],
  [
    "adaptive for an old model",
    anthropic([user(text("a"))], { thinking: { type: "adaptive" } }),
    "adaptive thinking is not supported",
  ],
  ["temperature with thinking", anthropic([user(text("a"))], { ...enabled, temperature: 0.5 }), "may only be set to 1"],
  ["temperature for a new model", anthropic([user(text("a"))], { temperature: 1 }, "claude-sonnet-5"), "deprecated"],
  ["both sampling settings", anthropic([user(text("a"))], { temperature: 1, top_p: 0.9 }), "cannot both be specified"],
  [
    "a forced tool with thinking",
    anthropic([user(text("a"))], { ...enabled, tool_choice: { type: "any" } }),
    "forces tool use",
  ],
  [
    "an unknown effort",
    anthropic([user(text("a"))], { output_config: { effort: "xhigh" } }, "claude-opus-4-6"),
    "effort level",
  ],
  ["a turn without its first thought", anthropic(loop(use("t1")), enabled), "must start with a thinking block"],
  ["a dropped thought", anthropic(loop(thought("a"), text("Let me see."), use("t1")), enabled), "cannot be modified"],
  [
    "a reordered thought",
    anthropic(loop(thought("a"), thought("b"), text("Let me see."), use("t1")), enabled),
    "cannot be modified",
  ],
  [
    "an edited thought",
    anthropic(loop({ ...thought("a"), thinking: "x" }, ...reply.slice(1)), enabled),
    "cannot be modified",
  ],
  [
    "a foreign signature",
    anthropic(loop({ ...thought("a"), signature: "x" }, ...reply.slice(1)), enabled),
    "Invalid `signature`",
  ],
  [
    "a foreign redacted thought",
    anthropic(loop({ type: "redacted_thinking", data: "x" }, use("t1")), enabled),
    "Invalid `data`",
  ],
  ["thoughts in a loop without thinking", anthropic(loop(...reply)), "When thinking is disabled"],
  [
    "block_binding without its header",
    anthropic([user(text("a"))], { thinking: { type: "adaptive", block_binding: {} } }, "claude-opus-5-5"),
    "block_binding: Extra inputs",
  ],
])("Anthropic and %s", (_name, request, expected) => {
  const memory = { replies: [reply], prefixes: new Map<string, string>() };
  const message = anthropicRefusal(request, memory);
  if (expected === undefined) expect(message).toBeUndefined();
  else expect(message).toContain(expected);
});

test("newer Anthropic models bind thoughts to the conversation before them", () => {
  const model = "claude-opus-5-5";
  const first = anthropic([user(text("hi"))], { system: "one" }, model);
  const memory = { replies: [[thought("a"), use("t1")]], prefixes: new Map([["s-a", prefixOf(first)]]) };
  const second = (system: string, more: Fields = {}, betas: string[] = []) =>
    anthropic(loop(thought("a"), use("t1")), { system, ...more }, model, betas);
  expect(anthropicRefusal(second("one"), memory)).toBeUndefined();
  expect(anthropicRefusal(second("two"), memory)).toContain("bound to a different conversation");
  const dropping = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
  expect(anthropicRefusal(second("two", dropping, ["thinking-binding-controls-2026-08-01"]), memory)).toBeUndefined();
});

const turn = (role: string, ...parts: Fields[]): SentContent => ({ role, parts });
const say = (value: string) => ({ text: value });
const call = (name: string, more: Fields = {}) => ({ functionCall: { id: name, name, args: {} }, ...more });
const answer = (name: string, more: Fields = {}) => ({ functionResponse: { id: name, name, response: {}, ...more } });
const signed = { thoughtSignature: "s" };

function gemini(contents: SentContent[], body: Fields = {}, model = "gemini-3-flash") {
  return { body: { contents, ...body }, model, contents };
}
const declared = (declaration: Fields) => ({ tools: [{ functionDeclarations: [{ name: "a", ...declaration }] }] });
const thinking = (thinkingConfig: Fields) => ({ generationConfig: { thinkingConfig } });

test.each<[string, ReturnType<typeof gemini>, string | undefined]>([
  [
    "a whole loop",
    gemini([
      turn("user", say("hi")),
      turn("model", call("a", signed), call("b")),
      turn("user", answer("a"), answer("b")),
    ]),
    undefined,
  ],
  ["an unknown field", gemini([turn("user", { text: "hi", signature: "x" })]), 'Unknown name "signature"'],
  ["no contents", gemini([]), "contents is not specified"],
  ["another role", gemini([turn("assistant", say("hi"))]), "valid role"],
  ["an empty part", gemini([turn("user", say(""))]), "required oneof field"],
  ["a model turn last", gemini([turn("user", say("hi")), turn("model", say("yes"))]), "end with a user role"],
  [
    "a call first",
    gemini([turn("model", call("a", signed)), turn("user", answer("a"))]),
    "comes immediately after a user turn",
  ],
  [
    "a missing response",
    gemini([turn("user", say("hi")), turn("model", call("a", signed), call("b")), turn("user", answer("a"))]),
    "number of function response parts",
  ],
  [
    "an unanswered call",
    gemini([turn("user", say("hi")), turn("model", call("a", signed)), turn("user", say("go"))]),
    "number of function response parts",
  ],
  ["a response without call", gemini([turn("user", answer("a"))]), "after a function call turn"],
  [
    "another name",
    gemini([turn("user", say("hi")), turn("model", call("a", signed)), turn("user", answer("a", { name: "x" }))]),
    "does not match",
  ],
  [
    "a lost id",
    gemini([
      turn("user", say("hi")),
      turn("model", call("a", signed)),
      turn("user", { functionResponse: { name: "a", response: {} } }),
    ]),
    "does not match",
  ],
  [
    "an unsigned step",
    gemini([turn("user", say("hi")), turn("model", call("a")), turn("user", answer("a"))]),
    "missing a thought_signature",
  ],
  [
    "a placeholder for its own call",
    gemini([
      turn("user", say("hi")),
      turn("model", call("a", { thoughtSignature: "skip_thought_signature_validator" })),
      turn("user", answer("a")),
    ]),
    "was not sent back",
  ],
  [
    "a placeholder for a foreign call",
    gemini([
      turn("user", say("hi")),
      turn("model", call("x", { thoughtSignature: "skip_thought_signature_validator" })),
      turn("user", answer("x")),
    ]),
    undefined,
  ],
  [
    "an unknown signature",
    gemini([turn("user", say("hi")), turn("model", call("a", { thoughtSignature: "x" })), turn("user", answer("a"))]),
    "not valid",
  ],
  [
    "a signature on another call",
    gemini([turn("user", say("hi")), turn("model", call("x", signed)), turn("user", answer("x"))]),
    "Corrupted",
  ],
  [
    "an unsigned step of an older model",
    gemini([turn("user", say("hi")), turn("model", call("a")), turn("user", answer("a"))], {}, "gemini-2.5-pro"),
    undefined,
  ],
  [
    "a keyword that Schema lacks",
    gemini([turn("user", say("hi"))], declared({ parameters: { type: "object", additionalProperties: false } })),
    '"additionalProperties"',
  ],
  [
    "a broken reference",
    gemini(
      [turn("user", say("hi"))],
      declared({ parametersJsonSchema: { type: "object", properties: { a: { $ref: "#/$defs/x" } } } }),
    ),
    "undefined schema",
  ],
  [
    "a schema of a list",
    gemini([turn("user", say("hi"))], declared({ parametersJsonSchema: { type: "array" } })),
    "of type OBJECT",
  ],
  [
    "penalties",
    gemini([turn("user", say("hi"))], { generationConfig: { frequencyPenalty: 1 } }),
    "Penalty is not enabled",
  ],
  [
    "JSON with tools",
    gemini(
      [turn("user", say("hi"))],
      { ...declared({}), generationConfig: { responseMimeType: "application/json" } },
      "gemini-2.5-flash",
    ),
    "is unsupported",
  ],
  [
    "budget and level",
    gemini([turn("user", say("hi"))], thinking({ thinkingBudget: 1, thinkingLevel: "low" })),
    "only one",
  ],
  [
    "a level for an older model",
    gemini([turn("user", say("hi"))], thinking({ thinkingLevel: "low" }), "gemini-2.5-pro"),
    "not supported",
  ],
  [
    "minimal for a pro model",
    gemini([turn("user", say("hi"))], thinking({ thinkingLevel: "minimal" }), "gemini-3-pro"),
    "MINIMAL is not supported",
  ],
  [
    "no thinking for 2.5 pro",
    gemini([turn("user", say("hi"))], thinking({ thinkingBudget: 0 }), "gemini-2.5-pro"),
    "only works in thinking mode",
  ],
  [
    "a budget out of range",
    gemini([turn("user", say("hi"))], thinking({ thinkingBudget: 99_999 }), "gemini-2.5-flash"),
    "between 1 and 24576",
  ],
  [
    "bytes of another type",
    gemini([turn("user", { inlineData: { mimeType: "image/jpeg", data: PIXEL_PNG } })]),
    "Unable to process input image",
  ],
  [
    "an unsupported type",
    gemini([turn("user", { inlineData: { mimeType: "application/zip", data: "AA==" } })]),
    "Unsupported MIME type",
  ],
])("Gemini and %s", (_name, request, expected) => {
  const message = googleRefusal(request, [[call("a", signed), call("b")]]);
  if (expected === undefined) expect(message).toBeUndefined();
  else expect(message).toContain(expected);
});
