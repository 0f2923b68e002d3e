/** The short way to read an event of Claude Code and the codec must not differ: each payload is read both ways. */
import { describe, expect, test } from "bun:test";
import { CLAUDE_OTHERS, CLAUDE_TOOLS } from "../../../src/dialects/claude-tools.ts";
import { DIALECTS, type DialectName, dialectRow } from "../../../src/dialects/names.ts";
import { readClaudeQuestion } from "../../../src/guard/quick/quick-claude.ts";
import type { Question } from "../../../src/guard/quick/quick-event.ts";
import { readHostQuestion } from "../../../src/guard/quick/quick-host.ts";
import { type QuickLine, readQuickLine } from "../../../src/guard/quick/quick-line.ts";
import { SystemCalls } from "../../../src/lib/process/system-calls.ts";
import type { Env } from "../../../src/lib/process-env.ts";
import type { Payload } from "../../../src/protocol/rewrite.ts";
import { HOST_SAMPLES } from "../../dialects/host-samples.ts";

const BEFORE: Payload = {
  session_id: "s1",
  transcript_path: "/home/dev/.claude/projects/shop/s1.jsonl",
  cwd: "/tmp",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls -la src", description: "List files", timeout: 5000 },
  tool_use_id: "t1",
};
const AFTER: Payload = { ...BEFORE, hook_event_name: "PostToolUse", tool_response: { stdout: "a", stderr: "b" } };

const LINES = {
  recognised: [],
  named: ["--dialect", "claude", "--event", "PreToolUse"],
  "named, without its event": ["--dialect", "claude"],
  "named, after a call": ["--dialect", "claude", "--event", "PostToolUse"],
  registered: ["--dialect", "claude", "--event", "PreToolUse", "--guards-stay", "--proof", "--deadline", "54s"],
  auto: ["--dialect", "auto"],
  "another agent": ["--dialect", "codex"],
  "an agent that is unknown": ["--dialect", "nobody"],
  "hooksh's own": ["--dialect", "hooksh"],
  "a result": ["--dialect", "claude", "--output", "result"],
} as const;

const lineOf = (words: readonly string[]): QuickLine => readQuickLine(words) as QuickLine;

/** What the rest of a dispatch uses of a question, with the order of keys. */
function shown(question: Question | undefined): string | undefined {
  if (question === undefined) return undefined;
  const { host, ...rest } = question;
  const tool = (host as { tool?: { class?: string } } | undefined)?.tool;
  const isUnknown = tool !== undefined && tool.class === undefined;
  return JSON.stringify({ ...rest, host: [host?.dialect.name, host?.event], isUnknown });
}

const system = process.platform === "linux" ? new SystemCalls() : undefined;

/** Reads a payload both ways. Returns true if the short one knew it; then both must agree. */
async function agree(value: Payload, words: readonly string[], env: Env = {}): Promise<boolean> {
  if (system === undefined) return true;
  const line = lineOf(words);
  const quick = readClaudeQuestion(value, line, { system, env });
  if (quick === undefined) return false;
  const slow = await readHostQuestion(value, line, { system, env, defaults: { session_id: "made-up", cwd: "/" } });
  expect(shown(quick)).toBe(shown(slow) as string);
  return true;
}

