import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const gemini = await codec("gemini");
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: "g-1",
  transcript_path: "",
  cwd: "/w",
  timestamp: "2026-05-02T10:00:00.000Z",
  hook_event_name,
  ...fields,
});
const call = (tool_name: string, tool_input: unknown) => event("BeforeTool", { tool_name, tool_input });
const shell = call("run_shell_command", { command: "ls", description: "list" });

test("the events of Gemini CLI", () => {
  expectEvents(gemini, {
    SessionStart: "session_start",
    BeforeAgent: "user_prompt_submit",
    BeforeModel: "before_llm_call",
    AfterModel: "after_llm_call",
    BeforeTool: "pre_tool_use",
    AfterTool: "tool_response_transform, post_tool_use",
    AfterAgent: "stop",
    PreCompress: "pre_compact",
    SessionEnd: "session_end",
    Notification: "notification",
    BeforeToolSelection: "",
  });
});

const tools: ToolExample[] = [
  {
    host: "run_shell_command",
    input: { command: "ls", dir_path: "/w" },
    own: "shell",
    ownInput: { cmd: "ls", cwd: "/w" },
  },
  { host: "read_file", input: { file_path: "a" }, own: "read_file", ownInput: { path: "a" } },
  {
    host: "write_file",
    input: { file_path: "a", content: "b" },
    own: "write_file",
    ownInput: { path: "a", content: "b" },
  },
  {
    host: "replace",
    input: { file_path: "a", old_string: "a", new_string: "b", allow_multiple: true },
    own: "edit_file",
    ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }], allow_multiple: true },
  },
  { host: "grep_search", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "search_file_content", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "list_directory", input: { dir_path: "/w" }, own: "list_directory", ownInput: { dir_path: "/w" } },
  { host: "web_fetch", input: { prompt: "x" }, own: "fetch", ownInput: { prompt: "x" } },
  { host: "invoke_agent", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
  { host: "glob", input: { pattern: "*" }, own: "glob", ownInput: { pattern: "*" } },
];
test.each(tools)("$host is $own", (tool) => {
  expectTool(gemini.read(call(tool.host, tool.input)), tool);
});

test("the server of an MCP tool is in a field of its own, because the name can be split in several ways", () => {
  const payload = { ...call("mcp_my_mem_add_note", {}), mcp_context: { server_name: "my_mem", tool_name: "add_note" } };
  expect(gemini.read(payload).tool?.names).toEqual(["mcp_my_mem_add_note", "mcp:my_mem:add_note"]);
  expect(gemini.read(call("mcp_my_mem_add_note", {})).tool?.names).toEqual([
    "mcp_my_mem_add_note",
    "mcp:my:mem_add_note",
    "mcp:my_mem:add_note",
    "mcp:my_mem_add:note",
  ]);
});

describe("what Gemini CLI says after the fact", () => {
  const done = (tool_response: unknown) =>
    gemini.saw(event("AfterTool", { tool_name: "run_shell_command", tool_input: {}, tool_response }));

  test("the result is what the model reads, as one text", () => {
    expect(done({ llmContent: "a.ts", returnDisplay: "" })).toMatchObject({ tool_response: "a.ts" });
    expect(done({ llmContent: [{ text: "a" }, { text: "b" }], returnDisplay: "" })["tool_response"]).toBe("a\nb");
    expect(done({ llmContent: "a.ts" })["tool_error"]).toBeUndefined();
  });

  test("a failure is one", () => {
    const error = { message: "File not found: /w/a.ts", type: "file_not_found" };
    const failed = { tool_response: "File not found: /w/a.ts", tool_error: true };
    expect(done({ llmContent: "no such file", returnDisplay: "", error })).toMatchObject(failed);
    expect(done({ llmContent: "", error: "File not found: /w/a.ts" })).toMatchObject(failed);
  });

  test("the answer, the model, the end", () => {
    const request = { llm_request: { model: "gemini-2.5-pro", messages: [] } };
    expect(gemini.saw(event("BeforeModel", request))).toMatchObject({ model_id: "gemini-2.5-pro" });
    expect(gemini.saw(event("AfterModel", { ...request, llm_response: { text: "hi" } }))["stop_response"]).toBe("hi");
    const end = { prompt: "do it", prompt_response: "done", stop_hook_active: true };
    expect(gemini.saw(event("AfterAgent", end))).toMatchObject({
      last_user_message: "do it",
      stop_response: "done",
      stop_hook_active: true,
    });
    expect(gemini.saw(event("SessionEnd", { reason: "exit" }))["reason"]).toBe("other");
    expect(gemini.saw(event("PreCompress", { trigger: "manual" }))["source"]).toBe("manual");
  });
});

