import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CERTAIN_MARKS, type Mark, WEAK_MARKS } from "../../src/dialects/marks.ts";
import type { DialectName } from "../../src/dialects/names.ts";
import { hostOfEnvironment, lookalike, recognize } from "../../src/dialects/recognize.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { RECORDED_AGENTS, RECORDINGS } from "../helpers/recordings.ts";
import { HOST_SAMPLES } from "./host-samples.ts";

const trio = { session_id: "s", cwd: "/w" };
const claude = { ...trio, transcript_path: "/h/.claude/projects/w/s.jsonl" };
const pre = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const timestamp = "2026-11-22T02:19:30.952Z";

const CERTAIN: readonly [dialect: DialectName | "hooksh", payload: Payload][] = [
  ["windsurf", { agent_action_name: "pre_run_command", tool_info: { command_line: "ls" } }],
  ["windsurf", { agent_action_name: "pre_user_prompt", trajectory_id: "t" }],
  ["cline", { clineVersion: "3.36", hookName: "PreToolUse", taskId: "t" }],
  ["cline-sdk", { clineVersion: "", hookName: "tool_call" }],
  ["cline-sdk", { hookName: "agent_start" }],
  ["agy", { conversationId: "c", toolCall: null, stepIdx: 3 }],
  ["agy", { conversationId: "c", executionNum: 1 }],
  ["cursor", { ...trio, hook_event_name: "PreToolUse", cursor_version: "3.9" }],
  ["cursor", { conversation_id: "c", generation_id: "g", hook_event_name: "sessionEnd" }],
  ["cursor", { workspace_roots: ["/w"], hook_event_name: "stop" }],
  ["grok", { hookEventName: "pre_tool_use", sessionId: "s" }],
  ["grok", { toolName: "bash", toolInput: {}, workspaceRoot: "/w" }],
  ["vscode", { hookEventName: "PreToolUse", sessionId: "s", timestamp }],
  ["kimi", { ...claude, ...pre, client_type: "kimi_code_cli" }],
  ["copilot", { hookName: "permissionRequest", sessionId: "s", toolInput: {} }],
  ["opencode", { handler: "tool.execute.before", input: {}, output: null }],
  ["copilot", { sessionId: "s", timestamp: 1795315252228, toolName: "bash" }],
  ["copilot", { sessionId: "s", timestamp: 1795315252228, hook_event_name: "Notification" }],
  ["openhands", { event_type: "PreToolUse", working_dir: "/w" }],
  ["openhands", { event_type: "Stop", metadata: {} }],
  ["goose", { event: "PreToolUse", session_id: "s", cwd: "/w", matcher_context: null }],
  ["crush", { event: "PreToolUse", session_id: "s", cwd: "/w", tool_name: "bash" }],
  ["opencode", { hook_event_name: "tool.execute.before", session_id: "s" }],
  ["gemini", { ...claude, hook_event_name: "BeforeTool", timestamp }],
  ["gemini", { hook_event_name: "PreCompress" }],
  ["vibe", { hook_event_name: "pre_tool", tool_name: "bash" }],
  ["vibe", { hook_event_name: "post_agent_turn" }],
  ["kiro", { hook_event_name: "stop", assistant_response: "done" }],
  ["hooksh", { hook_event_name: "pre_tool_use", tool_name: "shell" }],
  ["hooksh", { hook_event_name: "stop" }],
  ["hooksh", { ...trio, hook_event_name: "post_tool_use", event: "an unknown field" }],
  ["hooksh", { hook_event_name: "turn_start", hookEventName: "turn_start", cursor_version: "3.9" }],
  ["hooksh", { hook_event_name: "no_such_event" }],
  ["kiro", { ...trio, hook_event_name: "preToolUse", tool_name: "shell" }],
  ["q", { hook_event_name: "preToolUse", cwd: "/w", tool_name: "execute_bash" }],
];

