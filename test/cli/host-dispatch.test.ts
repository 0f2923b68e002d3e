import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { untilEnded } from "../helpers/until-ended.ts";

type Json = Record<string, unknown>;

const command = (text: string, extra: Json = {}) => ({ type: "command", command: text, ...extra });
const guard = (text: string, extra: Json = {}) => ({
  pre_tool_use: [{ matcher: "shell", hooks: [command(text, extra)] }],
});
const say = (specific: Json) => `echo '${JSON.stringify({ hook_specific_output: specific })}'`;

/** A folder with the hooks in a file, and the payload of a shell call in Claude Code that names the folder. */
function project(hooks: unknown, files: Readonly<Record<string, string>> = {}) {
  const cwd = tempDir({ "hooks.yaml": typeof hooks === "string" ? hooks : JSON.stringify(hooks), ...files });
  const payload = {
    session_id: "s1",
    transcript_path: "/home/dev/.claude/projects/shop/s1.jsonl",
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" } as Json,
    tool_use_id: "t1",
  };
  const run = (input: unknown = payload, args: readonly string[] = [], env: Record<string, string> = {}) =>
    hooksh(["dispatch", "--hooks-file", "hooks.yaml", ...args], {
      cwd,
      env,
      input: typeof input === "string" ? input : JSON.stringify(input),
    });
  return { cwd, payload, run };
}

const denial = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

const CLAUDE = ["--dialect", "claude", "--event", "PreToolUse"];

