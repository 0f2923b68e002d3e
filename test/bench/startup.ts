/**
 * What `hooksh run` costs until its first model request arrives: processor time of all its threads, and time on the
 * clock, against a compiled program that prints a line. Linux only.
 * Run: `bun test/bench/startup.ts [ROUNDS]` after `npm run build`; HOOKSH_TEST_BINARY names another executable.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf, printTable, shown } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 30);
const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const scratch = mkdtempSync(join(tmpdir(), "hooksh-bench-"));

/** One start, in milliseconds. */
interface Start {
  processor: number;
  clock: number;
}

/** The processor time that the threads of a process have had, in milliseconds. */
function processorTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

async function untilFirstRequest(agent: Record<string, unknown>): Promise<Start> {
  const arrived = Promise.withResolvers<void>();
  let pid = 0;
  let started = 0;
  const start: Start = { processor: 0, clock: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      start.clock = performance.now() - started;
      start.processor = processorTime(pid);
      arrived.resolve();
      return new Response("", { status: 400 });
    },
  });
  const file = { agents: { root: agent }, providers: { fake: { base_url: `http://127.0.0.1:${server.port}/v1` } } };
  await Bun.write(join(scratch, "agent.yaml"), JSON.stringify(file));
  started = performance.now();
  const child = Bun.spawn([binary, "run", "agent.yaml", "--yolo", "go"], {
    cwd: scratch,
    env: { PATH: process.env["PATH"] ?? "", HOME: scratch, SHELL: "/bin/sh" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  pid = child.pid;
  await Promise.race([
    arrived.promise,
    child.exited.then((code) => {
      if (start.clock === 0) throw new Error(`the run ended with ${code} before its first request`);
    }),
  ]);
  child.kill("SIGKILL");
  await child.exited;
  await server.stop(true);
  return start;
}

async function bareStart(): Promise<Start> {
  const started = performance.now();
  const child = Bun.spawn([join(scratch, "floor")], { stdout: "ignore" });
  await child.exited;
  const clock = performance.now() - started;
  return { clock, processor: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000 };
}

await Bun.write(join(scratch, "floor.ts"), `console.log("ok");`);
Bun.spawnSync([
  process.execPath,
  "build",
  "--compile",
  "--bytecode",
  "--minify",
  join(scratch, "floor.ts"),
  "--outfile",
  join(scratch, "floor"),
]);

const agent = { model: "fake/model", instruction: "Help.", toolsets: [{ type: "filesystem" }, { type: "shell" }] };
const kinds: [string, () => Promise<Start>][] = [
  ["floor: a compiled program that prints a line, to its end", bareStart],
  ["hooksh run, two toolsets", () => untilFirstRequest(agent)],
  ["the same, without redaction", () => untilFirstRequest({ ...agent, redact_secrets: false })],
];
const starts = new Map<string, Start[]>(kinds.map(([name]) => [name, []]));
for (let round = -2; round < rounds; round++) {
  for (const [name, measure] of kinds) {
    const start = await measure();
    if (round >= 0) starts.get(name)?.push(start);
  }
}
rmSync(scratch, { recursive: true, force: true });
printTable(
  `Until the first model request, ${rounds} rounds, interleaved`,
  ["program", "processor ms", "p90", "clock ms", "p90"],
  [...starts].map(([name, all]) => {
    const [processor, clock] = [figuresOf(all.map((each) => each.processor)), figuresOf(all.map((each) => each.clock))];
    return [name, shown(processor.median), shown(processor.p90), shown(clock.median), shown(clock.p90)];
  }),
);
