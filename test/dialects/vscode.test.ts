import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const vscode = await codec("vscode");
const event = (hook_event_name: string, fields: object = {}) => ({
  hook_event_name,
  session_id: "v-1",
  timestamp: "2026-08-01T10:00:00.000Z",
  cwd: "/w",
  ...fields,
});
const call = (tool_name: string, tool_input: unknown) => event("PreToolUse", { tool_name, tool_input });
const shell = call("run_in_terminal", { command: "ls", goal: "see" });

test("the events of Visual Studio Code", () => {
  expectEvents(vscode, {
    SessionStart: "session_start",
    UserPromptSubmit: "user_prompt_submit",
    PreToolUse: "pre_tool_use",
    PostToolUse: "post_tool_use",
    Stop: "stop",
    SubagentStop: "subagent_stop",
    PreCompact: "pre_compact",
    SubagentStart: "",
  });
});

test("the documented spelling of the keys is read too", () => {
  const { hook_event_name, session_id, ...rest } = shell;
  const saw = vscode.saw({ ...rest, hookEventName: hook_event_name, sessionId: session_id });
  expect(saw).toMatchObject({ hook_event_name: "pre_tool_use", session_id: "v-1", tool_name: "shell" });
});

const oneEdit = { filePath: "a", oldString: "a", newString: "b" };
const tools: ToolExample[] = [
  { host: "run_in_terminal", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
  { host: "runTerminalCommand", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
  { host: "read_file", input: { filePath: "a" }, own: "read_file", ownInput: { path: "a" } },
  { host: "create_file", input: { filePath: "a" }, own: "write_file", ownInput: { path: "a" } },
  { host: "createFile", input: { filePath: "a" }, own: "write_file", ownInput: { path: "a" } },
  {
    host: "replace_string_in_file",
    input: oneEdit,
    own: "edit_file",
    ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
  },
  {
    host: "multi_replace_string_in_file",
    input: { replacements: [oneEdit, { ...oneEdit, filePath: "b" }, oneEdit] },
    own: "edit_file",
    ownInput: {
      path: "a",
      paths: ["a", "b"],
      replacements: [oneEdit, { ...oneEdit, filePath: "b" }, oneEdit],
    },
  },
  {
    host: "editFiles",
    input: { files: ["a", "b"] },
    own: "edit_file",
    ownInput: { path: "a", paths: ["a", "b"], files: ["a", "b"] },
  },
  { host: "grep_search", input: { query: "x" }, own: "search_files_content", ownInput: { query: "x" } },
  { host: "list_dir", input: { path: "/w" }, own: "list_directory", ownInput: { path: "/w" } },
  { host: "fetch", input: { url: "x" }, own: "fetch", ownInput: { url: "x" } },
  { host: "runSubagent", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
];
test.each(tools)("$host is $own", (tool) => {
  expectTool(vscode.read(call(tool.host, tool.input)), tool);
});

test("one field of an edit in a patch leaves the other as it was", () => {
  const out = vscode.say(call("replace_string_in_file", oneEdit), {}, { patch: { newString: "c" } }).out;
  expect(out).toMatchObject({ hookSpecificOutput: { updatedInput: { ...oneEdit, newString: "c" } } });
});

describe("answers to Visual Studio Code", () => {
  const denied = { allowed: false, message: "no" };
  const nested = (fields: object, name = "PreToolUse") => ({ hookSpecificOutput: { hookEventName: name, ...fields } });

  test("a denial, an ask, an allow, context and a notice", () => {
    const say = (result: object) => vscode.say(shell, { pre_tool_use: result }).out;
    expect(say(denied)).toEqual(nested({ permissionDecision: "deny", permissionDecisionReason: "no" }));
    expect(say({ decision: "ask", decision_reason: "sure?" })).toEqual(
      nested({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    );
    expect(say({ decision: "allow" })).toEqual(nested({ permissionDecision: "allow" }));
    expect(say({ additional_context: "x", system_message: "y" })).toEqual({
      ...nested({ additionalContext: "x" }),
      systemMessage: "y",
    });
  });

  test("a rewrite comes with an allow, unless a person is asked", () => {
    const updatedInput = { command: "ls -1", goal: "see" };
    const patch = { cmd: "ls -1" };
    expect(vscode.say(shell, {}, { patch }).out).toEqual(nested({ permissionDecision: "allow", updatedInput }));
    expect(vscode.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } }, { patch }).out).toEqual(
      nested({ permissionDecision: "ask", permissionDecisionReason: "sure?", updatedInput }),
    );
  });

  test("other paths for edits of several files are no rewrite that the host could make", () => {
    const out = vscode.say(call("editFiles", { files: ["a"] }), {}, { patch: { path: "/etc/x" } }).out;
    expect(JSON.stringify(out)).toContain("/etc/x");
    expect(out).toMatchObject(nested({ permissionDecision: "deny" }));
  });

  test("prompts, ends of turns, results, compactions", () => {
    expect(vscode.say(event("UserPromptSubmit", { prompt: "x" }), { user_prompt_submit: denied }).out).toEqual({
      continue: false,
      stopReason: "no",
    });
    expect(
      vscode.say(event("UserPromptSubmit", { prompt: "x" }), { user_prompt_submit: { additional_context: "x" } }).out,
    ).toEqual(nested({ additionalContext: "x" }, "UserPromptSubmit"));
    expect(vscode.say(event("Stop"), { stop: denied }).out).toEqual(
      nested({ decision: "block", reason: "no" }, "Stop"),
    );
    expect(vscode.say(event("SubagentStop", { agent_type: "Plan" }), { subagent_stop: denied }).out).toEqual({
      decision: "block",
      reason: "no",
    });
    const done = event("PostToolUse", { tool_name: "read_file", tool_input: {}, tool_response: "x" });
    expect(vscode.say(done, { post_tool_use: { ...denied, additional_context: "y" } }).out).toEqual({
      decision: "block",
      reason: "no",
      ...nested({ additionalContext: "y" }, "PostToolUse"),
    });
    expect(vscode.say(event("PreCompact", { trigger: "auto" }), { pre_compact: denied })).toEqual({
      out: "",
      notes: [expect.stringContaining("no")],
    });
  });

  test("a failure of hooksh denies calls and prompts and is silent elsewhere", () => {
    const reason = "hooksh: broken";
    expect(vscode.fail("PreToolUse", "broken").out).toEqual(
      nested({ permissionDecision: "deny", permissionDecisionReason: reason }),
    );
    expect(vscode.fail("UserPromptSubmit", "broken").out).toEqual({ continue: false, stopReason: reason });
    expect(vscode.fail("Stop", "broken")).toEqual({ out: "", notes: [reason] });
  });
});
