import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const q = await codec("q");
const kiro = await codec("kiro");
const event = (hook_event_name: string, fields: object = {}) => ({ hook_event_name, cwd: "/w", ...fields });
const call = (tool_name: string, tool_input: unknown, name = "preToolUse") => event(name, { tool_name, tool_input });
const shell = call("execute_bash", { command: "ls" });

test("the events of Amazon Q", () => {
  expectEvents(q, {
    agentSpawn: "session_start",
    userPromptSubmit: "user_prompt_submit",
    preToolUse: "pre_tool_use",
    postToolUse: "post_tool_use",
    stop: "stop",
  });
});

test("the events of Kiro, spelled as in payloads and as in its files", () => {
  const events: Record<string, string> = {
    sessionStart: "session_start",
    agentSpawn: "session_start",
    sessionEnd: "session_end",
    userPromptSubmit: "user_prompt_submit",
    preToolUse: "pre_tool_use",
    postToolUse: "post_tool_use",
    stop: "stop",
    notification: "",
    postFileCreate: "",
    postFileSave: "",
    postFileDelete: "",
    preTaskExec: "",
    postTaskExec: "",
    manual: "",
  };
  const inFiles = Object.entries(events).map(([name, own]) => [name.charAt(0).toUpperCase() + name.slice(1), own]);
  expectEvents(kiro, { ...events, ...Object.fromEntries(inFiles) });
});

