import { describe, expect, test } from "bun:test";
import { questionOf } from "../../../src/model/recording/question.ts";

const call = { id: "call_1", type: "function", function: { name: "shell", arguments: "{}" } };
const system = { role: "system", content: "Help." };

describe("the question in a request", () => {
  test.each([
    ["Chat Completions", { messages: [system, { role: "user", content: "hi" }] }, { text: "hi", toolResults: 0 }],
    [
      "Chat Completions after two tools",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", tool_calls: [call, call] },
          { role: "tool", content: "a" },
          { role: "tool", content: "b" },
        ],
      },
      { text: "hi", toolResults: 2 },
    ],
    [
      "Chat Completions with parts",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "look" },
              { type: "image_url", image_url: { url: "data:" } },
            ],
          },
        ],
      },
      { text: "look", toolResults: 0 },
    ],
    [
      "a second question",
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", content: "a" },
          { role: "user", content: "and now?" },
        ],
      },
      { text: "and now?", toolResults: 0 },
    ],
    [
      "Responses",
      {
        input: [
          { role: "system", content: [{ type: "input_text", text: "Help." }] },
          { role: "user", content: "hi" },
          { type: "function_call", name: "shell" },
          { type: "function_call_output", output: "a" },
        ],
      },
      { text: "hi", toolResults: 1 },
    ],
    ["Responses with a text alone", { input: "hi" }, { text: "hi", toolResults: 0 }],
    [
      "Messages",
      {
        system: [{ text: "Help." }],
        messages: [
          { role: "user", content: [{ type: "text", text: "hi" }] },
          { role: "assistant", content: [{ type: "tool_use" }] },
          { role: "user", content: [{ type: "tool_result", content: [{ text: "a" }] }] },
        ],
      },
      { text: "hi", toolResults: 1 },
    ],
    [
      "Gemini",
      {
        contents: [
          { role: "user", parts: [{ text: "Help." }] },
          { role: "user", parts: [{ text: "hi" }] },
          { role: "model", parts: [{ functionCall: {} }] },
          { role: "user", parts: [{ functionResponse: {} }] },
        ],
      },
      { text: "hi", toolResults: 1 },
    ],
  ])("of %s", (_name, body, question) => {
    expect(questionOf(JSON.stringify(body))).toEqual(question);
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no messages", "{}"],
    ["a body without a user", JSON.stringify({ messages: [system] })],
    ["odd", '{"messages":[null,1,{"role":"user","content":[null]}]}'],
  ])("is undefined for %s", (_name, body) => {
    expect(questionOf(body)).toBeUndefined();
  });

  test.each([
    [
      "ids",
      "session 0b0c5b5e-6f0a-4a57-9c3b-1f4e7a2d9c10, call_abc",
      "session 7f3f2c1e-aaaa-4bbb-8ccc-dddddddddddd, call_xyz",
    ],
    ["blanks", "read  it\n", "read it"],
  ])("does not depend on %s", (_name, first, second) => {
    const of = (input: string) => questionOf(JSON.stringify({ input }));
    expect(of(first)).toEqual(of(second));
    expect(of(first)).toBeDefined();
  });

  test("depends on all other text", () => {
    const of = (input: string) => questionOf(JSON.stringify({ input }))?.text;
    expect(
      new Set(
        [
          "read /tmp/a.txt",
          "read /home/a.txt",
          "read a.txt",
          "What is 2+2?",
          "What is 2+3?",
          "see https://a.example/x/y",
        ].map(of),
      ).size,
    ).toBe(6);
  });
});
