/**
 * The cost of tracing to a file: processor time of a cold dispatch, of each event of a long input, and of each turn of a
 * run against a server on loopback that answers at once. Programs with and without take turns. Run:
 * `bun test/bench/trace.ts [ROUNDS]` after `npm run build`; HOOKSH_TEST_BINARY names another executable.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf, printTable, shown } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 40);
const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const dir = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
const EVENTS = 1000;
const TURNS = 40;

const hooks = {
  pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "cat > /dev/null" }] }],
  turn_start: [{ type: "builtin", command: "add_date" }],
};
writeFileSync(join(dir, "hooks.yaml"), JSON.stringify(hooks));
const call = { session_id: "s", hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "make test" } };
const turn = `${JSON.stringify({ session_id: "s", hook_event_name: "turn_start" })}\n`;

let requests = 0;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(answer(++requests % TURNS)) });
const root = {
  model: "fake/model",
  instruction: "Help.",
  redact_secrets: false,
  toolsets: [{ type: "filesystem" }],
  hooks: { pre_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "cat > /dev/null" }] }] },
};
const agent = { agents: { root }, providers: { fake: { base_url: `http://127.0.0.1:${server.port}/v1` } } };
writeFileSync(join(dir, "agent.yaml"), JSON.stringify(agent));

/** The reply of a turn: a call of a tool, or, after all turns, a text. */
function answer(index: number): string {
  const base = { id: `c${index}`, object: "chat.completion.chunk", created: 1, model: "fake" };
  const input = JSON.stringify({ path: index % 2 ? "hooks.yaml" : "agent.yaml" });
  const tool = { index: 0, id: `call_${index}`, type: "function", function: { name: "read_file", arguments: input } };
  const [delta, finish_reason] = index === 0 ? [{ content: "Done." }, "stop"] : [{ tool_calls: [tool] }, "tool_calls"];
  const chunks = [
    { ...base, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...base, choices: [{ index: 0, delta: {}, finish_reason }] },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

const dispatch = ["dispatch", "--no-audit", "--hooks-file", "hooks.yaml", "--output", "result"];
const PROGRAMS = [
  { name: "a cold dispatch, one command hook", args: dispatch, input: JSON.stringify(call), parts: 1 },
  { name: `one of ${EVENTS} events, one builtin`, args: dispatch, input: turn.repeat(EVENTS), parts: EVENTS },
  {
    name: "a turn: model, tool, one command hook",
    args: ["run", "agent.yaml", "--yolo", "--no-audit", "go"],
    parts: TURNS,
  },
];

/** Runs a program; milliseconds of processor time (its own and that of its hooks) and of wall time, for each part. */
async function measure({ args, input, parts }: (typeof PROGRAMS)[number], isTraced: boolean) {
  const started = Bun.nanoseconds();
  const child = Bun.spawn([binary, ...args, ...(isTraced ? ["--trace", "trace.jsonl"] : [])], {
    cwd: dir,
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, SHELL: "/bin/sh" },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "ignore",
    stderr: "pipe",
  });
  const [code, errors] = await Promise.all([child.exited, child.stderr.text()]);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${errors}`);
  const wall = (Bun.nanoseconds() - started) / 1e6;
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
  return { cpu: cpu / parts, wall: wall / parts };
}

const rows: string[][] = [];
for (const program of PROGRAMS) {
  const [off, on]: { cpu: number[]; wall: number[] }[] = [0, 1].map(() => ({ cpu: [], wall: [] }));
  const count = program.parts === 1 ? rounds * 5 : Math.ceil(rounds / 4);
  for (let round = -1; round < count; round++) {
    for (const [isTraced, into] of [
      [false, off],
      [true, on],
    ] as const) {
      requests = 0;
      const { cpu, wall } = await measure(program, isTraced);
      if (round < 0) continue;
      into?.cpu.push(cpu);
      into?.wall.push(wall);
    }
  }
  const [before, after] = [off, on].map((figures) => figuresOf(figures?.cpu ?? []).median);
  const [slow, slower] = [off, on].map((figures) => figuresOf(figures?.wall ?? []).median);
  const more = (after ?? 0) - (before ?? 0);
  rows.push([
    program.name,
    ...[before, after, more].map((value) => shown(value ?? 0)),
    `${((more / (before ?? 1)) * 100).toFixed(1)} %`,
    ...[slow, slower].map((value) => shown(value ?? 0)),
  ]);
}
server.stop(true);
rmSync(dir, { recursive: true, force: true });
printTable(
  `Tracing to a file, medians, ${rounds} rounds`,
  ["program", "cpu off ms", "cpu on ms", "more ms", "more", "wall off ms", "wall on ms"],
  rows,
);