describe("tools of Amazon Q and Kiro", () => {
  const line = { mode: "Line", path: "/w/a" };
  const folder = { mode: "Directory", path: "/w" };
  const search = { mode: "Search", path: "/w", pattern: "x" };
  const reads = (own: string, ...operations: { mode: string; path: string }[]): ToolExample => ({
    host: "fs_read",
    input: { operations },
    own,
    ownInput: { path: operations[0]?.path, paths: operations.map(({ path }) => path), operations },
  });
  const tools: ToolExample[] = [
    { host: "execute_bash", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    { host: "shell", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    { host: "fs_read", input: { path: "/w/a" }, own: "read_file", ownInput: { path: "/w/a" } },
    { host: "fs_read", input: folder, own: "list_directory", ownInput: folder },
    reads("read_file", line, { mode: "Line", path: "/w/b" }),
    reads("list_directory", folder),
    reads("search_files_content", search),
    { ...reads("read_file", folder, line), also: ["list_directory", "search_files_content"] },
    {
      host: "fs_write",
      input: { command: "create", path: "/w/a", file_text: "b" },
      own: "write_file",
      ownInput: { command: "create", path: "/w/a", content: "b" },
    },
    {
      host: "fs_write",
      input: { command: "str_replace", path: "/w/a", old_str: "a", new_str: "b" },
      own: "edit_file",
      ownInput: { command: "str_replace", path: "/w/a", edits: [{ oldText: "a", newText: "b" }] },
    },
    {
      host: "fs_write",
      input: { command: "append", path: "/w/a", new_str: "b" },
      own: "edit_file",
      ownInput: { command: "append", path: "/w/a", edits: [{ oldText: "", newText: "b" }] },
      lossy: true,
    },
    {
      host: "fs_write",
      input: { path: "/w/a" },
      own: "write_file",
      also: ["edit_file"],
      ownInput: { path: "/w/a" },
    },
    { host: "use_aws", input: { service: "s3" }, own: "use_aws", ownInput: { service: "s3" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    for (const codec of [q, kiro]) expectTool(codec.read(call(tool.host, tool.input)), tool);
  });

  test("a tool of an MCP server", () => {
    expect(q.read(call("@github/create_issue", {})).tool?.names).toEqual([
      "@github/create_issue",
      "mcp:github:create_issue",
    ]);
    expect(q.saw(call("@github/create_issue", {}))["tool_name"]).toBe("@github/create_issue");
    expect(q.saw(call("@builtin", {}))).not.toHaveProperty("tool_qualified_name");
  });
});

test("results and other fields", () => {
  const done = (response: object) => ({ ...shell, hook_event_name: "postToolUse", tool_response: response });
  for (const codec of [q, kiro]) {
    expect(codec.saw(done({ success: true, result: ["a", "b"] }))).toMatchObject({ tool_response: "a\nb" });
    expect(codec.saw(done({ success: true, result: [] }))).not.toHaveProperty("tool_error");
    expect(codec.saw(done({ success: false, result: ["no"] }))).toMatchObject({ tool_error: true });
    expect(codec.saw(event("userPromptSubmit", { prompt: "hi" }))["prompt"]).toBe("hi");
  }
  expect(kiro.saw(event("stop", { session_id: "r", assistant_response: "done" }))).toMatchObject({
    session_id: "r",
    stop_response: "done",
  });
  expect(kiro.saw(event("sessionEnd"))["reason"]).toBe("other");
});

describe("answers to Amazon Q and Kiro", () => {
  const denied = { allowed: false, message: "no" };

  test("a denial is exit code 2 with the reason on standard error", () => {
    for (const codec of [q, kiro])
      expect(codec.say(shell, { pre_tool_use: denied })).toEqual({ out: "", exit: 2, stderr: "no" });
  });

  test("there is no ask and no rewrite, and an allow is silence", () => {
    for (const codec of [q, kiro]) {
      expect(codec.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
        out: "",
        exit: 2,
        stderr: "needs your approval: sure?",
      });
      expect(codec.say(shell, {}, { patch: { cmd: "ls -1" } })).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining('{"command":"ls -1"}'),
      });
      expect(codec.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    }
  });

  test("a changed path of several reads is denied, because it would be lost", () => {
    const payload = call("fs_read", { operations: [{ mode: "Line", path: "/w/a" }] });
    expect(q.say(payload, {}, { patch: { path: "/w/b" } })).toMatchObject({ out: "", exit: 2 });
  });

  test("context is plain text at the start of a session and with a prompt", () => {
    const context = { additional_context: "branch: main" };
    const prompt = event("userPromptSubmit", { prompt: "hi" });
    for (const codec of [q, kiro]) {
      expect(codec.say(event("agentSpawn"), { session_start: context })).toEqual({ out: "branch: main" });
      expect(codec.say(prompt, { user_prompt_submit: context })).toEqual({ out: "branch: main" });
    }
    expect(kiro.say(event("sessionStart"), { session_start: context })).toEqual({ out: "branch: main" });
  });

  test("Kiro blocks a prompt, Amazon Q cannot", () => {
    const prompt = event("userPromptSubmit", { prompt: "hi" });
    expect(kiro.say(prompt, { user_prompt_submit: denied })).toEqual({ out: "", exit: 2, stderr: "no" });
    expect(q.say(prompt, { user_prompt_submit: denied })).toEqual({ out: "", notes: [expect.stringContaining("no")] });
  });

  test("finished tools and turns take nothing", () => {
    const done = { ...shell, hook_event_name: "postToolUse", tool_response: { success: true, result: [] } };
    for (const codec of [q, kiro]) {
      expect(codec.say(done, { post_tool_use: denied })).toEqual({ out: "", notes: [expect.stringContaining("no")] });
      expect(codec.say(event("stop"), { stop: denied })).toEqual({ out: "", notes: [expect.stringContaining("no")] });
    }
  });

  test("a failure of hooksh", () => {
    const refused = { out: "", exit: 2, stderr: "hooksh: broken" };
    const silent = { out: "", notes: ["hooksh: broken"] };
    for (const codec of [q, kiro]) {
      expect(codec.fail("preToolUse", "broken")).toEqual(refused);
      for (const name of ["agentSpawn", "postToolUse", "stop"]) expect(codec.fail(name, "broken")).toEqual(silent);
      expect(codec.fail("beforeTool", "broken")).toEqual(refused);
    }
    expect(kiro.fail("userPromptSubmit", "broken")).toEqual(refused);
    expect(q.fail("userPromptSubmit", "broken")).toEqual(silent);
  });
});
