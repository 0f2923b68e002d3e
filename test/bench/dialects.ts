/**
 * Cold `hooksh dispatch` of one shell call in the bytes of several agents, against the same call in hooksh's own
 * protocol. Run: `bun test/bench/dialects.ts [ROUNDS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 100);
const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
const hooks = join(dir, "hooks.yaml");
await Bun.write(
  hooks,
  `pre_tool_use:\n  - matcher: shell\n    hooks:\n      - { type: command, command: "cat > /dev/null" }\n`,
);

const call = { session_id: "s1", cwd: dir, tool_use_id: "t1", tool_input: { command: "make test" } };
const pascal = { ...call, hook_event_name: "PreToolUse", tool_name: "Bash", permission_mode: "default" };
const canonical = "hooksh's own protocol";
const payloads: Record<string, object> = {
  [canonical]: { ...call, hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "make test" } },
  claude: { ...pascal, transcript_path: "/home/dev/.claude/projects/shop/s1.jsonl" },
  codex: { ...pascal, transcript_path: null, turn_id: "t1", model: "m" },
  gemini: {
    ...call,
    hook_event_name: "BeforeTool",
    timestamp: "2026-05-02T10:00:00.000Z",
    tool_name: "run_shell_command",
  },
  copilot: {
    sessionId: "s1",
    timestamp: 1777710000000,
    cwd: dir,
    toolName: "bash",
    toolArgs: { command: "make test" },
  },
  cursor: {
    ...call,
    conversation_id: "u1",
    generation_id: "n1",
    hook_event_name: "preToolUse",
    cursor_version: "3.9.16",
    workspace_roots: [dir],
    tool_name: "Shell",
  },
};
const flags: Record<string, string[]> = { copilot: ["--dialect", "copilot", "--event", "preToolUse"] };

const programs = Object.entries(payloads).flatMap(([name, payload]): Program[] => {
  const command = [binary, "dispatch", "--hooks-file", hooks];
  const input = JSON.stringify(payload);
  const named = flags[name] ?? [
    "--dialect",
    name,
    "--event",
    "hook_event_name" in payload ? String(payload.hook_event_name) : "",
  ];
  const recognised: Program = { name: `${name}, recognised`, command, input, env: { SHELL: "/bin/sh" } };
  if (name === canonical) return [{ ...recognised, name }];
  return [
    ...(name in flags ? [] : [recognised]),
    { ...recognised, name: `${name}, named`, command: [...command, ...named] },
  ];
});

const results = await timePrograms(programs, rounds);
const base = results.get(canonical)?.median ?? Number.NaN;
printTable(
  `Cold dispatch of one call with one command hook, ${rounds} rounds, interleaved`,
  ["payload", "median ms", "p90 ms", "more than canonical, ms"],
  [...results].map(([name, { median, p90 }]) => [name, shown(median), shown(p90), (median - base).toFixed(2)]),
);
await rm(dir, { recursive: true, force: true });