test("an empty prompt reaches the hooks of prompts", async () => {
  const { run, payload, cwd } = project({ user_prompt_submit: [command("cat > saw.json")] });
  const prompt = { ...payload, hook_event_name: "UserPromptSubmit", timestamp: "2026-11-22T02:26:01.229Z" };
  await run({ ...prompt, prompt: "", submitted_prompt: "" }, ["--dialect", "qwen"]);
  expect(JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8"))).toMatchObject({ prompt: "" });
});

describe("on every failure, a guarded call is denied in the host's own shape", () => {
  test.each([
    ["an unknown flag", ["--hooks-flie", "x"], /unknown flag.*hooks-flie/],
    ["a value that a flag does not take", ["--ask", "maybe"], /--ask/],
    ["a hooks file that does not exist", ["--hooks-file", "none.yaml"], /none\.yaml/],
    ["a working directory that does not exist", ["--working-dir", "none"], /no such directory/],
    ["a data directory that does not exist", ["--data-dir", "none"], /none/],
    ["a deadline that is no duration", ["--deadline", "soon"], /--deadline takes a duration/],
    ["two agents", ["a.yaml", "b.yaml"], /takes one agent/],
    ["an agent that does not exist", ["a.yaml"], /a\.yaml/],
  ])("%s", async (_name, args, reason) => {
    const { run, payload } = project(guard("true"));
    for (const dialect of [[], CLAUDE]) {
      const ran = await run(payload, [...dialect, ...args]);
      expect(JSON.parse(ran.stdout)).toEqual(denial(expect.stringMatching(reason)));
      expect(JSON.parse(ran.stdout).hookSpecificOutput.permissionDecisionReason).toStartWith("hooksh: ");
      expect(ran.code).toBe(0);
    }
  });

  test.each([
    ["nothing", ""],
    ["a cut-off object", '{"session_id":"s'],
    ["text", "hello"],
    ["a list", '[{"hook_event_name":"PreToolUse"}]'],
    ["two objects", '{"hook_event_name":"PreToolUse"}{"hook_event_name":"PreToolUse"}'],
    ["a repeated key", '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_name":"Read"}'],
    ["no tool", '{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_input":{}}'],
    ["a number as the tool", '{"hook_event_name":"PreToolUse","transcript_path":"/t","tool_name":7}'],
    ["an object as the session", '{"hook_event_name":"PreToolUse","session_id":{},"tool_name":"Bash"}'],
  ])("standard input holds %s", async (_name, input) => {
    const { run, cwd } = project(guard("touch ran"));
    const ran = await run(input, CLAUDE);
    expect(JSON.parse(ran.stdout)).toEqual(denial(expect.stringMatching(/^hooksh: /)));
    expect(ran.code).toBe(0);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("the payload is of another event than --event says", async () => {
    const { run, payload, cwd } = project(guard("touch ran"));
    const reason = "hooksh: the payload is of the event PreToolUse, but hooksh was called for PostToolUse";
    for (const dialect of [[], ["--dialect", "claude"]]) {
      const ran = await run(payload, [...dialect, "--event", "PostToolUse"]);
      expect([JSON.parse(ran.stdout), ran.code]).toEqual([denial(reason), 0]);
      const shown = await run(payload, [...dialect, "--event", "PostToolUse", "--output", "result"]);
      expect([shown.lines()[0]?.["allowed"], shown.code]).toEqual([false, 64]);
    }
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("an object where text is due is the payload's mistake, not a bug of hooksh", async () => {
    const { run, payload } = project(guard("true"));
    const ran = await run({ ...payload, session_id: {} });
    const reason = expect.stringMatching(/^hooksh: pre_tool_use: session_id: expected string/);
    expect(JSON.parse(ran.stdout)).toEqual(denial(reason));
  });

  test("a number where text is due is text, and the call is judged", async () => {
    const { run, payload, cwd } = project(guard("cat > saw.json; exit 2"));
    expect(JSON.parse((await run({ ...payload, session_id: 5 })).stdout)).toEqual(denial("blocked by a hook"));
    expect(JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8")).session_id).toBe("5");
  });

  test("several events at once are refused, and the first one says whose they are", async () => {
    const { run, payload } = project(guard("touch ran"));
    const ran = await run(JSON.stringify(payload) + JSON.stringify(payload));
    expect(JSON.parse(ran.stdout)).toEqual(denial(expect.stringContaining("one event at a time")));
  });

  test("an event that cannot be denied gets no opinion, and standard error says why", async () => {
    const { run, payload } = project("pre_tool_use: [");
    const ran = await run({ ...payload, hook_event_name: "PostToolUse", tool_response: "x" });
    expect(ran).toMatchObject({ stdout: "", code: 0, stderr: expect.stringMatching(/^hooksh: hooks\.yaml:1:/) });
  });

  test("text of an agent that cannot be recognised exits with 2, and hooksh says that the reason is its own", async () => {
    const { run } = project(guard("true"));
    const stderr = expect.stringMatching(/^hooksh: line 1 of standard input is not a JSON object/);
    for (const args of [[], ["--dialect", "claude"], ["--dialect", "windsurf", "--event", "pre_run_command"]])
      expect(await run("hello", args)).toMatchObject({ stdout: "", code: 2, stderr });
  });

  test("an unknown event exits with 2 and a reason", async () => {
    const { run, payload } = project(guard("true"));
    const ran = await run({ ...payload, hook_event_name: "BeforeEverything" });
    expect(ran).toMatchObject({ stdout: "", code: 2, stderr: expect.stringContaining('"BeforeEverything"') });
  });

  test("an unknown dialect exits with 2 and lists the known ones", async () => {
    const { run, payload } = project(guard("true"));
    const ran = await run(payload, ["--dialect", "Claude"]);
    expect(ran).toMatchObject({ stdout: "", code: 2, stderr: expect.stringMatching(/did you mean claude\?.*codex/) });
  });

  test.each(["/dev/full", "/dev/null"])("an answer that is lost in %s exits with 2", async (device) => {
    const { cwd, payload } = project(guard("exit 2"));
    const shell = `${binary()} dispatch --hooks-file hooks.yaml >${device}`;
    const child = Bun.spawn(["sh", "-c", shell], {
      cwd,
      env: cleanEnv(cwd),
      stdin: Buffer.from(JSON.stringify(payload)),
    });
    expect(await child.exited).toBe(2);
  });
});

test("a payload that two agents may send is denied in the shapes of both, with a notice", async () => {
  const { run, payload } = project(guard("echo no >&2; exit 2"));
  const ran = await run({ ...payload, transcript_path: undefined, timestamp: "2026-05-02T10:00:00.000Z" });
  expect(JSON.parse(ran.stdout)).toEqual({
    ...denial("no"),
    permissionDecision: "deny",
    permissionDecisionReason: "no",
  });
  expect(ran.stderr).toContain("could also be from vscode");
});

describe("an agent that runs the registration of another one is guarded too", () => {
  const timed = {
    timestamp: "2026-10-26T17:17:38.550Z",
    transcript_path: "/x/GitHub.copilot-chat/transcripts/t.jsonl",
  };
  const refuse = "cat > saw.json; echo no >&2; exit 2";

  test("Visual Studio Code, which reads Claude Code's file: a guard of shell knows its terminal", async () => {
    const { run, payload, cwd } = project(guard(refuse));
    const ran = await run({ ...payload, ...timed, tool_name: "run_in_terminal" }, CLAUDE);
    expect(JSON.parse(ran.stdout)).toEqual(denial("no"));
    expect(JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8"))).toMatchObject({
      tool_name: "shell",
      tool_input: { cmd: "ls" },
      host: { dialect: "claude", tool_name: "run_in_terminal" },
    });
  });

  test("Copilot CLI, which reads it too: a guard of files sees the content in its fields", async () => {
    const { run, payload, cwd } = project({ pre_tool_use: [{ matcher: "write_file", hooks: [command(refuse)] }] });
    const { transcript_path: _path, ...rest } = { ...payload, ...timed };
    const input = { path: "a.ts", file_text: "secret" };
    const ran = await run({ ...rest, tool_name: "Write", tool_input: input }, CLAUDE);
    expect(JSON.parse(ran.stdout)).toEqual(denial("no"));
    const saw = JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8"));
    expect(saw.tool_input).toEqual({ path: "a.ts", content: "secret" });
  });

  test("Qwen Code, whose project is called like a folder of Visual Studio Code", async () => {
    const { run, payload } = project(guard(refuse));
    for (const path of [
      "/h/.qwen/projects/-src-workspaceStorage/c.jsonl",
      "/h/.qwen/projects/workspaceStorage/c.jsonl",
    ]) {
      const event = { ...payload, ...timed, transcript_path: path, tool_name: "run_shell_command" };
      expect(JSON.parse((await run(event)).stdout)).toEqual(denial("no"));
    }
  });

  test("Claude Code with a variable of Droid around it", async () => {
    const { run, payload } = project(guard(refuse));
    const ran = await run(payload, [], { FACTORY_PROJECT_DIR: "/p" });
    expect(JSON.parse(ran.stdout)).toEqual(denial("no"));
  });
});

describe("time", () => {
  /** Runs a dispatch whose standard input is never closed. */
  async function runOpen(cwd: string, text: string, args: readonly string[]) {
    const child = Bun.spawn([binary(), "dispatch", "--hooks-file", "hooks.yaml", ...args], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    void child.stdin.write(text);
    void child.stdin.flush();
    const [code, stdout] = await Promise.all([child.exited, child.stdout.text()]);
    return { code, stdout };
  }

  test("a complete payload is answered although standard input stays open", async () => {
    const { cwd, payload } = project(guard("echo no >&2; exit 2"));
    const { stdout, code } = await runOpen(cwd, JSON.stringify(payload), []);
    expect(JSON.parse(stdout)).toEqual(denial("no"));
    expect(code).toBe(0);
  });

  test("a payload that never ends is denied", async () => {
    const { cwd } = project(guard("true"));
    const { stdout } = await runOpen(cwd, '{"tool_name":', CLAUDE);
    expect(JSON.parse(stdout)).toEqual(denial(expect.stringContaining("no complete JSON value")));
  });

  test("no verdict by the deadline is a denial, and the hook is ended", async () => {
    const { run, payload, cwd } = project(guard("trap '' TERM; echo $$ > pid; sleep 600"));
    const ran = await run(payload, ["--deadline", "500ms"]);
    expect(JSON.parse(ran.stdout)).toEqual(denial(expect.stringContaining("no verdict within")));
    await untilEnded(Number(readFileSync(join(cwd, "pid"), "utf8")));
  });

  test("the deadline counts on a prompt too, where a failing hook would only warn", async () => {
    const { run, payload } = project({ user_prompt_submit: [command("sleep 600")] });
    const prompt = { ...payload, hook_event_name: "UserPromptSubmit", prompt: "x", tool_name: undefined };
    const ran = await run(prompt, ["--deadline", "500ms"]);
    expect(JSON.parse(ran.stdout)).toEqual({ decision: "block", reason: expect.stringContaining("no verdict within") });
  });
});

describe("what hooks see and answer", () => {
  test("a guard sees a rewrite in hooksh's fields although the rewriter used the host's", async () => {
    const { run, payload, cwd } = project({
      pre_tool_use: [
        {
          matcher: "shell",
          hooks: [
            command(say({ updated_input: { command: "rm -rf /" } }), { rewrite: true }),
            command("cat > saw.json; grep -q 'rm -rf' saw.json && exit 2; true"),
          ],
        },
      ],
    });
    const ran = await run(payload);
    expect(JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8")).tool_input).toEqual({ cmd: "rm -rf /" });
    expect(JSON.parse(ran.stdout)).toEqual(denial("blocked by a hook"));
  });

  test("one field under two names with two values is refused", async () => {
    const { run, payload } = project(guard(say({ updated_input: { command: "a", cmd: "b" } })));
    const ran = await run(payload);
    expect(JSON.parse(ran.stdout)).toEqual(denial(expect.stringContaining('updated_input gives "cmd" two values')));
  });

  test("a rewrite that changes nothing is not sent", async () => {
    const { run, payload } = project(guard(say({ updated_input: { cmd: "ls" } })));
    expect(await run(payload)).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });

  test("guards and input transforms of hooksh run before a host's tool call", async () => {
    const { run, payload, cwd } = project({
      tool_input_transform: [{ matcher: "", hooks: [command(say({ updated_input: { cmd: "ls -a" } }))] }],
      tool_guard: [{ matcher: "Bash", hooks: [command("cat > saw.json; echo guarded >&2; exit 2")] }],
    });
    expect(JSON.parse((await run(payload)).stdout)).toEqual(denial("guarded"));
    const saw = JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8"));
    expect(saw).toMatchObject({ hook_event_name: "tool_guard", tool_input: { cmd: "ls -a" } });
  });

  test("an input that only a transform rewrote reaches the host", async () => {
    const { run, payload } = project({
      tool_input_transform: [{ matcher: "", hooks: [command(say({ updated_input: { cmd: "ls -a" } }))] }],
    });
    expect(JSON.parse((await run(payload)).stdout).hookSpecificOutput.updatedInput).toEqual({ command: "ls -a" });
  });

  test("hooks run where --working-dir says, else in the payload's directory, else where hooksh started", async () => {
    const { run, payload, cwd } = project(guard("pwd > $OUT"), {
      "a/x": "",
      "b/hooks.yaml": JSON.stringify(guard("pwd > $OUT")),
    });
    const out = { OUT: join(cwd, "out") };
    const where = () => readFileSync(join(cwd, "out"), "utf8").trim();
    await run({ ...payload, cwd: join(cwd, "a") }, [], out);
    expect(where()).toBe(join(cwd, "a"));
    await run({ ...payload, cwd: join(cwd, "a") }, ["--working-dir", "b"], out);
    expect(where()).toBe(join(cwd, "b"));
    await run({ ...payload, cwd: "/no/such/place" }, [], out);
    expect(where()).toBe(cwd);
  });

  test("an event that is missing its session gets one", async () => {
    const { run, payload, cwd } = project(guard("cat > saw.json"));
    await run({ ...payload, session_id: undefined });
    expect(JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8")).session_id).toMatch(/^dispatch-/);
  });

  test("a payload of 10 MB is judged", async () => {
    const { run, payload } = project(guard("wc -c >&2; exit 2"));
    const big = { ...payload, tool_input: { command: "x".repeat(10_000_000) } };
    expect(JSON.parse((await run(big)).stdout)).toEqual(denial(expect.stringMatching(/^\s*\d{8}$/)));
  });

  test("no warning reaches standard error, the log has it", async () => {
    const { run, payload, cwd } = project(guard("echo allow"));
    const ran = await run(payload, ["--debug", "--log-file", "log"]);
    expect(ran).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(readFileSync(join(cwd, "log"), "utf8")).toContain("its standard output is not JSON");
  });

  test("an ask that the host cannot put is a denial, or no opinion with --ask allow", async () => {
    const { run, payload } = project(guard(say({ permission_decision: "ask", permission_decision_reason: "why" })));
    const codex = { ...payload, transcript_path: null, turn_id: "t", model: "m" };
    expect(JSON.parse((await run(codex)).stdout)).toEqual(denial("needs your approval: why"));
    expect(await run(codex, ["--ask", "allow"])).toMatchObject({ stdout: "", stderr: "", code: 0 });
  });
});

describe("--output result and text", () => {
  test("each payload gets the verdict of each event that it is", async () => {
    const { run, payload } = project({
      ...guard("echo no >&2; exit 2"),
      post_tool_use: [{ matcher: "", hooks: [command("true")] }],
    });
    const after = { ...payload, hook_event_name: "PostToolUse", tool_response: "x" };
    const ran = await run([payload, after, { foo: 1 }], ["--output", "result"]);
    expect(ran.lines()).toMatchObject([
      { event: "pre_tool_use", allowed: false, message: "no" },
      { event: "tool_response_transform", allowed: true },
      { event: "post_tool_use", allowed: true },
      { allowed: false },
    ]);
    expect(ran.code).toBe(1);
  });

  test("an ask exits with 3", async () => {
    const { run, payload } = project(guard(say({ permission_decision: "ask" })));
    expect((await run(payload, ["--output", "text"])).code).toBe(3);
  });
});

describe("stop_guard and response_guard run before a host's stop", () => {
  const stop = (payload: Json) => ({ ...payload, hook_event_name: "Stop", last_assistant_message: "all done" });

  test.each(["stop_guard", "response_guard"])("%s keeps the agent going", async (event) => {
    const { run, payload, cwd } = project({ [event]: [command("cat > saw.json; echo not yet >&2; exit 2")] });
    expect(JSON.parse((await run(stop(payload))).stdout)).toEqual({ decision: "block", reason: "not yet" });
    const saw = JSON.parse(readFileSync(join(cwd, "saw.json"), "utf8"));
    expect(saw).toMatchObject({ hook_event_name: event, stop_response: "all done", host: { event: "Stop" } });
  });

  test("a rewritten answer cannot be shown any more, which standard error says", async () => {
    const { run, payload } = project({ response_guard: [command(say({ updated_response: "redacted" }))] });
    const ran = await run(stop(payload));
    expect(ran).toMatchObject({ stdout: "", code: 0, stderr: expect.stringContaining("has already shown the answer") });
  });
});

describe("a row of continuations", () => {
  const stop = (active: boolean) => ({
    session_id: "s1",
    turn_id: "t",
    transcript_path: null,
    hook_event_name: "Stop",
    model: "m",
    permission_mode: "default",
    stop_hook_active: active,
  });

  test("ends with the ninth for a host that has no limit, and starts anew after a stop", async () => {
    const { run, cwd } = project({ stop: [command("test -e green || { echo red >&2; exit 2; }")] }, { "data/x": "" });
    const attempt = (active: boolean) => run(stop(active), ["--data-dir", "data"]);
    const answers: string[] = [];
    for (let round = 0; round < 10; round++) answers.push((await attempt(round > 0)).stdout);
    const red = JSON.stringify({ decision: "block", reason: "red" });
    expect(answers).toEqual([...Array(8).fill(red), "", ""]);
    writeFileSync(join(cwd, "green"), "");
    expect((await attempt(true)).stdout).toBe("");
    rmSync(join(cwd, "green"));
    expect((await attempt(true)).stdout).toBe(red);
    const folder = join(cwd, "data/stops");
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  test("is answered as hooks say if the count cannot be written", async () => {
    const { run } = project({ stop: [command("echo red >&2; exit 2")] }, { "data/stops": "" });
    const ran = await run(stop(true), ["--data-dir", "data"]);
    expect(ran).toMatchObject({ stdout: expect.stringContaining("red"), code: 0 });
  });
});
