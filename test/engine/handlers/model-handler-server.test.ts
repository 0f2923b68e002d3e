import { afterAll, expect, test } from "bun:test";
import { defineHook } from "../../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../../src/engine/executor.ts";
import { type ModelClient, modelHandler } from "../../../src/engine/handlers/model-handler.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { textMessage } from "../../../src/model/messages/message.ts";
import { replyText } from "../../../src/model/model.ts";

const questions: Record<string, unknown>[] = [];
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    questions.push((await request.json()) as Record<string, unknown>);
    const verdict = '```json\n{"decision":"deny","reason":"reads the key file"}\n```';
    const parts = [{ delta: { role: "assistant", content: verdict } }, { delta: {}, finish_reason: "stop" }];
    const body = parts.map((part) => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...part }] })}\n\n`);
    return new Response(`${body.join("")}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  },
});
afterAll(() => server.stop(true));

const client: ModelClient = {
  async ask(spec, system, user, schema, signal) {
    const [provider = "", model = ""] = spec.split("/");
    const providers = { [provider]: { base_url: `http://127.0.0.1:${server.port}/v1` } };
    const { stream } = createModel({ provider, model }, { env: () => undefined, providers, log: () => {} });
    const messages = [textMessage("system", system), textMessage("user", user)];
    return replyText(await stream({ messages, tools: [], structuredOutput: schema, signal }, () => {}));
  },
};

test("a judge asks a real server for the schema and its fenced verdict blocks the call", async () => {
  const judge = { model: "local/judge", prompt: "{{ .ToolInput.path }}", schema: "pre_tool_use_decision" };
  const hook = defineHook({ type: "model", ...judge });
  const place = { event: "pre_tool_use", matcher: "read_.*", lane: "default", path: [] } as const;
  const registry = newRegistry().register("model", modelHandler(client));
  const executor = new Executor([{ ...place, hook, source: async () => "test" }], { registry });
  const result = await executor.dispatch("pre_tool_use", { tool_name: "read_file", tool_input: { path: "/etc/key" } });
  expect(result).toMatchObject({ allowed: false, decision: "deny", message: "reads the key file" });
  expect(JSON.stringify(questions[0]?.["messages"])).toContain("/etc/key");
  expect(JSON.stringify(questions[0]?.["response_format"])).toContain('"enum":["allow","ask","deny"]');
  expect(questions).toHaveLength(1);
});
