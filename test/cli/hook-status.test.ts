import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HooksReport } from "../../src/hosts/status/hooks-report.ts";
import { type EntryFields, writeAuditLog } from "../helpers/audit-log.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const command = (line: string, keys: object = {}) => ({ type: "command", command: line, ...keys });
const call = (tool: string, session = "s1") =>
  JSON.stringify({
    hook_event_name: "pre_tool_use",
    session_id: session,
    tool_name: tool,
    tool_use_id: "t",
    tool_input: {},
  });

const dispatch = (cwd: string, input: string, args: readonly string[] = []) =>
  hooksh(["dispatch", "--config-dir", "config", "--data-dir", "data", "--output", "result", ...args], { cwd, input });

async function report(cwd: string, args: readonly string[] = ["--hooks"]): Promise<HooksReport & { code: number }> {
  const ran = await hooksh(["status", "--config-dir", "config", "--data-dir", "data", "--json", ...args], { cwd });
  expect(ran.stderr).toBe(
    args.includes("--hook-stop") ? `warning: ${join(cwd, "config/hooks.d/20-empty.yaml")}: defines no hook\n` : "",
  );
  return { ...JSON.parse(ran.stdout), code: ran.code };
}

async function text(cwd: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await hooksh(["status", "--config-dir", "config", "--data-dir", "data", ...args], { cwd });
  return stdout;
}

/** A project whose configuration directory has these files; `data` is the data directory. */
function project(files: Record<string, unknown>): string {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === "string" ? content : JSON.stringify(content, undefined, 1),
  ]);
  return tempDir({ "config/hooks.d/.gitkeep": "", "data/x": "", ...Object.fromEntries(texts) });
}

const byName = ({ hooks }: HooksReport) => Object.fromEntries(hooks.map((hook) => [hook.name, hook]));

