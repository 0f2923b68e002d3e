/** The executable lists, shows, exports and resumes a session that version 1 of the schema stored. */
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const FIXTURE = join(import.meta.dir, "../fixtures/sessions/version-1.db");
const KEYS = { ANTHROPIC_API_KEY: "key", GOOGLE_API_KEY: "key", DEEPSEEK_API_KEY: "key", OPENAI_API_KEY: "key" };

function oldDirectory(files: Record<string, string> = {}) {
  const cwd = tempDir(files);
  copyFileSync(FIXTURE, join(cwd, "old.db"));
  return { cwd, sessions: (...args: string[]) => hooksh(["sessions", ...args, "-s", "old.db"], { cwd }) };
}

/** Resumes a session with a server that refuses everything. Returns the request that was sent. */
async function requestOf(id: string, model: object): Promise<Record<string, unknown>> {
  const requests: Record<string, unknown>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      requests.push((await request.json()) as Record<string, unknown>);
      return Response.json(
        { error: { message: "no", type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT" } },
        { status: 400 },
      );
    },
  });
  const models = { m: { base_url: `http://127.0.0.1:${server.port}`, ...model } };
  const agents = { root: { model: "m", description: "d", instruction: "Help." } };
  const { cwd } = oldDirectory({ "agent.yaml": JSON.stringify({ agents, models }) });
  const args = ["run", "agent.yaml", "-s", "old.db", "--session", id, "--working-dir", ".", "go on"];
  const ran = await hooksh(args, { cwd, env: KEYS });
  await server.stop(true);
  expect(ran.stderr).toContain("HTTP 400");
  return requests[0] ?? {};
}

test("list, show and export", async () => {
  const { sessions } = oldDirectory();
  const listed = JSON.parse((await sessions("list", "--json")).stdout) as { id: string; messages: number }[];
  expect(listed.map(({ id, messages }) => [id, messages])).toEqual([
    ["chat", 8],
    ["deepseek", 3],
    ["gemini", 5],
    ["claude-mixed", 3],
    ["claude-open", 3],
    ["claude", 6],
  ]);
  const shown = await sessions("show", "chat");
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  for (const line of [
    "session_start hooks: House rules.",
    "user: let the helper count",
    "root calls transfer_task(",
    "    helper: 1 2 3",
    "tool result: 1 2 3",
    "summary of what came before: They counted to three.",
    "user (withheld by a hook): something forbidden",
    "error: not this",
  ])
    expect(shown.stdout).toContain(line);
  const exported = JSON.parse((await sessions("export", "claude")).stdout) as { items: { message: object }[] };
  expect(exported.items[1]?.message).toMatchObject({
    content: "Let me look.",
    reasoning_content: "I look first.",
    thinking_signature: "c2lnLTE=",
    blocks: [{ type: "thinking" }, { type: "text", text: "Let me look." }, { type: "tool_call", id: "toolu_1" }],
  });
});

test("an open tool loop of Anthropic continues with its signed thinking", async () => {
  const { messages, thinking } = await requestOf("claude-open", {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    thinking_budget: 2048,
  });
  expect(thinking).toBeDefined();
  expect((messages as { content: object[] }[])[1]?.content).toMatchObject([
    { type: "thinking", thinking: "Once more.", signature: "c2lnLTI=" },
    { type: "tool_use", id: "toolu_3", input: { cmd: "echo two" } },
  ]);
});

test("thinking without a known position is not sent, and Anthropic is not asked to think in that loop", async () => {
  const request = await requestOf("claude-mixed", {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    thinking_budget: 2048,
  });
  expect(JSON.stringify(request)).not.toContain("c2ln");
  expect(request["thinking"]).toBeUndefined();
  expect(JSON.stringify(request["messages"])).toContain("A remark.");
});

test("calls of Gemini continue with their signature", async () => {
  const { contents } = await requestOf("gemini", { provider: "google", model: "gemini-3-flash" });
  const [first, second] = (contents as { parts: Record<string, unknown>[] }[])[1]?.parts ?? [];
  expect(first).toMatchObject({ functionCall: { args: { cmd: "echo four" } }, thoughtSignature: "c2lnLTU=" });
  expect(second).not.toHaveProperty("thoughtSignature");
});

test("an open tool loop of DeepSeek continues with its reasoning", async () => {
  const { messages } = await requestOf("deepseek", { provider: "deepseek", model: "deepseek-reasoner" });
  const [call] = (messages as { role: string }[]).filter(({ role }) => role === "assistant");
  expect(call).toMatchObject({ content: "Wait.", reasoning_content: "I call a tool.", tool_calls: [{ id: "call_1" }] });
});

test("a summary and what follows it is the conversation, without what a hook withheld", async () => {
  const { messages } = await requestOf("chat", {
    provider: "openai",
    model: "gpt-4o",
    provider_opts: { api_type: "openai_chatcompletions" },
  });
  const sent = (messages as { role: string; content: string }[]).map(({ role, content }) => `${role}: ${content}`);
  expect(sent.slice(1)).toEqual([
    "user: Session Summary: They counted to three.",
    "assistant: Going on.",
    "user: fail\n\ngo on",
  ]);
});
