import { expect, test } from "bun:test";
import { createModel } from "../../../src/model/create-model.ts";
import { ask, chatReply, serve } from "../loopback.ts";

test.each([
  ["deepseek", "deepseek-chat", 8192],
  ["openai", "gpt-4-turbo", 4096],
  ["openai", "gpt-4o-mini", 16_000],
])(
  "a limit set by hooksh never exceeds what %s/%s can write; one set by the user is sent as written",
  async (provider, model, most) => {
    await using server = serve(() => chatReply("ok"));
    const deps = { env: () => "a-key-for-loopback", log: () => {} };
    const made = createModel({ provider, model, base_url: `${server.url}/v1`, max_tokens: 20_000 }, deps);
    await made.stream(ask({ maxTokens: 16_000, minimalThinking: true }), () => {});
    await made.stream(ask(), () => {});
    expect(server.seen.map(({ body }) => body["max_tokens"])).toEqual([most, 20_000]);
  },
);