describe("hooksh status, the hooks", () => {
  test("says when each ran last and with which outcome, by the audit of real dispatches", async () => {
    const cwd = project({
      "config/config.yaml": { settings: { hooks: { pre_tool_use: [{ hooks: [command("exit 2", { name: "no" })] }] } } },
      "config/hooks.d/10-team.yaml": {
        pre_tool_use: [
          { matcher: "shell", hooks: [command("true", { name: "yes" })] },
          { matcher: "fetch", hooks: [command("true", { name: "net" })] },
          { hooks: [command("exit 2", { name: "trial", mode: "observe" })] },
        ],
        stop: [command("true", { name: "end" })],
      },
      "config/hooks.d/20-empty.yaml": {},
    });
    await dispatch(cwd, call("read_file"));
    await dispatch(cwd, call("shell", "s2"));
    const found = await report(cwd, ["--hooks", "--hook-stop", "true"]);
    const at = (path: string) => join(cwd, "config", path);
    expect(found.sources).toEqual([
      { kind: "settings", place: at("config.yaml"), hooks: 1 },
      { kind: "drop-in", place: at("hooks.d/10-team.yaml"), hooks: 4 },
      { kind: "flag", place: "--hook-stop", hooks: 1 },
      { kind: "drop-in", place: at("hooks.d/20-empty.yaml"), hooks: 0 },
    ]);
    const { no, yes, net, trial, end } = byName(found);
    expect(no?.last).toMatchObject({ outcome: "blocked", decision: "deny", session: "s2" });
    expect(yes?.last).toMatchObject({ outcome: "silent", session: "s2" });
    expect(trial).toMatchObject({ mode: "observe", last: { outcome: "blocked", would: "deny" } });
    expect([net?.last, net?.missed, end?.last, end?.missed]).toEqual([undefined, undefined, undefined, undefined]);
    expect(found).toMatchObject({
      code: 0,
      problems: [],
      audit: { on: true, required: false, files: 1, problems: [] },
    });
    expect(found.looked_back).toMatchObject({ entries: 2, complete: true });
    const shown = await text(cwd);
    expect(shown).toContain(`settings: ${at("config.yaml")}: 1 hook\n`);
    expect(shown).toMatch(/\n {4}no \(.*config\.yaml:\d+\): ran \d+ s ago: blocked, deny\n/);
    expect(shown).toMatch(/\n {4}net on fetch \(.*\): no run is recorded\n/);
    expect(shown).toMatch(
      /\n {4}trial \(.*\): ran \d+ s ago: blocked, would deny\n {6}only observes: its verdict has no effect\n/,
    );
    expect(shown).toContain(`on: ${join(cwd, "data/audit")}: 1 file, `);
  });

  test("names a hook that did not run although its event happened with a tool that its matcher matches", async () => {
    const cwd = project({
      "config/hooks.d/a.yaml": { pre_tool_use: [{ matcher: "shell", hooks: [command("true", { name: "g" })] }] },
    });
    await dispatch(cwd, call("shell"), ["--no-user-hooks"]);
    await dispatch(cwd, call("shell"), ["--no-user-hooks"]);
    await dispatch(cwd, call("read_file"), ["--no-user-hooks"]);
    expect(byName(await report(cwd))["g"]).toMatchObject({ missed: { count: 2, tool: "shell" } });
    expect(await text(cwd)).toMatch(
      /warning: did not run, although pre_tool_use of shell happened 2 times after its file changed, last \d+ s ago/,
    );
    await dispatch(cwd, call("shell"));
    expect(byName(await report(cwd))["g"]?.missed).toBeUndefined();
    await dispatch(cwd, call("shell"), ["--no-user-hooks"]);
    expect(await text(cwd)).toContain("warning: did not run since, although pre_tool_use of shell happened once");
  });

  test("events before a file changed do not count as missed", async () => {
    const cwd = project({ "config/hooks.d/a.yaml": { stop: [command("true", { name: "g" })] } });
    writeAuditLog(join(cwd, "data"), [{ time: ago(5), event: "stop", hooks: [] }]);
    expect(byName(await report(cwd))["g"]?.missed).toBeUndefined();
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(cwd, "config/hooks.d/a.yaml"), hourAgo, hourAgo);
    expect(byName(await report(cwd))["g"]?.missed).toMatchObject({ count: 1 });
  });

  test("events that were refused before the hook's turn do not count as missed, nor do those in which its twin ran", async () => {
    const cwd = project({ "config/hooks.d/a.yaml": { pre_tool_use: [{ hooks: [command("true", { name: "g" })] }] } });
    const soon = ago(-1);
    const refusals: EntryFields[] = [
      { time: soon, tool: "shell", hooks: [], decision: "deny", reason: "the hooks are broken" },
      { time: soon, tool: "shell", hooks: [{ stage: "preempt", decision: "deny" }], decision: "deny" },
      { time: soon, tool: "shell", hooks: [{ name: "g", source: "/other.yaml: hooks.pre_tool_use[0].hooks[0]" }] },
    ];
    writeAuditLog(join(cwd, "data"), refusals);
    expect(byName(await report(cwd))["g"]?.missed).toBeUndefined();
    writeAuditLog(join(cwd, "data"), [...refusals, { time: soon, tool: "shell", hooks: [{}], decision: "deny" }]);
    expect(byName(await report(cwd))["g"]?.missed).toMatchObject({ count: 1 });
  });

  test("finds the runs of a hook that is called after a command with a secret, and does not show it", async () => {
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const cwd = project({
      "config/hooks.d/10.yaml": { pre_tool_use: [{ hooks: [command(`: ${token}; exit 2`)] }] },
    });
    await dispatch(cwd, call("shell"));
    const [hook] = (await report(cwd)).hooks;
    expect(hook).toMatchObject({ name: expect.not.stringContaining(token), last: { outcome: "blocked" } });
  });

  test("finds a hook that moved within its file, and says if the file has several of its name", async () => {
    const cwd = project({ "config/hooks.d/a.yaml": { stop: [command("true", { name: "g" })] } });
    const file = join(cwd, "config/hooks.d/a.yaml");
    const stop = (at: number): EntryFields => ({
      time: ago(1),
      event: "stop",
      hooks: [{ name: "g", source: `${file}: hooks.stop[${at}]`, outcome: "failed" }],
    });
    writeAuditLog(join(cwd, "data"), [stop(7)]);
    expect(byName(await report(cwd))["g"]?.last).toEqual({
      time: expect.any(String),
      outcome: "failed",
      session: "s1",
    });
    writeFileSync(file, JSON.stringify({ stop: [command("true", { name: "g" }), command("false", { name: "g" })] }));
    expect((await report(cwd)).hooks.map(({ last }) => last?.ambiguous)).toEqual([true, true]);
    writeAuditLog(join(cwd, "data"), [stop(1)]);
    expect((await report(cwd)).hooks.map(({ last }) => last?.outcome)).toEqual([undefined, "failed"]);
  });

  test("with an agent file, its hooks; a session in which none of them ran does not count", async () => {
    const cwd = project({
      "agent.yaml": {
        agents: {
          root: {
            model: "openai/gpt-4o",
            description: "d",
            instruction: "i",
            hooks: {
              stop: [command("true", { name: "a" })],
              pre_tool_use: [{ hooks: [command("true", { name: "b" })] }],
            },
          },
        },
      },
    });
    const file = join(cwd, "agent.yaml");
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(file, hourAgo, hourAgo);
    const own = { name: "a", source: `${file}: agents.root.hooks.stop[0]` };
    writeAuditLog(join(cwd, "data"), [
      { time: ago(9), session: "other", event: "pre_tool_use", tool: "shell", hooks: [] },
      { time: ago(8), session: "own", event: "pre_tool_use", tool: "shell", hooks: [] },
      { time: ago(7), session: "own", event: "stop", hooks: [own] },
    ]);
    const found = await report(cwd, ["agent.yaml"]);
    expect(found.sources[0]).toEqual({ kind: "agent", place: file, hooks: 2 });
    const { a, b } = byName(found);
    expect([a?.last?.session, b?.last, b?.missed]).toEqual(["own", undefined, expect.objectContaining({ count: 1 })]);
    expect(await text(cwd, ["agent.yaml"])).toStartWith("Sources of hooks\n  agent: ");
    await hooksh(["agent", "alias", "add", "mine", file, "--config-dir", "config"], { cwd });
    expect((await report(cwd, ["mine"])).sources.at(0)?.place).toBe(file);
  });

  test("includes the hooks files that agents are registered with", async () => {
    const cwd = tempDir({
      "hooks.yaml": JSON.stringify({ pre_tool_use: [{ hooks: [command("true", { name: "g" })] }] }),
    });
    const installed = await hooksh(["install", "claude", "--user", "--yes", "--file", "hooks.yaml"], { cwd });
    expect(installed.code).toBe(0);
    const { stdout } = await hooksh(["status", "--hooks", "--json"], { cwd });
    expect(JSON.parse(stdout).sources).toEqual([
      { kind: "hooks file", place: join(cwd, "hooks.yaml"), hooks: 1, hosts: ["claude"] },
    ]);
    expect(JSON.parse(stdout).hooks).toMatchObject([{ name: "g" }]);
  });

  test("looks at 20,000 entries at most, and says how far back that is", async () => {
    const cwd = project({ "config/hooks.d/a.yaml": { stop: [command("true", { name: "g" })] } });
    const entries = Array.from({ length: 20_001 }, (_, at): EntryFields => ({ time: ago(60 - at / 1000), hooks: [] }));
    writeAuditLog(join(cwd, "data"), entries);
    expect((await report(cwd)).looked_back).toEqual({ entries: 20_000, until: expect.any(String), complete: false });
    expect(await text(cwd)).toMatch(
      /looked at 20000 entries, back to \d{4}-\d\d-\d\d \d\d:\d\d UTC: earlier runs are not shown/,
    );
  });

  test("broken hooks and a broken log are problems", async () => {
    const cwd = project({ "config/hooks.d/a.yaml": "stop: [\n" });
    mkdirSync(join(cwd, "data/audit"));
    symlinkSync(join(cwd, "data/x"), join(cwd, "data/audit/2026-01.jsonl"));
    const { code, problems, audit } = await report(cwd);
    expect([code, problems[0]]).toEqual([1, expect.stringContaining("hooks.d/a.yaml:")]);
    expect(audit.problems).toEqual([expect.stringContaining("2026-01.jsonl is not a regular file")]);
    expect(await text(cwd)).toMatch(/\n {2}problem: .*hooks\.d\/a\.yaml:/);
  });

  test("settings.audit: false is shown", async () => {
    const cwd = project({ "config/config.yaml": "settings: { audit: false }\n" });
    expect(await text(cwd)).toContain("off (settings.audit: false): ");
    expect((await report(cwd)).audit.on).toBe(false);
  });

  test.each([
    [["claude", "--hooks"], "--hooks is about hooks: leave out claude, or name an agent file"],
    [["claude", "--hook-stop", "true"], "--hook-stop is about hooks"],
    [["clod"], "unknown host"],
    [["--agent", "root"], "--agent needs an agent file"],
  ])("%p is a usage error", async (args, message) => {
    const ran = await hooksh(["status", ...args], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
  });
});

