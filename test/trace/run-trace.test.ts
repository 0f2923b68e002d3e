import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { windowServer } from "../helpers/window-server.ts";
import { collector, spansIn, type TestSpan, treeOf } from "./otlp-receiver.ts";

const serve = modelServers();
const MCP_SERVER = join(import.meta.dir, "../fixtures/mcp/server.ts");

const command = (text: string, more = {}) => ({ type: "command", command: text, ...more });
const says = (name: string, input: object = {}): Step => ({ calls: [{ name, arguments: input }] });

/** A server that passes requests on to a model server, and keeps their headers. */
function headersOf(target: string) {
  const headers: Headers[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      headers.push(request.headers);
      return fetch(`${new URL(target).origin}${new URL(request.url).pathname}`, {
        method: "POST",
        body: await request.text(),
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, headers, [Symbol.dispose]: () => void server.stop(true) };
}

/** Runs an agent and returns its trace. */
async function traced(
  agent: string,
  {
    env = {},
    args = ["--yolo"],
    message = "go",
    ...files
  }: Record<string, unknown> & {
    env?: Record<string, string>;
    args?: string[];
    message?: string;
  } = {},
) {
  const cwd = tempDir({ "agent.yaml": agent, ...(files as Record<string, string>) });
  const ran = await hooksh(["run", "agent.yaml", "--trace", "trace.jsonl", ...args, message], { cwd, env });
  return { ...ran, cwd, spans: spansIn(join(cwd, "trace.jsonl")) };
}

/** The hooks that hooksh itself adds, in a trace. */
const implicit = (event: string, indent = "") => [
  `${indent}hooksh.dispatch ${event}`,
  `${indent}  apply_guardrail limit_large_tool_results`,
];

const named = (spans: readonly TestSpan[], name: string) => spans.filter((span) => span.name === name);
const one = (spans: readonly TestSpan[], name: string) => {
  const [span, ...others] = named(spans, name);
  expect([name, others.length, span !== undefined]).toEqual([name, 0, true]);
  return span as TestSpan;
};

describe("a run", () => {
  test("is one trace: a stream with model requests, tool calls, dispatches and hooks", async () => {
    const server = serve(says("shell", { cmd: "echo hi" }), { text: "Done.", usage: { prompt: 20, completion: 7 } });
    const hooks = {
      session_start: [command("exit 0", { name: "welcome" })],
      pre_tool_use: [{ matcher: "shell", hooks: [command("exit 0", { name: "guard" })] }],
      post_tool_use: [{ matcher: "*", hooks: [command("exit 0", { name: "after" })] }],
      stop: [command("exit 0", { name: "end" })],
    };
    const { code, spans } = await traced(agentFor(server, { hooks }));
    expect(code).toBe(0);
    expect(treeOf(spans)).toEqual([
      "hooksh.dispatch session_start",
      "  apply_guardrail welcome",
      "invoke_agent root",
      "  chat model",
      "  execute_tool shell",
      "    hooksh.dispatch pre_tool_use",
      "      apply_guardrail guard",
      ...implicit("tool_response_transform", "    "),
      "    hooksh.dispatch post_tool_use",
      "      apply_guardrail after",
      "  chat model",
      "  hooksh.dispatch stop",
      "    apply_guardrail end",
      ...implicit("session_end"),
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const sessions = new Set(spans.map(({ attributes }) => attributes["gen_ai.conversation.id"]));
    expect([...sessions]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test("says what was asked of the model, what it used and why it stopped", async () => {
    const server = serve(says("shell", { cmd: "true" }), { text: "Done now.", usage: { prompt: 20, completion: 7 } });
    const agent = JSON.parse(agentFor(server));
    agent.agents.root.model = "priced";
    agent.models = {
      priced: { provider: "fake", model: "model", temperature: 1, max_tokens: 100, cost: { input: 1, output: 2 } },
    };
    const { spans } = await traced(JSON.stringify(agent));
    const [first, second] = named(spans, "chat model");
    expect(first?.attributes).toMatchObject({ "gen_ai.response.finish_reasons": ["tool_calls"] });
    expect(second).toMatchObject({
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "model",
        "gen_ai.request.temperature": 1,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.stream": true,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.response.time_to_first_chunk": expect.any(Number),
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7,
        "hooksh.cost": expect.closeTo((20 + 14) / 1e6, 12),
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(server.url).port),
      },
    });
    expect(one(spans, "invoke_agent root").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "root",
      "gen_ai.agent.description": "Test agent",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "model",
      "gen_ai.usage.input_tokens": 30,
      "gen_ai.usage.output_tokens": 12,
      "hooksh.cost": expect.closeTo((30 + 24) / 1e6, 12),
      "hooksh.outcome": "normal",
    });
  });

  test("has a denied call as an error, with who denied it and why", async () => {
    const server = serve(says("shell", { cmd: "rm x" }), { text: "ok" });
    const guard = command("echo 'not that one' >&2; exit 2", { name: "guard" });
    const { spans } = await traced(
      agentFor(server, { hooks: { pre_tool_use: [{ matcher: "shell", hooks: [guard] }] } }),
    );
    const call = one(spans, "execute_tool shell");
    expect(call).toMatchObject({
      status: { code: 2 },
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "shell",
        "gen_ai.tool.call.id": "call_1_0",
        "gen_ai.tool.type": "function",
        "error.type": "denied",
        "hooksh.outcome": "blocked",
        "hooksh.approval.source": "pre_tool_use_hook_deny",
        "hooksh.reason": expect.stringContaining("not that one"),
      },
    });
    expect(one(spans, "hooksh.dispatch pre_tool_use")).toMatchObject({
      parentSpanId: call.spanId,
      attributes: { "hooksh.decision": "deny" },
    });
  });

  test.each<[string, Step, string, string]>([
    ["a tool that fails", says("read_file", { path: "none" }), "execute_tool read_file", "failed"],
    ["an unknown tool", says("nothing"), "execute_tool nothing", "unknown_tool"],
    [
      "malformed arguments",
      { calls: [{ name: "read_file", arguments: "[1" }] },
      "execute_tool read_file",
      "malformed_arguments",
    ],
  ])("has %s as an error", async (_what, step, name, type) => {
    const server = serve(step, { text: "ok" });
    const { spans } = await traced(agentFor(server, { toolsets: [{ type: "filesystem" }] }));
    expect(one(spans, name)).toMatchObject({ status: { code: 2 }, attributes: { "error.type": type } });
  });

  test("has a failing hook as an error below its dispatch, and the run goes on", async () => {
    const server = serve({ text: "ok" });
    const { spans, code } = await traced(
      agentFor(server, { hooks: { turn_start: [command("exit 9", { name: "broken" })] } }),
    );
    expect(code).toBe(0);
    expect(one(spans, "apply_guardrail broken")).toMatchObject({
      status: { code: 2, message: expect.stringContaining("9") },
      parentSpanId: one(spans, "hooksh.dispatch turn_start").spanId,
    });
    expect(one(spans, "invoke_agent root").status).toBeUndefined();
  });

  test("has a span for each attempt to reach a model", async () => {
    const fails = () => new Response("{}", { status: 503 });
    const server = serve(fails, { text: "ok" });
    const { spans, code } = await traced(agentFor(server));
    expect(code).toBe(0);
    const [first, second] = named(spans, "chat model");
    expect(first).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "503" } });
    expect(second?.status).toBeUndefined();
    expect(first?.parentSpanId).toBe(second?.parentSpanId as string);
  });

  test("that ends with an error says so", async () => {
    const server = serve(() => Response.json({ error: { message: "no such model" } }, { status: 404 }));
    const { spans, code } = await traced(agentFor(server));
    expect(code).not.toBe(0);
    expect(one(spans, "invoke_agent root")).toMatchObject({
      status: { code: 2, message: expect.stringContaining("no such model") },
      attributes: { "error.type": "model_error" },
    });
  });

  test("has the stream of a sub-agent below the call that began it", async () => {
    const task = { agent: "helper", task: "t", expected_output: "o" };
    const server = serve(says("transfer_task", task), { text: "helped" }, { text: "Done." });
    const agent = JSON.parse(agentFor(server, { sub_agents: ["helper"] }));
    agent.agents.helper = { model: "fake/model", description: "h", instruction: "h", redact_secrets: false };
    const { spans, code } = await traced(JSON.stringify(agent));
    expect(code).toBe(0);
    expect(treeOf(spans)).toEqual([
      "invoke_agent root",
      "  chat model",
      "  execute_tool transfer_task",
      "    invoke_agent helper",
      "      chat model",
      ...implicit("session_end", "    "),
      ...implicit("tool_response_transform", "    "),
      "  chat model",
      ...implicit("session_end"),
    ]);
    const [root, helper] = [one(spans, "invoke_agent root"), one(spans, "invoke_agent helper")].map(
      ({ attributes }) => attributes,
    );
    expect(root?.["gen_ai.conversation.id"]).not.toBe(helper?.["gen_ai.conversation.id"]);
    expect([root?.["gen_ai.usage.input_tokens"], helper?.["gen_ai.usage.input_tokens"]]).toEqual([20, 10]);
  });

  test("has the summary of a compaction as a request of its own", async () => {
    using server = windowServer(8000, ({ tools = [] }) =>
      tools.length === 0 ? { text: "All of it." } : { text: "Fine.", usage: { prompt: 7500, completion: 10 } },
    );
    const agent = {
      agents: {
        root: { model: "small", instruction: "Help.", redact_secrets: false, toolsets: [{ type: "filesystem" }] },
      },
      models: { small: { provider: "fake", model: "model", provider_opts: { context_size: 8000 } } },
      providers: { fake: { base_url: server.url } },
    };
    const { spans, code } = await traced(JSON.stringify(agent), {
      args: ["--yolo", "my colour is blue"],
      message: "and my dog",
    });
    expect(code).toBe(0);
    expect(treeOf(spans)).toEqual([
      "invoke_agent root",
      "  chat model",
      "invoke_agent root",
      "  chat model",
      "  chat model",
      ...implicit("session_end"),
    ]);
  });

  test("has the request of a model hook below its dispatch", async () => {
    const server = serve({ text: "looks fine" }, { text: "Done." });
    const hook = { type: "model", model: "fake/model", prompt: "Is it fine?" };
    const { spans, code } = await traced(agentFor(server, { hooks: { turn_start: [hook] } }));
    expect(code).toBe(0);
    const [asked] = named(spans, "chat model");
    expect(asked?.parentSpanId).toBe(one(spans, "hooksh.dispatch turn_start").spanId);
  });
});

