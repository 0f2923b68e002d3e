/**
 * The time and memory that `hooksh stats` takes for a long audit log, and `hooksh status --hooks` for one in which it finds
 * its hook at the end, or never: `bun test/bench/stats.ts [ENTRIES] [ROUNDS]`, after `npm run build`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EntryFields, writeAuditLog } from "../helpers/audit-log.ts";
import { binary } from "../helpers/binary.ts";
import { printTable, shown, timePrograms } from "./measure.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 5);

const cwd = mkdtempSync(join(tmpdir(), "hooksh-bench-stats-"));
const month = new Date().toISOString().slice(0, 7);
const log = join(cwd, "data/audit", `${month}.jsonl`);
const hooksFile = join(cwd, "hooks.yaml");

/** Entries of this month's first hours, 200 in a session, with two hooks each. */
function* entries(): Generator<EntryFields> {
  const start = Date.parse(`${month}-01T00:00:00Z`);
  for (let at = 0; at < count; at++) {
    yield {
      time: new Date(start + at).toISOString(),
      session: `0f3c1b2a-0000-4000-8000-${String(Math.floor(at / 200)).padStart(12, "0")}`,
      host: "claude",
      host_event: "PreToolUse",
      event: at % 2 === 0 ? "pre_tool_use" : "post_tool_use",
      tool: "shell",
      call: `toolu_${at}`,
      cwd: "/home/user/project",
      input: `sha256:${"a".repeat(64)}`,
      hooks: [
        { source: `${hooksFile}: hooks.pre_tool_use[0].hooks[0]`, ms: 1 + (at % 1000) / 10, exit_code: 0 },
        { name: "redact_secrets", source: "redact_secrets", type: "builtin", ms: 0.31 },
      ],
      ms: 13.1,
    };
  }
}

writeAuditLog(join(cwd, "data"), entries());
const hook = (name: string) => ({ pre_tool_use: [{ hooks: [{ type: "command", command: "true", name }] }] });
await Bun.write(hooksFile, JSON.stringify(hook("guard.sh")));
await Bun.write(join(cwd, "other.yaml"), JSON.stringify(hook("never.sh")));

const PARSE = `let sum = 0;
for await (const line of require("node:readline").createInterface({ input: require("node:fs").createReadStream(process.argv[1]) }))
  for (const hook of JSON.parse(line).hooks) sum += hook.ms;
console.log(sum);`;
const data = ["--data-dir", join(cwd, "data")];
const status = (file: string) => [binary(), "status", "--hooks", "--hooks-file", join(cwd, file), ...data];

const figures = await timePrograms(
  [
    { name: "floor: wc -l", command: ["wc", "-l", log] },
    { name: "a script that parses each line", command: [process.execPath, "-e", PARSE, log] },
    { name: "hooksh stats", command: [binary(), "stats", "--since", "60d", ...data] },
    { name: "hooksh stats --session", command: [binary(), "stats", "--since", "60d", "--session", "x", ...data] },
    { name: "hooksh status --hooks, the hook just ran", command: status("hooks.yaml") },
    { name: "hooksh status --hooks, it never ran", command: status("other.yaml") },
  ],
  rounds,
);
rmSync(cwd, { recursive: true });

printTable(
  `${count.toLocaleString("en")} entries`,
  ["program", "processor ms", "median ms", "p90 ms", "max RSS MB"],
  [...figures].map(([name, { processor, median, p90, megabytes }]) => [
    name,
    ...[processor, median, p90, megabytes].map(shown),
  ]),
);
