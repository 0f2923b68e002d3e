import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const cursor = await codec("cursor");
const common = {
  conversation_id: "c-1",
  generation_id: "g-1",
  cursor_version: "3.9.16",
  workspace_roots: ["/w"],
  transcript_path: null,
  cwd: "",
};
const call = (tool_name: string, tool_input: unknown, event = "preToolUse") => ({
  ...common,
  hook_event_name: event,
  tool_name,
  tool_input,
  tool_use_id: "t-1",
});
const shell = call("Shell", { command: "ls" });
const event = (hook_event_name: string, fields: object = {}) => ({ ...common, hook_event_name, ...fields });
const beforeShell = event("beforeShellExecution", { command: "ls", cwd: "/w/sub", sandbox: false });
const beforeMcp = event("beforeMCPExecution", {
  tool_name: "create_issue",
  tool_input: '{"title":"x"}',
  mcp_server_name: "github",
  command: "npx server",
});

test("the events of Cursor", () => {
  expectEvents(cursor, {
    preToolUse: "pre_tool_use",
    beforeShellExecution: "pre_tool_use",
    beforeMCPExecution: "pre_tool_use",
    beforeReadFile: "pre_tool_use",
    postToolUse: "tool_response_transform, post_tool_use",
    postToolUseFailure: "post_tool_use",
    afterShellExecution: "post_tool_use",
    afterMCPExecution: "post_tool_use",
    afterFileEdit: "post_tool_use",
    beforeSubmitPrompt: "user_prompt_submit",
    sessionStart: "session_start",
    sessionEnd: "session_end",
    afterAgentResponse: "after_llm_call",
    stop: "stop",
    subagentStop: "subagent_stop",
    preCompact: "pre_compact",
    subagentStart: "",
    afterAgentThought: "",
    beforeTabFileRead: "",
    afterTabFileEdit: "",
    workspaceOpen: "",
  });
});

describe("tools of Cursor", () => {
  const edits = [{ old_string: "a", new_string: "b" }];
  const tools: ToolExample[] = [
    {
      host: "Shell",
      input: { command: "ls", working_directory: "/w" },
      own: "shell",
      ownInput: { cmd: "ls", cwd: "/w" },
    },
    { host: "Read", input: { file_path: "/w/a" }, own: "read_file", ownInput: { path: "/w/a" } },
    {
      host: "Write",
      input: { file_path: "/w/a", content: "b" },
      own: "write_file",
      also: ["edit_file"],
      ownInput: { path: "/w/a", content: "b" },
    },
    {
      host: "Write",
      input: { file_path: "/w/a", edits: [...edits, { old_string: "c", new_string: "d", all: true }] },
      own: "edit_file",
      also: ["write_file"],
      ownInput: {
        path: "/w/a",
        edits: [
          { oldText: "a", newText: "b" },
          { oldText: "c", newText: "d", all: true },
        ],
      },
    },
    {
      host: "Write",
      input: { file_path: "/w/a", old_string: "a", new_string: "b" },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "/w/a", edits: [{ oldText: "a", newText: "b" }] },
    },
    { host: "Grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
    { host: "Task", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
    {
      host: "Delete",
      input: { file_path: "/w/a" },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "/w/a" },
      lossy: true,
    },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(cursor.read(call(tool.host, tool.input)), tool);
  });

  test("the event for a shell command is a call of Shell in the directory of the command", () => {
    expect(cursor.saw(beforeShell)).toMatchObject({
      tool_name: "shell",
      tool_input: { cmd: "ls", cwd: "/w/sub" },
      cwd: "/w/sub",
      host: { tool_name: "Shell", tool_input: { command: "ls", cwd: "/w/sub", sandbox: false } },
    });
  });

  test("the event for a file to read is a call of Read; the content is not input", () => {
    const payload = event("beforeReadFile", { file_path: "/w/a", content: "secret", attachments: [] });
    expect(cursor.saw(payload)).toMatchObject({ tool_name: "read_file", host: { tool_name: "Read" } });
    expect(cursor.saw(payload)["tool_input"]).toEqual({ path: "/w/a" });
  });

  test("the input of an MCP tool is JSON text, kept as text for whoever wants the original", () => {
    expect(cursor.saw(beforeMcp)).toMatchObject({
      tool_name: "create_issue",
      tool_qualified_name: "mcp:github:create_issue",
      tool_input: { title: "x" },
      host: { tool_name: "create_issue", tool_input: '{"title":"x"}' },
    });
    expect(cursor.read(beforeMcp).tool?.names).toEqual(["create_issue", "mcp:github:create_issue"]);
  });

  test("an MCP tool that is called like a tool of Cursor is not that tool", () => {
    const payload = { ...beforeMcp, tool_name: "Read", tool_input: { file_path: "/w/a" } };
    expect(cursor.read(payload).tool?.names).toEqual(["Read", "mcp:github:Read"]);
    expect(cursor.saw(payload)["tool_input"]).toEqual({ file_path: "/w/a" });
  });

  test("an MCP tool without a server name could be that of any server", () => {
    expect(cursor.read(call("MCP:create_issue", {})).tool?.names).toEqual(["MCP:create_issue", "mcp::create_issue"]);
  });
});

