import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const copilot = await codec("copilot");
const pascal = await codec("copilot-pascal");

const camel = (fields: object = {}) => ({ sessionId: "h-1", timestamp: 1777710000000, cwd: "/w", ...fields });
const call = (toolName: string, toolArgs: unknown) => camel({ toolName, toolArgs });
const timed = (hook_event_name: string, fields: object = {}) => ({
  hook_event_name,
  session_id: "h-1",
  timestamp: "2026-07-08T10:51:48.535Z",
  cwd: "/w",
  ...fields,
});
const pascalCall = (tool_name: string, tool_input: unknown) => timed("PreToolUse", { tool_name, tool_input });
const permission = camel({ hookName: "permissionRequest", toolName: "bash", toolInput: { command: "ls" } });

const PASCAL_EVENTS = {
  SessionStart: "session_start",
  SessionEnd: "session_end",
  UserPromptSubmit: "user_prompt_submit",
  UserPromptTransformed: "",
  PreToolUse: "pre_tool_use",
  PermissionRequest: "permission_request",
  PostToolUse: "tool_response_transform, post_tool_use",
  PostToolUseFailure: "post_tool_use",
  Stop: "stop",
  SubagentStart: "",
  SubagentStop: "subagent_stop",
  ErrorOccurred: "on_error",
  PreCompact: "pre_compact",
  Notification: "notification",
};

test("the events of Copilot CLI in both forms", () => {
  expectEvents(pascal, { ...PASCAL_EVENTS, permissionRequest: "permission_request" });
  expectEvents(copilot, {
    ...PASCAL_EVENTS,
    sessionStart: "session_start",
    sessionEnd: "session_end",
    userPromptSubmitted: "user_prompt_submit",
    userPromptTransformed: "",
    preToolUse: "pre_tool_use",
    permissionRequest: "permission_request",
    postToolUse: "tool_response_transform, post_tool_use",
    postToolUseFailure: "post_tool_use",
    agentStop: "stop",
    subagentStart: "",
    subagentStop: "subagent_stop",
    errorOccurred: "on_error",
    preCompact: "pre_compact",
    notification: "notification",
  });
});

