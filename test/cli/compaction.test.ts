import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";
import {
  type WireMessage,
  type WireReply,
  type WireRequest,
  windowServer,
  wireText,
} from "../helpers/window-server.ts";

const SUMMARY = "Session Summary: ";

/** True for a request for a summary, which has no tools. */
const asksForSummary = ({ tools = [] }: WireRequest) => tools.length === 0;

/** An agent whose model is configured with the server's real context window, or with another one. */
function agentFile(url: string, contextSize: number, keys: Record<string, unknown> = {}): string {
  return JSON.stringify({
    agents: {
      root: {
        model: "small",
        instruction: "Help.",
        redact_secrets: false,
        toolsets: [{ type: "filesystem" }],
        ...keys,
      },
    },
    models: { small: { provider: "fake", model: "model", provider_opts: { context_size: contextSize } } },
    providers: { fake: { base_url: url } },
  });
}

/** A directory with an agent for a server, and runs of the executable in it. */
function setUp(
  window: number,
  answer: (request: WireRequest, index: number) => WireReply | Promise<WireReply>,
  { contextSize = window, keys = {} }: { contextSize?: number; keys?: Record<string, unknown> } = {},
) {
  const server = windowServer(window, answer);
  const cwd = tempDir({ "agent.yaml": agentFile(server.url, contextSize, keys) });
  const run = (...args: string[]) => hooksh(["run", "agent.yaml", "--yolo", ...args], { cwd });
  const asked = () => server.requests.filter((request) => !asksForSummary(request));
  const summaries = () => server.requests.filter(asksForSummary);
  return { server, cwd, run, asked, summaries, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

const spoken = ({ messages = [] }: Partial<WireRequest> = {}) => messages.filter(({ role }) => role !== "system");
const shown = (message: WireMessage) => `${message.role}: ${wireText(message)}`;
/** Joins adjacent messages of the same role, as a provider does. */
const joined = (...texts: string[]) => texts.join("\n\n");
const reads = (path: string): WireReply => ({ calls: [{ name: "read_file", arguments: { path } }] });

describe("a summary", () => {
  const full = { prompt: 7500, completion: 10 };

  test("cut off at its limit is requested again, shorter, and never used as the conversation", async () => {
    let asked = 0;
    using agent = setUp(8000, (request) => {
      if (asksForSummary(request))
        return asked++ === 0 ? { text: "The user wan", finish: "length" } : { text: "All of it." };
      return { text: "Fine.", usage: full };
    });
    const { code, lines } = await agent.run("--json", "my colour is blue", "and my dog is old");
    expect(code).toBe(0);
    expect(agent.summaries()).toHaveLength(2);
    const [first = "", second = ""] = agent
      .summaries()
      .map(({ messages }) => wireText(messages.at(-1) ?? { role: "" }));
    expect(second).toStartWith(first);
    expect(second).toContain("at most");
    expect(lines().filter(({ type }) => type === "session_summary")).toMatchObject([{ summary: "All of it." }]);
    expect(spoken(agent.asked().at(-1)).map(shown)).toEqual([
      joined(`user: ${SUMMARY}All of it.`, "and my dog is old"),
    ]);
  });

  test.each([
    ["ended at its limit", { text: "The user wan", finish: "length" }],
    ["was refused", { text: "I cannot help with that.", finish: "content_filter" }],
    ["is empty", { text: " " }],
    ["is a tool call", reads("a.txt")],
  ])("that %s every time leaves the session unchanged, and the run reports it and continues", async (_what, bad) => {
    using agent = setUp(8000, (request) => (asksForSummary(request) ? bad : { text: "Fine.", usage: full }));
    const { code, lines } = await agent.run("--json", "my colour is blue", "and my dog is old");
    expect(code).toBe(0);
    expect(agent.summaries()).toHaveLength(3);
    expect(
      lines()
        .filter(({ type }) => type === "session_compaction")
        .at(-1),
    ).toMatchObject({ outcome: "failed" });
    expect(lines().filter(({ type }) => type === "error")).toMatchObject([
      { error: expect.stringMatching(/^the conversation is not compacted: .*, 3 times; nothing is lost$/) },
    ]);
    expect(spoken(agent.asked().at(-1)).map(shown)).toEqual([
      "user: my colour is blue",
      "assistant: Fine.",
      "user: and my dog is old",
    ]);
  });

  test("is requested without thinking, whatever is configured for the model", async () => {
    const bodies: { thinking?: { type: string }; max_tokens: number }[] = [];
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        bodies.push((await request.json()) as (typeof bodies)[number]);
        return anthropicReply("Fine.", 195_000);
      },
    });
    const cwd = tempDir({
      "agent.yaml": JSON.stringify({
        agents: { root: { model: "claude", instruction: "Help." } },
        models: {
          claude: {
            provider: "anthropic",
            model: "claude-sonnet-4-0",
            thinking_budget: 16_000,
            max_tokens: 32_000,
            base_url: `http://127.0.0.1:${server.port}`,
          },
        },
      }),
    });
    const env = { ANTHROPIC_API_KEY: "a-key-for-loopback" };
    expect(await hooksh(["run", "agent.yaml", "one", "two"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(bodies.map(({ thinking }) => thinking?.type ?? "disabled")).toEqual(["enabled", "disabled", "enabled"]);
    expect(bodies[1]?.max_tokens).toBe(16_000);
  });
});

/** A streamed text from a server with Anthropic's API. */
function anthropicReply(text: string, inputTokens: number): Response {
  const events: { type: string }[] = [
    { type: "message_start", message: { usage: { input_tokens: inputTokens, output_tokens: 1 } } } as { type: string },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as { type: string },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } } as { type: string },
    { type: "content_block_stop", index: 0 } as { type: string },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } } as { type: string },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

