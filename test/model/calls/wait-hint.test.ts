/** Each API recognizes a busy provider, before an answer and in the middle of one. */
import { describe, expect, test } from "bun:test";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import type { Model } from "../../../src/model/model.ts";
import { ask, rejection, serve } from "../loopback.ts";

const stream =
  (...parts: string[]) =>
  () =>
    new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
const sse = (data: object, event?: string) => `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const refusal =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers });

const anthropicStart = sse(
  {
    type: "message_start",
    message: {
      id: "m",
      type: "message",
      role: "assistant",
      content: [],
      model: "claude",
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  "message_start",
);
const responsesStart = sse({ type: "response.created", response: { id: "r", output: [] } }, "response.created");
const geminiDelay = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" };

interface Case {
  name: string;
  spec: (url: string) => ModelSpec;
  /** The response of the server, and the delay it asks for. */
  answers: [answer: () => Response, retryAfterMs: number | undefined][];
}

const CASES: Case[] = [
  {
    name: "Messages",
    spec: (base_url) => ({ provider: "anthropic", model: "claude-sonnet-4-5", base_url }),
    answers: [
      [
        refusal(
          429,
          { type: "error", error: { type: "rate_limit_error", message: "slow down" } },
          { "retry-after": "7" },
        ),
        7000,
      ],
      [refusal(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }), undefined],
      [
        stream(
          anthropicStart,
          sse({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error"),
        ),
        undefined,
      ],
    ],
  },
  {
    name: "Responses",
    spec: (base_url) => ({
      provider: "openai",
      model: "gpt-5",
      base_url,
      provider_opts: { api_type: "openai_responses" },
    }),
    answers: [
      [
        refusal(429, {
          error: { message: "Rate limit reached. Please try again in 7s.", code: "rate_limit_exceeded" },
        }),
        7000,
      ],
      [
        stream(
          responsesStart,
          sse(
            {
              type: "response.failed",
              response: {
                id: "r",
                status: "failed",
                error: { code: "rate_limit_exceeded", message: "Please try again in 7s." },
                output: [],
              },
            },
            "response.failed",
          ),
        ),
        7000,
      ],
      [
        stream(
          responsesStart,
          sse({ type: "error", code: "rate_limit_exceeded", message: "Please try again in 7s." }, "error"),
        ),
        7000,
      ],
    ],
  },
  {
    name: "Gemini",
    spec: (base_url) => ({ provider: "google", model: "gemini-2.5-flash", base_url }),
    answers: [
      [
        refusal(429, {
          error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded", details: [geminiDelay] },
        }),
        7000,
      ],
      [
        () =>
          Response.json(
            [{ error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded", details: [geminiDelay] } }],
            { status: 429 },
          ),
        7000,
      ],
      [refusal(503, { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } }), undefined],
      [stream(sse({ error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } })), undefined],
    ],
  },
];

describe.each(CASES)("$name", ({ spec, answers }) => {
  test.each(answers.map(([answer, expected], index) => [index, answer, expected] as const))(
    "answer %i",
    async (_index, answer, expected) => {
      await using server = serve(answer);
      const model: Model = createModel(spec(server.url), { env: () => "key", log: () => {} });
      const error = await rejection(model.stream(ask(), () => {}));
      expect(error).toMatchObject({ isBusy: true, retryAfterMs: expected });
      expect(server.seen).toHaveLength(1);
    },
  );
});
