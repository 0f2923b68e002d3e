import { describe, expect, test } from "bun:test";
import { decode } from "../../src/dialects/decode.ts";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const opencode = await codec("opencode");
const event = (hook_event_name: string, fields: object = {}) => ({
  hook_event_name,
  session_id: "ses_1",
  cwd: "/w",
  ...fields,
});
const call = (tool_name: string, tool_input: unknown, name = "tool.execute.before") =>
  event(name, { tool_name, tool_input, tool_use_id: "call_1" });
const shell = call("bash", { command: "ls", timeout: 5000 });
const after = { ...call("bash", { command: "ls" }, "tool.execute.after"), tool_response: "a\n" };
const nested = (name: string, fields: object) => ({ hook_specific_output: { hook_event_name: name, ...fields } });

test("the events of the bridge in opencode", () => {
  expectEvents(opencode, {
    "tool.execute.before": "pre_tool_use",
    "tool.execute.after": "tool_response_transform, post_tool_use",
    "permission.ask": "permission_request",
    "chat.message": "user_prompt_submit",
    "session.created": "session_start",
    "session.idle": "stop",
    "session.error": "on_error",
    "session.deleted": "session_end",
  });
});

describe("tools of opencode", () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch";
  const tools: ToolExample[] = [
    {
      host: "bash",
      input: { command: "ls", workdir: "/w", timeout: 5000 },
      own: "shell",
      ownInput: { cmd: "ls", cwd: "/w", timeout: 5 },
    },
    { host: "read", input: { filePath: "a", offset: 3 }, own: "read_file", ownInput: { path: "a", offset: 3 } },
    {
      host: "write",
      input: { filePath: "a", content: "b" },
      own: "write_file",
      ownInput: { path: "a", content: "b" },
    },
    {
      host: "edit",
      input: { filePath: "a", oldString: "a", newString: "b", replaceAll: true },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }], replaceAll: true },
    },
    {
      host: "multiedit",
      input: { filePath: "a", edits: [{ oldString: "a", newString: "b" }] },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
    },
    {
      host: "apply_patch",
      input: { patchText: patch },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "a.ts", paths: ["a.ts", "b.ts"], patch },
    },
    { host: "grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
    { host: "list", input: { path: "a" }, own: "list_directory", ownInput: { path: "a" } },
    { host: "webfetch", input: { url: "u" }, own: "fetch", ownInput: { url: "u" } },
    { host: "task", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
    { host: "todowrite", input: { todos: [] }, own: "todowrite", ownInput: { todos: [] } },
    { host: "github_create_issue", input: {}, own: "github_create_issue", ownInput: {} },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(opencode.read(call(tool.host, tool.input)), tool);
  });
});

test("the fields of the other events", () => {
  expect(opencode.saw(event("chat.message", { prompt: "hi" }))["prompt"]).toBe("hi");
  expect(opencode.saw(event("session.created"))["source"]).toBe("startup");
  expect(opencode.saw(event("session.deleted"))["reason"]).toBe("other");
  expect(opencode.saw(event("session.error", { error: { message: "quota" } }))).toMatchObject({
    notification_level: "error",
    notification_message: "quota",
  });
});

test("the arguments of a handler, as recorded, are not the object of the bridge", () => {
  const recorded = { handler: "tool.execute.before", input: { tool: "bash" }, output: { args: { command: "ls" } } };
  expect(decode(opencode.dialect, recorded)).toMatchObject({ problem: expect.stringContaining("names no event") });
});

describe("answers to the bridge", () => {
  test("a block stops a call, a permission and a prompt, and is feedback after a tool", () => {
    const block = { decision: "block", reason: "no" };
    const denied = { allowed: false, message: "no" };
    expect(opencode.say(shell, { pre_tool_use: denied })).toEqual({ out: block });
    const permission = call("bash", { command: "ls" }, "permission.ask");
    expect(opencode.say(permission, { permission_request: denied })).toEqual({ out: block });
    const prompt = event("chat.message", { prompt: "hi" });
    expect(opencode.say(prompt, { user_prompt_submit: denied })).toEqual({ out: block });
    expect(opencode.say(after, { post_tool_use: denied })).toEqual({ out: block });
  });

  test("ask, allow and a complete rewrite", () => {
    const before = "tool.execute.before";
    expect(opencode.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } }).out).toEqual(
      nested(before, { permission_decision: "ask", permission_decision_reason: "sure?" }),
    );
    expect(opencode.say(shell, { pre_tool_use: { decision: "allow" } }).out).toEqual(
      nested(before, { permission_decision: "allow" }),
    );
    expect(opencode.say(shell, {}, { patch: { timeout: 9 } }).out).toEqual(
      nested(before, { updated_input: { command: "ls", timeout: 9000 } }),
    );
    const permission = call("bash", { command: "ls" }, "permission.ask");
    expect(opencode.say(permission, { permission_request: { permission_allowed: true } }).out).toEqual(
      nested("permission.ask", { permission_decision: "allow" }),
    );
  });

  test("context and a replaced result", () => {
    const results = {
      tool_response_transform: { updated_tool_response: "[redacted]" },
      post_tool_use: { additional_context: "formatted" },
    };
    expect(opencode.say(after, results).out).toEqual(
      nested("tool.execute.after", { additional_context: "formatted", updated_tool_response: "[redacted]" }),
    );
    const prompt = event("chat.message", { prompt: "hi" });
    expect(opencode.say(prompt, { user_prompt_submit: { additional_context: "branch: main" } }).out).toEqual(
      nested("chat.message", { additional_context: "branch: main" }),
    );
  });

  test("an end of a turn can only be observed", () => {
    expect(opencode.say(event("session.idle"), { stop: { allowed: false, message: "red" } })).toMatchObject({
      out: {},
      notes: [expect.stringContaining("red")],
    });
  });

  test("a failure of hooksh blocks calls, permissions and prompts and is silent elsewhere", () => {
    for (const name of ["tool.execute.before", "permission.ask", "chat.message"])
      expect(opencode.fail(name, "broken").out).toEqual({ decision: "block", reason: "hooksh: broken" });
    for (const name of ["tool.execute.after", "session.created", "session.idle", "session.error", "session.deleted"])
      expect(opencode.fail(name, "broken")).toEqual({ out: {}, notes: ["hooksh: broken"] });
    expect(opencode.fail("shell.env", "broken")).toEqual({ out: "", exit: 2, stderr: "hooksh: broken" });
  });
});
