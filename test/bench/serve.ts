/**
 * An event of Claude Code answered by `hooksh serve` and by a process of `hooksh dispatch`. Run: `bun
 * test/bench/serve.ts [REQUESTS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figures, figuresOf, printTable, shown, timePrograms } from "./measure.ts";

const requests = Number(process.argv[2] ?? 300);
const AT_ONCE = 16;
const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
const socket = join(dir, "s.sock");
const env = { ...process.env, HOME: dir, SHELL: "/bin/sh" };

const hooks = {
  pre_tool_use: [
    { matcher: "shell", hooks: [{ type: "command", command: "cat > /dev/null" }] },
    ...Array.from({ length: 30 }, (_, n) => ({
      matcher: `tool_${n}`,
      hooks: [{ type: "command", command: "exit 2" }],
    })),
  ],
};
const payload = (tool: string) =>
  JSON.stringify({
    session_id: "s1",
    transcript_path: "/t",
    cwd: dir,
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_input: tool === "Bash" ? { command: "make test" } : { pattern: "x" },
    tool_use_id: "t1",
  });
await Bun.write(join(dir, "hooks.yaml"), JSON.stringify(hooks));
const flags = ["--hooks-file", join(dir, "hooks.yaml")];

const server = Bun.spawn([binary, "serve", ...flags, "--socket", socket], { env, stdout: "pipe", stderr: "inherit" });
await server.stdout.getReader().read();

async function post(body: string): Promise<number> {
  const started = performance.now();
  const headers = { "content-type": "application/json" };
  const response = await fetch("http://hooksh/claude", { unix: socket, method: "POST", headers, body });
  const answer = await response.text();
  if (answer !== "") throw new Error(`the call was not allowed: ${answer}`);
  return performance.now() - started;
}

/** Posts all requests, so many at once. */
async function postAll(body: string, atOnce: number): Promise<Figures & { perSecond: number }> {
  for (let warm = 0; warm < 50; warm++) await post(body);
  const times: number[] = [];
  const started = performance.now();
  const client = async () => {
    while (times.length < requests) times.push(await post(body));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return { ...figuresOf(times), perSecond: (times.length / (performance.now() - started)) * 1000 };
}

const rows: string[][] = [];
for (const [name, tool] of [
  ["no hook matches", "Grep"],
  ["one command hook", "Bash"],
] as const) {
  const body = payload(tool);
  const command = [binary, "dispatch", "--dialect", "claude", ...flags];
  const cold = (await timePrograms([{ name, command, input: body, env: { HOME: dir } }], 40)).get(name);
  if (!cold) throw new Error("nothing was timed");
  rows.push([`dispatch, ${name}`, shown(cold.median), shown(cold.p90), shown(1000 / cold.median)]);
  for (const atOnce of [1, AT_ONCE]) {
    const { median, p90, perSecond } = await postAll(body, atOnce);
    rows.push([`serve, ${name}, ${atOnce} at once`, shown(median), shown(p90), shown(perSecond)]);
  }
}
printTable("An event of Claude Code before a tool call", ["way", "median ms", "p90 ms", "a second"], rows);
server.kill();
await server.exited;
await rm(dir, { recursive: true });
