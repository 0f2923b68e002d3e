import { describe, expect, test } from "bun:test";
import { codec, expectEvents, expectTool } from "./codec.ts";

const windsurf = await codec("windsurf");
const event = (agent_action_name: string, tool_info: object = {}) => ({
  agent_action_name,
  trajectory_id: "w-1",
  execution_id: "e-1",
  timestamp: "2026-04-01T10:00:00Z",
  tool_info,
});
const shell = event("pre_run_command", { command_line: "ls", cwd: "/w" });
const mcp = { mcp_server_name: "github", mcp_tool_name: "create_issue", mcp_tool_arguments: { title: "x" } };

test("the events of Windsurf", () => {
  expectEvents(windsurf, {
    pre_run_command: "pre_tool_use",
    pre_write_code: "pre_tool_use",
    pre_read_code: "pre_tool_use",
    pre_mcp_tool_use: "pre_tool_use",
    post_run_command: "post_tool_use",
    post_write_code: "post_tool_use",
    post_read_code: "post_tool_use",
    post_mcp_tool_use: "post_tool_use",
    pre_user_prompt: "user_prompt_submit",
    post_cascade_response: "stop",
    post_cascade_response_with_transcript: "",
    post_setup_worktree: "worktree_create",
  });
});

describe("the event names the tool", () => {
  test.each(["pre", "post"])("%s_run_command, %s_read_code and %s_write_code", (when) => {
    const [run, read, write] = [`${when}_run_command`, `${when}_read_code`, `${when}_write_code`];
    expectTool(windsurf.read(event(run, { command_line: "ls", cwd: "/w" })), {
      host: run,
      input: { command_line: "ls", cwd: "/w" },
      own: "shell",
      ownInput: { cmd: "ls", cwd: "/w" },
    });
    expectTool(windsurf.read(event(read, { file_path: "/w/a" })), {
      host: read,
      input: { file_path: "/w/a" },
      own: "read_file",
      ownInput: { path: "/w/a" },
    });
    expectTool(windsurf.read(event(write, { file_path: "/w/a", edits: [{ old_string: "a", new_string: "b" }] })), {
      host: write,
      input: { file_path: "/w/a", edits: [{ old_string: "a", new_string: "b" }] },
      own: "edit_file",
      also: ["write_file"],
      ownInput: { path: "/w/a", edits: [{ oldText: "a", newText: "b" }] },
    });
  });

  test("a tool of an MCP server has its own name and arguments", () => {
    expect(windsurf.saw(event("pre_mcp_tool_use", mcp))).toMatchObject({
      tool_name: "create_issue",
      tool_qualified_name: "mcp:github:create_issue",
      tool_input: { title: "x" },
      host: { tool_name: "create_issue", tool_input: { title: "x" } },
    });
    const unnamed = event("pre_mcp_tool_use", { mcp_server_name: "github" });
    expect(() => windsurf.read(unnamed)).toThrow("names no tool");
  });

  test("a tool of an MCP server that is called like an event is not that event's tool", () => {
    const payload = event("pre_mcp_tool_use", { ...mcp, mcp_tool_name: "pre_run_command" });
    expect(windsurf.read(payload).tool?.names).toEqual(["pre_run_command", "mcp:github:pre_run_command"]);
  });

  test("results and paths to transcripts are not input", () => {
    const payload = event("post_mcp_tool_use", { ...mcp, mcp_result: "created" });
    expect(windsurf.saw(payload)).toMatchObject({ tool_response: "created", tool_input: { title: "x" } });
    const read = event("post_read_code", { file_path: "/w/a", transcript_path: "/t" });
    expect(windsurf.saw(read)["tool_input"]).toEqual({ path: "/w/a" });
  });
});

test("the fields of the other events", () => {
  expect(windsurf.saw(shell)).toMatchObject({ session_id: "w-1" });
  expect(windsurf.saw(shell)).not.toHaveProperty("cwd");
  expect(windsurf.saw(event("pre_user_prompt", { user_prompt: "hi" }))["prompt"]).toBe("hi");
  expect(windsurf.saw(event("post_cascade_response", { response: "done" }))["stop_response"]).toBe("done");
  const worktree = event("post_setup_worktree", { worktree_path: "/x", root_workspace_path: "/w" });
  expect(windsurf.saw(worktree)).toMatchObject({ worktree_path: "/x", worktree_source_dir: "/w" });
});

describe("answers to Windsurf", () => {
  const denied = { allowed: false, message: "no" };
  const blocked = { out: "", exit: 2, stderr: "no" };

  test("a block is exit code 2, after a tool too", () => {
    for (const name of ["pre_run_command", "pre_write_code", "pre_read_code"])
      expect(windsurf.say(event(name), { pre_tool_use: denied })).toEqual(blocked);
    expect(windsurf.say(event("pre_mcp_tool_use", mcp), { pre_tool_use: denied })).toEqual(blocked);
    expect(windsurf.say(event("pre_user_prompt"), { user_prompt_submit: denied })).toEqual(blocked);
    expect(windsurf.say(event("post_run_command"), { post_tool_use: denied })).toEqual(blocked);
  });

  test("no ask, no rewrite, no context, no going on", () => {
    expect(windsurf.say(shell, { pre_tool_use: { decision: "ask", decision_reason: "sure?" } })).toEqual({
      ...blocked,
      stderr: "needs your approval: sure?",
    });
    expect(windsurf.say(shell, {}, { patch: { cmd: "ls -1" } })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('"command_line":"ls -1"'),
    });
    expect(windsurf.say(shell, { pre_tool_use: { decision: "allow" } })).toEqual({ out: "" });
    expect(windsurf.say(event("pre_user_prompt"), { user_prompt_submit: { additional_context: "x" } })).toEqual({
      out: "",
      notes: [expect.stringContaining("x")],
    });
    expect(windsurf.say(event("post_cascade_response"), { stop: denied })).toEqual({
      out: "",
      notes: [expect.stringContaining("no")],
    });
  });

  test("a failure of hooksh", () => {
    const refused = { out: "", exit: 2, stderr: "hooksh: broken" };
    for (const name of ["pre_run_command", "pre_mcp_tool_use", "pre_user_prompt", "pre_everything", undefined])
      expect(windsurf.fail(name, "broken")).toEqual(refused);
    for (const name of ["post_run_command", "post_cascade_response", "post_setup_worktree"])
      expect(windsurf.fail(name, "broken")).toEqual({ out: "", notes: ["hooksh: broken"] });
  });
});
