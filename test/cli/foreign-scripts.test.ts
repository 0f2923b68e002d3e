import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** A guard as people write it for Claude Code, without a JSON parser. */
const GUARD = `#!/bin/sh
input=$(cat)
printf '%s' "$input" > saw.json
case $input in
  *'"command":"touch forbidden'*)
    printf '%s\\n' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not that file"}}' ;;
esac
`;

const hook = (command: string, more: object = {}) => ({ type: "command", dialect: "claude", command, ...more });
const onShell = (...hooks: object[]) => ({ pre_tool_use: [{ matcher: "shell", hooks }] });

async function dispatch(
  hooks: object,
  event: object,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
) {
  const cwd = tempDir({ "hooks.json": JSON.stringify(hooks), "guard.sh": GUARD });
  const input = JSON.stringify(event).replaceAll("$DIR", cwd);
  const ran = await hooksh(["dispatch", "--hooks-file", "hooks.json", ...args], { cwd, input, env });
  const saw = Bun.file(join(cwd, "saw.json"));
  return { ...ran, cwd, saw: (await saw.exists()) ? ((await saw.json()) as Record<string, unknown>) : undefined };
}

const canonical = {
  session_id: "s1",
  cwd: "$DIR",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "c1",
};
const claude = {
  session_id: "c-1",
  transcript_path: "/home/dev/t.jsonl",
  cwd: "$DIR",
  permission_mode: "plan",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "touch forbidden", description: "try" },
  tool_use_id: "toolu_1",
  private: { kept: [1, null] },
};

describe("a Claude Code guard", () => {
  test("guards a run", async () => {
    const call = (cmd: string) => ({ text: "try", calls: [{ name: "shell", arguments: { cmd } }] });
    const server = serve(call("touch forbidden"), call("touch made"), { text: "done." });
    const agent = agentFor(server, { hooks: onShell(hook("sh guard.sh")), toolsets: [{ type: "shell" }] });
    const cwd = tempDir({ "agent.yaml": agent, "guard.sh": GUARD });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(ran.stdout).toContain("not that file");
    expect(await Bun.file(join(cwd, "forbidden")).exists()).toBe(false);
    expect(await Bun.file(join(cwd, "made")).exists()).toBe(true);
    expect(await Bun.file(join(cwd, "saw.json")).json()).toMatchObject({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "touch made" },
      permission_mode: "default",
      cwd,
    });
  });

  test("reads the event of Claude Code itself untouched", async () => {
    const { cwd, saw, stdout, code } = await dispatch(onShell(hook("sh guard.sh")), claude);
    expect(saw).toEqual({ ...claude, cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "not that file" },
    });
    expect(code).toBe(0);
  });

  test("sees the rewrite of another hook, and no other change", async () => {
    const rewriter = {
      type: "command",
      rewrite: true,
      command: `echo '{"hook_specific_output":{"updated_input":{"cmd":"touch forbidden/x"}}}'`,
    };
    const event = { ...claude, tool_input: { command: "touch fine", description: "try" } };
    const { cwd, saw, stdout } = await dispatch(onShell(rewriter, hook("sh guard.sh")), event);
    expect(saw).toEqual({ ...event, cwd, tool_input: { command: "touch forbidden/x", description: "try" } });
    expect(stdout).toContain('"deny"');
  });

  test("has its project in the environment unless that is set, and the caller stays the caller", async () => {
    const print = hook(`printf '%s|%s|%s' "$CLAUDE_PROJECT_DIR" "$HOOKSH_DIALECT" "$HOOKSH_HOST_EVENT" >&2; exit 2`);
    const event = {
      session_id: "g",
      cwd: "$DIR",
      hook_event_name: "BeforeTool",
      timestamp: "2026-05-02T10:00:00Z",
      transcript_path: "",
      tool_name: "run_shell_command",
      tool_input: { command: "ls" },
    };
    const ran = await dispatch(onShell(print), event);
    expect(JSON.parse(ran.stdout)).toEqual({ decision: "deny", reason: `${ran.cwd}|gemini|BeforeTool` });
    const set = await dispatch(
      onShell(print),
      { ...canonical, tool_input: { cmd: "ls" } },
      { env: { CLAUDE_PROJECT_DIR: "/elsewhere" } },
    );
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining("/elsewhere||") });
  });

  test("that crashes blocks the call", async () => {
    const ran = await dispatch(onShell(hook("exit 1")), { ...canonical, tool_input: { cmd: "ls" } });
    expect(ran.code).toBe(2);
    const host = await dispatch(onShell(hook("exit 1")), claude);
    expect(host).toMatchObject({ code: 0, stdout: expect.stringContaining('"deny"') });
  });

  test("may rewrite a call under another agent", async () => {
    const rewrite = hook(
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls -a"}}}'`,
    );
    const ran = await dispatch(
      onShell(rewrite),
      { sessionId: "h", timestamp: 1, cwd: "$DIR", toolName: "bash", toolArgs: { command: "ls" } },
      { args: ["--dialect", "copilot", "--event", "preToolUse"] },
    );
    expect(JSON.parse(ran.stdout)).toEqual({ modifiedArgs: { command: "ls -a" } });
  });
});

