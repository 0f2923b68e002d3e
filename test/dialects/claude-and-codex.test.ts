import { describe, expect, test } from "bun:test";
import { decode, isUndecodable } from "../../src/dialects/decode.ts";
import { encode } from "../../src/dialects/encode.ts";
import { codec, expectTool, type ToolExample } from "./codec.ts";

const claude = await codec("claude");
const codex = await codec("codex");
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: "c-1",
  transcript_path: "/t/c-1.jsonl",
  cwd: "/w",
  permission_mode: "default",
  hook_event_name,
  ...fields,
});
const call = (tool_name: string, tool_input: unknown, name = "PreToolUse") =>
  event(name, { tool_name, tool_input, tool_use_id: "t" });
const shell = call("Bash", { command: "ls" });
const red = { allowed: false, message: "red" };
const nested = (fields: object, name = "PreToolUse") => ({ hookSpecificOutput: { hookEventName: name, ...fields } });

describe("Claude Code", () => {
  test("a denied call shows the call", () => {
    const denied = { ...call("Bash", { command: "ls" }, "PermissionDenied"), reason: "classifier" };
    expect(claude.saw(denied)).toMatchObject({
      hook_event_name: "on_tool_approval_decision",
      tool_name: "shell",
      tool_input: { cmd: "ls" },
      approval_decision: "deny",
      approval_reason: "classifier",
      host: { tool_name: "Bash" },
    });
  });

  test("a worktree can be refused by exit code alone", () => {
    const worktree = event("WorktreeCreate", { name: "fix-1" });
    expect(claude.saw(worktree)).toMatchObject({ worktree_branch: "fix-1", worktree_source_dir: "/w" });
    expect(claude.say(worktree, { worktree_create: red })).toEqual({ out: "", exit: 2, stderr: "red" });
    expect(claude.say(worktree, {})).toEqual({ out: "" });
    expect(claude.fail("WorktreeCreate", "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
  });

  test("events without a counterpart run no hook and get silence", () => {
    for (const name of ["Setup", "PostToolBatch", "WorktreeRemove", "Elicitation", "MessageDisplay"]) {
      expect(claude.read(event(name)).events).toEqual([]);
      expect(claude.say(event(name), {})).toEqual({ out: "" });
    }
  });

  test("a replaced result of the shell keeps its shape", () => {
    const tool_response = { stdout: "token=abc", stderr: "warn", interrupted: false };
    const done = { ...call("Bash", {}, "PostToolUse"), tool_response };
    const replaced = { tool_response_transform: { updated_tool_response: "token=***" } };
    expect(claude.say(done, replaced).out).toEqual(
      nested({ updatedToolOutput: { stdout: "token=***", stderr: "", interrupted: false } }, "PostToolUse"),
    );
    expect(claude.saw(done)["tool_response"]).toBe("token=abc\nwarn");
  });

  describe("a replaced result has the shape of the tool's own", () => {
    const file = { filePath: "/w/.env", content: "TOKEN=abc\n", numLines: 2, startLine: 1, totalLines: 2 };
    const notebook = { type: "notebook", file: { filePath: "/w/n.ipynb", cells: [{ source: "TOKEN=abc" }] } };
    const asFile = (filePath: string) => ({ filePath, content: "gone", numLines: 1, startLine: 1, totalLines: 1 });
    const grep = { mode: "content", filenames: [], numFiles: 0, content: ".env:1:TOKEN=abc", numLines: 1 };
    const glob = { filenames: ["/w/TOKEN=abc"], durationMs: 3, numFiles: 1, truncated: false };
    const agent = { status: "completed", prompt: "x", content: [{ type: "text", text: "TOKEN=abc" }], totalTokens: 9 };
    const mcp = [{ type: "text", text: "TOKEN=abc" }];
    const edit = { filePath: "/w/a", oldString: "TOKEN=abc", originalFile: null, structuredPatch: [{ lines: ["x"] }] };

    const replaced = (tool: string, tool_response: unknown, change: (text: string) => string) => {
      const done = { ...call(tool, {}, "PostToolUse"), tool_response };
      const seen = claude.saw(done)["tool_response"];
      return claude.say(done, { tool_response_transform: { updated_tool_response: change(String(seen)) } });
    };

    test.each([
      ["Read", { type: "text", file }],
      ["Read", notebook],
      ["Grep", grep],
      ["Glob", glob],
      ["Agent", agent],
      ["Edit", edit],
      ["mcp__mem__add_note", mcp],
      ["mcp__mem__add_note", "TOKEN=abc"],
    ])("%s: texts changed in place", (tool, response) => {
      const updatedToolOutput = JSON.parse(JSON.stringify(response).replaceAll("TOKEN=abc", "[REDACTED]"));
      expect(replaced(tool, response, (text) => text.replaceAll("TOKEN=abc", "[REDACTED]")).out).toEqual(
        nested({ updatedToolOutput }, "PostToolUse"),
      );
    });

    test.each<[string, unknown, unknown]>([
      ["Read", { type: "text", file }, { type: "text", file: asFile("/w/.env") }],
      ["Read", notebook, { type: "text", file: asFile("/w/n.ipynb") }],
      ["Grep", grep, { ...grep, content: "gone" }],
      ["Glob", glob, { ...glob, filenames: ["gone"] }],
      ["Agent", agent, { ...agent, content: [{ type: "text", text: "gone" }] }],
      ["mcp__mem__add_note", mcp, "gone"],
      ["mcp__mem__add_note", "TOKEN=abc", "gone"],
    ])("%s: another text takes the place of the one that the model reads", (tool, response, updatedToolOutput) => {
      expect(replaced(tool, response, () => "gone").out).toEqual(nested({ updatedToolOutput }, "PostToolUse"));
    });

    test.each([
      ["a text", "gone"],
      ["other fields", '{"filePath":"/w/a"}'],
      ["a field of another type", JSON.stringify({ ...edit, filePath: 1 })],
      ["text for null", JSON.stringify({ ...edit, originalFile: "x" })],
      ["a list for an object", "[]"],
    ])("%s that fits nowhere is dropped with a note", (_name, text) => {
      const note = `claude PostToolUse: the replaced result does not fit the shape of this tool's own, dropped: ${text}`;
      expect(replaced("Edit", edit, () => text)).toEqual({ out: "", notes: [note] });
    });
  });
});

describe("Codex", () => {
  const patch =
    "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n*** Delete File: c.ts\n*** End Patch";
  const tools: ToolExample[] = [
    {
      host: "Bash",
      input: { command: "ls", workdir: "/w", timeout_ms: 2000 },
      own: "shell",
      ownInput: { cmd: "ls", cwd: "/w", timeout: 2 },
    },
    {
      host: "apply_patch",
      input: { command: patch },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "src/a.ts", paths: ["src/a.ts", "src/b.ts", "c.ts"], patch },
    },
    { host: "spawn_agent", input: { message: "x" }, own: "transfer_task", ownInput: { message: "x" } },
  ];
  test.each(tools)("$host is $own", (tool) => {
    expectTool(codex.read(call(tool.host, tool.input)), tool);
  });

  test("a bare allow is nothing, an ask a denial with a reason, a denial never without one", () => {
    expect(codex.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    const denial = (reason: string) => nested({ permissionDecision: "deny", permissionDecisionReason: reason });
    expect(codex.say(shell, { pre_tool_use: { decision: "ask" } }).out).toEqual(
      denial("needs your approval: a hook asks for it"),
    );
    expect(codex.say(shell, { pre_tool_use: { allowed: false } }).out).toEqual(denial("blocked by a hook"));
    expect(codex.say(shell, { pre_tool_use: { allowed: false, message: "" } }).out).toEqual(
      denial("blocked by a hook"),
    );
  });

  test("a rewrite comes with an allow, which an ask takes away even with --ask allow", () => {
    const patch = { cmd: "ls -1" };
    expect(codex.say(shell, {}, { patch }).out).toEqual(
      nested({ permissionDecision: "allow", updatedInput: { command: "ls -1" } }),
    );
    const ask = { pre_tool_use: { decision: "ask", decision_reason: "sure?" } } as const;
    expect(codex.say(shell, ask, { patch, ask: "allow" }).out).toMatchObject(nested({ permissionDecision: "deny" }));
    expect(codex.say(shell, ask, { ask: "allow" })).toEqual({ out: "" });
  });

  test("a request for permission is denied by a decision without other fields", () => {
    const request = call("Bash", { command: "git push", description: "publish" }, "PermissionRequest");
    expect(codex.say(request, { permission_request: red }).out).toEqual(
      nested({ decision: { behavior: "deny", message: "red" } }, "PermissionRequest"),
    );
    expect(codex.say(request, { permission_request: { permission_allowed: true } }).out).toEqual(
      nested({ decision: { behavior: "allow" } }, "PermissionRequest"),
    );
  });

  test("a result is replaced by a block, a compaction refused by continue: false", () => {
    const done = { ...call("Bash", {}, "PostToolUse"), tool_response: "x" };
    const results = { tool_response_transform: { updated_tool_response: "***" }, post_tool_use: red };
    expect(codex.say(done, results).out).toEqual({ decision: "block", reason: "***\nred" });
    expect(codex.say(event("PreCompact", { trigger: "auto" }), { pre_compact: red }).out).toEqual({
      continue: false,
      stopReason: "red",
    });
    expect(codex.say(event("Stop"), { stop: red }).out).toEqual({ decision: "block", reason: "red" });
    expect(codex.read(event("Interrupt")).events).toEqual([]);
  });
});

describe("an ambiguous payload gets an answer that both hosts read correctly", () => {
  const both = (name: "codex" | "claude", also: "codex" | "claude" | undefined, result: object) => {
    const call = decode({ codex, claude }[name].dialect, shell);
    if (isUndecodable(call)) throw new Error(call.problem);
    const other = also && { codex, claude }[also].dialect;
    const { stdout } = encode(call, [{ event: "pre_tool_use", result: { allowed: true, ...result } }], "deny", other);
    return stdout === "" ? "" : (JSON.parse(stdout).hookSpecificOutput.permissionDecision ?? "none");
  };

  test("an ask that only one of them has is a denial, an allow nothing", () => {
    expect(both("claude", undefined, { decision: "ask" })).toBe("ask");
    expect(both("claude", "codex", { decision: "ask" })).toBe("deny");
    expect(both("claude", "claude", { decision: "ask" })).toBe("ask");
    expect(both("claude", undefined, { decision: "allow" })).toBe("allow");
    expect(both("claude", "codex", { decision: "allow" })).toBe("");
  });

  test("a rewrite is a denial if only one of them needs an allow with it", () => {
    const rewrite = { modified_input: { cmd: "ls -1" } };
    expect(both("codex", undefined, rewrite)).toBe("allow");
    expect(both("codex", "claude", rewrite)).toBe("deny");
    expect(both("claude", "codex", rewrite)).toBe("deny");
    expect(both("claude", "claude", rewrite)).toBe("none");
  });
});
