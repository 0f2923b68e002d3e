import { describe, expect, test } from "bun:test";
import { fromHookMessage, toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import {
  type Block,
  type ContentBlock,
  type Message,
  textMessage,
  toolResult,
} from "../../../src/model/messages/message.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";

const data = (mimeType: string, bytes = "AAAA") => ({ kind: "data" as const, mimeType, data: bytes });
const url = (address: string) => ({ kind: "url" as const, url: address });
const user = (...blocks: Block[]): Message => ({ role: "user", blocks });
const assistant = (...blocks: Block[]): Message => ({ role: "assistant", blocks });
const origin = { provider: "anthropic", api: "anthropic", data: { signature: "sig" } };

describe("hooks see", () => {
  test.each<[string, Message, HookMessage]>([
    ["a text as content", textMessage("user", "hi"), { role: "user", content: "hi" }],
    [
      "several texts as one, on lines of their own",
      user({ type: "text", text: "one" }, { type: "text", text: "two" }),
      { role: "user", content: "one\ntwo" },
    ],
    [
      "what a model wrote in pieces as one text",
      assistant({ type: "text", text: "Hel" }, { type: "text", text: "lo" }),
      { role: "assistant", content: "Hello" },
    ],
    ["a refusal as content", assistant({ type: "refusal", text: "No." }), { role: "assistant", content: "No." }],
    [
      "thoughts apart from the text",
      assistant({ type: "thinking", text: "a", origin }, { type: "text", text: "b" }, { type: "thinking", text: "c" }),
      { role: "assistant", content: "b", reasoning_content: "a\n\nc" },
    ],
    [
      "the signature of a thought that is alone",
      assistant({ type: "thinking", text: "a", origin }),
      { role: "assistant", content: "", reasoning_content: "a", thinking_signature: "sig" },
    ],
    [
      "nothing of a hidden thought",
      assistant(
        { type: "thinking", text: "", origin: { ...origin, data: { redacted: "xyz" } } },
        { type: "text", text: "b" },
      ),
      { role: "assistant", content: "b" },
    ],
    [
      "tool calls, with the signature of the first",
      assistant(
        {
          type: "tool_call",
          id: "c1",
          name: "f",
          arguments: "{}",
          origin: { provider: "google", api: "google", data: { thoughtSignature: "ts" } },
        },
        { type: "tool_call", id: "c2", name: "g", arguments: "[" },
      ),
      {
        role: "assistant",
        content: "",
        thought_signature: "ts",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
          { id: "c2", type: "function", function: { name: "g", arguments: "[" } },
        ],
      },
    ],
    [
      "a tool result by the id of its call",
      toolResult("c1", [{ type: "text", text: "failed" }], true),
      { role: "tool", content: "failed", tool_call_id: "c1", is_error: true },
    ],
    [
      "media as parts next to the text, in order",
      user(
        { type: "image", source: url("https://x.example/a.png"), detail: "low" },
        { type: "text", text: "look" },
        { type: "image", source: data("image/png") },
        { type: "document", name: "a.pdf", source: data("application/pdf") },
        { type: "audio", source: data("audio/wav") },
      ),
      {
        role: "user",
        content: "look",
        multi_content: [
          { type: "image_url", image_url: { url: "https://x.example/a.png", detail: "low" } },
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
          { type: "input_audio", input_audio: { url: "data:audio/wav;base64,AAAA" } },
        ],
      },
    ],
    [
      "media in tool results",
      toolResult("c1", [
        { type: "text", text: "shot" },
        { type: "image", source: data("image/png") },
      ]),
      {
        role: "tool",
        tool_call_id: "c1",
        content: "shot",
        multi_content: [
          { type: "text", text: "shot" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    ],
    [
      "what is known of a message, and the keys of other hooks",
      {
        role: "assistant",
        blocks: [{ type: "text", text: "hi" }],
        createdAt: "2026-01-01T00:00:00Z",
        model: "p/m",
        cost: 0.5,
        usage: { input_tokens: 1 },
        finishReason: "stop",
        cacheControl: { type: "ephemeral" },
        extra: { mark: [1], content: "no" },
      },
      {
        role: "assistant",
        content: "hi",
        created_at: "2026-01-01T00:00:00Z",
        model: "p/m",
        cost: 0.5,
        usage: { input_tokens: 1 },
        finish_reason: "stop",
        cache_control: { type: "ephemeral" },
        mark: [1],
      },
    ],
  ])("%s", (_name, message, seen) => {
    expect(toHookMessage(message)).toEqual(seen);
    expect(toHookMessage(message)).toBe(toHookMessage(message));
  });
});

describe("a message from a hook becomes", () => {
  const text = (text: string): ContentBlock => ({ type: "text", text });

  test.each<[string, HookMessage, Message]>([
    ["a text", { role: "user", content: "hi" }, textMessage("user", "hi")],
    ["no block without a text", { role: "assistant", content: "" }, assistant()],
    [
      "thoughts, text and calls, without signatures that a hook could have made up",
      {
        role: "assistant",
        content: "b",
        reasoning_content: "a",
        thinking_signature: "forged",
        thought_signature: "forged",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      assistant({ type: "thinking", text: "a" }, text("b"), {
        type: "tool_call",
        id: "c1",
        name: "f",
        arguments: "{}",
      }),
    ],
    [
      "a call in the old form",
      { role: "assistant", function_call: { name: "f", arguments: "{}" } },
      assistant({ type: "tool_call", id: "", name: "f", arguments: "{}" }),
    ],
    [
      "a tool result",
      { role: "tool", content: "no", tool_call_id: "c1", is_error: true },
      toolResult("c1", [text("no")], true),
    ],
    [
      "parts, whose text content repeats",
      {
        role: "user",
        content: "look",
        multi_content: [
          { type: "image_url", image_url: { url: "https://x.example/a" } },
          { type: "text", text: "look" },
        ],
      },
      user({ type: "image", source: url("https://x.example/a") }, text("look")),
    ],
    [
      "a text before parts that hold none",
      {
        role: "user",
        content: "look",
        multi_content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      },
      user(text("look"), { type: "image", source: data("image/png") }),
    ],
    [
      "audio in either form",
      {
        role: "user",
        multi_content: [
          { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
          { type: "input_audio", input_audio: { url: "data:audio/ogg;base64,AAAA" } },
        ],
      },
      user({ type: "audio", source: data("audio/mp3") }, { type: "audio", source: data("audio/ogg") }),
    ],
    [
      "documents in either form",
      {
        role: "user",
        multi_content: [
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
          {
            type: "document",
            document: { name: "b.pdf", mime_type: "application/pdf", source: { inline_data: "AAAA" } },
          },
          { type: "document", document: { name: "c.txt", mime_type: "text/plain", source: { inline_text: "words" } } },
          { type: "document", document: { name: "d.png", mime_type: "image/png", source: { inline_data: "AAAA" } } },
        ],
      },
      user(
        { type: "document", name: "a.pdf", source: data("application/pdf") },
        { type: "document", name: "b.pdf", source: data("application/pdf") },
        text("c.txt:\nwords"),
        { type: "image", source: data("image/png") },
      ),
    ],
    [
      "texts that name what is unknown",
      {
        role: "user",
        multi_content: [
          { type: "hologram", hologram: {} },
          { type: "file", file: { file_id: "f1" } },
          { type: "input_audio" },
        ],
      },
      user(text("[hologram left out]"), text("[file left out]"), text("[input_audio left out]")),
    ],
  ])("%s", (_name, given, message) => {
    expect(fromHookMessage(given)).toEqual(message);
  });

  test("a message converted for hooks and back looks the same to hooks", () => {
    const seen: HookMessage = {
      role: "user",
      content: "x",
      multi_content: [
        { type: "text", text: "x" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
        { type: "file", file: { filename: "f", file_data: "https://x.example/f" } },
        { type: "input_audio", input_audio: { url: "https://x.example/a.wav" } },
      ],
      created_at: "2026-01-01T00:00:00Z",
      cache_control: true,
      others: { keys: 1 },
    };
    expect(toHookMessage(fromHookMessage(seen))).toEqual(seen);
  });
});
