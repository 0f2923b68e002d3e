import { describe, expect, test } from "bun:test";
import { decode, eventNamed } from "../../src/dialects/decode.ts";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const agy = await codec("agy");
const common = { conversationId: "k-1", transcriptPath: "/t.jsonl", workspacePaths: ["/w", "/x"] };
const call = (name: string, args: unknown) => ({ ...common, stepIdx: 3, toolCall: { name, args } });
const shell = call("run_command", { CommandLine: "ls" });
const done = { ...shell, error: "" };
const stop = { ...common, executionNum: 0, terminationReason: "NO_TOOL_CALL", fullyIdle: true };
const turn = { ...common, invocationNum: 0, initialNumSteps: 1 };
const mcp = call("call_mcp_tool", { ServerName: "github", ToolName: "create_issue", Arguments: { title: "x", n: 1 } });

test("the events of Antigravity", () => {
  expectEvents(agy, {
    PreToolUse: "pre_tool_use",
    PostToolUse: "post_tool_use",
    PreInvocation: "turn_start",
    PostInvocation: "after_llm_call",
    SessionStart: "session_start",
    Stop: "stop",
  });
});

test.each([
  ["PreToolUse", shell],
  ["PreToolUse", { ...shell, error: null }],
  ["PostToolUse", done],
  ["PostToolUse", { ...common, stepIdx: 3, error: "no such file", toolCall: null }],
  ["PostToolUse", { ...common, stepIdx: 3, error: null, toolCall: null }],
  ["PreInvocation", turn],
  ["Stop", stop],
  ["Stop", { ...common, terminationReason: "ERROR", error: "quota" }],
  [undefined, common],
])("a payload without an event is %s", (event, payload) => {
  expect(eventNamed(agy.dialect, payload)).toBe(event as string);
});