describe("the context of a run", () => {
  test("reaches commands, model requests and MCP servers", async () => {
    const server = serve(says("shell", { cmd: "echo $TRACEPARENT" }), { text: "Done." });
    using seen = headersOf(server.url);
    const { spans } = await traced(agentFor({ url: seen.url }), { env: { TRACESTATE: "a=1" } });
    const [first, second] = named(spans, "chat model");
    const { traceId } = first as TestSpan;
    expect(seen.headers.map((headers) => headers.get("traceparent"))).toEqual([
      `00-${traceId}-${first?.spanId}-01`,
      `00-${traceId}-${second?.spanId}-01`,
    ]);
    expect(seen.headers.map((headers) => headers.get("tracestate"))).toEqual([null, null]); // it belongs to no trace
    expect(server.requests[1]?.messages.at(-1)?.content).toBe(
      `00-${traceId}-${one(spans, "execute_tool shell").spanId}-01`,
    );
  });

  test("with state passes that on, and keeps baggage from the network", async () => {
    const server = serve({ text: "Done." });
    using seen = headersOf(server.url);
    const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
    const cwd = tempDir({ "agent.yaml": agentFor({ url: seen.url }) });
    const env = { TRACEPARENT: `00-${parent.traceId}-${parent.spanId}-01`, TRACESTATE: "a=1", BAGGAGE: "user=jo" };
    await hooksh(["run", "agent.yaml", "--trace", "trace.jsonl", "go"], { cwd, env });
    const spans = spansIn(join(cwd, "trace.jsonl"), [parent.spanId]);
    expect(one(spans, "invoke_agent root")).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId });
    const [headers] = seen.headers;
    expect([headers?.get("tracestate"), headers?.get("baggage")]).toEqual(["a=1", null]);
  });

  test("is not sent while tracing is off", async () => {
    const server = serve({ text: "Done." });
    using seen = headersOf(server.url);
    const cwd = tempDir({ "agent.yaml": agentFor({ url: seen.url }) });
    await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(seen.headers[0]?.has("traceparent")).toBe(false);
  });

  test("reaches an MCP server on standard input in `_meta`", async () => {
    const server = serve(says("meta"), { text: "Done." });
    const toolsets = [{ type: "mcp", command: process.execPath, args: [MCP_SERVER, ""] }];
    const { spans } = await traced(agentFor(server, { toolsets }));
    const { traceId, spanId } = one(spans, "execute_tool meta");
    expect(JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "")).toEqual({
      traceparent: `00-${traceId}-${spanId}-01`,
    });
  });

  test("reaches an MCP server over HTTP as a header", async () => {
    const seen: (string | null)[] = [];
    using mcp = remoteServer((request) => void seen.push(request.headers.get("traceparent")));
    const server = serve(says("echo"), { text: "Done." });
    const toolsets = [{ type: "mcp", remote: { url: mcp.url }, allow_private_ips: true }];
    const { spans } = await traced(agentFor(server, { toolsets }));
    const { traceId, spanId } = one(spans, "execute_tool echo");
    expect(seen).toContain(`00-${traceId}-${spanId}-01`);
  });
});