const edit = { path: "a", old_str: "a", new_str: "b" };
const ownEdit = { path: "a", edits: [{ oldText: "a", newText: "b" }] };
const tools: (ToolExample & { pascal?: string })[] = [
  { host: "bash", pascal: "Bash", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
  { host: "powershell", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
  { host: "view", pascal: "Read", input: { path: "a" }, own: "read_file", ownInput: { path: "a" } },
  {
    host: "create",
    pascal: "Write",
    input: { path: "a", file_text: "b" },
    own: "write_file",
    ownInput: { path: "a", content: "b" },
  },
  { host: "edit", pascal: "Edit", input: edit, own: "edit_file", ownInput: ownEdit },
  { host: "str_replace_editor", input: edit, own: "edit_file", also: ["write_file"], ownInput: ownEdit },
  {
    host: "apply_patch",
    input: { patch: "x" },
    own: "edit_file",
    also: ["write_file"],
    ownInput: { patch: "x" },
  },
  { host: "grep", pascal: "Grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "rg", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  { host: "web_fetch", pascal: "WebFetch", input: { url: "x" }, own: "fetch", ownInput: { url: "x" } },
  { host: "task", pascal: "Agent", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
  { host: "glob", pascal: "Glob", input: { pattern: "*" }, own: "glob", ownInput: { pattern: "*" } },
];
test.each(tools)("$host is $own, and so is its Pascal name", ({ pascal: name, ...tool }) => {
  if (tool.host !== "glob") expectTool(copilot.read(call(tool.host, tool.input), "preToolUse"), tool);
  if (name === undefined) return;
  const own = tool.own === "glob" ? name : tool.own;
  expectTool(pascal.read(pascalCall(name, tool.input)), { ...tool, own, host: name });
  expectTool(copilot.read(pascalCall(name, tool.input)), { ...tool, own, host: name });
});

test("a request for permission shows a new file and an edit alike, so both words match", () => {
  const diff = { file_path: "/w/a", diff: "+hello" };
  const payload = camel({ hookName: "permissionRequest", toolName: "edit", toolInput: diff });
  expectTool(copilot.read(payload), {
    host: "edit",
    input: diff,
    own: "edit_file",
    also: ["write_file"],
    ownInput: { path: "/w/a", diff: "+hello" },
  });
});

test("a request for permission names the server of an MCP tool; elsewhere it is any part of the name", () => {
  expect(copilot.read(call("mem-add_note", {}), "preToolUse").tool?.names).toEqual([
    "mem-add_note",
    "mcp:mem:add_note",
  ]);
  const payload = camel({ hookName: "permissionRequest", toolName: "mem/add_note", toolInput: {} });
  expect(copilot.read(payload).tool?.names).toEqual(["mem/add_note", "mcp:mem:add_note"]);
});

describe("what Copilot CLI says after the fact", () => {
  test("a finished tool, in both spellings", () => {
    const result = { resultType: "success", textResultForLlm: "ok" };
    const done = (toolResult: object) => copilot.saw({ ...call("bash", "{}"), toolResult }, "postToolUse");
    expect(done(result)["tool_response"]).toBe("ok");
    expect(done(result)).not.toHaveProperty("tool_error");
    for (const resultType of ["failure", "rejected", "denied", "timeout"])
      expect(done({ ...result, resultType })["tool_error"]).toBe(true);
    const snake = { result_type: "success", text_result_for_llm: "ok" };
    const after = (tool_result: object) =>
      pascal.saw(timed("PostToolUse", { tool_name: "Bash", tool_input: {}, tool_result }));
    expect(after(snake)["tool_response"]).toBe("ok");
    expect(after({ ...snake, result_type: "failure" })["tool_error"]).toBe(true);
  });

  test.each(["gone", { message: "gone" }])("a failed tool: %j", (error) => {
    const failed = { tool_response: "gone", tool_error: true };
    expect(copilot.saw({ ...call("view", {}), error }, "postToolUseFailure")).toMatchObject(failed);
    expect(pascal.saw(timed("PostToolUseFailure", { tool_name: "Read", error }))).toMatchObject(failed);
  });

  test("sessions, prompts, subagents, errors and notifications", () => {
    expect(copilot.saw(camel({ source: "new" }), "sessionStart")["source"]).toBe("startup");
    expect(copilot.saw(camel({ reason: "user_exit" }), "sessionEnd")["reason"]).toBe("prompt_input_exit");
    expect(copilot.saw(camel({ prompt: "hi" }), "userPromptSubmitted")["prompt"]).toBe("hi");
    const subagent = { agentName: "task", response: "done", stop_hook_active: false };
    expect(copilot.saw(camel(subagent), "subagentStop")).toMatchObject({ agent_name: "task", stop_response: "done" });
    expect(pascal.saw(timed("Stop", { last_assistant_message: "bye" }))["stop_response"]).toBe("bye");
    expect(copilot.saw(camel({ error: { message: "limit" } }), "errorOccurred")).toMatchObject({
      notification_level: "error",
      notification_message: "limit",
    });
    const notification = camel({ hook_event_name: "Notification", message: "waiting" });
    expect(copilot.saw(notification)["notification_message"]).toBe("waiting");
    expect(pascal.saw(notification)["notification_message"]).toBe("waiting");
  });
});

describe("answers to Copilot CLI", () => {
  const shell = call("bash", { command: "ls" });
  const pascalShell = pascalCall("Bash", { command: "ls" });
  const denied = { pre_tool_use: { allowed: false, message: "no" } };

  test("a decision is flat, and nested too in the Pascal form", () => {
    const flat = { permissionDecision: "deny", permissionDecisionReason: "no" };
    const both = { ...flat, hookSpecificOutput: { hookEventName: "PreToolUse", ...flat } };
    expect(copilot.say(shell, denied, { event: "preToolUse" })).toEqual({ out: flat });
    expect(pascal.say(pascalShell, denied)).toEqual({ out: both });
    expect(copilot.say(pascalShell, denied)).toEqual({ out: both });
    expect(copilot.say(pascalShell, denied, { event: "preToolUse" })).toEqual({ out: both });
  });

  test("a rewrite and context, without an allow", () => {
    const context = { pre_tool_use: { additional_context: "see docs" } };
    const options = { event: "preToolUse", patch: { cmd: "ls -1" } };
    expect(copilot.say(call("bash", '{"command":"ls","mode":"sync"}'), context, options)).toEqual({
      out: { modifiedArgs: { command: "ls -1", mode: "sync" }, additionalContext: "see docs" },
    });
    expect(pascal.say(pascalShell, context, { patch: { cmd: "ls -1" } }).out).toEqual({
      modifiedArgs: { command: "ls -1" },
      additionalContext: "see docs",
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        updatedInput: { command: "ls -1" },
        additionalContext: "see docs",
      },
    });
  });

  test("a request for permission is answered by a behavior, also under its Pascal name", () => {
    const results = { permission_request: { allowed: false, message: "no" } };
    for (const event of [undefined, "permissionRequest", "PermissionRequest"]) {
      const options = event === undefined ? {} : { event };
      expect(copilot.say(permission, results, options)).toEqual({ out: { behavior: "deny", message: "no" } });
      expect(pascal.say(permission, results, options)).toEqual({ out: { behavior: "deny", message: "no" } });
    }
    expect(copilot.say(permission, { permission_request: { permission_allowed: true } })).toEqual({
      out: { behavior: "allow" },
    });
    expect(copilot.say(permission, { permission_request: { decision: "ask" } }).out).toMatchObject({
      behavior: "deny",
    });
  });

  test("after a tool: feedback is context, a replaced result keeps its kind", () => {
    const done = { ...shell, toolResult: { resultType: "rejected", textResultForLlm: "x" } };
    const results = {
      tool_response_transform: { updated_tool_response: "y" },
      post_tool_use: { allowed: false, message: "lint", additional_context: "more" },
    };
    expect(copilot.say(done, results, { event: "postToolUse" })).toEqual({
      out: { modifiedResult: { resultType: "rejected", textResultForLlm: "y" }, additionalContext: "lint\nmore" },
    });
    const failed = { ...shell, error: "x" };
    expect(copilot.say(failed, results, { event: "postToolUseFailure" })).toEqual({
      out: { additionalContext: "lint\nmore" },
    });
  });

  test("prompts, sessions and ends of turns are flat in both forms", () => {
    const red = { allowed: false, message: "red" };
    const block = { decision: "block", reason: "red" };
    expect(
      copilot.say(camel({ prompt: "x" }), { user_prompt_submit: red }, { event: "userPromptSubmitted" }).out,
    ).toEqual(block);
    expect(pascal.say(timed("UserPromptSubmit", { prompt: "x" }), { user_prompt_submit: red }).out).toEqual(block);
    const context = { user_prompt_submit: { additional_context: "x" } };
    expect(pascal.say(timed("UserPromptSubmit", { prompt: "x" }), context).out).toEqual({ additionalContext: "x" });
    expect(pascal.say(timed("Stop"), { stop: red }).out).toEqual(block);
    expect(copilot.say(camel(), { subagent_stop: red }, { event: "subagentStop" }).out).toEqual(block);
    expect(copilot.say(camel(), { session_start: { additional_context: "x" } }, { event: "sessionStart" }).out).toEqual(
      {
        additionalContext: "x",
      },
    );
    expect(copilot.say(camel(), { pre_compact: red }, { event: "preCompact" })).toEqual({
      out: "",
      notes: [expect.stringContaining("red")],
    });
  });

  test("a failure of hooksh denies calls, requests and prompts and is silent elsewhere", () => {
    const reason = "hooksh: broken";
    expect(copilot.fail("preToolUse", "broken").out).toEqual({
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    });
    expect(copilot.fail("permissionRequest", "broken").out).toEqual({ behavior: "deny", message: reason });
    expect(copilot.fail("userPromptSubmitted", "broken").out).toEqual({ decision: "block", reason });
    expect(copilot.fail("agentStop", "broken")).toEqual({ out: "", notes: [reason] });
    expect(copilot.fail(undefined, "broken")).toEqual({ out: "", exit: 2, stderr: reason });
  });
});
