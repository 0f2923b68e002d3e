/** Runs against a server that rejects what OpenAI's Responses API rejects. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { conversationAgent } from "../helpers/conversation-agent.ts";
import { fakeOpenAI } from "../helpers/fake-openai.ts";
import { type AnthropicStep, anthropicServer } from "../model/servers/anthropic.ts";
import { strictChat } from "../model/servers/chat.ts";
import { CHAT_PROVIDERS } from "../model/servers/chat-providers.ts";
import { googleServer } from "../model/servers/google.ts";
import { type ResponsesStep, responsesServer } from "../model/servers/responses.ts";
import type { Fields } from "../model/servers/responses-rules.ts";

const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
const KEYS = { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key", GOOGLE_API_KEY: "key", AZURE_API_KEY: "key" };
const RESPONSES = { provider_opts: { api_type: "openai_responses" } };
const ODD_SCHEMAS = {
  type: "mcp",
  command: process.execPath,
  args: [join(import.meta.dir, "../fixtures/mcp/odd-schemas.ts")],
};

const gpt = (server: { url: string }, more: object = {}) => ({
  provider: "openai",
  model: "gpt-5",
  base_url: server.url,
  ...RESPONSES,
  ...more,
});
const shell = (cmd: string) => ({ call: "shell", input: { cmd } });

function run(cwd: string, ...args: string[]) {
  return hooksh(["run", "agent.yaml", "--yolo", "--hide-tool-calls", ...args], { cwd, env: KEYS });
}

const STEPS: ResponsesStep[] = [
  [
    { reasoning: ["First.", "And then."] },
    { text: "Let me see." },
    shell("echo one"),
    { reasoning: "More." },
    shell("echo two"),
    shell("echo three"),
  ],
  [{ reasoning: "" }, shell("echo four")],
  [{ reasoning: "Enough." }, { text: "Done." }],
];

const reasoningOf = (items: readonly Fields[] = []) => items.filter(({ type }) => type === "reasoning");

test("a tool loop of several turns, and a later question, send the reasoning back unchanged", async () => {
  await using server = responsesServer({}, ...STEPS, [{ text: "Bye." }]);
  const cwd = conversationAgent({ gpt: gpt(server, { temperature: 0.3, parallel_tool_calls: true }) });
  expect(await run(cwd, "go")).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
  expect(await run(cwd, "--session", "-1", "and now?")).toMatchObject({ code: 0, stdout: "Bye.\n" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const sent = server.requests.at(-1)?.input.flatMap(({ id }) => (id === undefined ? [] : [String(id)]));
  expect(sent).toEqual(
    server.replies
      .slice(0, 3)
      .flat()
      .map(({ id }) => String(id)),
  );
  expect(reasoningOf(server.requests.at(-1)?.input)).toEqual(server.replies.slice(0, 3).flatMap(reasoningOf));
});

test("a secret in a summary is never sent, and the loop continues", async () => {
  await using server = responsesServer(
    {},
    [
      { reasoning: ["First.", `The token is ${SECRET}.`] },
      { text: "Let me see." },
      shell("echo one"),
      { reasoning: "More." },
      shell("echo two"),
    ],
    ...STEPS.slice(1),
  );
  const cwd = conversationAgent({ gpt: gpt(server) }, { redact_secrets: true });
  expect(await run(cwd, "go")).toMatchObject({ code: 0 });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  expect(JSON.stringify(server.requests)).not.toContain(SECRET);
  expect(
    server.requests.at(-1)?.input.filter(({ call_id, type }) => type === "function_call" && call_id !== undefined),
  ).toHaveLength(3);
});

test("a run that was killed in a tool loop is resumed with its reasoning", async () => {
  const wait = "touch started; for n in $(seq 600); do test -e release && break; sleep 0.1; done";
  await using server = responsesServer(
    {},
    STEPS[0] ?? [],
    [{ reasoning: "Slowly." }, shell(wait)],
    [{ text: "Resumed." }],
  );
  const cwd = conversationAgent({ gpt: gpt(server) });
  const child = Bun.spawn([binary(), "run", "agent.yaml", "--yolo", "go"], {
    cwd,
    env: cleanEnv(cwd, KEYS),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  while (!existsSync(join(cwd, "started")) && child.exitCode === null) await Bun.sleep(10);
  child.kill("SIGKILL");
  await child.exited;
  await Bun.write(join(cwd, "release"), "");
  expect(await run(cwd, "--session", "-1", "go on")).toMatchObject({ code: 0, stdout: "Resumed.\n" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  expect(reasoningOf(server.requests.at(-1)?.input)).toEqual(server.replies.slice(0, 2).flatMap(reasoningOf));
});

test("a fallback to Chat Completions in the middle of a loop, and back", async () => {
  const unavailable = () => Response.json({ error: { message: "not now" } }, { status: 400 });
  await using first = responsesServer({}, STEPS[0] ?? [], unavailable, [{ reasoning: "Back." }, { text: "Done." }]);
  const second = fakeOpenAI([{ text: "Over here.", calls: [{ name: "shell", arguments: { cmd: "echo there" } }] }]);
  const cwd = conversationAgent({
    gpt: gpt(first),
    spare: { provider: "openai", model: "gpt-4o", base_url: second.url },
  });
  const ran = await run(cwd, "go");
  second.stop();
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
  expect(first.refusals).toEqual([]);
  expect(JSON.stringify(second.requests)).not.toContain("gAAA");
  const { input = [] } = first.requests.at(-1) ?? {};
  expect(reasoningOf(input)).toEqual(reasoningOf(first.replies[0]));
  expect(input.filter(({ id }) => id !== undefined)).toHaveLength(first.replies[0]?.length ?? 0);
  expect(JSON.stringify(input)).toContain("Over here.");
});

test("models that accept fewer settings get fewer", async () => {
  const settings = { temperature: 0.5, top_p: 0.9, parallel_tool_calls: false, max_tokens: 100 };
  for (const model of ["o3", "gpt-5", "gpt-4.1", "gpt-5.6"]) {
    await using server = responsesServer({}, [shell("echo one")], [{ text: "Done." }]);
    const cwd = conversationAgent({
      gpt: gpt(server, { model, ...settings, ...(model === "gpt-5.6" ? { thinking_budget: "none" } : {}) }),
    });
    const { code } = await run(cwd, "go");
    expect({ model, code, refusals: server.refusals }).toEqual({ model, code: 0, refusals: [] });
    const [body] = server.requests;
    const takesSampling = model === "gpt-4.1" || model === "gpt-5.6";
    expect({ model, temperature: body?.["temperature"], parallel: body?.["parallel_tool_calls"] }).toEqual({
      model,
      temperature: takesSampling ? 0.5 : undefined,
      parallel: model === "o3" ? undefined : false,
    });
  }
});

const CALLS = [
  { call: "query", input: { target: { kind: "file", path: "a" }, filter: { a: 1 }, sort: null } },
  { call: "strictly", input: { name: "n", count: null } },
];

test.each([[false], [true]])("a tool whose schema cannot be strict fails no request (Azure: %p)", async (azure) => {
  await using server = responsesServer({ azure }, CALLS, [{ text: "Done." }]);
  const model = gpt(server, azure ? { provider: "azure" } : {});
  const cwd = conversationAgent(
    { gpt: model },
    { toolsets: [{ type: "shell" }, { type: "todo" }, { type: "filesystem" }, ODD_SCHEMAS] },
  );
  expect(await run(cwd, "go")).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const tools = server.requests[0]?.["tools"] as { name: string; strict: boolean }[];
  const strict = Object.fromEntries(tools.map(({ name, strict: is }) => [name, is]));
  expect(strict).toMatchObject({ query: false, strictly: true, shell: true, edit_file: true });
  const results = server.requests[1]?.input
    .filter(({ type }) => type === "function_call_output")
    .map(({ output }) => JSON.parse(String(output)) as unknown);
  // nulls for omitted arguments never reach the server
  expect(results).toEqual([{ target: { kind: "file", path: "a" }, filter: { a: 1 } }, { name: "n" }]);
});

test("every provider accepts the schemas of the same tools", async () => {
  const toolsets = [{ type: "shell" }, { type: "todo" }, { type: "filesystem" }, ODD_SCHEMAS];
  const steps = [[{ call: "query", input: CALLS[0]?.input, args: CALLS[0]?.input ?? {} }], [{ text: "Done." }]];
  await using anthropic = anthropicServer(...(steps as AnthropicStep[]));
  await using google = googleServer(...(steps as Parameters<typeof googleServer>));
  const runs: [string, object, { refusals: string[] }][] = [
    ["anthropic", { provider: "anthropic", model: "claude-sonnet-4-5", base_url: anthropic.url }, anthropic],
    ["google", { provider: "google", model: "gemini-3-flash", base_url: google.url }, google],
  ];
  for (const [name, model, server] of runs) {
    const { code } = await run(conversationAgent({ main: model }, { toolsets }), "go");
    expect({ name, code, refusals: server.refusals }).toEqual({ name, code: 0, refusals: [] });
  }
  for (const id of ["openai", "deepseek", "moonshot", "mistral", "groq", "xai", "template"] as const) {
    const server = strictChat(CHAT_PROVIDERS[id], [
      { calls: [{ name: "query", arguments: CALLS[0]?.input ?? {} }] },
      { text: "Done." },
    ]);
    const models: Record<string, object> = {
      openai: { provider: "openai", model: "gpt-4o" },
      moonshot: { provider: "moonshot", model: "kimi-k2.5" },
      deepseek: { provider: "deepseek", model: "deepseek-reasoner" },
      mistral: { provider: "mistral", model: "mistral-small-latest" },
      groq: { provider: "groq", model: "openai/gpt-oss-120b" },
      xai: { provider: "xai", model: "grok-4" },
      template: { provider: "dmr", model: "ai/qwen3:latest" },
    };
    const { code } = await run(
      conversationAgent({ main: { ...models[id], base_url: server.url } }, { toolsets }),
      "go",
    );
    expect({ id, code, refused: server.refused }).toEqual({ id, code: 0, refused: [] });
    await server.stop();
  }
});
