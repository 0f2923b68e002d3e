import { describe, expect, test } from "bun:test";
import { toHostInput } from "../../src/dialects/tools.ts";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const cline = await codec("cline");
const event = (hookName: string, fields: object = {}) => ({
  clineVersion: "4.1.10",
  hookName,
  taskId: "l-1",
  workspaceRoots: ["/w"],
  ...fields,
});
const call = (toolName: string, parameters: unknown) => event("PreToolUse", { preToolUse: { toolName, parameters } });
const shell = call("execute_command", { command: "ls", requires_approval: "true" });
const finished = (fields: object) =>
  event("PostToolUse", { postToolUse: { toolName: "execute_command", parameters: { command: "ls" }, ...fields } });
const prompt = event("UserPromptSubmit", { userPromptSubmit: { prompt: "deploy", attachments: [] } });

test("the events of Cline for VS Code", () => {
  expectEvents(cline, {
    PreToolUse: "pre_tool_use",
    PostToolUse: "post_tool_use",
    UserPromptSubmit: "user_prompt_submit",
    TaskStart: "session_start",
    TaskResume: "session_start",
    TaskCancel: "session_end",
    TaskComplete: "stop",
    PreCompact: "pre_compact",
    Notification: "notification",
  });
});

describe("tools of Cline for VS Code", () => {
  const diff = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE";
  const tools: ToolExample[] = [
    {
      host: "execute_command",
      input: { command: "ls", requires_approval: "true" },
      own: "shell",
      ownInput: { cmd: "ls", requires_approval: "true" },
    },
    { host: "read_file", input: { path: "a" }, own: "read_file", ownInput: { path: "a" } },
    {
      host: "write_to_file",
      input: { path: "a", content: "b" },
      own: "write_file",
      ownInput: { path: "a", content: "b" },
    },
    { host: "replace_in_file", input: { path: "a", diff }, own: "edit_file", ownInput: { path: "a", diff } },
    { host: "search_files", input: { regex: "x" }, own: "search_files_content", ownInput: { regex: "x" } },
    { host: "list_files", input: { path: "a" }, own: "list_directory", ownInput: { path: "a" } },
    { host: "web_fetch", input: { url: "u" }, own: "fetch", ownInput: { url: "u" } },
    { host: "new_task", input: { context: "x" }, own: "transfer_task", ownInput: { context: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(cline.read(call(tool.host, tool.input)), tool);
  });

  test("a tool of an MCP server keeps its visible name and its text of arguments", () => {
    const parameters = { server_name: "github", tool_name: "create_issue", arguments: '{"title":"x"}' };
    expect(cline.saw(call("use_mcp_tool", parameters))).toMatchObject({
      tool_name: "use_mcp_tool",
      tool_qualified_name: "mcp:github:create_issue",
      tool_input: parameters,
    });
  });

  test("a payload without the object of its event names no tool", () => {
    expect(() => cline.read(event("PreToolUse", { postToolUse: { toolName: "execute_command" } }))).toThrow("no tool");
  });
});

test("the fields of the other events", () => {
  expect(cline.saw(finished({ result: "a", success: true }))).toMatchObject({ tool_response: "a", session_id: "l-1" });
  expect(cline.saw(finished({ result: "a", success: true }))).not.toHaveProperty("tool_error");
  expect(cline.saw(finished({ result: "no", success: false }))).toMatchObject({ tool_error: true });
  expect(cline.saw(prompt)).toMatchObject({ prompt: "deploy", cwd: "/w" });
  expect(cline.saw(event("TaskStart"))["source"]).toBe("startup");
  expect(cline.saw(event("TaskResume"))["source"]).toBe("resume");
  expect(cline.saw(event("TaskCancel"))["reason"]).toBe("other");
  expect(cline.saw(event("Notification", { notification: { message: "waiting" } }))).toMatchObject({
    notification_level: "warning",
    notification_message: "waiting",
  });
});

describe("answers to Cline for VS Code", () => {
  const denied = { allowed: false, message: "no" };
  const cancelled = (errorMessage: string) => ({ out: { cancel: true, errorMessage } });

  test("a call, a prompt and a compaction are cancelled", () => {
    expect(cline.say(shell, { pre_tool_use: denied })).toEqual(cancelled("no"));
    expect(cline.say(prompt, { user_prompt_submit: denied })).toEqual(cancelled("no"));
    expect(cline.say(event("PreCompact"), { pre_compact: denied })).toEqual(cancelled("no"));
  });

  test("there is no ask and no rewrite", () => {
    expect(cline.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual(
      cancelled("needs your approval: sure?"),
    );
    expect(cline.say(shell, {}, { patch: { cmd: "ls -1" } }).out).toMatchObject({
      cancel: true,
      errorMessage: expect.stringContaining("ls -1"),
    });
  });

  test("context goes to the next request, feedback after a tool too", () => {
    const context = { additional_context: "branch: main" };
    const out = { cancel: false, contextModification: "branch: main" };
    expect(cline.say(prompt, { user_prompt_submit: context })).toEqual({ out });
    expect(cline.say(event("TaskStart"), { session_start: context })).toEqual({ out });
    expect(cline.say(event("TaskResume"), { session_start: context })).toEqual({ out });
    expect(cline.say(finished({}), { post_tool_use: { ...denied, ...context } })).toEqual({
      out: { cancel: false, contextModification: "no\nbranch: main" },
    });
  });

  test("no opinion, and a turn that cannot be kept going", () => {
    const quiet = { out: { cancel: false } };
    for (const payload of [shell, finished({}), prompt, event("TaskStart"), event("Notification")])
      expect(cline.say(payload, {})).toEqual(quiet);
    expect(cline.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual(quiet);
    expect(cline.say(event("TaskComplete"), { stop: denied })).toEqual({
      ...quiet,
      notes: [expect.stringContaining("no")],
    });
  });

  test("a failure of hooksh", () => {
    for (const name of ["PreToolUse", "UserPromptSubmit", "BeforeTool", undefined])
      expect(cline.fail(name, "broken")).toEqual({ ...cancelled("hooksh: broken"), notes: ["hooksh: broken"] });
    for (const name of ["PostToolUse", "TaskStart", "TaskComplete", "PreCompact"])
      expect(cline.fail(name, "broken")).toEqual({ out: { cancel: false }, notes: ["hooksh: broken"] });
  });
});

describe("the CLI of Cline", async () => {
  const sdk = await codec("cline-sdk");
  const at = (hookName: string, fields: object = {}) => ({
    hookName,
    taskId: "s-1",
    parent_agent_id: null,
    workspaceInfo: { rootPath: "/w" },
    ...fields,
  });
  const calls = (name: string, input: unknown) => at("tool_call", { tool_call: { id: "c-1", name, input } });
  const commands = (...list: unknown[]) => calls("run_commands", { commands: list });
  const result = (fields: object, copy = {}) =>
    at("tool_result", { tool_result: { id: "c-1", name: "run_commands", ...fields }, postToolUse: copy });

  test("its events", () => {
    expectEvents(sdk, {
      tool_call: "pre_tool_use",
      tool_result: "post_tool_use",
      agent_start: "session_start",
      agent_resume: "session_start",
      prompt_submit: "user_prompt_submit",
      agent_end: "stop, subagent_stop",
      agent_error: "on_error",
      session_shutdown: "session_end",
      pre_compact: "pre_compact",
      agent_abort: "",
    });
  });

  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch";
  const tools: ToolExample[] = [
    { host: "run_commands", input: { commands: ["cd x", "make"] }, own: "shell", ownInput: { cmd: "cd x\nmake" } },
    {
      host: "editor",
      input: { path: "a", new_text: "b" },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "a", new_text: "b" },
    },
    {
      host: "read_files",
      input: { files: [{ path: "a", start_line: 3 }, { path: "b" }] },
      own: "read_file",
      also: ["read_multiple_files"],
      ownInput: { path: "a", paths: ["a", "b"], files: [{ path: "a", start_line: 3 }, { path: "b" }] },
    },
    {
      host: "read_files",
      input: { file_paths: ["a"] },
      own: "read_file",
      ownInput: { path: "a", paths: ["a"], file_paths: ["a"] },
    },
    {
      host: "apply_patch",
      input: { input: patch },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "a.ts", paths: ["a.ts"], patch },
    },
    { host: "search_codebase", input: { queries: ["x"] }, own: "search_files_content", ownInput: { queries: ["x"] } },
    { host: "fetch_web_content", input: { requests: [] }, own: "fetch", ownInput: { requests: [] } },
    { host: "spawn_agent", input: { task: "x" }, own: "transfer_task", ownInput: { task: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(sdk.read(calls(tool.host, tool.input)), tool);
  });

  test.each([
    ["one command", "ls -l", "ls -l"],
    ["a list alone", ["a", "b"], "a\nb"],
    ["a command with arguments", { commands: [{ command: "rm", args: ["-rf", "x"] }] }, "rm -rf x"],
    ["one command with arguments", { commands: { command: "rm", args: ["-rf", "x"] } }, "rm -rf x"],
    ["a list as text", { commands: '["a","b"]' }, "a\nb"],
    ["one command under its name", { command: "rm", args: ["x"] }, "rm x"],
  ])("run_commands takes %s", (_form, input, cmd) => {
    expect(sdk.saw(calls("run_commands", input))).toMatchObject({ tool_name: "shell", tool_input: { cmd } });
  });

  test("a payload that has the call in the extension's form alone", () => {
    const copy = { toolName: "run_commands", parameters: { commands: '["rm -rf build"]' } };
    expect(sdk.saw(at("tool_call", { preToolUse: copy }))).toMatchObject({ tool_input: { cmd: "rm -rf build" } });
  });

  test("the fields of the other events", () => {
    const output = [{ query: "ls", result: "a", success: true }];
    expect(sdk.saw(result({ output }, { success: true }))).toMatchObject({
      tool_name: "shell",
      tool_use_id: "c-1",
      tool_response: JSON.stringify(output),
    });
    expect(sdk.saw(result({ output }, { success: true }))).not.toHaveProperty("tool_error");
    expect(sdk.saw(result({ error: "no" }))).toMatchObject({ tool_response: "no", tool_error: true });
    expect(sdk.saw(result({ output: "x" }, { success: false }))).toMatchObject({ tool_error: true });
    expect(sdk.saw(at("agent_resume"))).toMatchObject({ source: "resume", session_id: "s-1", cwd: "/w" });
    expect(sdk.saw(at("agent_error", { error: { message: "quota" } }))["notification_message"]).toBe("quota");
    expect(sdk.saw(at("prompt_submit", { userPromptSubmit: { prompt: "hi" } }))["prompt"]).toBe("hi");
  });

  test("the end of an agent with a parent is that of a subagent", () => {
    const end = { turn: { outputText: "done.", status: "completed" } };
    expect(sdk.saw(at("agent_end", end))).toMatchObject({ hook_event_name: "stop", stop_response: "done." });
    expect(sdk.saw(at("agent_end", { ...end, parent_agent_id: "a0" }))["hook_event_name"]).toBe("subagent_stop");
    expect(sdk.read(at("agent_end", end)).events).toHaveLength(1);
  });

  test("a denial, an ask, an allow, context", () => {
    const say = (verdict: object) => sdk.say(commands("ls"), { pre_tool_use: verdict });
    expect(say({ allowed: false, message: "no" })).toEqual({ out: { cancel: true, errorMessage: "no" } });
    expect(say({ decision: "ask", decision_reason: "sure?" })).toEqual({
      out: { cancel: true, errorMessage: "needs your approval: sure?" },
    });
    expect(say({ decision: "allow" })).toEqual({ out: { cancel: false } });
    expect(say({})).toEqual({ out: "" });
    const after = { post_tool_use: { allowed: false, message: "no", additional_context: "formatted" } };
    expect(sdk.say(result({ output: "x" }), after)).toEqual({ out: { context: "no\nformatted" } });
  });

  test.each([
    [["ls"], "ls -1", ["ls -1"]],
    [["ls"], "cd x\nls", ["cd x\nls"]],
    [["cd x", "make"], "cd x\nmake -j2", ["cd x", "make -j2"]],
    [["cd x", "make"], "make", ["make"]],
  ])("the commands %p, rewritten to %p", (before, cmd, after) => {
    expect(sdk.say(commands(...before), {}, { patch: { cmd } })).toEqual({
      out: { overrideInput: { commands: after } },
    });
  });

  test("a rewrite in the words of Cline", () => {
    expect(sdk.say(commands("ls"), {}, { patch: { commands: ["ls -1"] } })).toEqual({
      out: { overrideInput: { commands: ["ls -1"] } },
    });
  });

  test("a rewrite that cannot be told apart into commands, or that would be lost, is denied", () => {
    const denied = { cancel: true, errorMessage: expect.stringContaining("rewr") };
    expect(sdk.say(commands("cat <<E\nx\nE", "ls"), {}, { patch: { cmd: "cat\nls" } }).out).toEqual(denied);
    expect(sdk.say(calls("read_files", { files: [{ path: "a" }] }), {}, { patch: { path: "b" } }).out).toEqual(denied);
  });

  test("input that hooksh writes itself", () => {
    const row = sdk.dialect.tools.find(({ names }) => names.includes("read_files"));
    expect(toHostInput(row, { path: "a" })).toEqual({ files: [{ path: "a" }] });
  });

  test("only a coming call can be refused; a failure of hooksh", () => {
    const cancelled = { out: { cancel: true, errorMessage: "hooksh: broken" }, notes: ["hooksh: broken"] };
    for (const name of ["tool_call", "before_tool", undefined]) expect(sdk.fail(name, "broken")).toEqual(cancelled);
    for (const name of ["tool_result", "prompt_submit", "agent_start", "agent_end", "agent_abort"])
      expect(sdk.fail(name, "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
    const blocked = { user_prompt_submit: { allowed: false, message: "frozen" } };
    expect(sdk.say(at("prompt_submit", { prompt: "hi" }), blocked)).toEqual({
      out: "",
      notes: [expect.stringContaining("frozen")],
    });
  });
});
