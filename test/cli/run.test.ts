import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { contractOf } from "../../src/protocol/events.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { ORDINARY_EVENTS } from "../helpers/ordinary-events.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

/** One hook on every event that appends its input to a log. */
function logEverything(cwd: string): Record<string, unknown> {
  const hook = { type: "command", command: `cat >> ${join(cwd, "events.log")}` };
  return Object.fromEntries(
    ORDINARY_EVENTS.map((event) => [event, contractOf(event).matcher ? [{ hooks: [hook] }] : [hook]]),
  );
}

function logged(cwd: string): Record<string, unknown>[] {
  return readFileSync(join(cwd, "events.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const shell = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });

describe("a headless run", () => {
  test("prints exactly what the agent says and a newline when tool calls are hidden", async () => {
    const server = serve({ text: "2 + 2 is 4." });
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    expect(await hooksh(["run", "agent.yaml", "--hide-tool-calls", "What is 2+2?"], { cwd })).toMatchObject({
      code: 0,
      stdout: "2 + 2 is 4.\n",
      stderr: "",
    });
    expect(server.requests[0]?.messages.at(-1)).toMatchObject({ role: "user", content: "What is 2+2?" });
  });

  test("fires every event of a plain answer once, in order", async () => {
    const server = serve({ text: "Hello" });
    const cwd = tempDir();
    await Bun.write(join(cwd, "agent.yaml"), agentFor(server, { hooks: logEverything(cwd) }));
    expect((await hooksh(["run", "agent.yaml", "hi"], { cwd })).code).toBe(0);
    const events = logged(cwd);
    expect(events.map(({ hook_event_name }) => hook_event_name)).toEqual([
      "session_start",
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "response_guard",
      "after_llm_call",
      "stop_guard",
      "stop",
      "turn_end",
      "on_user_input",
      "session_end",
    ]);
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
    for (const event of events) expect(event).toMatchObject({ cwd, agent_name: "root" });
    expect(events[0]).toMatchObject({ source: "startup" });
    expect(events[5]).toMatchObject({
      stop_response: "Hello",
      last_user_message: "hi",
      model_id: "fake/model",
      usage: { input_tokens: 10, output_tokens: 5 },
    });
    expect(events[8]).toMatchObject({ reason: "normal" });
    expect(events[10]).toMatchObject({ reason: "other" });
  });

  test("a guard blocks under --yolo: the call does not run, the model gets the reason, the run continues", async () => {
    const server = serve(shell("touch forbidden"), { text: "All right." });
    const guard = {
      pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "echo 'not here' >&2; exit 2" }] }],
    };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks: guard }) });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("Denied shell(cmd: touch forbidden): not here");
    expect(existsSync(join(cwd, "forbidden"))).toBe(false);
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("not here"),
    });
  });

  test.each([
    ["crashes", "exit 1"],
    ["hangs", "sleep 60"],
    ["prints nonsense", "echo '{'"],
  ])("a guard that %s blocks the call", async (_name, command) => {
    const server = serve(shell("touch forbidden"), { text: "All right." });
    const guard = { pre_tool_use: [{ hooks: [{ type: "command", command, timeout: 1, on_error: "ignore" }] }] };
    const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks: guard }) });
    expect((await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "forbidden"))).toBe(false);
  });

  test("without a terminal a call that would ask is rejected, and permission rules decide without asking", async () => {
    const server = serve(
      {
        calls: [
          { name: "shell", arguments: { cmd: "touch asked" } },
          { name: "shell", arguments: { cmd: "touch allowed" } },
        ],
      },
      { text: "done" },
    );
    const cwd = tempDir();
    const agent = JSON.parse(agentFor(server, { hooks: logEverything(cwd) }));
    await Bun.write(
      join(cwd, "agent.yaml"),
      JSON.stringify({ ...agent, permissions: { allow: ["shell:cmd=touch allowed"] } }),
    );
    expect((await hooksh(["run", "agent.yaml", "go"], { cwd })).code).toBe(0);
    expect([existsSync(join(cwd, "asked")), existsSync(join(cwd, "allowed"))]).toEqual([false, true]);
    const decisions = logged(cwd).filter(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision");
    expect(decisions).toMatchObject([
      { approval_decision: "deny", tool_input: { cmd: "touch asked" } },
      { approval_decision: "allow", approval_source: "team_permissions_allow" },
    ]);
  });

  test("--json prints one object per line, including a denied call and an error, and nothing else", async () => {
    const server = serve(shell("echo hi"), () => Response.json({ error: { message: "quota" } }, { status: 400 }));
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    const ran = await hooksh(["run", "agent.yaml", "--json", "--yolo", "go"], { cwd });
    expect(ran.code).toBe(1);
    const events = ran.lines();
    for (const { type, timestamp } of events) expect([typeof type, typeof timestamp]).toEqual(["string", "string"]);
    expect(events.map(({ type }) => type)).toContain("tool_call_response");
    expect(events.find(({ type }) => type === "error")).toMatchObject({
      code: "model_error",
      error: expect.stringContaining("quota"),
    });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["stream_stopped", "run_ended"]);
    // hooksh always adds the limit on large results
    expect(events.filter(({ type }) => type === "hook_started")).toEqual([]);
  });

  test("several messages are one conversation; an error ends it", async () => {
    const server = serve({ text: "one" }, () => new Response("no", { status: 400 }));
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    const ran = await hooksh(["run", "agent.yaml", "first", "second", "third"], { cwd });
    expect(ran.code).toBe(1);
    expect(server.requests[1]?.messages.slice(-3).map(({ content }) => content)).toEqual(["first", "one", "second"]);
  });

  test("a run gives up on an endless message on standard input", async () => {
    const cwd = tempDir({ "agent.yaml": agentFor(serve()) });
    const child = Bun.spawn(["/bin/sh", "-c", `yes | ${binary()} run agent.yaml -; echo $?`], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await child.stdout.text()).toBe("1\n");
    expect(await child.stderr.text()).toContain("the message on standard input is longer than 64 MiB");
  });

  test("the message may come from standard input, and may not be blank", async () => {
    const server = serve({ text: "ok" });
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    expect((await hooksh(["run", "agent.yaml", "-"], { cwd, input: "from the pipe\n" })).code).toBe(0);
    expect(server.requests[0]?.messages.at(-1)?.content).toBe("from the pipe");
    const blank = await hooksh(["run", "agent.yaml"], { cwd, input: " \n" });
    expect(blank).toMatchObject({ code: 1, stdout: "" });
    expect(blank.stderr).toContain("no message");
  });

  test("hooks of flags apply, and see the agent's tools", async () => {
    const server = serve(shell("echo hi"), { text: "done" });
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    const ran = await hooksh(
      ["run", "agent.yaml", "--yolo", "--hook-pre-tool-use", "cat > seen.json", "--hook-stop", "touch stopped", "go"],
      { cwd },
    );
    expect(ran.code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, "seen.json"), "utf8"))).toMatchObject({
      tool_name: "shell",
      tool_input: { cmd: "echo hi" },
      tool_category: "shell",
      safety_policy: "autonomous",
    });
    expect(existsSync(join(cwd, "stopped"))).toBe(true);
  });
});