const WEAK: readonly [dialect: DialectName, payload: Payload][] = [
  ["codex", { ...pre, ...claude, transcript_path: "/h/sessions/rollout-2026-1.jsonl", prompt_id: "p" }],
  ["codex", { ...pre, ...claude, transcript_path: "C:\\codex\\rollout-2026-1.jsonl" }],
  ["codex", { ...pre, ...claude, turn_id: "t" }],
  ["codex", { ...pre, ...trio, model: "gpt-5" }],
  ["codex", { ...claude, hook_event_name: "SessionStart", model: "gpt-5", permission_mode: "default" }],
  ["vscode", { ...pre, ...claude, timestamp, transcript_path: "/c/GitHub.copilot-chat/transcripts/s" }],
  ["vscode", { ...pre, ...trio, timestamp, tool_use_id: "call_1__vscode-7" }],
  ["vscode", { ...pre, ...trio, timestamp, tool_name: "run_in_terminal" }],
  ["qwen", { ...pre, ...claude, timestamp, tool_call_id: "c" }],
  ["qwen", { ...pre, ...trio, timestamp, tool_call_id: "c" }],
  ["qwen", { ...claude, hook_event_name: "UserPromptSubmit", timestamp, submitted_prompt: "hi" }],
  ["qwen", { ...claude, hook_event_name: "SessionStart", timestamp, permission_mode: "yolo" }],
  ["copilot-pascal", { ...claude, ...pre, timestamp, tool_result: { result_type: "success" } }],
  ["copilot-pascal", { ...claude, hook_event_name: "Stop", timestamp, stop_reason: "end_turn" }],
  ["copilot-pascal", { ...trio, ...pre, timestamp }],
  ["copilot-pascal", { ...trio, ...pre, timestamp, tool_result: { result_type: "success" } }],
  ["copilot-pascal", { ...trio, hook_event_name: "SessionStart", timestamp, source: "new" }],
  ["gemini", { ...claude, hook_event_name: "SessionStart", timestamp, source: "startup" }],
  ["gemini", { ...claude, hook_event_name: "Notification", timestamp, notification_type: "ToolPermission" }],
  ["droid", { ...claude, ...pre, permission_mode: "auto-high" }],
  ["droid", { ...claude, hook_event_name: "Stop", message_id: "m" }],
  ["qwen", { ...claude, ...pre, timestamp }],
  ["kimi", { ...trio, hook_event_name: "SessionStart", source: "startup" }],
  ["kimi", { ...pre, tool_call_id: "c" }],
  ["claude", { ...claude, ...pre, permission_mode: "default" }],
  ["claude", { ...claude, hook_event_name: "SessionStart", model: "opus" }],
  ["claude", { ...claude, ...pre, turn_id: "t", prompt_id: "p" }],
  ["claude", { ...claude, hook_event_name: "MessageDisplay", message_id: "m", prompt_id: "p" }],
];

test.each(CERTAIN)("%s leaves a mark that no other host has: %j", (dialect, payload) => {
  expect(recognize(payload, {})).toEqual({ dialect, certain: true });
  expect(recognize(payload, { FACTORY_PROJECT_DIR: "/w" })?.dialect).toBe(dialect);
});

test.each(WEAK)("%s is the likeliest host of %j", (dialect, payload) => {
  expect(recognize(payload, {})).toMatchObject({ dialect, certain: false });
  expect(recognize(payload, { CLAUDE_PROJECT_DIR: "/w" })?.dialect).toBe(dialect);
});

/** One part of a mark is missing, or something beside it says otherwise. */
const ALMOST: readonly [dialect: DialectName | undefined, payload: Payload][] = [
  [undefined, { toolCall: {}, stepIdx: 3 }],
  [undefined, { timestamp: 1795315252228, toolName: "bash" }],
  [undefined, { sessionId: "s", toolName: "bash" }],
  [undefined, { sessionId: "s", timestamp, toolName: "bash" }],
  [undefined, { ...pre, sessionId: "s", timestamp: 1795315252228 }],
  [undefined, { permission_mode: "off", message_id: "m" }],
  [undefined, { ...trio, ...pre, timestamp: 5 }],
  ["claude", { ...claude, hook_event_name: "Stop", stop_reason: "end_turn" }],
  ["claude", { ...claude, ...pre, tool_use_id: "call_1__vscode-7" }],
  ["qwen", { ...claude, hook_event_name: "Stop", timestamp, stop_reason: "x", permission_mode: "default" }],
  ["qwen", { ...claude, hook_event_name: "SessionStart", timestamp, permission_mode: "default" }],
];

test.each(ALMOST)("%s is what is left for %j", (dialect, payload) => {
  expect(recognize(payload, {})?.dialect).toBe(dialect);
});