describe("answers to Gemini CLI", () => {
  test("silence is an empty object", () => {
    expect(gemini.say(shell, {})).toEqual({ out: {} });
    expect(gemini.say(event("BeforeToolSelection"), {})).toEqual({ out: {} });
  });

  test("a denial, an ask that becomes one, an allow", () => {
    expect(gemini.say(shell, { pre_tool_use: { allowed: false, message: "no" } })).toEqual({
      out: { decision: "deny", reason: "no" },
    });
    const ask = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;
    expect(gemini.say(shell, ask).out).toEqual({ decision: "deny", reason: "needs your approval: sure?" });
    expect(gemini.say(shell, ask, { ask: "allow" })).toEqual({ out: {} });
    expect(gemini.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: { decision: "allow" } });
  });

  test("a rewrite has only the changed fields; with an ask, it is not an allow even with --ask allow", () => {
    const out = { hookEventName: "BeforeTool", tool_input: { command: "ls -1" } };
    expect(gemini.say(shell, {}, { patch: { cmd: "ls -1" } })).toEqual({
      out: { decision: "allow", hookSpecificOutput: out },
    });
    expect(gemini.say(shell, {}, { patch: { cmd: "ls" } })).toEqual({ out: {} });
    const ask = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;
    expect(gemini.say(shell, ask, { patch: { cmd: "ls -1" }, ask: "allow" }).out).toMatchObject({ decision: "deny" });
  });

  test("context is dropped before a tool, and reaches the model after one", () => {
    const context = { additional_context: "see docs" };
    expect(gemini.say(shell, { pre_tool_use: context })).toMatchObject({
      out: {},
      notes: [expect.stringContaining("see docs")],
    });
    const after = event("AfterTool", { tool_name: "read_file", tool_input: {}, tool_response: { llmContent: "x" } });
    const replaced = { tool_response_transform: { updated_tool_response: "[redacted]" } };
    expect(
      gemini.say(after, { ...replaced, post_tool_use: { ...context, allowed: false, message: "lint" } }).out,
    ).toEqual({
      decision: "deny",
      reason: "[redacted]\nlint",
      hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: "see docs" },
    });
  });

  test("prompts, sessions, requests, ends and notices", () => {
    const blocked = { allowed: false, message: "frozen" };
    const denial = { decision: "deny", reason: "frozen" };
    expect(gemini.say(event("BeforeAgent", { prompt: "x" }), { user_prompt_submit: blocked }).out).toEqual(denial);
    expect(gemini.say(event("BeforeModel"), { before_llm_call: blocked }).out).toEqual(denial);
    const messages = { before_llm_call: { updated_messages: [{ role: "user", content: "x" }] } } as const;
    expect(gemini.say(event("BeforeModel"), messages as never)).toEqual({
      out: {},
      notes: [expect.stringContaining("a rewrite to 1 message was dropped")],
    });
    expect(gemini.say(event("AfterAgent"), { stop: blocked }).out).toEqual(denial);
    expect(
      gemini.say(event("SessionStart", { source: "startup" }), { session_start: { additional_context: "x" } }).out,
    ).toEqual({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" },
    });
    expect(gemini.say(event("SessionEnd"), { session_end: { system_message: "bye" } }).out).toEqual({
      systemMessage: "bye",
    });
    expect(gemini.say(event("PreCompress"), { pre_compact: blocked })).toEqual({
      out: {},
      notes: [expect.stringContaining("frozen")],
    });
  });

  test("a failure of hooksh denies calls and prompts and is silent elsewhere", () => {
    for (const name of ["BeforeTool", "BeforeAgent"])
      expect(gemini.fail(name, "broken").out).toEqual({ decision: "deny", reason: "hooksh: broken" });
    expect(gemini.fail("AfterTool", "broken")).toEqual({ out: {}, notes: ["hooksh: broken"] });
    expect(gemini.fail("PreToolUse", "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});
