/**
 * Many processes of `hooksh dispatch` at once that write one audit log: how many lines are missing, and how long each takes.
 * Run: `bun test/bench/crowd.ts [TOTAL] [AT_ONCE]` after `npm run build`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf, printTable, shown } from "./measure.ts";

const total = Number(process.argv[2] ?? 300);
const atOnce = Number(process.argv[3] ?? 150);
const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const dir = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
const hook = { type: "command", command: "cat > /dev/null" };
writeFileSync(join(dir, "hooks.yaml"), JSON.stringify({ pre_tool_use: [{ matcher: "shell", hooks: [hook] }] }));
const event = {
  hook_event_name: "pre_tool_use",
  session_id: "s",
  cwd: dir,
  tool_name: "shell",
  tool_input: { cmd: "ls" },
};

let started = 0;
let warned = 0;
const times: number[] = [];
async function dispatchInTurn(): Promise<void> {
  while (started++ < total) {
    const since = performance.now();
    const child = Bun.spawn([binary, "dispatch", "--hooks-file", join(dir, "hooks.yaml")], {
      env: { PATH: process.env["PATH"] ?? "", HOME: dir, SHELL: "/bin/sh" },
      stdin: Buffer.from(JSON.stringify(event)),
      stdout: "ignore",
      stderr: "pipe",
    });
    const [errors, code] = await Promise.all([child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(`dispatch ended with ${code}: ${errors}`);
    if (errors !== "") warned++;
    times.push(performance.now() - since);
  }
}
await Promise.all(Array.from({ length: atOnce }, dispatchInTurn));

const folder = join(dir, ".hooksh", "audit");
const months = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
const lines = months.flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n")).length;
const { median, p90 } = figuresOf(times);
printTable(
  "many processes, one audit log",
  ["processes", "at once", "lines", "warnings", "median ms", "p90 ms"],
  [[`${total}`, `${atOnce}`, `${lines}`, `${warned}`, shown(median), shown(p90)]],
);
