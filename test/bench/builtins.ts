/**
 * What a call of each builtin costs the thread it runs on: the time that thread spends computing, not waiting. It says
 * which builtins may run on the main thread. Run: `bun test/bench/builtins.ts [CALLS]` (Linux).
 */
import { dlopen, FFIType } from "bun:ffi";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILTINS } from "../../builtins/index.ts";
import type { BuiltinInput, BuiltinRow } from "../../src/protocol/builtin.ts";
import { callBuiltin, sh } from "../helpers/call-builtin.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

interface Case {
  name: string;
  what: string;
  input: Partial<BuiltinInput> & Pick<BuiltinInput, "hook_event_name">;
  args?: string[];
  calls?: number;
}

const calls = Number(process.argv[2] ?? 200);
const directory = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
const cwd = join(directory, "repository");
const crowded = join(directory, "crowded");
const env = { TMPDIR: directory, HOME: directory };

sh(
  directory,
  `git init -q repository; cd repository; printf 'be brief' > STYLE.md
  head -c 20000000 /dev/zero | tr '\\0' a > big.txt
  git add .; git commit -q -m one; echo more >> STYLE.md; head -c 20000000 /dev/zero | tr '\\0' '\\n' > big.txt
  i=0; while [ $i -lt 4 ]; do i=$((i+1)); head -c 300000 /dev/zero | tr '\\0' b > long$i.md; done
  mkdir ../crowded; cd ../crowded; seq -f 'file-%06.0f' 50000 | xargs touch`,
);

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("{}") });
const endpoint = { provider: "dmr", model: "ai/model", base_url: `http://127.0.0.1:${server.port}/engines/v1` };
const switched = { hook_event_name: "on_agent_switch", from_agent: "a", to_agent: "b" } as const;
const response = {
  hook_event_name: "tool_response_transform",
  session_id: "s",
  tool_name: "read_file",
  tool_category: "filesystem",
} as const;
const shell = (cmd: string) =>
  ({ hook_event_name: "pre_tool_use", session_id: "s", tool_name: "shell", tool_input: { cmd } }) as const;
const LOG_LINE = "2024-01-01 12:00:00 INFO request handled in 12 ms by worker 7 for path /api/v1/items\n";

const CASES: readonly Case[] = [
  { name: "add_date", what: "", input: { hook_event_name: "turn_start" } },
  { name: "add_environment_info", what: "", input: { hook_event_name: "session_start", cwd } },
  {
    name: "add_prompt_files",
    what: "one small file",
    input: { hook_event_name: "turn_start", cwd },
    args: ["STYLE.md"],
  },
  {
    name: "add_prompt_files",
    what: "1 MiB in 4 files",
    input: { hook_event_name: "turn_start", cwd },
    args: [1, 2, 3, 4].map((n) => `long${n}.md`),
  },
  { name: "add_git_status", what: "", input: { hook_event_name: "turn_start", cwd }, calls: 20 },
  {
    name: "add_git_diff",
    what: "full, 60 MB",
    input: { hook_event_name: "turn_start", cwd },
    args: ["full"],
    calls: 5,
  },
  { name: "add_recent_commits", what: "", input: { hook_event_name: "session_start", cwd }, calls: 20 },
  { name: "add_directory_listing", what: "6 names", input: { hook_event_name: "session_start", cwd } },
  {
    name: "add_directory_listing",
    what: "50000 names",
    input: { hook_event_name: "session_start", cwd: crowded },
    calls: 10,
  },
  { name: "add_user_info", what: "", input: { hook_event_name: "session_start" } },
  { name: "max_iterations", what: "", input: { hook_event_name: "before_llm_call", iteration: 3 }, args: ["2"] },
  { name: "unload", what: "3 models", input: { ...switched, from_agent_models: [endpoint, endpoint, endpoint] } },
  { name: "http_post", what: "refused", input: { hook_event_name: "turn_end" }, args: ["http://127.0.0.1/x", "{}"] },
  {
    name: "add_context",
    what: "2 templates",
    input: { hook_event_name: "turn_start", agent_name: "root" },
    args: ["{{ .AgentName }}", "be brief"],
  },
  {
    name: "limit_large_tool_results",
    what: "4 KB, passed on",
    input: { ...response, tool_response: LOG_LINE.repeat(50) },
  },
  { name: "limit_large_tool_results", what: "100 KB", input: { ...response, tool_response: LOG_LINE.repeat(1200) } },
  {
    name: "limit_large_tool_results",
    what: "10 MB",
    input: { ...response, tool_response: LOG_LINE.repeat(120_000) },
    calls: 20,
  },
  {
    name: "elide_repeated_tool_results",
    what: "4 KB",
    input: { ...response, tool_read_only: true, tool_response: LOG_LINE.repeat(50) },
  },
  {
    name: "elide_repeated_tool_results",
    what: "50 KB",
    input: { ...response, tool_read_only: true, tool_response: LOG_LINE.repeat(590) },
  },
  { name: "safer_shell", what: "a usual command", input: shell("cd src && npm test -- --watch=false | tail -n 20") },
  { name: "safer_shell", what: "128 KB, made to be slow", input: shell("docker compose -f ".repeat(7281)), calls: 20 },
  {
    name: "redact_secrets",
    what: "100 KB of log",
    input: { ...response, tool_response: LOG_LINE.repeat(1200) },
    calls: 50,
  },
  {
    name: "snapshot",
    what: "one turn_start",
    input: { hook_event_name: "turn_start", session_id: "s", cwd },
    calls: 5,
  },
];

const libc = dlopen("libc.so.6", { clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } });
const CLOCK_THREAD_CPUTIME_ID = 3;
const time = new BigInt64Array(2);

/** Milliseconds this thread has computed so far. */
function computed(): number {
  libc.symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, time);
  return Number(time[0] ?? 0n) * 1000 + Number(time[1] ?? 0n) / 1e6;
}

async function measure(one: Case, row: BuiltinRow): Promise<string[]> {
  const { run } = await row.load();
  const cpu: number[] = [];
  const wall: number[] = [];
  const count = Math.min(one.calls ?? calls, calls);
  for (let round = -Math.min(count, 20); round < count; round++) {
    const [cpuStart, wallStart] = [computed(), performance.now()];
    await callBuiltin(run, one.input, one.args, { env });
    if (round < 0) continue;
    cpu.push(computed() - cpuStart);
    wall.push(performance.now() - wallStart);
  }
  const figures = [figuresOf(cpu).median, Math.max(...cpu), figuresOf(wall).median];
  return [
    one.name,
    one.what,
    row.thread,
    ...figures.map((milliseconds) => (milliseconds < 0.1 ? milliseconds.toFixed(3) : shown(milliseconds))),
  ];
}

const rows: string[][] = [];
for (const one of CASES) {
  const row: BuiltinRow | undefined = Object.entries(BUILTINS).find(([name]) => name === one.name)?.[1];
  if (row) rows.push(await measure(one, row));
}
printTable("One call of a builtin, ms", ["builtin", "case", "thread", "computing", "most", "until done"], rows);
await server.stop(true);
await rm(directory, { recursive: true, force: true });
