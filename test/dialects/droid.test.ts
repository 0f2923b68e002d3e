import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const droid = await codec("droid");
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: "d-1",
  transcript_path: "/h/.factory/sessions/d-1.jsonl",
  cwd: "/w",
  permission_mode: "auto-high",
  hook_event_name,
  ...fields,
});
const call = (tool_name: string, tool_input: unknown) => event("PreToolUse", { tool_name, tool_input });
const shell = call("Execute", { command: "ls", timeout: 30, riskLevel: "low" });

test("the events of Droid", () => {
  expectEvents(droid, {
    PreToolUse: "pre_tool_use",
    PostToolUse: "post_tool_use",
    UserPromptSubmit: "user_prompt_submit",
    SessionStart: "session_start",
    SessionEnd: "session_end",
    Stop: "stop",
    SubagentStop: "subagent_stop",
    PreCompact: "pre_compact",
    Notification: "notification",
  });
});

const tools: ToolExample[] = [
  { host: "Execute", input: { command: "ls", timeout: 30 }, own: "shell", ownInput: { cmd: "ls", timeout: 30 } },
  { host: "Read", input: { file_path: "a" }, own: "read_file", ownInput: { path: "a" } },
  { host: "Create", input: { file_path: "a", content: "b" }, own: "write_file", ownInput: { path: "a", content: "b" } },
  {
    host: "Edit",
    input: { file_path: "a", old_str: "a", new_str: "b" },
    own: "edit_file",
    ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
  },
  {
    host: "ApplyPatch",
    input: { input: "*** Begin Patch" },
    own: "edit_file",
    also: ["write_file"],
    ownInput: { patch: "*** Begin Patch" },
  },
  { host: "Grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "LS", input: { path: "/w" }, own: "list_directory", ownInput: { path: "/w" } },
  { host: "FetchUrl", input: { url: "x" }, own: "fetch", ownInput: { url: "x" } },
  { host: "Task", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
];
test.each(tools)("$host is $own", (tool) => {
  expectTool(droid.read(call(tool.host, tool.input)), tool);
});

test("tools of MCP servers, and versions that spell their keys in camelCase", () => {
  expect(droid.read(call("mcp__github__create_issue", {})).tool?.names).toEqual([
    "mcp__github__create_issue",
    "mcp:github:create_issue",
  ]);
  const camel = {
    sessionId: "d-1",
    cwd: "/w",
    hookEventName: "PreToolUse",
    toolName: "Execute",
    toolInput: { command: "ls" },
  };
  expect(droid.saw(camel)).toMatchObject({ session_id: "d-1", tool_name: "shell", tool_input: { cmd: "ls" } });
});

test("the end of a subagent", () => {
  const ended = event("SubagentStop", { task_name: "review", task_result: "ok" });
  expect(droid.saw(ended)).toMatchObject({ agent_name: "review", stop_response: "ok" });
  expect(droid.saw(event("SubagentStop", { task_error: "gone" }))["stop_response"]).toBe("gone");
});

describe("answers to Droid", () => {
  const nested = (fields: object, name = "PreToolUse") => ({ hookSpecificOutput: { hookEventName: name, ...fields } });
  const ask = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;

  test.each(["off", "spec"])("an ask stops a call in the mode %s", (permission_mode) => {
    expect(droid.say({ ...shell, permission_mode }, ask).out).toEqual(
      nested({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    );
  });

  test.each(["auto-low", "auto-medium", "auto-high", "later", undefined, 5])(
    "and is a denial in the mode %p",
    (mode) => {
      const payload = { ...shell, permission_mode: mode };
      const denial = { permissionDecision: "deny", permissionDecisionReason: "needs your approval: sure?" };
      expect(droid.say(payload, ask).out).toEqual(nested(denial));
      expect(droid.say(payload, ask, { ask: "allow" })).toEqual({ out: "" });
    },
  );

  test("a rewrite grants nothing; context before a tool is dropped", () => {
    const results = { pre_tool_use: { additional_context: "see docs", system_message: "hi" } };
    expect(droid.say(shell, results, { patch: { cmd: "ls -1" } })).toEqual({
      out: { ...nested({ updatedInput: { command: "ls -1", timeout: 30, riskLevel: "low" } }), systemMessage: "hi" },
      notes: [expect.stringContaining("see docs")],
    });
  });

  test("a block after a tool goes to the model as context, and a note says so", () => {
    const done = event("PostToolUse", { tool_name: "Execute", tool_input: {}, tool_response: "ok" });
    const results = { post_tool_use: { allowed: false, message: "lint", additional_context: "more" } };
    expect(droid.say(done, results)).toEqual({
      out: nested({ additionalContext: "lint\nmore" }, "PostToolUse"),
      notes: [expect.stringContaining("lint")],
    });
  });

  test("prompts, ends of turns, compactions and failures", () => {
    const red = { allowed: false, message: "red" };
    const block = { decision: "block", reason: "red" };
    expect(droid.say(event("UserPromptSubmit", { prompt: "x" }), { user_prompt_submit: red }).out).toEqual(block);
    expect(droid.say(event("Stop"), { stop: red }).out).toEqual(block);
    expect(droid.say(event("SubagentStop"), { subagent_stop: red }).out).toEqual(block);
    expect(droid.say(event("PreCompact"), { pre_compact: red })).toMatchObject({
      out: "",
      notes: [expect.any(String)],
    });
    const reason = "hooksh: broken";
    const denial = { permissionDecision: "deny", permissionDecisionReason: reason };
    expect(droid.fail("PreToolUse", "broken").out).toEqual(nested(denial));
    expect(droid.fail("UserPromptSubmit", "broken").out).toEqual({ decision: "block", reason });
    expect(droid.fail("PostToolUse", "broken")).toEqual({ out: "", notes: [reason] });
    expect(droid.fail("PermissionRequest", "broken")).toEqual({ out: "", exit: 2, stderr: reason });
  });
});