describe("a conversation that no longer fits", () => {
  test("keeps the unanswered question", async () => {
    const question = `Compare these: ${"some words ".repeat(200)}`;
    using agent = setUp(4000, (request) =>
      asksForSummary(request) ? { text: "Blue." } : { text: "word ".repeat(700) },
    );
    const { code } = await agent.run("one", "two", "three", "four", question);
    expect(code).toBe(0);
    expect(agent.summaries().length).toBeGreaterThan(0);
    const last = spoken(agent.asked().at(-1)).map(shown);
    expect(last[0]).toStartWith(`user: ${SUMMARY}Blue.`);
    expect(last.at(-1)).toEndWith(question);
    expect(agent.server.tooLong).toEqual([]);
  });

  test("is compacted by estimate if the provider reports no usage", async () => {
    using agent = setUp(6000, (request, index) => {
      if (asksForSummary(request)) return { text: "So far all files were read." };
      return index < 30 ? reads(`notes-${index % 2}.txt`) : { text: "done" };
    });
    for (const n of [0, 1]) await Bun.write(join(agent.cwd, `notes-${n}.txt`), "a line of the file\n".repeat(60));
    const { code } = await agent.run("read it all, then say done");
    expect(code).toBe(0);
    expect(agent.server.tooLong).toEqual([]);
    expect(agent.summaries().length).toBeGreaterThan(1);
    for (const request of agent.asked().slice(10))
      expect(spoken(request).map(shown)).toContainEqual(expect.stringMatching(/^user: .*read it all, then say done$/s));
  });

  test("is compacted by estimate if the provider reports zeros", async () => {
    const usage = { prompt: 0, completion: 0 };
    using agent = setUp(6000, (request, index) => {
      if (asksForSummary(request)) return { text: "So far.", usage };
      return index < 30 ? { ...reads(`notes-${index % 2}.txt`), usage } : { text: "done", usage };
    });
    for (const n of [0, 1]) await Bun.write(join(agent.cwd, `notes-${n}.txt`), "a line of the file\n".repeat(60));
    expect((await agent.run("read it all")).code).toBe(0);
    expect(agent.server.tooLong).toEqual([]);
    expect(agent.summaries().length).toBeGreaterThan(1);
  });

  test("because of one huge tool result is sent with the middle of the result removed", async () => {
    using agent = setUp(8000, (request, index) => {
      if (asksForSummary(request)) return { text: "So far." };
      return index === 0 ? reads("huge.txt") : { text: "done" };
    });
    await Bun.write(join(agent.cwd, "huge.txt"), `BEGIN ${`${"words ".repeat(20)}\n`.repeat(370)} END`);
    const { code, stdout } = await agent.run("read it");
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("done") });
    const [question, , result] = spoken(agent.asked().at(-1)).map(shown);
    expect(question).toBe("user: read it");
    expect(result).toMatch(/^tool: BEGIN [^]* characters cut [^]* END$/);
  });

  test("because of one huge question fails at once with advice, and the session stays usable", async () => {
    using agent = setUp(8000, () => ({ text: "Fine." }));
    const id = ["--session", "mine"];
    await Bun.write(join(agent.cwd, "question.txt"), `What is this? ${"word ".repeat(20_000)}`);
    const huge = Bun.file(join(agent.cwd, "question.txt"));
    expect((await agent.run(...id, "hello")).code).toBe(0);
    const refused = await hooksh(["run", "agent.yaml", ...id, "-"], { cwd: agent.cwd, input: await huge.text() });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /the newest message \d+\), and the context window of fake\/model holds 8000: shorten the message/,
    );
    expect(agent.server.requests.length).toBeLessThan(4);
    expect((await agent.run(...id, "never mind")).code).toBe(0);
    expect(spoken(agent.asked().at(-1)).map(shown).at(-1)).toEndWith("never mind");
  });

  test("is made smaller for a model with a smaller window than configured, or the run ends", async () => {
    using agent = setUp(
      3000,
      (request) => (asksForSummary(request) ? { text: "Blue." } : { text: "word ".repeat(300) }),
      {
        contextSize: 100_000,
      },
    );
    const texts = Array.from({ length: 12 }, (_, n) => `question ${n}`);
    const { code } = await agent.run(...texts);
    expect(code).toBe(0);
    expect(agent.server.tooLong.length).toBeGreaterThan(0);
    expect(spoken(agent.asked().at(-1)).map(shown).at(-1)).toBe("user: question 11");
  });
});

