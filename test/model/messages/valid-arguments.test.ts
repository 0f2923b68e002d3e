import { expect, test } from "bun:test";
import { createModel } from "../../../src/model/create-model.ts";
import { type Message, textMessage, toolResult } from "../../../src/model/messages/message.ts";
import { chatReply, events, serve } from "../loopback.ts";

/** Returns the arguments of an earlier call as a service receives them. */
async function sent(written: string, api: "chat" | "responses"): Promise<string> {
  await using server = serve(() =>
    api === "chat" ? chatReply("Ok.") : events({ type: "response.completed", response: {} }),
  );
  const spec = {
    provider: "openai",
    model: "qwen3",
    base_url: `${server.url}/v1`,
    provider_opts: api === "chat" ? {} : { api_type: "openai_responses" },
  };
  const called: Message = {
    role: "assistant",
    blocks: [{ type: "tool_call", id: "call_1", name: "look", arguments: written }],
  };
  const messages = [textMessage("user", "Go."), called, toolResult("call_1", [{ type: "text", text: "done" }])];
  await createModel(spec, { env: () => "key", log: () => {} }).stream(
    { messages, tools: [], signal: new AbortController().signal },
    () => {},
  );
  return JSON.stringify(server.seen[0]?.body).match(/"arguments":("(?:[^"\\]|\\.)*")/)?.[1] ?? "";
}

test.each(["chat", "responses"] as const)(
  "%s: arguments that servers cannot read go back as none, others as they were written",
  async (api) => {
    for (const broken of ['{"cmd": "ec', "", "null", "[1]", '"text"', '{"a":1}{"b":2}'])
      expect(await sent(broken, api)).toBe('"{}"');
    for (const written of ["{}", '{ "a" : [1, {"b":null}] }'])
      expect(JSON.parse(await sent(written, api))).toBe(written);
  },
);
