import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const denied = { allowed: false, message: "no" };

describe("goose", async () => {
  const goose = await codec("goose");
  const event = (name: string, fields: object = {}) => ({
    event: name,
    session_id: "g-1",
    matcher_context: null,
    working_dir: "/w",
    ...fields,
  });
  const call = (tool_name: string, tool_input: unknown, name = "PreToolUse") =>
    event(name, { tool_call_id: "t-1", tool_name, tool_input });
  const shell = call("shell", { command: "ls" });

  test("its events; those that repeat a call are nothing", () => {
    expectEvents(goose, {
      PreToolUse: "pre_tool_use",
      PostToolUse: "post_tool_use",
      PostToolUseFailure: "post_tool_use",
      UserPromptSubmit: "user_prompt_submit",
      SessionStart: "session_start",
      SessionEnd: "session_end",
      Stop: "stop",
      PreToolUseResult: "",
      BeforeReadFile: "",
      AfterFileEdit: "",
      BeforeShellExecution: "",
      AfterShellExecution: "",
    });
  });

  const tools: ToolExample[] = ["", "developer__"].flatMap((prefix) => [
    {
      host: `${prefix}shell`,
      input: { command: "ls", timeout_secs: 30 },
      own: "shell",
      ownInput: { cmd: "ls", timeout: 30 },
    },
    { host: `${prefix}write`, input: { path: "a" }, own: "write_file", ownInput: { path: "a" } },
    {
      host: `${prefix}edit`,
      input: { path: "a", before: "a", after: "b" },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
    },
    { host: `${prefix}tree`, input: { path: "a" }, own: "directory_tree", ownInput: { path: "a" } },
  ]);
  const editor = "developer__text_editor";
  tools.push(
    { host: editor, input: { command: "view", path: "a" }, own: "read_file", ownInput: { command: "view", path: "a" } },
    {
      host: editor,
      input: { command: "write", path: "a" },
      own: "write_file",
      ownInput: { command: "write", path: "a" },
    },
    {
      host: editor,
      input: { command: "insert", path: "a" },
      own: "edit_file",
      ownInput: { command: "insert", path: "a" },
    },
    { host: "load_skill", input: { name: "x" }, own: "load_skill", ownInput: { name: "x" } },
  );
  test.each(tools)("$host is $own", (tool) => {
    const read = goose.read(call(tool.host, tool.input));
    expectTool(read, tool);
    expect(read.events[0]?.payload).not.toHaveProperty("tool_qualified_name");
  });

  test("a tool of another extension is one of an MCP server", () => {
    expect(goose.read(call("github__create_issue", {})).tool?.names).toEqual([
      "github__create_issue",
      "mcp:github:create_issue",
    ]);
  });

  test("the fields of its events", () => {
    expect(goose.saw(shell)).toMatchObject({ session_id: "g-1", cwd: "/w", tool_use_id: "t-1" });
    expect(goose.saw(event("UserPromptSubmit", { message: "hi" }))["prompt"]).toBe("hi");
    expect(goose.saw(event("Stop", { last_assistant_message: "done" }))["stop_response"]).toBe("done");
    expect(goose.saw(event("SessionEnd"))["reason"]).toBe("other");
    expect(goose.saw(call("shell", {}, "PostToolUseFailure"))["tool_error"]).toBe(true);
  });

  test("a call and a stop are blocked, nothing else", () => {
    const out = { decision: "block", reason: "no" };
    expect(goose.say(shell, { pre_tool_use: denied })).toEqual({ out });
    expect(goose.say(event("Stop"), { stop: denied })).toEqual({ out });
    const dropped = { out: "", notes: [expect.stringContaining("no")] };
    expect(goose.say(event("UserPromptSubmit", { message: "hi" }), { user_prompt_submit: denied })).toEqual(dropped);
    expect(goose.say(call("shell", {}, "PostToolUse"), { post_tool_use: denied })).toEqual(dropped);
    const context = { additional_context: "no" };
    expect(goose.say(event("SessionStart"), { session_start: context })).toEqual(dropped);
  });

  test("no ask, no allow, no rewrite", () => {
    expect(goose.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
      out: { decision: "block", reason: "needs your approval: sure?" },
    });
    expect(goose.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    expect(goose.say(shell, {}, { patch: { timeout: 5 } }).out).toEqual({
      decision: "block",
      reason: expect.stringContaining('"timeout_secs":5'),
    });
  });

  test("a failure of hooksh", () => {
    expect(goose.fail("PreToolUse", "broken").out).toEqual({ decision: "block", reason: "hooksh: broken" });
    for (const name of ["UserPromptSubmit", "Stop", "PostToolUse", "BeforeReadFile"])
      expect(goose.fail(name, "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
    expect(goose.fail("BeforeTool", "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});

describe("Crush", async () => {
  const crush = await codec("crush");
  const call = (tool_name: string, tool_input: unknown) => ({
    event: "PreToolUse",
    session_id: "c-1",
    cwd: "/w",
    tool_name,
    tool_input,
  });
  const shell = call("bash", { command: "ls", timeout: 60000 });

  test("it has one event", () => {
    expectEvents(crush, { PreToolUse: "pre_tool_use" });
  });

  const tools: ToolExample[] = [
    { host: "bash", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    { host: "view", input: { file_path: "a", offset: 3 }, own: "read_file", ownInput: { path: "a", offset: 3 } },
    {
      host: "write",
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
    {
      host: "multiedit",
      input: { file_path: "a", edits: [{ old_string: "a", new_string: "b", replace_all: true }] },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b", replace_all: true }] },
    },
    { host: "grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
    { host: "ls", input: { path: "a" }, own: "list_directory", ownInput: { path: "a" } },
    { host: "fetch", input: { url: "u" }, own: "fetch", ownInput: { url: "u" } },
    { host: "agent", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
    { host: "mcp_github_create_issue", input: {}, own: "mcp_github_create_issue", ownInput: {} },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(crush.read(call(tool.host, tool.input)), tool);
  });

  test("a denial, an ask, an allow", () => {
    expect(crush.say(shell, { pre_tool_use: denied })).toEqual({ out: { decision: "deny", reason: "no" } });
    expect(crush.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
      out: { decision: "deny", reason: "needs your approval: sure?" },
    });
    expect(crush.say(shell, { pre_tool_use: { decision: "allow", decision_reason: "safe" } })).toEqual({
      out: { decision: "allow", reason: "safe" },
    });
    expect(crush.say(shell, {})).toEqual({ out: "" });
  });

  test("a rewrite has only the changed fields, and allows nothing", () => {
    const out = { updated_input: { command: "ls -1" } };
    expect(crush.say(shell, {}, { patch: { cmd: "ls -1" } })).toEqual({ out });
    expect(crush.say(shell, { pre_tool_use: { decision: "allow" } }, { patch: { cmd: "ls -1" } })).toEqual({
      out: { decision: "allow", ...out },
    });
  });

  test("a failure of hooksh", () => {
    expect(crush.fail("PreToolUse", "broken").out).toEqual({ decision: "deny", reason: "hooksh: broken" });
    for (const name of ["PostToolUse", undefined])
      expect(crush.fail(name, "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});