describe("the end of the audit log", () => {
  const lastFile = (cwd: string) =>
    join(
      cwd,
      "data/audit",
      readdirSync(join(cwd, "data/audit"))
        .filter((name) => name.endsWith("l"))
        .at(-1) ?? "",
    );
  const issues = async (cwd: string) => {
    const { stdout } = await hooksh(["doctor", "--json", "--data-dir", "data"], { cwd });
    return JSON.parse(stdout).issues as string[];
  };

  test("doctor and status find nothing wrong with what dispatch wrote", async () => {
    const cwd = project({});
    await dispatch(cwd, call("shell"));
    await dispatch(cwd, call("shell"));
    expect(await issues(cwd)).toEqual([]);
    expect((await report(cwd)).audit).toMatchObject({ problems: [], last: expect.stringMatching(/^20/) });
  });

  test("a changed line before the last, across two files too", async () => {
    const cwd = project({});
    writeAuditLog(join(cwd, "data"), [{ time: "2026-01-31T23:59:59.000Z" }, { time: "2026-02-01T00:00:00.000Z" }]);
    expect(await issues(cwd)).toEqual([]);
    const first = join(cwd, "data/audit/2026-01.jsonl");
    writeFileSync(first, readFileSync(first, "utf8").replace("silent", "failed"));
    expect(await issues(cwd)).toEqual([
      `${join(cwd, "data/audit/2026-02.jsonl")}: the last line of the audit log does not continue the line before it: run hooksh audit verify`,
    ]);
    expect((await report(cwd)).code).toBe(1);
  });

  test("a last line that is cut off", async () => {
    const cwd = project({});
    await dispatch(cwd, call("shell"));
    appendFileSync(lastFile(cwd), '{"v":1,"time":"20');
    expect(await issues(cwd)).toEqual([expect.stringContaining("the last line of the audit log is not an entry: ")]);
  });

  test("a log that cannot be written", async () => {
    const cwd = tempDir({ "data/audit": "a file" });
    expect(await issues(cwd)).toEqual([expect.stringContaining("data/audit")]);
  });
});
