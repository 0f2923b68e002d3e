import { describe, expect, test } from "bun:test";
import { decode, isUndecodable } from "../../../src/dialects/decode.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { DIALECTS, type DialectName } from "../../../src/dialects/names.ts";
import { dialectProblem, SCRIPT_DIALECTS, type ScriptDialect } from "../../../src/dialects/script-events.ts";
import { payloadFor } from "../../../src/dialects/scripts/compose.ts";
import { EVENT_NAMES, type EventName } from "../../../src/protocol/events.ts";
import type { Payload } from "../../../src/protocol/rewrite.ts";

const NAMES = (Object.keys(DIALECTS) as DialectName[]).filter((name) => name !== "opencode");
const now = new Date("2026-05-02T10:00:00.000Z");
const load = async (name: DialectName): Promise<Dialect> => (await DIALECTS[name].load()).dialect;
const base = { session_id: "s1", cwd: "/home/dev/shop" };
const shell = { ...base, tool_name: "shell", tool_use_id: "c1", tool_input: { cmd: "git status" } };

async function payload(name: DialectName, event: EventName, input: Payload): Promise<Payload> {
  return payloadFor(await load(name), { event, input: { hook_event_name: event, ...input }, now }, undefined).payload;
}

test("every dialect but opencode's can be on a hook", () => {
  expect([...SCRIPT_DIALECTS].sort()).toEqual(["docker-agent", "hooksh", ...NAMES].sort());
});

test.each(NAMES)("%s: a hook may be on the events that the codec has, and on those that go with them", async (name) => {
  const { events } = await load(name);
  const has = new Set<string>(Object.values(events).flatMap((row) => row.is));
  if (has.has("pre_tool_use")) has.add("tool_guard").add("tool_input_transform");
  if (has.has("stop")) has.add("stop_guard");
  const accepted = EVENT_NAMES.filter((event) => dialectProblem(name, event) === undefined);
  expect(accepted.filter((event) => !has.has(event))).toEqual([]);
  expect([...has].filter((event) => !accepted.includes(event as EventName) && event !== "response_guard")).toEqual([]);
});