describe("the environment", () => {
  const variables = [
    ["droid", { FACTORY_PROJECT_DIR: "/w" }],
    ["droid", { DROID_PROJECT_DIR: "/w" }],
    ["qwen", { QWEN_PROJECT_DIR: "/w" }],
    ["codex", { PLUGIN_ROOT: "/p", CLAUDE_PLUGIN_ROOT: "/p" }],
  ] as const;

  test.each(variables)("names %s for a payload that copies Claude Code's", (dialect, env) => {
    const recognized = recognize({ ...claude, ...pre }, { CLAUDE_PROJECT_DIR: "/w", ...env });
    expect(recognized).toEqual({ dialect, certain: false, also: "claude" });
  });

  test("leaves a weak rule alone if it is empty, or belongs to a host with marks of its own", () => {
    for (const env of [{ FACTORY_PROJECT_DIR: "" }, { PLUGIN_ROOT: "/p" }, { CURSOR_VERSION: "3" }, { CRUSH: "1" }])
      expect(recognize({ ...claude, ...pre }, env)).toEqual({ dialect: "claude", certain: false });
  });

  test("names Gemini CLI only for an event that Gemini CLI has", () => {
    const env = { GEMINI_SESSION_ID: "g" };
    expect(recognize({ ...claude, ...pre }, env)?.dialect).toBe("claude");
    expect(recognize({ ...claude, hook_event_name: "SessionEnd" }, env)?.dialect).toBe("gemini");
  });

  const hosts: readonly [DialectName | undefined, Readonly<Record<string, string>>][] = [
    ["cursor", { CURSOR_VERSION: "3", CLAUDE_PROJECT_DIR: "/w", FACTORY_PROJECT_DIR: "/w" }],
    ["agy", { ANTIGRAVITY_CONVERSATION_ID: "c", GEMINI_SESSION_ID: "g" }],
    ["gemini", { GEMINI_SESSION_ID: "g", CLAUDE_PROJECT_DIR: "/w" }],
    ["grok", { GROK_WORKSPACE_ROOT: "/w", CLAUDE_PROJECT_DIR: "/w" }],
    ["crush", { CRUSH: "1", CRUSH_EVENT: "PreToolUse" }],
    [undefined, { CRUSH: "2", CRUSH_EVENT: "PreToolUse" }],
    ["openhands", { OPENHANDS_EVENT_TYPE: "PreToolUse" }],
    ["codex", { PLUGIN_ROOT: "/p", CLAUDE_PLUGIN_ROOT: "/p", CLAUDE_PROJECT_DIR: "/w" }],
    ["claude", { CLAUDE_PROJECT_DIR: "/w" }],
    [undefined, { TERM_PROGRAM: "vscode", CLAUDECODE: "1", COPILOT_CLI: "1" }],
  ];
  test.each(hosts)("names %s where the payload tells nothing: %j", (host, env) => {
    expect(hostOfEnvironment(env)).toBe(host);
  });
});

test("a payload of Copilot's Pascal form without a mark of it may be Visual Studio Code's", () => {
  const also = (payload: Payload) => recognize(payload, {})?.also;
  expect(also({ ...trio, ...pre, timestamp })).toBe("vscode");
  expect(also({ ...trio, ...pre, timestamp, tool_result: { result_type: "success" } })).toBeUndefined();
});

describe("a payload that no host sends", () => {
  const nameless: readonly Payload[] = [{}, { foo: 1 }, { ...trio }, { hook_event_name: "PreToolUse" }];
  test.each(nameless)("%j belongs to no host", (payload) => {
    expect(recognize(payload, { FACTORY_PROJECT_DIR: "/w", CLAUDE_PROJECT_DIR: "/w" })).toBeUndefined();
  });

  const wrong: readonly unknown[] = [
    5,
    null,
    true,
    [],
    ["PreToolUse"],
    {},
    { toString: 1 },
    "",
    "x".repeat(10_000_000),
  ];
  test("a value of another type is neither a mark nor an error", () => {
    const keys = new Set([...CERTAIN, ...WEAK].flatMap(([, payload]) => Object.keys(payload)));
    for (const [, payload] of [...CERTAIN, ...WEAK])
      for (const key of keys)
        for (const value of wrong) expect(() => recognize({ ...payload, [key]: value }, {})).not.toThrow();
    for (const value of wrong) expect(recognize({ hook_event_name: value }, {})).toBeUndefined();
  });

  test("keys of every object's prototype are no marks", () => {
    const hostile = '{"__proto__":{"hook_event_name":"pre_tool_use","cursor_version":"3"},"constructor":{"name":"x"}}';
    expect(recognize(JSON.parse(hostile) as Payload, {})).toBeUndefined();
    expect(recognize(Object.create({ cursor_version: "3" }) as Payload, {})).toBeUndefined();
    expect(recognize({ hook_event_name: "constructor" }, {})?.dialect).toBe("hooksh");
  });

  test("a numeric name in a payload with another host's mark does not hide that mark", () => {
    const recognized = recognize({ hook_event_name: 5, cursor_version: "3", clineVersion: 1, hookName: 2 }, {});
    expect(recognized?.dialect).toBe("cursor");
  });
});