describe("tools of Antigravity", () => {
  const tools: ToolExample[] = [
    {
      host: "run_command",
      input: { CommandLine: "ls", Cwd: "/w", WaitMsBeforeAsync: 500 },
      own: "shell",
      ownInput: { cmd: "ls", cwd: "/w", WaitMsBeforeAsync: 500 },
    },
    { host: "view_file", input: { AbsolutePath: "/w/a" }, own: "read_file", ownInput: { path: "/w/a" } },
    {
      host: "write_to_file",
      input: { TargetFile: "/w/a", CodeContent: "b" },
      own: "write_file",
      ownInput: { path: "/w/a", content: "b" },
    },
    {
      host: "replace_file_content",
      input: { TargetFile: "/w/a", TargetContent: "a", ReplacementContent: "b" },
      own: "edit_file",
      ownInput: { path: "/w/a", edits: [{ oldText: "a", newText: "b" }] },
    },
    {
      host: "multi_replace_file_content",
      input: {
        TargetFile: "/w/a",
        ReplacementChunks: [{ TargetContent: "a", ReplacementContent: "b", AllowMultiple: false }],
      },
      own: "edit_file",
      ownInput: { path: "/w/a", edits: [{ oldText: "a", newText: "b", AllowMultiple: false }] },
    },
    { host: "grep_search", input: { Query: "x" }, own: "search_files_content", ownInput: { Query: "x" } },
    { host: "list_dir", input: { DirectoryPath: "/w" }, own: "list_directory", ownInput: { DirectoryPath: "/w" } },
    { host: "read_url_content", input: { Url: "u" }, own: "fetch", ownInput: { Url: "u" } },
    { host: "invoke_subagent", input: { Prompt: "x" }, own: "transfer_task", ownInput: { Prompt: "x" } },
    { host: "search_web", input: { query: "x" }, own: "search_web", ownInput: { query: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(agy.read(call(tool.host, tool.input)), tool);
  });

  test("hooks see the inner call of an MCP tool, and the outer one under host", () => {
    expect(agy.saw(mcp)).toMatchObject({
      tool_name: "create_issue",
      tool_qualified_name: "mcp:github:create_issue",
      tool_input: { title: "x", n: 1 },
      host: { tool_name: "call_mcp_tool", tool_input: { ServerName: "github", ToolName: "create_issue" } },
    });
    expect(agy.read(mcp).tool?.names).toEqual(["create_issue", "call_mcp_tool", "mcp:github:create_issue"]);
  });

  test("a call of an MCP tool that names no server is the outer call", () => {
    expect(agy.saw(call("call_mcp_tool", { ToolName: "x" }))).toMatchObject({ tool_name: "call_mcp_tool" });
  });
});

describe("what Antigravity says after the fact", () => {
  test("a tool that failed, and one that did not", () => {
    const failed = { ...shell, error: "exit status 1" };
    expect(agy.saw(failed)).toMatchObject({ tool_name: "shell", tool_error: true, tool_response: "exit status 1" });
    expect(agy.saw(done)).not.toHaveProperty("tool_error");
  });

  test("a step that does not name its call is a call of the tool `step`", () => {
    const payload = { ...common, stepIdx: 3, error: "" };
    for (const step of [payload, { ...payload, toolCall: null }])
      expect(agy.saw(step, "PostToolUse")).toMatchObject({ hook_event_name: "post_tool_use", tool_name: "step" });
    expect(agy.saw({ ...payload, error: "no such file" }, "PostToolUse")).toMatchObject({ tool_error: true });
    expect(agy.say(payload, {})).toEqual({ out: {} });
    expect(decode(agy.dialect, { ...payload, toolCall: null }, "PreToolUse")).toHaveProperty("problem");
  });

  test("the session is the conversation, in the first workspace", () => {
    expect(agy.saw(turn)).toMatchObject({ hook_event_name: "turn_start", session_id: "k-1", cwd: "/w" });
  });
});

describe("answers to Antigravity", () => {
  test("a denial, an ask and an allow", () => {
    expect(agy.say(shell, { pre_tool_use: { allowed: false, message: "no" } })).toEqual({
      out: { decision: "deny", reason: "no" },
    });
    expect(agy.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
      out: { decision: "force_ask", reason: "sure?" },
    });
    expect(agy.say(shell, { pre_tool_use: { decision: "allow", decision_reason: "safe" } })).toEqual({
      out: { decision: "allow", reason: "safe" },
    });
  });

  test("a rewrite has only the changed fields, with an allow, or with the ask of another hook", () => {
    const payload = call("run_command", { CommandLine: "ls", Cwd: "/w" });
    expect(agy.say(payload, {}, { patch: { cmd: "ls -1" } })).toEqual({
      out: { decision: "allow", overwrite: { CommandLine: "ls -1" } },
    });
    const asked = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;
    expect(agy.say(payload, asked, { patch: { CommandLine: "ls -1" } })).toEqual({
      out: { decision: "force_ask", reason: "sure?", overwrite: { CommandLine: "ls -1" } },
    });
    expect(agy.say(payload, {}, { patch: { cmd: "ls" } })).toEqual({ out: "" });
  });

  test("a rewrite of an MCP call replaces its arguments", () => {
    expect(agy.say(mcp, {}, { patch: { title: "y" } })).toEqual({
      out: { decision: "allow", overwrite: { Arguments: { title: "y", n: 1 } } },
    });
  });

  test("several edits of one call that can hold one are denied", () => {
    const payload = call("replace_file_content", { TargetFile: "/w/a", TargetContent: "a", ReplacementContent: "b" });
    const edits = [
      { oldText: "a", newText: "c" },
      { oldText: "d", newText: "e" },
    ];
    expect(agy.say(payload, {}, { patch: { edits } }).out).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("rewr"),
    });
  });

  test("no opinion differs from event to event", () => {
    expect(agy.say(shell, {})).toEqual({ out: "" });
    for (const payload of [done, turn]) expect(agy.say(payload, {})).toEqual({ out: {} });
    expect(agy.say(turn, {}, { event: "PostInvocation" })).toEqual({ out: {} });
    expect(agy.say(stop, {})).toEqual({ out: { decision: "" } });
  });

  test("context before a model call and at the start of a session is an ephemeral message", () => {
    const out = { injectSteps: [{ ephemeralMessage: "branch: main" }] };
    expect(agy.say(turn, { turn_start: { additional_context: "branch: main" } })).toEqual({ out });
    const start = { session_start: { additional_context: "branch: main" } };
    expect(agy.say(common, start, { event: "SessionStart" })).toEqual({ out });
  });

  test("the end of a turn, and a finished tool, which takes nothing", () => {
    expect(agy.say(stop, { stop: { allowed: false, message: "red" } })).toEqual({
      out: { decision: "continue", reason: "red" },
    });
    expect(agy.say(done, { post_tool_use: { allowed: false, message: "red", additional_context: "x" } })).toEqual({
      out: {},
      notes: [expect.stringContaining("red"), expect.stringContaining("x")],
    });
  });

  test("a failure of hooksh denies a call and is silent elsewhere", () => {
    expect(agy.fail("PreToolUse", "broken")).toMatchObject({ out: { decision: "deny", reason: "hooksh: broken" } });
    expect(agy.fail("Stop", "broken").out).toEqual({ decision: "" });
    for (const name of ["PostToolUse", "PreInvocation", "PostInvocation", "SessionStart"])
      expect(agy.fail(name, "broken")).toEqual({ out: {}, notes: ["hooksh: broken"] });
    expect(agy.fail("BeforeTool", "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});
