/**
 * What the audit log costs, and how fast a log of a million lines is searched and verified.
 * Run: `bun test/bench/audit.ts [ROUNDS]` after `npm run build`. Writes 600 MB to the temporary directory.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendEntry, type NewEntry } from "../../src/audit/append.ts";
import { digestOf, NO_LINE } from "../../src/audit/entry.ts";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 60);
const LINES = 1_000_000;
const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const scratch = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const EVENT = { hook_event_name: "pre_tool_use", session_id: "s", tool_name: "shell", tool_use_id: "c" };

function entry(index: number): NewEntry {
  const isDenied = index % 100 === 0;
  const decided = isDenied ? { decision: "deny", message: "use a new branch" } : {};
  const hook = { name: "guard.sh", source: "/home/you/hooks.yaml: hooks.pre_tool_use[0].hooks[0]", type: "command" };
  return {
    source: "dispatch",
    session: `dispatch-${String(index % 5000).padStart(36, "0")}`,
    host: "claude",
    host_event: "PreToolUse",
    event: "pre_tool_use",
    tool: "shell",
    call: `toolu_${index}`,
    cwd: "/home/you/project",
    input: NO_LINE,
    hooks: [
      { ...hook, stage: "concurrent", outcome: isDenied ? "blocked" : "silent", ms: 3.2, exit_code: 0, ...decided },
    ],
    decision: isDenied ? "deny" : "none",
    ...(isDenied ? { reason: "use a new branch" } : {}),
    ms: 4.5,
  };
}

/** Writes a log whose last line is of now, with a line every two seconds. */
function writeLog(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  const files = new Map<string, number>();
  let prev = NO_LINE;
  let batch = "";
  let batchMonth = "";
  const flush = () => {
    if (batch === "") return;
    const file = files.get(batchMonth) ?? openSync(join(folder, `${batchMonth}.jsonl`), "a");
    files.set(batchMonth, file);
    writeSync(file, batch);
    batch = "";
  };
  for (let index = 0; index < LINES; index++) {
    const time = new Date(now - (LINES - index) * 2000).toISOString();
    const line = JSON.stringify({ v: 1, time, prev, ...entry(index) });
    prev = digestOf(line);
    if (batch.length > 1_000_000 || !time.startsWith(batchMonth)) flush();
    batchMonth = time.slice(0, 7);
    batch += `${line}\n`;
  }
  flush();
  for (const file of files.values()) closeSync(file);
}

async function appendRows(): Promise<string[][]> {
  const folder = join(scratch, "append");
  for (let index = 0; index < 1000; index++) await appendEntry(folder, entry(index));
  const started = performance.now();
  for (let index = 0; index < 10_000; index++) await appendEntry(folder, entry(index));
  return [["one process, a line", shown((performance.now() - started) / 10_000)]];
}

const hook = { type: "command", command: "exit 0" };
const guard = { type: "command", name: "guard", command: "echo use a new branch >&2; exit 2" };
for (const [name, hooks] of [
  ["none", []],
  ["one", [hook]],
  ["deny", [guard]],
] as const) {
  const other = { matcher: "other", hooks: [hook] };
  const groups = hooks.length > 0 ? [{ matcher: "shell", hooks }] : [other];
  writeFileSync(join(scratch, `${name}.json`), JSON.stringify({ pre_tool_use: groups }));
}
mkdirSync(join(scratch, "data"));

function dispatches(name: string, file: string, exitCode: number): Program[] {
  const command = [binary, "dispatch", "--hooks-file", join(scratch, file), "--data-dir", join(scratch, "data")];
  const input = JSON.stringify({ ...EVENT, tool_input: { cmd: "ls" } });
  return [
    { name: `dispatch, ${name}`, command, input, exitCode },
    { name: `dispatch, ${name}, --no-audit`, command: [...command, "--no-audit"], input, exitCode },
  ];
}

printTable("Appending", ["way", "ms"], await appendRows());

const cold = await timePrograms(
  [
    ...dispatches("no hook matches", "none.json", 0),
    ...dispatches("one command hook", "one.json", 0),
    ...dispatches("a denial with a reason", "deny.json", 2),
  ],
  rounds,
);
printTable(
  "A cold dispatch",
  ["program", "median ms", "p90 ms"],
  [...cold].map(([name, { median, p90 }]) => [name, shown(median), shown(p90)]),
);

writeLog(join(scratch, "million", "audit"));
const audit = (name: string, ...args: string[]): Program => ({
  name,
  command: [binary, "audit", ...args, "--data-dir", join(scratch, "million"), "--quiet"],
});
const searched = await timePrograms(
  [
    audit("audit", "list"),
    audit("audit --denied --limit 0", "--denied", "--limit", "0"),
    audit("audit --session ID --limit 0", "--session", `dispatch-${"777".padStart(36, "0")}`, "--limit", "0"),
    audit("audit --since 2h", "--since", "2h"),
    audit("audit --hook guard.sh --denied --since 7d", "--hook", "guard.sh", "--denied", "--since", "7d"),
    audit("audit --tool of no call", "--tool", "nothing"),
    audit("audit verify", "verify"),
  ],
  Math.max(3, Math.floor(rounds / 20)),
);
printTable(
  "A log of a million lines, 600 MB",
  ["command", "median ms", "p90 ms", "max RSS MB"],
  [...searched].map(([name, { median, p90, megabytes }]) => [name, shown(median), shown(p90), shown(megabytes)]),
);
