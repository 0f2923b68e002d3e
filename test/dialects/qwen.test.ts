import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const qwen = await codec("qwen");
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: "n-1",
  transcript_path: "/t/n-1.jsonl",
  cwd: "/w",
  hook_event_name,
  timestamp: "2026-09-01T10:00:00.000Z",
  permission_mode: "yolo",
  ...fields,
});
const call = (tool_name: string, tool_input: unknown, name = "PreToolUse") =>
  event(name, { tool_name, tool_input, tool_use_id: "t", tool_call_id: "c" });
const shell = call("run_shell_command", { command: "ls" });

test("the events of Qwen Code", () => {
  expectEvents(qwen, {
    PreToolUse: "pre_tool_use",
    PermissionRequest: "permission_request",
    PermissionDenied: "on_tool_approval_decision",
    PostToolUse: "post_tool_use",
    PostToolUseFailure: "post_tool_use",
    UserPromptSubmit: "user_prompt_submit",
    SessionStart: "session_start",
    SessionEnd: "session_end",
    Stop: "stop",
    SubagentStop: "subagent_stop",
    StopFailure: "on_error",
    PreCompact: "pre_compact",
    PostCompact: "after_compaction",
    Notification: "notification",
    MessageDisplay: "after_llm_call",
    PostToolBatch: "",
    UserPromptExpansion: "",
    SubagentStart: "",
    SessionDelete: "",
    TodoCreated: "",
    TodoCompleted: "",
    InstructionsLoaded: "",
  });
});

const tools: ToolExample[] = [
  {
    host: "run_shell_command",
    input: { command: "ls", directory: "/w", timeout: 30000 },
    own: "shell",
    ownInput: { cmd: "ls", cwd: "/w", timeout: 30 },
  },
  { host: "read_file", input: { file_path: "a" }, own: "read_file", ownInput: { path: "a" } },
  { host: "write_file", input: { file_path: "a" }, own: "write_file", ownInput: { path: "a" } },
  {
    host: "edit",
    input: { file_path: "a", old_string: "a", new_string: "b" },
    own: "edit_file",
    ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
  },
  { host: "grep_search", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "list_directory", input: { path: "/w" }, own: "list_directory", ownInput: { path: "/w" } },
  { host: "web_fetch", input: { url: "x" }, own: "fetch", ownInput: { url: "x" } },
];
test.each(tools)("$host is $own", (tool) => {
  expectTool(qwen.read(call(tool.host, tool.input)), tool);
});

test("a denied call shows the call; other events their fields", () => {
  const denied = { ...call("run_shell_command", { command: "ls" }, "PermissionDenied"), reason: "plan mode" };
  expect(qwen.saw(denied)).toMatchObject({
    tool_name: "shell",
    tool_input: { cmd: "ls" },
    approval_decision: "deny",
    approval_reason: "plan mode",
    host: { tool_name: "run_shell_command" },
  });
  const failed = call("read_file", {}, "PostToolUseFailure");
  expect(qwen.saw({ ...failed, error: "gone" })).toMatchObject({ tool_error: true, tool_response: "gone" });
  expect(qwen.saw(event("SessionStart", { source: "branch" }))["source"]).toBe("resume");
  expect(qwen.saw(event("MessageDisplay", { displayed_text: "hi" }))["stop_response"]).toBe("hi");
  expect(qwen.saw(event("StopFailure", { error: "limit" }))["notification_message"]).toBe("limit");
  expect(qwen.saw(event("PostCompact", { compact_summary: "short" }))["summary"]).toBe("short");
});

test("only a prompt that the user submitted fires hooks", () => {
  const events = (fields: object) => qwen.read(event("UserPromptSubmit", fields)).events.length;
  expect(events({ prompt: "" })).toBe(0);
  expect(events({ prompt: "", submitted_prompt: "" })).toBe(1);
  expect(events({ prompt: "hi" })).toBe(1);
});

describe("answers to Qwen Code", () => {
  const nested = (fields: object, name = "PreToolUse") => ({ hookSpecificOutput: { hookEventName: name, ...fields } });

  test("a decision; a rewrite is a denial that holds it in the host's fields", () => {
    expect(qwen.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } }).out).toEqual(
      nested({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    );
    expect(qwen.say(shell, { pre_tool_use: { decision: "allow" } }, { patch: { cmd: "ls -1" } }).out).toEqual(
      nested({
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringMatching(/a hook rewrote this call.*\{"command":"ls -1"\}/),
      }),
    );
  });

  test("context is dropped before a tool, and reaches the model after one, with a block", () => {
    expect(qwen.say(shell, { pre_tool_use: { additional_context: "x" } })).toEqual({
      out: "",
      notes: [expect.stringContaining("x")],
    });
    for (const name of ["PostToolUse", "PostToolUseFailure"])
      expect(qwen.say(call("edit", {}, name), { post_tool_use: { allowed: false, message: "lint" } })).toEqual({
        out: nested({ additionalContext: "lint" }, name),
        notes: [expect.stringContaining("lint")],
      });
  });

  test("requests, prompts, ends of turns, compactions and failures", () => {
    const red = { allowed: false, message: "red" };
    const block = { decision: "block", reason: "red" };
    const request = call("run_shell_command", { command: "ls" }, "PermissionRequest");
    expect(qwen.say(request, { permission_request: red }).out).toEqual(
      nested({ decision: { behavior: "deny", message: "red" } }, "PermissionRequest"),
    );
    expect(qwen.say(event("UserPromptSubmit", { prompt: "x" }), { user_prompt_submit: red }).out).toEqual(block);
    expect(qwen.say(event("Stop"), { stop: red }).out).toEqual(block);
    expect(qwen.say(event("SubagentStop"), { subagent_stop: red }).out).toEqual(block);
    expect(qwen.say(event("PreCompact"), { pre_compact: red })).toMatchObject({ out: "", notes: [expect.any(String)] });
    const reason = "hooksh: broken";
    expect(qwen.fail("PermissionRequest", "broken").out).toEqual(
      nested({ decision: { behavior: "deny", message: reason } }, "PermissionRequest"),
    );
    expect(qwen.fail("Stop", "broken")).toEqual({ out: "", notes: [reason] });
  });
});