describe("Ctrl+C", () => {
  test.each([["SIGINT"], ["SIGTERM"]] as const)(
    "%s ends the run after its last hooks, and leaves no process",
    async (signal) => {
      const server = serve(shell(`touch started; sleep 303.3${process.pid}`));
      const cwd = tempDir();
      await Bun.write(join(cwd, "agent.yaml"), agentFor(server, { hooks: logEverything(cwd) }));
      const child = Bun.spawn([binary(), "run", "agent.yaml", "--yolo", "go"], {
        cwd,
        env: cleanEnv(cwd),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      await until(() => existsSync(join(cwd, "started")));
      child.kill(signal);
      expect(await child.exited).toBe(130);
      const events = logged(cwd);
      expect(events.filter(({ hook_event_name }) => hook_event_name === "turn_end")).toMatchObject([
        { reason: "canceled" },
      ]);
      expect(events.at(-1)).toMatchObject({ hook_event_name: "session_end" });
      expect(Bun.spawnSync(["pgrep", "-f", `sleep 303.3${process.pid}`]).stdout.toString()).toBe("");
    },
  );
});

describe("record and replay", () => {
  test("a recorded run replays without the server, without a key and with the same events", async () => {
    const server = serve(shell("echo recorded"), { text: "It said recorded." });
    const cwd = tempDir();
    await Bun.write(join(cwd, "agent.yaml"), agentFor(server, { hooks: logEverything(cwd) }));
    const first = await hooksh(["run", "agent.yaml", "--yolo", "--record=tape", "go"], { cwd });
    expect(first.code).toBe(0);
    const events = logged(cwd).map(({ hook_event_name }) => hook_event_name);
    server.stop();
    await Bun.write(join(cwd, "events.log"), "");
    const second = await hooksh(["run", "agent.yaml", "--yolo", "--fake", "tape.yaml", "go"], { cwd });
    expect(second).toMatchObject({ code: 0, stdout: first.stdout });
    expect(logged(cwd).map(({ hook_event_name }) => hook_event_name)).toEqual(events);
  });

  test("a request that the recording does not contain ends the run with 1 and names it", async () => {
    const cwd = tempDir({
      "tape.yaml": "version: 2\ninteractions: []\n",
      "agent.yaml": agentFor({ url: "http://127.0.0.1:9/v1" }),
    });
    const ran = await hooksh(["run", "agent.yaml", "--fake", "tape", "go"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("127.0.0.1:9/v1/chat/completions");
  });

  test("a question that the recording does not contain ends the run with 1 and names the nearest one; --fake-loose answers it", async () => {
    const server = serve({ text: "Four." }, { text: "Nine." });
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    const run = (...args: string[]) => hooksh(["run", "agent.yaml", ...args], { cwd });
    expect((await run("--record=tape", "What is 2+2?", "What is 3*3?")).code).toBe(0);
    server.stop();
    expect(await run("--fake", "tape", "What is 2+2?", "What is 3*3?")).toMatchObject({
      code: 0,
      stdout: "Four.\nNine.\n",
    });
    const other = await run("--fake", "tape", "What is 2+3?");
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toMatch(
      / "What is 2\+3\?" in tape\.yaml: the nearest is interaction 0, .* "What is 2\+2\?", not replayed yet/,
    );
    expect(await run("--fake", "tape", "--fake-loose", "What is 2+3?")).toMatchObject({ code: 0, stdout: "Four.\n" });
    expect((await run("--fake-loose", "hi")).code).toBe(64);
  });
});

describe("errors that are reported in one line before anything starts", () => {
  const AGENT = (extra: object, keys: object = {}) =>
    JSON.stringify({ agents: { root: { model: "openai/gpt-4o-mini", instruction: "Help.", ...extra } }, ...keys });

  test.each([
    ["no key", AGENT({}), [], /^not set: OPENAI_API_KEY: needed by openai\/gpt-4o-mini;/],
    [
      "an unknown key",
      AGENT({ instrucion: "x" }),
      [],
      /^agent\.yaml:1:\d+: agents\.root\.instrucion: unknown key.*instruction/,
    ],
    [
      "a guard with a typo",
      AGENT({ hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", comand: "x" }] }] } }),
      [],
      /^agent\.yaml:1:\d+: agents\.root\.hooks\.pre_tool_use\[0\]\.hooks\[0\]: unknown key "comand"/,
    ],
    [
      "an invalid matcher",
      AGENT({ hooks: { pre_tool_use: [{ matcher: "(", hooks: [{ type: "command", command: "x" }] }] } }),
      [],
      /invalid matcher/,
    ],
    ["an unknown event", AGENT({ hooks: { pre_tool: [] } }), [], /hooks\.pre_tool: unknown event/],
    ["an unknown agent", AGENT({}), ["--agent", "nobody"], /^--agent nobody: no such agent; the file has root/],
    ["an unknown provider", AGENT({ model: "opnai/gpt" }), [], /opnai/],
  ])("%s", async (_name, agent, args, message) => {
    const cwd = tempDir({ "agent.yaml": agent });
    const ran = await hooksh(["run", "agent.yaml", ...args, "--hook-session-start", "touch started", "go"], { cwd });
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain("    at ");
    expect(ran.stdout).toBe("");
    expect([1, 64]).toContain(ran.code);
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });

  test("a missing file", async () => {
    expect(await hooksh(["run", "nowhere.yaml", "go"], { cwd: tempDir() })).toMatchObject({
      code: 1,
      stderr: "nowhere.yaml: no such file\n",
    });
  });

  test("an unreachable model ends the run with 1, after its last hooks", async () => {
    const cwd = tempDir();
    await Bun.write(join(cwd, "agent.yaml"), agentFor({ url: "http://127.0.0.1:9/v1" }, { hooks: logEverything(cwd) }));
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^error: model failed: .*127\.0\.0\.1:9/);
    expect(logged(cwd).map(({ hook_event_name }) => hook_event_name)).toEqual([
      "session_start",
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "notification",
      "on_error",
      "turn_end",
      "on_user_input",
      "session_end",
    ]);
  });

  test.each([
    [["--record=a", "--fake", "b"]],
    [["--safety", "yolo"]],
    [["--max-iterations", "many"]],
    [["--fake-stream=3"]],
    [["--working-dir", "nowhere"]],
  ])("usage: %j", async (args) => {
    const ran = await hooksh(["run", "agent.yaml", ...args, "go"], { cwd: tempDir({ "agent.yaml": AGENT({}) }) });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
  });
});
