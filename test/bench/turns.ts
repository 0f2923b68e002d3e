/**
 * A long run: one tool call a turn, with two command hooks and with none, against a server on loopback that answers at
 * once. Run: `bun test/bench/turns.ts [TURNS]` after `npm run build`; HOOKSH_TEST_BINARY names another executable.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf, printTable, shown } from "./measure.ts";

const turns = Math.max(40, Number(process.argv[2] ?? 200));
const EARLY = 20;
const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const HOOK = "cat > /dev/null";

/** The cost of a run, in milliseconds and megabytes. */
interface Measured {
  /** From one request to the next, less the time the server held them. */
  gaps: number[];
  requests: number;
  serverMs: number;
  early: number;
  late: number;
  /** The size of the last request. */
  kilobytes: number;
}

async function measure(hooks: Record<string, unknown>): Promise<Measured> {
  const dir = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
  const result: Measured = { gaps: [], requests: 0, serverMs: 0, early: 0, late: 0, kilobytes: 0 };
  let pid = 0;
  let answeredAt = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const started = performance.now();
      if (answeredAt > 0) result.gaps.push(started - answeredAt);
      result.requests++;
      result.kilobytes = (await request.arrayBuffer()).byteLength / 1024;
      if (result.requests === EARLY) result.early = residentMegabytes(pid);
      if (result.requests === turns) result.late = residentMegabytes(pid);
      const reply = new Response(answer(result.requests), { headers: { "content-type": "text/event-stream" } });
      answeredAt = performance.now();
      result.serverMs += answeredAt - started;
      return reply;
    },
  });
  const toolsets = [{ type: "filesystem" }];
  const root = { model: "fake/model", instruction: "Help.", redact_secrets: false, toolsets, hooks };
  const file = { agents: { root }, providers: { fake: { base_url: `http://127.0.0.1:${server.port}/v1` } } };
  await Bun.write(join(dir, "agent.yaml"), JSON.stringify(file));
  for (const n of [0, 1]) await Bun.write(join(dir, `notes-${n}.txt`), "a line of a file that is read\n".repeat(20));
  const child = Bun.spawn([binary, "run", "agent.yaml", "--yolo", "--hide-tool-calls", "go"], {
    cwd: dir,
    env: { PATH: process.env["PATH"] ?? "", HOME: dir, SHELL: "/bin/sh" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  pid = child.pid;
  const [code, , errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  await server.stop(true);
  rmSync(dir, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the run ended with ${code}: ${errors}`);
  return result;
}

/** A call of `read_file` that differs from the one before; the last answer is a text. */
function answer(turn: number): string {
  const base = { id: `c${turn}`, object: "chat.completion.chunk", created: 1, model: "fake" };
  const path = JSON.stringify({ path: `notes-${turn % 2}.txt` });
  const call = { index: 0, id: `call_${turn}`, type: "function", function: { name: "read_file", arguments: path } };
  const delta = turn > turns ? { content: "done" } : { tool_calls: [call] };
  const chunk = (choice: object) => `data: ${JSON.stringify({ ...base, choices: [{ index: 0, ...choice }] })}\n\n`;
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return [
    chunk({ delta, finish_reason: null }),
    chunk({ delta: {}, finish_reason: turn > turns ? "stop" : "tool_calls" }),
    `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\ndata: [DONE]\n\n`,
  ].join("");
}

/** Linux only; elsewhere not a number. */
function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** What the hook costs by itself, with an input like the ones it gets. */
async function bareHook(): Promise<number> {
  const input = Buffer.from(JSON.stringify({ hook_event_name: "post_tool_use", tool_response: "x".repeat(600) }));
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const started = performance.now();
    const child = Bun.spawn(["/bin/sh", "-c", HOOK], { stdin: input, stdout: "pipe", stderr: "pipe" });
    await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    times.push(performance.now() - started);
  }
  return figuresOf(times).median;
}

const command = { type: "command", command: HOOK };
const hooks = { pre_tool_use: [{ hooks: [command] }], post_tool_use: [{ hooks: [command] }] };
const hookMs = await bareHook();
const runs = [
  { name: "no hooks", hookMs: 0, ...(await measure({})) },
  { name: "two command hooks a turn", hookMs: 2 * hookMs, ...(await measure(hooks)) },
];
const rows = runs.map(({ name, gaps, requests, serverMs, early, late, kilobytes, hookMs: ownMs }) => {
  const all = figuresOf(gaps);
  const ours = all.median - ownMs;
  const held = serverMs / requests;
  const growth = figuresOf(gaps.slice(-EARLY)).median / figuresOf(gaps.slice(1, EARLY + 1)).median;
  return {
    name,
    cells: [
      shown(all.median),
      shown(all.p90),
      shown(ours),
      `${Math.round((100 * ours) / (all.median + held))}%`,
      shown(growth),
      shown(early),
      shown(late),
      shown(late / early),
      shown(requests / (turns + 1)),
      shown(kilobytes),
    ],
  };
});
printTable(
  `${turns} turns with a tool call each; the hook by itself takes ${shown(hookMs)} ms`,
  [
    "run",
    "turn ms",
    "p90",
    "ours ms",
    "ours",
    `last ${EARLY}/first`,
    `MB at ${EARLY}`,
    `MB at ${turns}`,
    "ratio",
    "requests/turn",
    "last KB",
  ],
  rows.map(({ name, cells }) => [name, ...cells]),
);
console.log("\naims: one request a turn; memory below 2 x from early to last; time that grows slower than the history");