describe("what Cursor says after the fact", () => {
  test("a finished shell command, MCP tool and edit", () => {
    const done = event("afterShellExecution", { command: "ls", output: "a\n", duration: 3 });
    expect(cursor.saw(done)).toMatchObject({ tool_name: "shell", tool_response: "a\n" });
    const mcp = { ...beforeMcp, hook_event_name: "afterMCPExecution", result_json: '{"id":1}' };
    expect(cursor.saw(mcp)).toMatchObject({
      tool_response: '{"id":1}',
      tool_qualified_name: "mcp:github:create_issue",
    });
    const edit = event("afterFileEdit", { file_path: "/w/a", edits: [{ old_string: "a", new_string: "b" }] });
    expect(cursor.saw(edit)).toMatchObject({
      tool_name: "edit_file",
      tool_input: { path: "/w/a", edits: [{ oldText: "a", newText: "b" }] },
    });
  });

  test("a failed tool", () => {
    const failed = { ...call("Shell", {}, "postToolUseFailure"), error_message: "not found", is_interrupt: false };
    expect(cursor.saw(failed)).toMatchObject({ tool_response: "not found", tool_error: true });
  });

  test("the end of a session, of a turn and of a subagent", () => {
    expect(cursor.saw(event("sessionEnd", { reason: "completed" }))["reason"]).toBe("other");
    expect(cursor.saw(event("stop", { status: "completed", loop_count: 0 }))["stop_hook_active"]).toBe(false);
    expect(cursor.saw(event("stop", { status: "completed", loop_count: 2 }))["stop_hook_active"]).toBe(true);
    const subagent = event("subagentStop", { subagent_type: "explore", summary: "done", loop_count: 0 });
    expect(cursor.saw(subagent)).toMatchObject({ agent_name: "explore", stop_response: "done" });
    expect(cursor.saw(event("afterAgentResponse", { text: "done" }))["stop_response"]).toBe("done");
    expect(cursor.saw(event("preCompact", { trigger: "auto" }))["source"]).toBe("auto");
  });
});