describe("a shell call in the words of each host", () => {
  const claude = { ...base, tool_name: "Bash", tool_input: { command: "git status" }, tool_use_id: "c1" };
  const turn = { transcript_path: "", permission_mode: "default", hook_event_name: "PreToolUse" };
  const call = { id: "c1", name: "run_commands", input: { commands: ["git status"] } };
  const copy = { toolName: "run_commands", parameters: { commands: '["git status"]' } };
  const stamp = "2026-05-02T10:00:00.000Z";
  const snake = { ...base, tool_input: { command: "git status" } };
  const noId = { session_id: "s1", tool_input: { command: "git status" } };
  const calls: readonly [ScriptDialect, Payload][] = [
    ["claude", { ...turn, ...claude }],
    ["codex", { ...turn, ...claude, model: "", turn_id: "" }],
    ["droid", { ...turn, ...claude, tool_name: "Execute" }],
    ["qwen", { ...turn, ...claude, tool_name: "run_shell_command", tool_call_id: "c1", timestamp: stamp }],
    [
      "gemini",
      {
        ...claude,
        tool_name: "run_shell_command",
        hook_event_name: "BeforeTool",
        transcript_path: "",
        timestamp: stamp,
      },
    ],
    [
      "copilot",
      {
        sessionId: "s1",
        cwd: base.cwd,
        toolName: "bash",
        toolArgs: { command: "git status" },
        toolCallId: "c1",
        timestamp: now.getTime(),
      },
    ],
    [
      "copilot-pascal",
      { ...snake, tool_name: "Bash", tool_call_id: "c1", hook_event_name: "PreToolUse", timestamp: stamp },
    ],
    [
      "vscode",
      {
        ...claude,
        tool_name: "run_in_terminal",
        hook_event_name: "PreToolUse",
        hookEventName: "PreToolUse",
        sessionId: "s1",
        transcript_path: "",
        timestamp: stamp,
      },
    ],
    [
      "cursor",
      {
        conversation_id: "s1",
        hook_event_name: "preToolUse",
        tool_name: "Shell",
        tool_input: { command: "git status" },
        tool_use_id: "c1",
        cwd: base.cwd,
        workspace_roots: [base.cwd],
        generation_id: "",
        model: "",
        cursor_version: "",
        user_email: null,
        transcript_path: "",
      },
    ],
    [
      "agy",
      {
        conversationId: "s1",
        stepIdx: 0,
        modelName: "",
        transcriptPath: "",
        workspacePaths: [base.cwd],
        toolCall: { name: "run_command", args: { CommandLine: "git status" } },
      },
    ],
    [
      "windsurf",
      {
        agent_action_name: "pre_run_command",
        trajectory_id: "s1",
        execution_id: "c1",
        timestamp: stamp,
        tool_info: { command_line: "git status", cwd: base.cwd },
      },
    ],
    [
      "q",
      {
        hook_event_name: "preToolUse",
        cwd: base.cwd,
        tool_name: "execute_bash",
        tool_input: { command: "git status" },
      },
    ],
    ["kiro", { hook_event_name: "preToolUse", ...snake, tool_name: "execute_bash" }],
    [
      "cline",
      {
        clineVersion: "",
        hookName: "PreToolUse",
        timestamp: String(now.getTime()),
        taskId: "s1",
        userId: "",
        workspaceRoots: [base.cwd],
        model: { provider: "", slug: "" },
        preToolUse: { toolName: "execute_command", parameters: { command: "git status" } },
      },
    ],
    [
      "cline-sdk",
      {
        clineVersion: "",
        hookName: "tool_call",
        timestamp: stamp,
        taskId: "s1",
        agent_id: "",
        parent_agent_id: null,
        iteration: 0,
        workspaceInfo: { rootPath: base.cwd },
        tool_call: call,
        preToolUse: copy,
      },
    ],
    [
      "grok",
      {
        hookEventName: "pre_tool_use",
        sessionId: "s1",
        cwd: base.cwd,
        workspaceRoot: base.cwd,
        toolName: "run_terminal_command",
        toolInput: { command: "git status" },
        toolUseId: "c1",
        timestamp: stamp,
        transcriptPath: "",
      },
    ],
    [
      "kimi",
      { hook_event_name: "PreToolUse", client_type: "kimi_code_cli", ...snake, tool_name: "Bash", tool_call_id: "c1" },
    ],
    [
      "goose",
      {
        event: "PreToolUse",
        matcher_context: "shell",
        ...noId,
        tool_name: "shell",
        tool_call_id: "c1",
        working_dir: base.cwd,
      },
    ],
    ["crush", { event: "PreToolUse", ...snake, tool_name: "bash" }],
    [
      "openhands",
      {
        event_type: "PreToolUse",
        ...noId,
        tool_name: "terminal",
        tool_output: null,
        message: null,
        metadata: {},
        working_dir: base.cwd,
      },
    ],
    [
      "vibe",
      {
        hook_event_name: "pre_tool",
        transcript_path: "",
        parent_session_id: null,
        ...snake,
        tool_name: "bash",
        tool_call_id: "c1",
      },
    ],
  ];
  test.each(calls)("%s", async (name, expected) => {
    expect(await payload(name, "pre_tool_use", shell)).toEqual(expected);
  });

  test("all of them are above", () => expect(calls.map(([name]) => name).sort()).toEqual([...NAMES].sort()));
});

