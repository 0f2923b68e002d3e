import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { StatsReport } from "../../src/records/stats/stats-report.ts";
import { type EntryFields, writeAuditLog } from "../helpers/audit-log.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MINUTE = 60_000;

/** Returns the time `minutes` ago, in RFC 3339. */
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();

/** Returns a new directory with these entries as an audit log in `data`. */
function logged(entries: Iterable<EntryFields>): string {
  const cwd = tempDir();
  writeAuditLog(join(cwd, "data"), entries);
  return cwd;
}

const run = (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  hooksh(["stats", "--data-dir", "data", ...args], { cwd, env });

async function report(cwd: string, args: readonly string[] = []): Promise<StatsReport> {
  const ran = await run(cwd, ["--json", ...args]);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(ran.stdout);
}

const hook = (fields: object) => [{ ...fields }];

describe("hooksh stats --json", () => {
  test("has the figures of real dispatches", async () => {
    const command = (name: string, line: string, keys: object = {}) => ({
      type: "command",
      name,
      command: line,
      ...keys,
    });
    const hooks = [
      command("slow", "sleep 0.9", { timeout: 1 }),
      command("late", "sleep 9", { timeout: 1 }),
      command("no", "exit 2"),
      command("trial", "exit 2", { mode: "observe" }),
    ];
    const cwd = tempDir({ "data/x": "", "hooks.yaml": JSON.stringify({ post_tool_use: [{ hooks }] }) });
    const input = `{"hook_event_name":"post_tool_use","session_id":"s","tool_name":"shell","tool_use_id":"t","tool_input":{}}`;
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--data-dir", "data"], { cwd, input });
    expect(ran.code).toBe(2);
    const found = Object.fromEntries((await report(cwd)).hooks.map((figures) => [figures.hook, figures]));
    expect(found).toMatchObject({
      slow: { event: "post_tool_use", type: "command", runs: 1, near_timeouts: 1, timeout_s: 1 },
      late: { runs: 1, failed: 1, timed_out: 1, near_timeouts: 1, timeout_s: 1 },
      no: { runs: 1, failed: 0, blocked: 1, would_block: 0, near_timeouts: 0 },
      trial: { runs: 1, blocked: 0, would_block: 1 },
    });
    expect(found["slow"]?.max_ms).toBeGreaterThanOrEqual(800);
    expect(found["slow"]?.source).toBe(`${join(cwd, "hooks.yaml")}: hooks.post_tool_use[0].hooks[0]`);
  });

  test("counts runs, failures, time-outs, blocks, questions and near time-outs for each hook and event", async () => {
    const cwd = logged([
      { time: ago(9), hooks: hook({ ms: 10, decision: "deny", outcome: "answered" }), decision: "deny" },
      { time: ago(8), hooks: hook({ ms: 20, decision: "ask", outcome: "answered" }), decision: "ask" },
      { time: ago(7), hooks: hook({ ms: 30, outcome: "failed", decision: "deny" }), decision: "deny" },
      { time: ago(6), hooks: hook({ ms: 1000, timeout_s: 1, outcome: "timed_out", decision: "deny" }) },
      { time: ago(5), hooks: hook({ ms: 850, timeout_s: 1 }) },
      { time: ago(4), event: "post_tool_use", hooks: hook({ ms: 1, decision: "none" }) },
      { time: ago(3), event: "stop", hooks: hook({ ms: 1, decision: "block" }), decision: "block" },
      { time: ago(2), event: "post_tool_use", hooks: hook({ ms: 1, mode: "observe", would: "block" }) },
      { time: ago(1), hooks: [] },
    ]);
    const { hooks, entries, unreadable } = await report(cwd);
    expect([entries, unreadable]).toEqual([9, 0]);
    const counts = ({
      event,
      runs,
      failed,
      timed_out,
      blocked,
      asked,
      would_block,
      near_timeouts,
    }: (typeof hooks)[0]) => [
      event,
      runs,
      failed,
      timed_out,
      blocked,
      asked,
      would_block,
      near_timeouts, // biome-ignore format: one row
    ];
    expect(hooks.map(counts)).toEqual([
      ["pre_tool_use", 5, 2, 1, 3, 1, 0, 2],
      ["post_tool_use", 2, 0, 0, 0, 0, 1, 0],
      ["stop", 1, 0, 0, 1, 0, 0, 0],
    ]);
    expect(hooks[0]).toMatchObject({
      hook: "guard.sh",
      source: "hooks.yaml:4",
      type: "command",
      max_ms: 1000,
      timeout_s: 1,
    });
  });

  test("a hook that moved to another line is the same hook; one of another file is not", async () => {
    const cwd = logged([
      { time: ago(4), hooks: hook({ source: "/p/hooks.yaml:4" }) },
      { time: ago(3), hooks: hook({ source: "/p/hooks.yaml:9" }) },
      { time: ago(2), hooks: hook({ source: "/p/hooks.yaml:4" }) },
      { time: ago(1), hooks: hook({ source: "/q/hooks.yaml:4" }) },
    ]);
    const { hooks } = await report(cwd);
    expect(hooks.map(({ source, runs }) => [source, runs])).toEqual([
      ["/p/hooks.yaml:4", 3],
      ["/q/hooks.yaml:4", 1],
    ]);
  });

  test("has the figures of 5000 hooks, and the number of runs of the others", async () => {
    const hooks = Array.from({ length: 5002 }, (_, index) => ({ name: `${index}.sh` }));
    const moved = [{ name: "7.sh", source: "hooks.yaml:5" }, { name: "5001.sh" }];
    const { hooks: counted, left_out } = await report(logged([{ hooks }, { hooks: moved }]));
    expect([counted.length, left_out]).toEqual([5000, { runs: 3, session_entries: 0 }]);
    expect(counted.find(({ hook }) => hook === "7.sh")).toMatchObject({ runs: 2, source: "hooks.yaml:5" });
  });

  test("texts that look like keys, and keys in another order, are read as JSON reads them", async () => {
    const message = 'no,"outcome":"failed","ms":9} ],"hooks":[{ \\" ä \\\\';
    const cwd = logged([
      { time: ago(3), session: 'a"b', hooks: hook({ name: 'say "x",\\', ms: 2, message }), reason: message },
      {
        time: ago(2),
        session: 'a"b',
        hooks: hook({ name: 'say "x",\\', ms: 2 }),
        payload: { event: "stop", hooks: [] },
      },
    ]);
    const line = {
      hooks: [{ ms: 2, outcome: "failed", stage: "s", type: "command", source: "hooks.yaml:4", name: 'say "x",\\' }],
    };
    const other = {
      ...line,
      event: "pre_tool_use",
      ms: 3,
      session: 'a"b',
      time: ago(1),
      decision: "none",
      source: "run",
    };
    const file = join(cwd, `data/audit/${ago(0).slice(0, 7)}.jsonl`);
    appendFileSync(
      file,
      `${JSON.stringify({ ...other, prev: `sha256:${"0".repeat(64)}`, v: 1 })}\n{"v":1,"time":"torn\n`,
    );
    const { hooks, unreadable, sessions } = await report(cwd);
    expect(hooks).toMatchObject([{ hook: 'say "x",\\', runs: 3, failed: 1, max_ms: 2 }]);
    expect([hooks.length, unreadable, sessions?.sessions]).toEqual([1, 1, 1]);
  });

  test("the share of a session's time counts hooks that run at once no longer than their dispatch", async () => {
    const entry = (minutes: number, ms: number): EntryFields => ({
      time: new Date(1_790_000_000_000 + minutes * MINUTE).toISOString(),
      hooks: [{ ms: 6000 }, { name: "other.sh", ms: 6000 }],
      ms,
    });
    const cwd = logged([entry(0.1, 6000), entry(1, 6000), { ...entry(2, 9000), session: "alone" }]);
    const { sessions } = await report(cwd, ["--since", "2026-01-01"]);
    expect(sessions).toMatchObject({ sessions: 1, session_ms: 60_000, hooks_ms: 12_000, share: 0.2, p50_share: 0.2 });
    const own = await report(cwd, ["--since", "2026-01-01", "--hook", "other.sh"]);
    expect(own.hooks.map(({ hook }) => hook)).toEqual(["other.sh"]);
    expect(own.sessions).toMatchObject({ session_ms: 60_000, hooks_ms: 12_000 });
  });

  test.each([
    [
      ["--since", "1h"],
      ["a", "b", "c"],
    ],
    [
      ["--since", "10m"],
      ["b", "c"],
    ],
    [["--session", "s2"], ["b"]],
    [["--event", "stop"], ["c"]],
    [
      ["--agent", "root"],
      ["b", "c"],
    ],
    [["--host", "claude"], ["a"]],
    [["--hook", "a"], ["a"]],
    [["--hook", "x.sh"], []],
    [["--agent", "root", "--session", "s1"], ["c"]],
  ])("%p selects", async (args, expected) => {
    const cwd = logged([
      { time: ago(300), hooks: hook({ name: "old" }) },
      {
        time: ago(30),
        host: "claude",
        host_event: "PreToolUse",
        hooks: hook({ name: "a" }),
        payload: { agent: "root", x: 1 },
      },
      { time: ago(2), session: "s2", agent: "root", hooks: hook({ name: "b" }) },
      { time: ago(1), event: "stop", agent: "root", hooks: hook({ name: "c" }) },
    ]);
    const { hooks } = await report(cwd, [
      ...args,
      ...(args[0] === "--since" ? [] : ["--since", "1h"]),
      "--sort",
      "name",
    ]);
    expect(hooks.map(({ hook }) => hook)).toEqual(expected);
  });

  test("--hook takes the file name of the script, too", async () => {
    const cwd = logged([{ hooks: hook({ name: "./hooks/guard.sh --strict" }) }]);
    expect((await report(cwd, ["--hook", "guard.sh"])).hooks).toHaveLength(1);
  });

  test.each([
    ["p95", ["slow", "failing", "busy"]],
    ["runs", ["busy", "failing", "slow"]],
    ["failed", ["failing", "busy", "slow"]],
    ["name", ["busy", "failing", "slow"]],
  ])("--sort %s", async (key, expected) => {
    const cwd = logged([
      ...[1, 1, 1].map((ms) => ({ hooks: hook({ name: "busy", ms }) })),
      ...[5, 5].map((ms) => ({ hooks: hook({ name: "failing", ms, outcome: "failed" }) })),
      { hooks: hook({ name: "slow", ms: 100 }) },
    ]);
    expect((await report(cwd, ["--sort", key])).hooks.map(({ hook }) => hook)).toEqual(expected);
  });
});

describe("hooksh stats", () => {
  const cwd = logged(
    [1, 2, 3, 5, 8, 40].flatMap((ms, at): EntryFields[] => [
      {
        time: ago(10 - at),
        hooks: [{ ms }, { name: "a-hook-with-quite-a-long-name-indeed.sh", ms: ms * 100 }],
        ms: ms * 100,
      },
    ]),
  );

  test.each([40, 57, 80, 200])("fits into %d columns", async (columns) => {
    for (const TERM of ["dumb", "xterm"]) {
      const { stdout } = await run(cwd, [], { COLUMNS: String(columns), TERM });
      const widest = Math.max(...stdout.split("\n").map((line) => Bun.stringWidth(line)));
      expect(widest).toBeLessThanOrEqual(columns);
      expect(stdout).toContain("P95");
      expect(/[^\x20-\x7e\n]/.test(stdout)).toBe(TERM === "xterm");
    }
  });

  test("shows the table, the plot and the share as text", async () => {
    const { stdout } = await run(cwd, [], { COLUMNS: "100" });
    expect(stdout.replace(/since .* UTC/, "since T UTC")).toStartWith(
      [
        "12 runs of 2 hooks in 6 entries of the audit log since T UTC",
        "",
        "HOOK                                     EVENT         RUNS  FAILED  DENIED     P50     P95   MAX",
        "a-hook-with-quite-a-long-name-indeed.sh  pre_tool_use     6       0       0   300ms      4s    4s",
        "guard.sh                                 pre_tool_use     6       0       0  3.01ms  39.8ms  40ms",
        "",
        "HOW LONG THE RUNS TOOK",
        "a-hook-with-quite-a-long-name-in~                                 @    @  @   @  @           @",
        "guard.sh pre_tool_use             @    @ @   @  @           @",
        "                                  1ms             10ms             100ms           1s            10s",
      ].join("\n"),
    );
    expect(stdout).toContain("p50 and p95 are within 1 % of the exact ones");
    expect(stdout).toContain("of the time of 1 session from the first entry to the last (5.9s of ");
  });

  test("says so if there is nothing", async () => {
    const empty = tempDir({ "data/x": "" });
    expect(await run(empty, [])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The audit log has no matching entries since/),
    });
    expect((await run(cwd, ["--hook", "no.sh"])).stdout).toStartWith(
      "No matching hook ran in 6 entries of the audit log since",
    );
    expect(existsSync(join(empty, "data/audit"))).toBe(false);
  });

  test("names the files of hooks that are called the same", async () => {
    const ran = (file: string, name: string) => ({ name, source: `/p/${file}/hooks.yaml: hooks.stop[0].hooks[0]` });
    const hooks = [ran("a", "guard.sh"), ran("b", "guard.sh"), ran("a", "other.sh")];
    const same = logged([{ event: "stop", hooks }]);
    const { stdout } = await run(same, [], { COLUMNS: "120" });
    expect(stdout).toMatch(/^a\/hooks\.yaml: guard\.sh +stop +1 /m);
    expect(stdout).toMatch(/^b\/hooks\.yaml: guard\.sh +stop +1 /m);
    expect(stdout).toMatch(/^other\.sh +stop +1 /m);
  });

  test("names hooks that nearly timed out, hooks that only observe, and lines that are no entries", async () => {
    const odd = logged([
      { hooks: hook({ ms: 850, timeout_s: 1 }) },
      { hooks: hook({ name: "new.sh", mode: "observe", would: "deny" }) },
    ]);
    appendFileSync(join(odd, `data/audit/${ago(0).slice(0, 7)}.jsonl`), "nonsense\n");
    const { stdout } = await run(odd, [], { COLUMNS: "200" });
    expect(stdout).toContain("guard.sh (pre_tool_use) took 80 % of its timeout or more once: 850ms of 1s");
    expect(stdout).toContain("new.sh (pre_tool_use) only observes: it would have denied once");
    expect(stdout).toContain("skipped 1 line that is not an entry: see hooksh audit verify");
  });

  test("names in the log cannot move the cursor", async () => {
    const { stdout } = await run(logged([{ hooks: hook({ name: "a\x1b[2Jb\nc" }) }]), [], { TERM: "xterm" });
    expect(stdout).toContain("a\\x1b[2Jb\\nc");
    expect(stdout).not.toContain("\x1b");
  });

  test.each([
    [["--since", "last week"], "--since takes a duration (90m, 24h, 7d, 2w), today, yesterday"],
    [["--event", "pre_tool"], 'unknown hook event "pre_tool"'],
    [["--sort", "p96"], "--sort takes p95, p50, max, total, runs, failed, blocked, name"],
    [["guard.sh"], "stats takes no arguments, only flags"],
  ])("%p is a usage error", async (args, message) => {
    expect(await run(tempDir({ "data/x": "" }), args)).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(message),
    });
  });

  test("an unreadable log is an error that names it", async () => {
    const locked = tempDir({ "data/audit": "" });
    chmodSync(join(locked, "data/audit"), 0o600);
    expect(await run(locked, [])).toMatchObject({ code: 1, stderr: expect.stringContaining(join("data", "audit")) });
  });
});