describe("answers to Cursor", () => {
  const denied = { pre_tool_use: { allowed: false, message: "no" } };
  const asked = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;

  test("a denial is said to both readers, except before a file is read", () => {
    const both = { permission: "deny", user_message: "no", agent_message: "no" };
    for (const payload of [shell, beforeShell, beforeMcp]) expect(cursor.say(payload, denied)).toEqual({ out: both });
    const read = event("beforeReadFile", { file_path: "/w/a" });
    expect(cursor.say(read, denied)).toEqual({ out: { permission: "deny", user_message: "no" } });
  });

  test("an ask is one before shell commands and MCP tools, a denial elsewhere", () => {
    for (const payload of [beforeShell, beforeMcp])
      expect(cursor.say(payload, asked).out).toEqual({ permission: "ask", user_message: "sure?" });
    const reason = "needs your approval: sure?";
    expect(cursor.say(shell, asked).out).toEqual({ permission: "deny", user_message: reason, agent_message: reason });
    expect(cursor.say(shell, asked, { ask: "allow" })).toEqual({ out: "" });
    const read = event("beforeReadFile", { file_path: "/w/a" });
    expect(cursor.say(read, asked).out).toEqual({ permission: "deny", user_message: reason });
  });

  test("an allow", () => {
    const allowed = { pre_tool_use: { decision: "allow", decision_reason: "safe" } } as const;
    for (const payload of [shell, beforeShell, beforeMcp, event("beforeReadFile", { file_path: "/w/a" })])
      expect(cursor.say(payload, allowed)).toEqual({ out: { permission: "allow" } });
  });

  test("a rewrite is the complete input with an allow, on preToolUse alone", () => {
    const payload = call("Shell", { command: "ls", timeout: 5 });
    const out = { permission: "allow", updated_input: { command: "ls -1", timeout: 5 } };
    expect(cursor.say(payload, {}, { patch: { cmd: "ls -1" } })).toEqual({ out });
    expect(cursor.say(payload, {}, { patch: { command: "ls -1" } })).toEqual({ out });
    for (const other of [beforeShell, beforeMcp])
      expect(cursor.say(other, {}, { patch: { cmd: "ls -1" } }).out).toMatchObject({
        permission: "deny",
        user_message: expect.stringContaining("ls -1"),
      });
  });

  test("a rewrite of several edits keeps their list", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "d" },
    ];
    const payload = call("Write", { file_path: "/w/a", edits });
    const patch = { edits: [{ oldText: "a", newText: "x" }] };
    const updated_input = { file_path: "/w/a", edits: [{ old_string: "a", new_string: "x" }] };
    expect(cursor.say(payload, {}, { patch }).out).toEqual({ permission: "allow", updated_input });
  });

  test("after a tool: context, feedback as context, and the result of an MCP tool replaced", () => {
    const results = {
      tool_response_transform: { updated_tool_response: "[redacted]" },
      post_tool_use: { allowed: false, message: "format it", additional_context: "see the log" },
    };
    const text = "format it\nsee the log";
    const mcp = { ...call("MCP:create_issue", "{}", "postToolUse"), tool_output: '{"id":1}' };
    expect(cursor.say(mcp, results)).toEqual({
      out: { additional_context: text, updated_mcp_tool_output: "[redacted]" },
    });
    const own = { ...call("Shell", { command: "ls" }, "postToolUse"), tool_output: "a" };
    expect(cursor.say(own, results)).toMatchObject({
      out: { additional_context: text },
      notes: [expect.stringContaining("[redacted]")],
    });
  });

  test("prompts, sessions and ends of turns", () => {
    const prompt = event("beforeSubmitPrompt", { prompt: "deploy" });
    const blocked = { user_prompt_submit: { allowed: false, message: "frozen" } };
    expect(cursor.say(prompt, blocked)).toEqual({ out: { continue: false, user_message: "frozen" } });
    expect(cursor.say(prompt, { user_prompt_submit: { additional_context: "x" } })).toMatchObject({
      out: "",
      notes: [expect.stringContaining("x")],
    });
    const start = { session_start: { additional_context: "branch: main" } };
    expect(cursor.say(event("sessionStart"), start)).toEqual({ out: { additional_context: "branch: main" } });
    const red = { allowed: false, message: "tests are red" };
    expect(cursor.say(event("stop"), { stop: red })).toEqual({ out: { followup_message: "tests are red" } });
    expect(cursor.say(event("subagentStop"), { subagent_stop: red }).out).toEqual({
      followup_message: "tests are red",
    });
    expect(cursor.say(event("preCompact"), { pre_compact: red })).toMatchObject({
      out: "",
      notes: [expect.stringContaining("tests are red")],
    });
  });

  test("a failure of hooksh denies calls and prompts and is silent elsewhere", () => {
    const reason = "hooksh: broken";
    const both = { permission: "deny", user_message: reason, agent_message: reason };
    for (const name of ["preToolUse", "beforeShellExecution", "beforeMCPExecution"])
      expect(cursor.fail(name, "broken").out).toEqual(both);
    expect(cursor.fail("beforeReadFile", "broken").out).toEqual({ permission: "deny", user_message: reason });
    expect(cursor.fail("beforeSubmitPrompt", "broken").out).toEqual({ continue: false, user_message: reason });
    for (const name of ["postToolUse", "afterFileEdit", "stop", "sessionStart", "workspaceOpen"])
      expect(cursor.fail(name, "broken")).toEqual({ out: "", notes: [reason] });
    for (const name of ["PreToolUse", undefined])
      expect(cursor.fail(name, "broken")).toEqual({ out: "", exit: 2, stderr: reason });
  });
});