test("a Stop hook keeps another agent going, and one on stop_guard an agent of hooksh", async () => {
  const red = hook(`echo '{"decision":"block","reason":"tests are red"}'`);
  const event = {
    session_id: "g",
    cwd: "$DIR",
    hook_event_name: "AfterAgent",
    timestamp: "2026-05-02T10:00:00Z",
    transcript_path: "",
    prompt: "fix",
    prompt_response: "done",
    stop_hook_active: false,
  };
  const gemini = await dispatch({ stop: [red] }, event);
  expect(JSON.parse(gemini.stdout)).toEqual({ decision: "deny", reason: "tests are red" });
  const own = { session_id: "s1", cwd: "$DIR", hook_event_name: "stop_guard", stop_response: "done" };
  expect(await dispatch({ stop_guard: [red] }, own)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("tests are red"),
  });
});

test("feedback after a tool does not end a run, and reaches the model of another agent", async () => {
  const hooks = { post_tool_use: [{ matcher: "shell", hooks: [hook("echo lint failed >&2; exit 2")] }] };
  const own = { ...canonical, hook_event_name: "post_tool_use", tool_input: { cmd: "ls" }, tool_response: "a" };
  const ran = await dispatch(hooks, own);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ hook_specific_output: { additional_context: "lint failed" } });
  const host = await dispatch(hooks, {
    ...claude,
    hook_event_name: "PostToolUse",
    tool_response: { stdout: "a", stderr: "" },
  });
  expect(JSON.parse(host.stdout)).toEqual({ decision: "block", reason: "lint failed" });
});

test("an approval that its own agent ignores skips no confirmation of another", async () => {
  const gemini = { type: "command", dialect: "gemini", command: `echo '{"decision":"allow"}'` };
  const other = await dispatch(onShell(gemini), claude);
  expect(other).toMatchObject({ code: 0, stdout: "" });
  const same = await dispatch(
    onShell(hook(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`)),
    claude,
  );
  expect(same.stdout).toContain('"allow"');
});

test("variables about the call are those of this call", async () => {
  const print = {
    type: "command",
    dialect: "crush",
    command: `printf '%s %s %s %s' "$CRUSH" "$CRUSH_TOOL_NAME" "$CRUSH_TOOL_INPUT_COMMAND" "$CRUSH_SESSION_ID" >&2; exit 2`,
  };
  const env = { CRUSH_TOOL_NAME: "outer", CRUSH_TOOL_INPUT_COMMAND: "outer" };
  const ran = await dispatch(onShell(print), { ...canonical, tool_input: { cmd: "ls -l" } }, { env });
  expect(ran.stderr).toContain("1 bash ls -l s1");
});

test("a prompt gets the text of a prompt hook as context", async () => {
  const hooks = { user_prompt_submit: [hook("grep -q '\"prompt\":\"what is next\"' && echo 'ticket: SHOP-9'")] };
  const event = { session_id: "s1", cwd: "$DIR", hook_event_name: "user_prompt_submit", prompt: "what is next" };
  const ran = await dispatch(hooks, event);
  expect(JSON.parse(ran.stdout)).toMatchObject({ hook_specific_output: { additional_context: "ticket: SHOP-9" } });
});

test("a guard without the key is refused with a message that names it", async () => {
  const { dialect: _none, ...plain } = hook("sh guard.sh");
  const event = { ...canonical, tool_input: { cmd: "x", command: "touch forbidden" } };
  const ran = await dispatch(onShell(plain), event);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain("the answer is in Claude Code's shape: set dialect: claude on the hook");
});

describe("configuration", () => {
  test.each([
    [
      { pre_tool_use: [{ hooks: [hook("x", { dialect: "cluade" })] }] },
      'hooks.pre_tool_use[0].hooks[0]: unknown dialect "cluade" (did you mean claude?)',
    ],
    [
      { pre_tool_use: [{ hooks: [hook("x", { dialect: "antigravity" })] }] },
      'unknown dialect "antigravity" (did you mean agy?)',
    ],
    [{ pre_tool_use: [{ hooks: [hook("x", { dialect: "opencode" })] }] }, "opencode starts no scripts"],
    [{ session_start: [hook("x", { dialect: "crush" })] }, "crush has no event for session_start; it has pre_tool_use"],
    [
      { session_start: [{ type: "builtin", command: "add_date", dialect: "claude" }] },
      "dialect has no effect on hooks of type builtin: it belongs to type command",
    ],
  ])("%j", async (hooks, message) => {
    const ran = await dispatch(hooks, { ...canonical, tool_input: {} });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain(message);
  });

  test.each(["hooksh", "docker-agent"])("dialect: %s is hooksh's own protocol", async (dialect) => {
    const own = { type: "command", dialect, command: "cat > saw.json" };
    const { saw, code } = await dispatch(onShell(own), { ...canonical, tool_input: { cmd: "ls" } });
    expect(code).toBe(0);
    expect(saw).toMatchObject({ hook_event_name: "pre_tool_use", tool_input: { cmd: "ls" } });
  });

  test("`hooks list` shows the dialect, and two hooks that differ in it are no duplicates", async () => {
    const hooks = onShell(hook("echo"), hook("echo", { dialect: "codex" }));
    const cwd = tempDir({ "hooks.json": JSON.stringify(hooks) });
    const listed = await hooksh(["hooks", "list", "--hooks-file", "hooks.json", "--json"], { cwd });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ dialect: "claude" }, { dialect: "codex" }]);
    const shown = await hooksh(
      ["hooks", "explain", "--event", "pre_tool_use", "--tool", "shell", "--hooks-file", "hooks.json"],
      { cwd },
    );
    expect(shown.stdout).toContain("command (claude)");
    expect(shown.stdout).toContain("2 of 2 hooks run");
  });
});
