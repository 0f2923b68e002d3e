import { expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { textMessage } from "../../../src/model/messages/message.ts";
import { replyText } from "../../../src/model/model.ts";
import { chatReply, events, type SeenRequest, serve } from "../loopback.ts";

const SCHEMA = {
  type: "object",
  properties: {
    verdict: { oneOf: [{ const: "yes" }, { const: "no" }] },
    why: { type: "string", minLength: 1, default: "" },
  },
  required: ["verdict", "why"],
} as const;

/** Returns the body of a request for structured output, the text of the reply, and the reported text. */
async function askFor(spec: Omit<ModelSpec, "base_url">, strict: boolean, answer: () => Response) {
  await using server = serve(answer);
  const path = spec.provider === "anthropic" || spec.provider === "google" ? "" : "/v1";
  const model = createModel({ ...spec, base_url: server.url + path }, { env: () => "key", log: () => {} });
  const structuredOutput = { name: "a verdict", strict, schema: SCHEMA };
  const messages = [textMessage("system", "Judge."), textMessage("user", "Well?")];
  let reported = "";
  const reply = await model.stream(
    { messages, tools: [], structuredOutput, signal: new AbortController().signal },
    (delta) => {
      if (delta.kind === "text") reported += delta.text;
    },
  );
  return { body: (server.seen as SeenRequest[])[0]?.body ?? {}, text: replyText(reply), reported };
}

const CLOSED = {
  type: "object",
  properties: {
    verdict: { type: "string", enum: ["yes", "no"] },
    why: { type: "string", description: 'at least 1 character; default: ""' },
  },
  required: ["verdict", "why"],
  additionalProperties: false,
};
const WRITTEN = {
  type: "object",
  properties: { verdict: CLOSED.properties.verdict, why: SCHEMA.properties.why },
  required: ["verdict", "why"],
};

test.each([
  [true, CLOSED],
  [false, WRITTEN],
])("OpenAI, strict %p", async (strict, schema) => {
  const chat = await askFor({ provider: "openai", model: "gpt-4o" }, strict, () => chatReply("{}"));
  expect(chat.body["response_format"]).toEqual({
    type: "json_schema",
    json_schema: { name: "a_verdict", strict, schema },
  });
  const responses = { provider: "openai", model: "gpt-5", provider_opts: { api_type: "openai_responses" } };
  const { body } = await askFor(responses, strict, () => events({ type: "response.completed", response: {} }));
  expect(body["text"]).toEqual({ format: { type: "json_schema", name: "a_verdict", strict, schema } });
});

test.each([
  ["deepseek", "deepseek-chat"],
  ["groq", "llama-3.3-70b-versatile"],
])("%s gets an instruction, and only the first object of its answer is read and reported", async (provider, model) => {
  const { body, text, reported } = await askFor({ provider, model }, true, () =>
    chatReply('Here: {"verdict":"yes","why":"{}"} Well?'),
  );
  expect(body).not.toHaveProperty("response_format");
  expect(JSON.stringify(body["messages"])).toContain("It must satisfy this JSON Schema");
  expect(text).toBe('{"verdict":"yes","why":"{}"}');
  expect(reported).toBe(text);
});

test("Gemini gets the keywords that it accepts", async () => {
  const done = () => events({ candidates: [{ content: { parts: [{ text: "{}" }] }, finishReason: "STOP" }] });
  const { body } = await askFor({ provider: "google", model: "gemini-3-flash" }, true, done);
  expect((body["generationConfig"] as Record<string, unknown>)["responseJsonSchema"]).toEqual({
    type: "object",
    properties: {
      verdict: CLOSED.properties.verdict,
      why: { type: "string", description: 'at least 1 character; default: ""' },
    },
    required: ["verdict", "why"],
  });
});