function recorded(folder: string): { file: string; payload: Payload }[] {
  const files = readdirSync(join(RECORDINGS, folder)).filter((name) => name.endsWith(".json"));
  return files.map((file) => ({
    file,
    payload: JSON.parse(readFileSync(join(RECORDINGS, folder, file), "utf8")) as Payload,
  }));
}

describe("the order of the marks", () => {
  const payloads = [
    ...[...CERTAIN, ...WEAK].map(([, payload]) => payload),
    ...Object.values(HOST_SAMPLES).flatMap(({ guarded }) => Object.values(guarded)),
    ...RECORDED_AGENTS.flatMap(recorded).map(({ payload }) => payload),
  ];

  type Marks = readonly Mark<DialectName | "hooksh">[];

  /** Each mark with the host that one of its payloads would be taken for without it. */
  function shown(marks: Marks): Set<string> {
    const pairs = payloads.flatMap((payload) => {
      const [first, next] = marks.filter(({ fits }) => fits(payload));
      const isSame = next?.dialect === first?.dialect && next?.also === first?.also;
      return first && next && !isSame ? [pair(marks, first, next.dialect)] : [];
    });
    return new Set(pairs);
  }

  function pair(marks: Marks, mark: Marks[number], later: string): string {
    return `${marks.indexOf(mark)}: ${mark.dialect} before ${mark.before?.all ? "all" : later}`;
  }

  test.each<[string, Marks]>([
    ["certain", CERTAIN_MARKS],
    ["weak", WEAK_MARKS],
  ])("each %s mark names the hosts that must come later, and a payload shows each", (_name, marks) => {
    const named = marks.flatMap((mark) => Object.keys(mark.before ?? {}).map((later) => pair(marks, mark, later)));
    expect([...shown(marks)].sort()).toEqual(named.sort());
  });

  test("the mark of hooksh's own events comes first", () => {
    expect(CERTAIN_MARKS.flatMap(({ before = {} }, index) => (before["all"] === undefined ? [] : [index]))).toEqual([
      0,
    ]);
    for (const payload of payloads)
      expect(recognize({ ...payload, hook_event_name: "pre_tool_use" }, {})?.dialect).toBe("hooksh");
  });
});

describe.skipIf(RECORDINGS === "")("what released programs really sent", () => {
  const hosts = RECORDED_AGENTS.map(
    (folder) => [folder.replace(/-[^-]*$/, "").replace(/^cline$/, "cline-sdk"), folder] as const,
  );
  test.each(hosts)("%s is recognised in each of %s", (host, folder) => {
    for (const { file, payload } of recorded(folder)) {
      const dialect = recognize(payload, {})?.dialect.replace("-pascal", "");
      expect({ file, dialect }).toEqual({ file, dialect: host });
    }
  });
});

describe("a payload that looks like another host's too", () => {
  test("a project with the name of a folder of Visual Studio Code is not its", () => {
    for (const name of ["-src-workspaceStorage", "-GitHub.copilot-chat-"]) {
      const payload = { ...trio, ...pre, timestamp, transcript_path: `/h/.qwen/projects/${name}/s.jsonl` };
      expect(recognize(payload, {})?.dialect).toBe("qwen");
    }
  });

  const vscode = { ...trio, ...pre, timestamp, transcript_path: "/c/User/workspaceStorage/1/t.jsonl" };
  const cases: [string, Payload, DialectName, Record<string, string>, DialectName | undefined][] = [
    ["of two weak rules the second", vscode, "vscode", {}, "qwen"],
    ["the one that a rule names if the flag names another", vscode, "claude", {}, "vscode"],
    [
      "the one that the payload names if a variable names another",
      { ...claude, ...pre },
      "droid",
      { FACTORY_PROJECT_DIR: "/w" },
      "claude",
    ],
    ["none for a certain mark", { hook_event_name: "BeforeTool" }, "gemini", {}, undefined],
    ["none for hooksh's own protocol", { hook_event_name: "pre_tool_use" }, "claude", {}, undefined],
  ];
  test.each(cases)("%s", (_name, payload, dialect, env, like) => {
    expect(lookalike(payload, dialect, env)).toBe(like as DialectName);
  });
});
