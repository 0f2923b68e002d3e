/**
 * Long runs: one tool call a turn, against a server on loopback that answers at once. Each kind of run (`default`: an
 * agent with the settings that it has by itself; `no redaction`; `one hook`, on post_tool_use; `two hooks`) is measured
 * for each number of turns, one run after another, in turn with docker-agent if `--docker-agent` or DOCKER_AGENT has its
 * path: without redaction, which it does not do by itself, and with a hook on post_tool_use, because `--yolo` makes it
 * skip pre_tool_use. Run after `npm run build`: `bun test/bench/turns.ts [TURNS...] [--arguments CHARACTERS]
 * [--only KIND] [--binary FILE]... [--rounds N] [--docker-agent FILE]`
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { figuresOf, printTable, shown } from "./measure.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arguments: { type: "string", default: "0" },
    only: { type: "string" },
    binary: { type: "string", multiple: true },
    rounds: { type: "string", default: "1" },
    "docker-agent": { type: "string", default: process.env["DOCKER_AGENT"] ?? "" },
  },
});
const lengths = positionals.length > 0 ? positionals.map(Number) : [100, 300];
const dockerAgent = flags["docker-agent"] && resolve(flags["docker-agent"]);
const argumentLength = Number(flags.arguments);
const binaries = flags.binary ?? [join(import.meta.dir, "../../dist/hooksh")];
/** Turns at the beginning and at the end that are compared. */
const EDGE = 20;
const HOOK = "cat > /dev/null";

/** The cost of one run. */
interface Measured {
  /** From one request to the next, less the time the server held them, in milliseconds. */
  gaps: number[];
  requests: number;
  /** Processor time of all threads, in milliseconds, when the requests arrived. */
  processor: number[];
  /** Resident memory at the last turn, and how much of it is not a page of a file. */
  megabytes: number;
  anonymous: number;
  /** The size of the last request. */
  kilobytes: number;
}

