import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";
import { type Reply, type StrictChat, strictChat, type WireMessage } from "../model/servers/chat.ts";
import { CHAT_PROVIDERS } from "../model/servers/chat-providers.ts";

type ProviderId = keyof typeof CHAT_PROVIDERS;

const servers: StrictChat[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

function serve(provider: ProviderId, ...script: Reply[]): StrictChat {
  const server = strictChat(CHAT_PROVIDERS[provider], script);
  servers.push(server);
  return server;
}

/** A provider by its name in an agent file, and one of its models that thinks. */
const CONFIGURED: Readonly<Record<ProviderId, { provider: string; model: string; [option: string]: unknown }>> = {
  openai: { provider: "openai", model: "o3", parallel_tool_calls: true, temperature: 0.2, max_tokens: 900 },
  deepseek: { provider: "deepseek", model: "deepseek-reasoner" },
  moonshot: { provider: "moonshot", model: "kimi-k2.5", temperature: 0.3 },
  mistral: { provider: "mistral", model: "magistral-medium-latest" },
  groq: { provider: "groq", model: "openai/gpt-oss-120b" },
  cerebras: { provider: "cerebras", model: "gpt-oss-120b" },
  xai: { provider: "xai", model: "grok-4", presence_penalty: 0.5, frequency_penalty: 0.5 },
  openrouter: { provider: "openrouter", model: "anthropic/claude-sonnet-4.5" },
  "github-copilot": { provider: "github-copilot", model: "gemini-3-pro-preview" },
  gemini: { provider: "own", model: "gemini-3-pro-preview" },
  template: { provider: "own", model: "mistralai/Mistral-Small-3.2-24B-Instruct-2506" },
  vllm: { provider: "own", model: "some-model" },
};

/** An agent file with one agent; `models` are named `main`, `second` and so on. */
function agentFile(models: readonly object[], keys: Record<string, unknown> = {}): string {
  const names = ["main", "second"];
  return JSON.stringify({
    agents: {
      root: {
        model: "main",
        description: "Test agent",
        instruction: "Help.",
        redact_secrets: false,
        toolsets: [{ type: "shell" }, { type: "todo" }],
        hooks: {
          post_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "echo a note about the tool" }] }],
        },
        ...keys,
      },
    },
    models: Object.fromEntries(models.map((model, index) => [names[index], model])),
    providers: { own: { base_url: "http://127.0.0.1:9/v1" } },
  });
}

/** The entry of `models` for a provider at a server. */
function modelAt(id: ProviderId, server: StrictChat, more: object = {}): object {
  return { ...CONFIGURED[id], base_url: server.url, ...more };
}

const shell = (cmd: string, extra?: Record<string, unknown>) => ({
  name: "shell",
  arguments: { cmd },
  ...(extra ? { extra } : {}),
});
/** The signature of a call, which only Gemini sends. */
const signed = { extra_content: { google: { thought_signature: "c2lnbmVk" } } };

/** A tool loop of three turns, with thinking, texts and calls in the same message. */
const LOOP: Reply[] = [
  { thinking: ["First ", "look."], text: "I look around.", calls: [shell("echo one", signed)] },
  { thinking: ["Now ", "both."], calls: [shell("echo two"), shell("echo three")] },
  { calls: [shell("echo four", signed)] },
  { thinking: ["That is all."], text: "It is done." },
];

/** The assistant messages of a request. */
const spoken = (messages: readonly WireMessage[] | undefined) =>
  (messages ?? []).filter(({ role }) => role === "assistant");