/** What hooks of hooksh read of each event, in what all hosts can carry. */
const INPUTS: Partial<Record<EventName, Payload>> = {
  pre_tool_use: shell,
  permission_request: shell,
  tool_response_transform: { ...shell, tool_response: "On branch main" },
  post_tool_use: { ...shell, tool_response: "On branch main" },
  user_prompt_submit: { ...base, prompt: "deploy now" },
  session_start: { ...base, source: "resume" },
  session_end: { ...base, reason: "other" },
  stop: { ...base, stop_response: "done" },
  subagent_stop: { ...base, agent_name: "helper", stop_response: "done", parent_session_id: "s0" },
  pre_compact: { ...base, source: "auto" },
  on_error: { ...base, notification_level: "error", notification_message: "overloaded" },
  notification: { ...base, notification_level: "warning", notification_message: "waiting" },
};

const TELLS_NO_SOURCE: readonly string[] = ["cursor", "agy", "q", "kiro", "goose", "openhands"];

describe.each(NAMES)("%s reads what hooksh writes", (name) => {
  test.each(Object.entries(INPUTS) as [EventName, Payload][])("%s", async (event, input) => {
    if (dialectProblem(name, event) !== undefined) return;
    const dialect = await load(name);
    const composed = payloadFor(dialect, { event, input, now }, undefined);
    const call = decode(dialect, composed.payload, composed.event);
    if (isUndecodable(call)) throw new Error(call.problem);
    const read = call.events.find((one) => one.event === event)?.payload;
    expect(read).toBeDefined();
    // A host need not carry every field, but a field that it carries has the value that was written.
    for (const [key, value] of Object.entries(input)) {
      if (key === "source" && TELLS_NO_SOURCE.includes(name)) continue;
      if (read?.[key] === undefined || key === "tool_input" || (name === "cursor" && key === "tool_response")) continue;
      expect<unknown>([key, read[key]]).toEqual([key, value]);
    }
    if (input["tool_name"]) expect(read).toMatchObject({ tool_name: "shell", tool_input: { cmd: "git status" } });
    if (event === "user_prompt_submit") expect(read).toMatchObject({ prompt: "deploy now" });
  });

  test("a failed call differs from one that succeeded", async () => {
    const dialect = await load(name);
    if (
      dialectProblem(name, "post_tool_use") !== undefined ||
      ["codex", "vscode", "droid", "openhands", "windsurf"].includes(name)
    )
      return;
    const input = { ...shell, tool_response: "no such file", tool_error: true };
    const composed = payloadFor(dialect, { event: "post_tool_use", input, now }, undefined);
    const call = decode(dialect, composed.payload, composed.event);
    if (isUndecodable(call)) throw new Error(call.problem);
    expect(call.events.find(({ event }) => event === "post_tool_use")?.payload).toMatchObject({ tool_error: true });
  });

  test("the paths and the texts of a write and of several edits are in the payload", async () => {
    const edits = [
      { oldText: "first before", newText: "first after" },
      { oldText: "second before", newText: "second after" },
    ];
    for (const [tool_name, input] of [
      ["write_file", { path: "/p/vendor/a.go", content: "new text" }],
      ["edit_file", { path: "/p/vendor/a.go", edits }],
    ] as const) {
      const text = JSON.stringify(await payload(name, "pre_tool_use", { ...base, tool_name, tool_input: input }));
      expect(text).toContain("/p/vendor/a.go");
      for (const part of tool_name === "write_file"
        ? ["new text"]
        : ["first before", "first after", "second before", "second after"])
        expect(text).toContain(part);
    }
  });

  test("the tool of an MCP server can be recognised", async () => {
    const input = {
      ...base,
      tool_name: "gh_create",
      tool_qualified_name: "mcp:github:create_issue",
      tool_input: { title: "x" },
    };
    const text = JSON.stringify(await payload(name, "pre_tool_use", input));
    expect(text).toContain(
      ["openhands"].includes(name)
        ? "gh_create"
        : ["grok", "kimi", "vscode"].includes(name)
          ? "gh_create"
          : "create_issue",
    );
    expect(text).toContain("title");
  });
});