async function measure(binary: string, turns: number, agent: Record<string, unknown>): Promise<Measured> {
  const dir = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
  const result: Measured = { gaps: [], requests: 0, processor: [], megabytes: 0, anonymous: 0, kilobytes: 0 };
  let pid = 0;
  let answeredAt = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const started = performance.now();
      if (answeredAt > 0) result.gaps.push(started - answeredAt);
      result.requests++;
      result.processor.push(processorMs(pid));
      result.kilobytes = (await request.arrayBuffer()).byteLength / 1024;
      if (result.requests === turns) {
        result.megabytes = statusMegabytes(pid, "VmRSS");
        result.anonymous = statusMegabytes(pid, "RssAnon");
      }
      const reply = new Response(answer(result.requests, turns), {
        headers: { "content-type": "text/event-stream" },
      });
      answeredAt = performance.now();
      return reply;
    },
  });
  const root = {
    model: "fake/model",
    description: "Helps.",
    instruction: "Help.",
    toolsets: [{ type: "filesystem" }],
    ...agent,
  };
  const provider = { base_url: `http://127.0.0.1:${server.port}/v1`, token_key: "FAKE_KEY" };
  const file = { agents: { root }, providers: { fake: provider } };
  await Bun.write(join(dir, "agent.yaml"), JSON.stringify(file));
  for (const n of [0, 1]) await Bun.write(join(dir, `notes-${n}.txt`), "a line of a file that is read\n".repeat(20));
  const child = Bun.spawn([binary, "run", "--exec", "agent.yaml", "--yolo", "--hide-tool-calls", "go"], {
    cwd: dir,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: dir,
      SHELL: "/bin/sh",
      FAKE_KEY: "none",
      TELEMETRY_ENABLED: "false",
    },
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

/** Words that no search for secrets takes for one. */
const PROSE = "the agent writes a sentence of plain words into a file and goes on with the next step of its task ";

/**
 * A call of `read_file`, or with arguments of some length of `write_file`, that differs from the one before; the last
 * answer is a text.
 */
function answer(turn: number, turns: number): string {
  const base = { id: `c${turn}`, object: "chat.completion.chunk", created: 1, model: "fake" };
  const content = `${turn} ${PROSE.repeat(Math.ceil(argumentLength / PROSE.length))}`.slice(0, argumentLength);
  const [name, input] =
    argumentLength === 0
      ? ["read_file", { path: `notes-${turn % 2}.txt` }]
      : ["write_file", { path: `out-${turn % 2}.txt`, content }];
  const call = { index: 0, id: `call_${turn}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
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
function statusMegabytes(pid: number, field: string): number {
  const text = readProc(`/proc/${pid}/status`);
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? Number.NaN) / 1024;
}

/** The processor time of a process in milliseconds, with more digits than /proc/PID/stat has. Linux only. */
function processorMs(pid: number): number {
  let nanoseconds = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readProc(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]);
  } catch {
    return Number.NaN;
  }
  return nanoseconds / 1e6;
}

function readProc(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const command = { type: "command", command: HOOK };
const KINDS: readonly { name: string; agent: Record<string, unknown> }[] = [
  { name: "default", agent: {} },
  { name: "no redaction", agent: { redact_secrets: false } },
  { name: "one hook", agent: { hooks: { post_tool_use: [{ matcher: "*", hooks: [command] }] } } },
  {
    name: "two hooks, no redaction",
    agent: {
      redact_secrets: false,
      hooks: { pre_tool_use: [{ hooks: [command] }], post_tool_use: [{ hooks: [command] }] },
    },
  },
];

/** The kinds in which docker-agent does the same work, and the settings that it has for them. */
const PEERS: Readonly<Record<string, Record<string, unknown>>> = {
  "no redaction": {},
  "one hook": { hooks: { post_tool_use: [{ matcher: "*", hooks: [command] }] } },
};
/** The medians of the rounds: of the first binary, and of docker-agent or why there is none. */
const compared = new Map<string, { own: number[]; peer: number[]; problem?: string }>();

async function compare(key: string, own: number, turns: number, agent: Record<string, unknown>): Promise<void> {
  const known = compared.get(key) ?? { own: [], peer: [] };
  compared.set(key, known);
  known.own.push(own);
  if (dockerAgent === "") known.problem = "not installed";
  if (known.problem !== undefined) return;
  try {
    known.peer.push(figuresOf((await measure(dockerAgent, turns, agent)).gaps).median);
  } catch (error) {
    known.problem = String(error).split("\n")[0]?.slice(0, 100) ?? "failed";
  }
}

const rows: string[][] = [];
for (let round = 0; round < Number(flags.rounds); round++)
  for (const { name, agent } of KINDS.filter((kind) => flags.only === undefined || kind.name === flags.only))
    for (const turns of lengths)
      for (const [index, binary] of binaries.entries()) {
        const { gaps, requests, processor, megabytes, anonymous, kilobytes } = await measure(binary, turns, agent);
        const { least, median, p90 } = figuresOf(gaps);
        const last = figuresOf(gaps.slice(-EDGE)).median;
        const spent = (from: number, to: number) => ((processor.at(to) ?? 0) - (processor.at(from) ?? 0)) / (to - from);
        rows.push([
          binaries.length > 1 ? `${name} (${index + 1})` : name,
          String(turns),
          shown(least),
          shown(median),
          shown(p90),
          shown(last),
          shown(last / figuresOf(gaps.slice(EDGE, 2 * EDGE)).median),
          shown(spent(EDGE, requests - 1)),
          shown(spent(-EDGE - 1, -1)),
          shown(megabytes),
          shown(anonymous),
          shown(kilobytes),
        ]);
        const peer = PEERS[name];
        if (peer && index === 0) await compare(`${name}, ${turns} turns`, median, turns, peer);
      }
printTable(
  `A tool call each turn, with ${argumentLength} characters of arguments`,
  [
    "run",
    "turns",
    "least ms",
    "turn ms",
    "p90",
    `last ${EDGE}`,
    "x early",
    "CPU ms",
    `last ${EDGE}`,
    "MB",
    "anonymous",
    "last KB",
  ],
  rows,
);
printTable(
  `A turn of hooksh and one of docker-agent${dockerAgent && ` (${dockerAgent})`}, medians of ${flags.rounds} rounds in turn`,
  ["run", "hooksh ms", "docker-agent ms", "ratio"],
  [...compared].map(([key, { own, peer, problem }]) => {
    const [ownMs, peerMs] = [figuresOf(own).median, figuresOf(peer).median];
    return [key, shown(ownMs), problem ?? shown(peerMs), problem === undefined ? shown(ownMs / peerMs) : ""];
  }),
);
