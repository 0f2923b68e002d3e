import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const denied = { allowed: false, message: "no" };

describe("OpenHands", async () => {
  const openhands = await codec("openhands");
  const event = (event_type: string, fields: object = {}) => ({
    event_type,
    tool_name: null,
    tool_input: null,
    tool_output: null,
    message: null,
    session_id: "o-1",
    working_dir: "/w",
    metadata: {},
    ...fields,
  });
  const call = (tool_name: string, tool_input: unknown) => event("PreToolUse", { tool_name, tool_input });
  const shell = call("terminal", { command: "ls" });
  const refused = (reason: string) => ({ out: { decision: "deny", reason }, exit: 2, stderr: reason });

  test("its events", () => {
    expectEvents(openhands, {
      PreToolUse: "pre_tool_use",
      PostToolUse: "post_tool_use",
      UserPromptSubmit: "user_prompt_submit",
      SessionStart: "session_start",
      SessionEnd: "session_end",
      Stop: "stop",
      Notification: "notification",
    });
  });

  const edited = { command: "str_replace", path: "a", old_str: "a", new_str: "b" };
  const tools: ToolExample[] = [
    { host: "terminal", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    {
      host: "file_editor",
      input: { command: "view", path: "a" },
      own: "read_file",
      ownInput: { command: "view", path: "a" },
    },
    {
      host: "file_editor",
      input: { command: "create", path: "a", file_text: "b" },
      own: "write_file",
      ownInput: { command: "create", path: "a", file_text: "b" },
    },
    { host: "file_editor", input: edited, own: "edit_file", ownInput: edited },
    { host: "file_editor", input: { path: "a" }, own: "edit_file", ownInput: { path: "a" } },
    { host: "browser", input: { url: "u" }, own: "browser", ownInput: { url: "u" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(openhands.read(call(tool.host, tool.input)), tool);
  });

  test("the fields of its events", () => {
    expect(openhands.saw(shell)).toMatchObject({ session_id: "o-1", cwd: "/w" });
    const done = event("PostToolUse", { tool_name: "terminal", tool_input: {}, tool_output: "a" });
    expect(openhands.saw(done)["tool_response"]).toBe("a");
    expect(openhands.saw(event("UserPromptSubmit", { message: "hi" }))["prompt"]).toBe("hi");
    expect(openhands.saw(event("SessionEnd"))["reason"]).toBe("other");
    expect(openhands.saw(event("Notification", { message: "hi" }))["notification_message"]).toBe("hi");
  });

  test("a block is JSON, exit code 2 and standard error", () => {
    expect(openhands.say(shell, { pre_tool_use: denied })).toEqual(refused("no"));
    expect(openhands.say(event("UserPromptSubmit"), { user_prompt_submit: denied })).toEqual(refused("no"));
    expect(openhands.say(event("Stop"), { stop: denied })).toEqual(refused("no"));
  });

  test("no ask, no allow, no rewrite, context with a prompt only", () => {
    expect(openhands.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual(
      refused("needs your approval: sure?"),
    );
    expect(openhands.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    expect(openhands.say(shell, {}, { patch: { cmd: "ls -1" } })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("ls -1"),
    });
    const context = { additional_context: "branch: main" };
    expect(openhands.say(event("UserPromptSubmit"), { user_prompt_submit: context })).toEqual({
      out: { additionalContext: "branch: main" },
    });
    expect(openhands.say(event("SessionStart"), { session_start: context })).toEqual({
      out: "",
      notes: [expect.stringContaining("branch: main")],
    });
  });

  test("a failure of hooksh", () => {
    for (const name of ["PreToolUse", "UserPromptSubmit"])
      expect(openhands.fail(name, "broken")).toEqual(refused("hooksh: broken"));
    for (const name of ["PostToolUse", "Stop", "SessionStart"])
      expect(openhands.fail(name, "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
    expect(openhands.fail("BeforeTool", "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});

describe("Vibe", async () => {
  const vibe = await codec("vibe");
  const event = (hook_event_name: string, fields: object = {}) => ({
    session_id: "v-1",
    transcript_path: "/t.jsonl",
    cwd: "/w",
    parent_session_id: null,
    hook_event_name,
    ...fields,
  });
  const call = (tool_name: string, tool_input: unknown, name = "pre_tool") =>
    event(name, { tool_name, tool_input, tool_call_id: "c-1" });
  const shell = call("bash", { command: "ls", timeout: 5 });
  const done = (fields: object, name = "post_tool") => ({ ...shell, hook_event_name: name, ...fields });

  test("its events, under the names of before 2.21 too", () => {
    expectEvents(vibe, {
      pre_tool: "pre_tool_use",
      post_tool: "tool_response_transform, post_tool_use",
      post_agent: "stop",
      before_tool: "pre_tool_use",
      after_tool: "tool_response_transform, post_tool_use",
      post_agent_turn: "stop",
    });
  });

  const tools: ToolExample[] = [
    { host: "bash", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    { host: "read_file", input: { file_path: "a" }, own: "read_file", ownInput: { path: "a" } },
    {
      host: "write_file",
      input: { file_path: "a", content: "b" },
      own: "write_file",
      ownInput: { path: "a", content: "b" },
    },
    {
      host: "edit",
      input: { file_path: "a", old_string: "a", new_string: "b" },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
    },
    { host: "grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
    { host: "task", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
    { host: "github_create_issue", input: {}, own: "github_create_issue", ownInput: {} },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(vibe.read(call(tool.host, tool.input)), tool);
  });

  test("a result is the text that the model will read, or the error", () => {
    const ok = { tool_status: "success", tool_output: { code: 0 }, tool_output_text: "a", tool_error: null };
    expect(vibe.saw(done(ok))).toMatchObject({ tool_response: "a", tool_use_id: "c-1" });
    expect(vibe.saw(done(ok))).not.toHaveProperty("tool_error");
    const failed = { tool_status: "failure", tool_output_text: "", tool_error: "not found" };
    expect(vibe.saw(done(failed))).toMatchObject({ tool_response: "not found", tool_error: true });
    expect(vibe.saw(done({ tool_status: "cancelled" }))["tool_error"]).toBe(true);
  });

  test("a denial before a tool and of the end of a turn; feedback after a tool is context", () => {
    const out = { decision: "deny", reason: "no" };
    for (const payload of [shell, call("bash", {}, "before_tool")])
      expect(vibe.say(payload, { pre_tool_use: denied })).toEqual({ out });
    for (const name of ["post_agent", "post_agent_turn"])
      expect(vibe.say(event(name), { stop: denied })).toEqual({ out });
    for (const name of ["post_tool", "after_tool"])
      expect(vibe.say(done({}, name), { post_tool_use: { ...denied, additional_context: "lint" } })).toEqual({
        out: { hook_specific_output: { additional_context: "no\nlint" } },
      });
  });

  test("a replaced result replaces the text; context is a separate field", () => {
    const results = {
      tool_response_transform: { updated_tool_response: "[redacted]" },
      post_tool_use: { additional_context: "formatted" },
    };
    expect(vibe.say(done({}), results)).toEqual({
      out: {
        decision: "deny",
        reason: "[redacted]",
        hook_specific_output: { additional_context: "formatted" },
      },
    });
  });

  test("no ask and no allow; a rewrite is the complete input without a decision", () => {
    expect(vibe.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
      out: { decision: "deny", reason: "needs your approval: sure?" },
    });
    expect(vibe.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    expect(vibe.say(shell, { pre_tool_use: { decision: "allow" } }, { patch: { cmd: "ls -1" } })).toEqual({
      out: { hook_specific_output: { tool_input: { command: "ls -1", timeout: 5 } } },
    });
  });

  test("a failure of hooksh never uses an exit code, which Vibe takes for a failure of the hook", () => {
    const out = { decision: "deny", reason: "hooksh: broken" };
    for (const name of ["pre_tool", "before_tool", "pre_everything", undefined])
      expect(vibe.fail(name, "broken")).toEqual({ out, notes: ["hooksh: broken"] });
    for (const name of ["post_tool", "post_agent"])
      expect(vibe.fail(name, "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
  });
});
