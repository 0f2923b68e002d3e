import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool, type ToolExample } from "./codec.ts";

const red = { allowed: false, message: "red" };

describe("Kimi Code", async () => {
  const kimi = await codec("kimi");
  const event = (hook_event_name: string, fields: object = {}) => ({
    hook_event_name,
    session_id: "m-1",
    cwd: "/w",
    client_type: "kimi_code_cli",
    ...fields,
  });
  const call = (tool_name: string, tool_input: unknown, name = "PreToolUse") =>
    event(name, { tool_name, tool_input, tool_call_id: "c" });
  const shell = call("Bash", { command: "ls" });
  const denial = (reason: string, name?: string) => ({
    hookSpecificOutput: {
      ...(name === undefined ? {} : { hookEventName: name }),
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  });

  test("its events", () => {
    expectEvents(kimi, {
      PreToolUse: "pre_tool_use",
      PostToolUse: "post_tool_use",
      PostToolUseFailure: "post_tool_use",
      PermissionRequest: "permission_request",
      PermissionResult: "on_tool_approval_decision",
      UserPromptSubmit: "user_prompt_submit",
      Stop: "stop",
      StopFailure: "on_error",
      SessionStart: "session_start",
      SessionEnd: "session_end",
      SubagentStop: "subagent_stop",
      PreCompact: "pre_compact",
      PostCompact: "after_compaction",
      Notification: "notification",
      SubagentStart: "",
      TurnStarted: "",
      UserPromptQueued: "",
      Interrupt: "",
      TaskStarted: "",
      SessionHeartbeat: "",
    });
  });

  const edit = { path: "a", old_string: "a", new_string: "b" };
  const ownEdit = { path: "a", edits: [{ oldText: "a", newText: "b" }] };
  const tools: ToolExample[] = [
    { host: "Bash", input: { command: "ls", timeout: 5000 }, own: "shell", ownInput: { cmd: "ls", timeout: 5 } },
    { host: "Read", input: { path: "a" }, own: "read_file", ownInput: { path: "a" } },
    { host: "Write", input: { file_path: "a" }, own: "write_file", ownInput: { path: "a" } },
    { host: "WriteFile", input: { path: "a" }, own: "write_file", ownInput: { path: "a" } },
    { host: "Edit", input: edit, own: "edit_file", ownInput: ownEdit },
    { host: "StrReplaceFile", input: edit, own: "edit_file", ownInput: ownEdit },
    { host: "Grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
    { host: "Agent", input: { prompt: "x" }, own: "transfer_task", ownInput: { prompt: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(kimi.read(call(tool.host, tool.input)), tool);
  });

  test("prompts in parts, errors as objects, severities", () => {
    const prompt = [{ type: "text", text: "one" }, { type: "image" }, { type: "text", text: "two" }];
    expect(kimi.saw(event("UserPromptSubmit", { prompt }))["prompt"]).toBe("one\ntwo");
    const failed = { ...call("Bash", {}, "PostToolUseFailure"), error: { code: "x", message: "gone" } };
    expect(kimi.saw(failed)).toMatchObject({ tool_response: "gone", tool_error: true, tool_use_id: "c" });
    const note = (severity: string) => kimi.saw(event("Notification", { title: "t", body: "b", severity }));
    expect(note("info")).toMatchObject({ notification_level: "warning", notification_message: "b" });
    expect(note("error")["notification_level"]).toBe("error");
    const result = (decision: unknown) => kimi.saw({ ...call("Bash", {}, "PermissionResult"), decision });
    expect(result("approved")).toMatchObject({ approval_decision: "allow", tool_name: "shell" });
    expect(result("rejected")["approval_decision"]).toBe("deny");
    expect(result(5)["approval_decision"]).toBeUndefined();
  });

  test("only a denial is said before a tool", () => {
    expect(kimi.say(shell, { pre_tool_use: red })).toEqual({ out: denial("red") });
    expect(kimi.say(shell, { pre_tool_use: { decision: "ask" } }).out).toEqual(
      denial("needs your approval: a hook asks for it"),
    );
    expect(kimi.say(shell, { pre_tool_use: { decision: "allow", system_message: "hi" } })).toEqual({
      out: "",
      notes: ["hi"],
    });
    expect(kimi.say(shell, {}, { patch: { cmd: "ls -1" } }).out).toEqual(
      denial(expect.stringContaining('{"command":"ls -1"}') as never),
    );
  });

  test("prompts and stops; nothing else is waited for", () => {
    const prompt = event("UserPromptSubmit", { prompt: "x" });
    expect(kimi.say(prompt, { user_prompt_submit: red }).out).toEqual(denial("red", "UserPromptSubmit"));
    expect(kimi.say(prompt, { user_prompt_submit: { additional_context: "ticket 9" } })).toEqual({ out: "ticket 9" });
    expect(kimi.say(event("Stop"), { stop: red }).out).toEqual(denial("red", "Stop"));
    for (const [name, own] of [
      ["SessionStart", "session_start"],
      ["SubagentStop", "subagent_stop"],
    ] as const)
      expect(kimi.say(event(name), { [own]: { ...red, additional_context: "more" } })).toMatchObject({
        out: "",
        notes: [expect.any(String), expect.any(String)],
      });
    const request = call("Bash", {}, "PermissionRequest");
    expect(kimi.say(request, { permission_request: red })).toMatchObject({ out: "", notes: [expect.any(String)] });
    expect(kimi.fail("UserPromptSubmit", "broken").out).toEqual(denial("hooksh: broken", "UserPromptSubmit"));
    expect(kimi.fail("PermissionRequest", "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
  });
});

describe("Grok Build", async () => {
  const grok = await codec("grok");
  const event = (hookEventName: string, fields: object = {}) => ({
    hookEventName,
    sessionId: "o-1",
    cwd: "/w",
    workspaceRoot: "/w",
    ...fields,
  });
  const call = (toolName: string, toolInput: unknown) => event("pre_tool_use", { toolName, toolInput });

  test("its events, as payloads and as the configuration spell them", () => {
    const events = {
      pre_tool_use: "pre_tool_use",
      post_tool_use: "post_tool_use",
      post_tool_use_failure: "post_tool_use",
      user_prompt_submit: "user_prompt_submit",
      session_start: "session_start",
      session_end: "session_end",
      stop: "stop",
      notification: "notification",
    };
    expectEvents(grok, {
      ...events,
      PreToolUse: "pre_tool_use",
      PostToolUse: "post_tool_use",
      PostToolUseFailure: "post_tool_use",
      UserPromptSubmit: "user_prompt_submit",
      SessionStart: "session_start",
      SessionEnd: "session_end",
      Stop: "stop",
      Notification: "notification",
    });
  });

  const tools: ToolExample[] = [
    { host: "run_terminal_command", input: { command: "ls" }, own: "shell", ownInput: { cmd: "ls" } },
    { host: "read_file", input: { file_path: "a" }, own: "read_file", ownInput: { path: "a" } },
    { host: "write", input: { file_path: "a" }, own: "write_file", ownInput: { path: "a" } },
    {
      host: "search_replace",
      input: { file_path: "a", old_string: "a", new_string: "b" },
      own: "edit_file",
      ownInput: { path: "a", edits: [{ oldText: "a", newText: "b" }] },
    },
    { host: "grep", input: { pattern: "x" }, own: "search_files_content", ownInput: { pattern: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(grok.read(call(tool.host, tool.input)), tool);
  });

  test("results, sources, and a reason where the payload has none", () => {
    const done = event("post_tool_use", { toolName: "write", toolInput: {}, toolResult: "ok" });
    expect(grok.saw(done)["tool_response"]).toBe("ok");
    expect(grok.saw(event("session_start", { source: "load" }))["source"]).toBe("resume");
    expect(grok.saw(event("session_end"))["reason"]).toBe("other");
    expect(grok.saw(event("session_end", { reason: "user_exit" }))["reason"]).toBe("prompt_input_exit");
  });

  test("a denial is an object and exit code 2; nothing else can be said", () => {
    const denied = { out: { decision: "deny", reason: "red" }, exit: 2, stderr: "red" };
    expect(grok.say(call("write", {}), { pre_tool_use: red })).toEqual(denied);
    expect(grok.say(call("write", {}), { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    const prompt = event("user_prompt_submit", { prompt: "x" });
    expect(grok.say(prompt, { user_prompt_submit: { ...red, additional_context: "more" } })).toMatchObject({
      out: "",
      notes: [expect.stringContaining("red"), expect.stringContaining("more")],
    });
    expect(grok.fail("PreToolUse", "broken")).toMatchObject({ exit: 2, out: { decision: "deny" } });
    expect(grok.fail("user_prompt_submit", "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
  });
});