/** An MCP server over streamable HTTP with one tool, `echo`. */
function remoteServer(note: (request: Request) => void) {
  const tool = { name: "echo", description: "e", inputSchema: { type: "object", properties: {} } };
  const results: Record<string, object> = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: "echoed" }] },
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "tools/call") note(request);
      return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, [Symbol.dispose]: () => void server.stop(true) };
}

test("content has the messages, arguments and results, without secrets", async () => {
  const secret = `ghp_${"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8".slice(0, 36)}`;
  const server = serve(says("shell", { cmd: `echo ${secret} there` }), { text: "Done." });
  const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "SPAN_ONLY" };
  const { spans, cwd } = await traced(agentFor(server), { env, message: `my key is ${secret}` });
  expect(readFileSync(join(cwd, "trace.jsonl"), "utf8")).not.toContain(secret);
  const [first, second] = named(spans, "chat model").map(({ attributes }) => attributes);
  const input = JSON.parse(String(first?.["gen_ai.input.messages"]));
  expect(input.at(-1)).toEqual({ role: "user", parts: [{ type: "text", content: "my key is [REDACTED]" }] });
  expect(JSON.parse(String(first?.["gen_ai.output.messages"]))).toMatchObject([
    { role: "assistant", parts: [{ type: "tool_call", name: "shell" }], finish_reason: "tool_calls" },
  ]);
  const replied = JSON.parse(String(second?.["gen_ai.input.messages"])).at(-1);
  expect(replied).toMatchObject({
    role: "tool",
    parts: [{ type: "tool_call_response", response: "[REDACTED] there" }],
  });
  const { attributes } = one(spans, "execute_tool shell");
  expect(JSON.parse(String(attributes["gen_ai.tool.call.arguments"]))).toEqual({ cmd: "echo [REDACTED] there" });
  expect(JSON.parse(String(attributes["gen_ai.tool.call.result"]))).toBe("[REDACTED] there");
});

test("a collector gets a run in whole, before the process ends", async () => {
  using received = collector();
  const server = serve(says("shell", { cmd: "true" }), { text: "Done." });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: received.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const { code, stderr } = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd, env });
  expect([code, stderr]).toEqual([0, ""]);
  const spans = received.spans().toSorted((a, b) => Number(a.start - b.start));
  expect(treeOf(spans)).toEqual([
    "invoke_agent root",
    "  chat model",
    "  execute_tool shell",
    ...implicit("tool_response_transform", "    "),
    "  chat model",
    ...implicit("session_end"),
  ]);
});