describe.skipIf(system === undefined)("the short way to an event of Claude Code", () => {
  test.each(["recognised", "named", "registered", "auto"] as const)("knows a call: %s", async (name) => {
    expect(await agree(BEFORE, LINES[name])).toBe(true);
  });

  test.each([
    [{ tool_name: "Read", tool_input: { file_path: "/tmp/a", offset: 3, limit: 5 } }],
    [{ tool_name: "Write", tool_input: { file_path: "/tmp/a", content: "" } }],
    [{ tool_name: "Edit", tool_input: { file_path: "a", old_string: "b", new_string: "c", replace_all: true } }],
    [{ tool_name: "MultiEdit", tool_input: { file_path: "a", edits: [{ old_string: "b", new_string: "c" }, 3] } }],
    [{ tool_name: "NotebookEdit", tool_input: { notebook_path: "a", new_source: "b" } }],
    [{ tool_use_id: undefined, permission_mode: undefined }],
    [{ prompt_id: "p", scratchpad_dir: "/tmp", effort: { level: "high" }, agent_id: "a", agent_type: "b" }],
  ])("knows %j, before and after", async (more) => {
    const given = (base: Payload) => JSON.parse(JSON.stringify({ ...base, ...more })) as Payload;
    expect(await agree(given(BEFORE), LINES.named)).toBe(true);
    expect(await agree(given(AFTER), LINES.recognised)).toBe(true);
  });

  test("knows no payload of another agent", async () => {
    for (const [name, { guarded }] of Object.entries(HOST_SAMPLES))
      for (const payload of Object.values(guarded))
        if (name !== "claude")
          for (const words of Object.values(LINES))
            expect([name, await agree({ ...payload, cwd: "/tmp" }, words)]).toEqual([name, false]);
  });

  test("leaves a process that another agent may have started", async () => {
    for (const name of Object.keys(DIALECTS) as DialectName[])
      for (const variables of dialectRow(name).variables ?? []) {
        const env = Object.fromEntries(
          variables.map((one) => [...one.split("="), "1"].slice(0, 2) as [string, string]),
        );
        for (const words of Object.values(LINES)) await agree(BEFORE, words, env);
      }
  });

  const TOOLS = [...CLAUDE_TOOLS.flatMap(({ names }) => names), ...Object.values(CLAUDE_OTHERS).join(" ").split(" ")];
  const FIELDS = CLAUDE_TOOLS.flatMap(({ fields = [], edit = [] }) => [...fields.map(([host]) => host), ...edit]);
  const KEYS = [...FIELDS, "Command", "FILE_PATH", "ſkill", "cmd", "path", "description", "__proto__", "1", "Edits"];
  const VALUES = [
    "ls",
    "",
    0,
    1500,
    null,
    true,
    [],
    {},
    ["a"],
    { old_string: "a" },
    [{ old_string: "a", x: 1 }],
    "a\nb",
  ];
  /** By field of the payload; undefined leaves it out. */
  const CHOICES: Record<string, readonly unknown[]> = {
    session_id: ["s1", "s1", "", 5, undefined, null],
    transcript_path: ["/t/s.jsonl", "/t/s.jsonl", "", "/t/rollout-1.jsonl", "/workspaceStorage/x", undefined, null],
    cwd: ["/tmp", "/tmp", "/tmp/", "/nonsuch", "tmp", undefined],
    permission_mode: ["default", "plan", "off", "spec", "yolo", "auto_edit", undefined, null, 3],
    hook_event_name: ["PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse", "preToolUse", "pre_tool_use", "Stop"],
    tool_use_id: ["t1", "t1", "", 5, null, undefined, "a__vscode"],
    tool_response: [undefined, "text", "", null, { stdout: "a" }, ["x"], { result: [{ text: "a" }] }, 5, false],
  };
  /** Marks of agents, rarely there. */
  const MARKS = (
    "timestamp turn_id model message_id prompt_id tool_call_id stop_reason mcp_server effort agent_id matcher_context " +
    "conversation_id cursor_version client_type hookName event sessionId __proto__ duration_ms"
  ).split(" ");

  test("reads a payload with one other field as the codec does", async () => {
    const others: [string, unknown][] = [
      ...Object.entries(CHOICES).flatMap(([key, list]) => list.map((one): [string, unknown] => [key, one])),
      ...MARKS.flatMap((key) => ["x", "2026-01-01T00:00:00Z", 5].map((one): [string, unknown] => [key, one])),
    ];
    for (const base of [BEFORE, AFTER])
      for (const other of others)
        for (const words of Object.values(LINES)) {
          const fields = Object.entries({ ...base, [other[0]]: other[1] }).filter(([, inner]) => inner !== undefined);
          await agree(Object.fromEntries(fields), words);
        }
  });

  test("reads random payloads as the codec does", async () => {
    let seed = 7;
    const below = (count: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * count);
    };
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const lines = Object.values(LINES);
    let known = 0;
    for (let round = 0; round < 6000; round++) {
      const entries: [string, unknown][] = Object.entries(CHOICES).map(([key, choices]) => [
        key,
        below(10) > 0 ? choices[0] : pick(choices),
      ]);
      if (below(2) > 0) entries.push(["hook_event_name", pick(CHOICES["hook_event_name"] ?? [])]);
      entries.push([
        "tool_name",
        below(3) > 0 ? pick(TOOLS.slice(0, 8)) : pick([...TOOLS, "mcp__a__b", "Nonsuch", "", 5]),
      ]);
      const keys = Array.from({ length: below(5) }, () => (below(3) > 0 ? pick(FIELDS) : pick(KEYS)));
      const input = `{${[...new Set(keys)].map((key) => `${JSON.stringify(key)}:${JSON.stringify(pick(VALUES))}`)}}`;
      if (below(6) === 0) entries.push([pick(MARKS), pick(["x", "2026-01-01T00:00:00Z", 5, { name: "a" }])]);
      if (below(2) > 0) entries.reverse();
      const fields = [...new Map(entries)].filter(([, inner]) => inner !== undefined);
      const texts = fields.map(([key, inner]) => `${JSON.stringify(key)}:${JSON.stringify(inner)}`);
      const rest = below(20) > 0 ? [`"tool_input":${input}`] : [pick(['"tool_input":"ls"', '"tool_input":[]', ""])];
      const text = `{${[...texts, ...rest].filter(Boolean).join(",")}}`;
      if (await agree(JSON.parse(text) as Payload, pick(lines))) known++;
    }
    expect(known).toBeGreaterThan(300);
  });
});
