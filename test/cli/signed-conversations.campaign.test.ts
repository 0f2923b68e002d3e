/** Runs with signed thinking, calls and texts, against servers that reject what Anthropic and Google reject. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { conversationAgent } from "../helpers/conversation-agent.ts";
import { type AnthropicStep, anthropicServer, type Scripted } from "../model/servers/anthropic.ts";
import { type GoogleStep, googleServer } from "../model/servers/google.ts";

const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");
const KEYS = { ANTHROPIC_API_KEY: "key", GOOGLE_API_KEY: "key" };

const shell = (cmd: string) => ({ call: "shell", input: { cmd }, args: { cmd } });
const claude = (server: { url: string }, more: object = {}) => ({
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  base_url: server.url,
  thinking_budget: 2048,
  ...more,
});
const gemini = (server: { url: string }) => ({ provider: "google", model: "gemini-3-flash", base_url: server.url });

function run(cwd: string, ...args: string[]) {
  return hooksh(["run", "agent.yaml", "--yolo", "--hide-tool-calls", ...args], { cwd, env: KEYS });
}

/** The content of messages without cache markers. */
function bare(content: readonly object[] = []): object[] {
  return content.map((block) => Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control")));
}

/** Every event of the debug log. */
const DEBUG = (cwd: string) => ["--debug", "--log-file", join(cwd, "debug.log")];

const STEPS: AnthropicStep[] = [
  [
    { thinking: "First." },
    { text: "Let me see." },
    { redacted: true },
    { thinking: "Then." },
    shell("echo one"),
    shell("echo two"),
  ],
  [{ thinking: "More." }, { text: "And on." }, shell("echo three")],
  [{ text: "And a last one." }, shell("echo four")],
  [{ thinking: "Enough." }, { text: "Done." }],
];

test.each([
  ["a budget", { thinking_budget: 2048 }],
  ["adaptive thinking", { model: "claude-opus-4-7", thinking_budget: "high" }],
  ["a model that binds its thoughts", { model: "claude-opus-5-5", thinking_budget: "high" }],
])("a tool loop of several turns is sent back to Anthropic unchanged, with %s", async (_name, model) => {
  await using server = anthropicServer(...STEPS, [{ text: "Bye." }]);
  // Each turn has a different context, so the system texts change from call to call.
  const cwd = conversationAgent(
    { claude: claude(server, model) },
    { hooks: { turn_start: [{ type: "command", command: "date +%N" }] } },
  );
  expect(await run(cwd, "go")).toMatchObject({ code: 0, stderr: "" });
  expect(await run(cwd, "--session", "-1", "and now?")).toMatchObject({ code: 0, stderr: "" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const sent = server.requests.at(-1)?.messages.filter(({ role }) => role === "assistant") ?? [];
  expect(sent.map(({ content }) => bare(content))).toEqual(server.replies.slice(0, 4));
});

test("a secret in one of several thinking blocks is never sent, and the loop continues", async () => {
  const [, ...rest] = STEPS;
  await using server = anthropicServer(
    [{ thinking: "First." }, { text: "Let me see." }, { thinking: `The token is ${SECRET}.` }, shell("echo one")],
    ...rest,
  );
  const cwd = conversationAgent({ claude: claude(server) }, { redact_secrets: true });
  expect(await run(cwd, ...DEBUG(cwd), "go")).toMatchObject({ code: 0, stderr: "" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(SECRET);
  expect(server.requests.map(({ body }) => body["thinking"] !== undefined)).toEqual([true, false, false, false]);
  expect(readFileSync(join(cwd, "debug.log"), "utf8")).toContain("thinking is off for this request");
});

test("a hook rewrites an answer between signed thinking blocks, and a question, and Anthropic accepts both", async () => {
  await using server = anthropicServer(...STEPS);
  const script = `
    const { messages } = JSON.parse(await Bun.stdin.text());
    const updated_messages = messages.map((message) => ({ ...message, content: message.content.replace("Let me see.", "Rewritten.").replace("go", "start") }));
    console.log(JSON.stringify({ hook_specific_output: { hook_event_name: "before_llm_call", updated_messages } }));`;
  const cwd = conversationAgent(
    { claude: claude(server) },
    { hooks: { before_llm_call: [{ type: "command", command: `${process.execPath} hook.ts` }] } },
  );
  await Bun.write(join(cwd, "hook.ts"), script);
  expect(await run(cwd, "go")).toMatchObject({ code: 0, stderr: "" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const { messages = [] } = server.requests.at(-1) ?? {};
  expect(bare(messages[0]?.content)).toEqual([{ type: "text", text: "start" }]);
  const original = server.replies[0] ?? [];
  expect(bare(messages[1]?.content)).toEqual(original.with(1, { type: "text", text: "Rewritten." }));
});

/** Starts a run and kills it when a file exists. */
async function killWhen(cwd: string, file: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([binary(), "run", "agent.yaml", "--yolo", ...args], {
    cwd,
    env: cleanEnv(cwd, KEYS),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  while (!existsSync(join(cwd, file)) && child.exitCode === null) await Bun.sleep(10);
  child.kill("SIGKILL");
  await child.exited;
}

const untilReleased = "touch started; while ! test -e release; do sleep 0.05; done";

test("a run that was killed in a tool loop is resumed with its thinking", async () => {
  const [first = []] = STEPS;
  await using server = anthropicServer(first, [{ thinking: "More." }, shell(untilReleased)], [{ text: "Resumed." }]);
  const cwd = conversationAgent({ claude: claude(server) });
  await killWhen(cwd, "started", "go");
  await Bun.write(join(cwd, "release"), "");
  expect(await run(cwd, "--session", "-1", "go on")).toMatchObject({ code: 0, stderr: "", stdout: "Resumed.\n" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const { body, messages = [] } = server.requests.at(-1) ?? {};
  expect(body?.["thinking"]).toBeDefined();
  expect([bare(messages[1]?.content), bare(messages[3]?.content)]).toEqual(server.replies.slice(0, 2));
});

test("Gemini: a run that was killed in a tool loop is resumed with its signatures and ids", async () => {
  const script: GoogleStep[] = [
    [{ thought: "Hm." }, { text: "Let me see." }, shell("echo one"), shell("echo two")],
    [shell(untilReleased)],
    [{ text: "Resumed" }, { text: "." }],
    [{ text: "Bye." }],
  ];
  await using server = googleServer(...script);
  const cwd = conversationAgent({ gemini: gemini(server) });
  await killWhen(cwd, "started", "go");
  await Bun.write(join(cwd, "release"), "");
  expect(await run(cwd, "--session", "-1", "go on")).toMatchObject({ code: 0, stderr: "", stdout: "Resumed.\n" });
  expect(await run(cwd, "--session", "-1", "and now?")).toMatchObject({ code: 0, stderr: "" });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  const sent = server.requests
    .at(-1)
    ?.contents.filter(({ role }) => role === "model")
    .map(({ parts }) => parts);
  expect(sent).toEqual([(server.replies[0] ?? []).slice(1), ...server.replies.slice(1, 3)]);
});

const fails = () =>
  Response.json(
    { error: { type: "invalid_request_error", message: "no", code: 400, status: "INVALID_ARGUMENT" } },
    { status: 400 },
  );

test("from Anthropic to Gemini in the middle of a tool loop, and back", async () => {
  const [first = []] = STEPS;
  await using anthropic = anthropicServer(first, fails, [{ thinking: "Back." }, shell("echo three")], fails, [
    { text: "Bye." },
  ]);
  await using google = googleServer([{ text: "Here." }, shell("echo two")], [{ text: "Done." }]);
  const cwd = conversationAgent({ claude: claude(anthropic), gemini: gemini(google) });
  expect((await run(cwd, "go")).code).toBe(0);
  expect((await run(cwd, "--session", "-1", "and now?")).code).toBe(0);
  expect([anthropic.refusals, anthropic.left(), google.refusals, google.left()]).toEqual([[], 0, [], 0]);
  const toAnthropic = anthropic.requests.at(-1)?.messages ?? [];
  expect(bare(toAnthropic[1]?.content)).toEqual(anthropic.replies[0] ?? []);
  expect(JSON.stringify(toAnthropic)).not.toContain("thoughtSignature");
  const toGoogle = google.requests.at(-1)?.contents ?? [];
  expect(JSON.stringify(toGoogle)).not.toMatch(/"signature"|encrypted|First\./);
  expect(toGoogle[3]?.parts).toEqual(google.replies[0] ?? []);
});

test("from Gemini to Anthropic in the middle of a tool loop: the loop continues without thinking", async () => {
  await using google = googleServer([shell("echo one")], fails, [{ text: "Done." }]);
  await using anthropic = anthropicServer([{ thinking: "Hm." }, { text: "Here." }, shell("echo two")]);
  const cwd = conversationAgent({ gemini: gemini(google), claude: claude(anthropic) });
  expect((await run(cwd, ...DEBUG(cwd), "go")).code).toBe(0);
  expect([anthropic.refusals, anthropic.left(), google.refusals, google.left()]).toEqual([[], 0, [], 0]);
  expect(anthropic.requests[0]?.body["thinking"]).toBeUndefined();
  expect(google.requests.at(-1)?.contents[1]?.parts).toEqual(google.replies[0] ?? []);
});

test("a request to Anthropic marks the parts to cache: the agent's texts, the hooks' contexts and the last messages", async () => {
  await using server = anthropicServer(...STEPS);
  const say = (text: string) => ({ type: "command", command: `echo ${text}` });
  const cwd = conversationAgent(
    { claude: claude(server) },
    { hooks: { session_start: [say("rules")], turn_start: [say("weather")] } },
  );
  expect((await run(cwd, "go")).code).toBe(0);
  expect(server.refusals).toEqual([]);
  const system = server.requests.at(-1)?.body["system"] as { text: string; cache_control?: unknown }[];
  const marked = system.filter(({ cache_control }) => cache_control).map(({ text }) => text);
  expect(marked).toEqual([expect.not.stringMatching(/rules|weather/), "weather"]);
  expect(system.at(-1)?.text).toBe("weather");
  expect(system.map(({ text }) => text)).toContain("rules");
  const { messages = [] } = server.requests.at(-1) ?? {};
  expect(messages.map(({ content }) => content.some((block) => block["cache_control"]))).toEqual(
    messages.map((_message, index) => index >= messages.length - 2),
  );
});

test.each([
  ["Claude with a budget", { thinking_budget: 2048 }],
  [
    "a Claude that always thinks",
    { model: "claude-opus-5-5", thinking_budget: "high", provider_opts: { context_size: 200_000 } },
  ],
])("a conversation of %s is compacted in the middle of a tool loop", async (_name, model) => {
  const [first = []] = STEPS;
  await using server = anthropicServer(
    [{ text: "Hello." }],
    { blocks: first as Scripted[], usage: { input_tokens: 195_000 } },
    [{ text: "They said hi and listed files." }],
    [{ thinking: "More." }, shell("echo three")],
    [{ text: "Done." }],
  );
  const cwd = conversationAgent({ claude: claude(server, model) });
  expect((await run(cwd, "hi")).code).toBe(0);
  expect(await run(cwd, "--session", "-1", "list the files")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Done."),
  });
  expect([server.refusals, server.left()]).toEqual([[], 0]);
  expect(JSON.stringify(server.requests[2]?.messages)).not.toContain("thinking");
  expect(JSON.stringify(server.requests[3]?.messages)).toContain("Session Summary: They said hi");
});