test("max_tool_result_tokens cuts the text next to an image", async () => {
  using agent = setUp(
    1_000_000,
    (_request, index) =>
      index === 0
        ? { calls: [{ name: "read_multiple_files", arguments: { paths: ["dot.png", "long.txt"] } }] }
        : { text: "done" },
    { keys: { max_tool_result_tokens: 500 } },
  );
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await Bun.write(join(agent.cwd, "dot.png"), Buffer.from(dot, "base64"));
  await Bun.write(join(agent.cwd, "long.txt"), `BEGIN${"x".repeat(100_000)}`);
  expect((await agent.run("look")).code).toBe(0);
  const result = agent.server.requests[1]?.messages.find(({ role }) => role === "tool");
  expect(wireText(result ?? { role: "" }).length).toBeLessThan(2100);
  expect(wireText(result ?? { role: "" })).toContain("characters cut");
});

test("a run that is killed while the summary is written loses nothing, and the next one compacts again", async () => {
  const full = { prompt: 7500, completion: 10 };
  let asked = 0;
  using agent = setUp(8000, async (request) => {
    if (!asksForSummary(request)) return { text: "Fine.", usage: full };
    if (asked++ === 0) {
      await Bun.write(join(agent.cwd, "asked"), "");
      await Bun.sleep(60_000);
    }
    return { text: "Blue." };
  });
  expect((await agent.run("--session", "mine", "my colour is blue")).code).toBe(0);
  const command = [binary(), "run", "agent.yaml", "--session", "mine", "and my dog is old"];
  const env = cleanEnv(agent.cwd);
  const child = Bun.spawn(command, { cwd: agent.cwd, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await until(() => existsSync(join(agent.cwd, "asked")));
  child.kill("SIGKILL");
  await child.exited;
  expect((await agent.run("--session", "mine", "which colour?")).code).toBe(0);
  expect(spoken(agent.asked().at(-1)).map(shown)).toEqual([
    joined(`user: ${SUMMARY}Blue.`, "and my dog is old", "which colour?"),
  ]);
});