describe.each(Object.keys(CHAT_PROVIDERS) as ProviderId[])("%s", (id) => {
  test("accepts every request of a session with tools, hook context and a second question", async () => {
    const server = serve(
      id,
      ...LOOP,
      { thinking: ["Again."], calls: [shell("echo five")] },
      { text: "Good bye." },
      { text: "Once more." },
    );
    const cwd = tempDir({ "agent.yaml": agentFile([modelAt(id, server)]) });
    const first = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(server.refused).toEqual([]);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("It is done.") });
    const second = await hooksh(["run", "agent.yaml", "--yolo", "--session", "-1", "and then?"], { cwd });
    expect(server.refused).toEqual([]);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("Good bye.") });
    const third = await hooksh(["run", "agent.yaml", "--yolo", "--session", "-1", "and?"], { cwd });
    expect(server.refused).toEqual([]);
    expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining("Once more.") });
    expect(server.left()).toBe(0);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("a note about the tool");
  });

  test("accepts a session that was killed in the middle of a tool loop", async () => {
    const wait = "touch started; for n in $(seq 300); do test -e release && break; sleep 0.1; done";
    const server = serve(
      id,
      { thinking: ["Slowly."], calls: [shell("echo one", signed)] },
      { thinking: ["On."], calls: [shell(wait, signed)] },
      { text: "Back again." },
    );
    const cwd = tempDir({ "agent.yaml": agentFile([modelAt(id, server)]) });
    const child = Bun.spawn([binary(), "run", "agent.yaml", "--yolo", "go"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    await until(() => existsSync(join(cwd, "started")));
    child.kill("SIGKILL");
    await child.exited;
    const resumed = await hooksh(["run", "agent.yaml", "--yolo", "--session", "-1", "go on"], { cwd });
    await Bun.write(join(cwd, "release"), "");
    expect(server.refused).toEqual([]);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("Back again.") });
  });

  test("accepts what the user says while tools run", async () => {
    const wait = "touch started; for n in $(seq 600); do test -e release && break; sleep 0.1; done";
    const server = serve(id, { thinking: ["Slowly."], calls: [shell(wait, signed)] }, { text: "As you wish." });
    const cwd = tempDir({ "agent.yaml": agentFile([modelAt(id, server)]) });
    const run = startAtTerminal(cwd, ["run", "agent.yaml", "--yolo"], {});
    await run.sees("> ");
    run.press("go\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("be quick\r");
    await run.sees("be quick");
    await Bun.write(join(cwd, "release"), "");
    await run.sees("As you wish.");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(server.refused).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("be quick");
  });
});

describe("a model's thinking is sent back to it", () => {
  test("with redaction, without the secret", async () => {
    const secret = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
    for (const id of ["deepseek", "moonshot", "mistral", "openrouter", "vllm"] as const) {
      const server = serve(
        id,
        { thinking: [`The key ${secret} `, "is here."], calls: [shell("echo one")] },
        { text: "It is done." },
      );
      const cwd = tempDir({ "agent.yaml": agentFile([modelAt(id, server)], { redact_secrets: true }) });
      const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
      expect(server.refused).toEqual([]);
      expect(ran.code).toBe(0);
      const sent = JSON.stringify(server.requests[1]?.messages);
      expect(sent).toContain("The key [REDACTED] is here.");
      expect(sent).not.toContain(secret);
    }
  });

  test("and to no other model: a fallback in the middle of a tool loop, and back", async () => {
    const failure = () => Response.json({ error: { message: "out of order" } }, { status: 500 });
    const first = serve(
      "deepseek",
      { thinking: ["Mine."], calls: [shell("echo one")] },
      failure,
      { thinking: ["Back."], calls: [shell("echo three")] },
      { text: "It is done." },
    );
    const second = serve("mistral", { thinking: ["Yours."], calls: [shell("echo two")] });
    const agent = agentFile([modelAt("deepseek", first), modelAt("mistral", second)], {
      fallback: { models: ["second"], retries: -1 },
    });
    const cwd = tempDir({ "agent.yaml": agent });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect([first.refused, second.refused]).toEqual([[], []]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("It is done.") });
    expect(JSON.stringify(second.requests)).not.toContain("Mine.");
    expect(JSON.stringify(first.requests)).not.toContain("Yours.");
    expect(spoken(first.requests.at(-1)?.messages).map((message) => message["reasoning_content"])).toEqual([
      "Mine.",
      "",
      "Back.",
    ]);
  });
});
