import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { hooksh, type Ran } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Exports a hooks file. */
async function exported(host: string, hooks: string, args: readonly string[] = []): Promise<Ran & { cwd: string }> {
  const cwd = realpathSync(tempDir({ "hooks.yaml": hooks }));
  return { ...(await hooksh(["export", host, "--file", "hooks.yaml", ...args], { cwd })), cwd };
}

const POLICY = `pre_tool_use:
  - matcher: shell
    hooks: { type: command, name: guard, command: ./guard.sh, timeout: 5 }
session_start: { type: builtin, command: add_date }
`;

describe("export", () => {
  test("registers hooksh dispatch for the events of hooks without a dialect, as install does", async () => {
    const { code, stdout, stderr, cwd } = await exported("claude", POLICY);
    expect(code).toBe(0);
    const { hooks } = JSON.parse(stdout);
    expect(Object.keys(hooks).sort()).toEqual(["PreToolUse", "SessionStart"]);
    const [entry] = hooks.PreToolUse[0].hooks;
    expect(entry).toMatchObject({ type: "command", onFailure: "block" });
    expect(entry.command).toContain(
      `dispatch --dialect claude --event PreToolUse --hooks-file ${cwd}/hooks.yaml --deadline `,
    );
    expect(hooks.PreToolUse[0].matcher).toBeUndefined();
    expect(stderr).toContain('hooks.yaml:3: mapped: pre_tool_use "guard": through hooksh dispatch on PreToolUse\n');
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("2 hooks: 2 mapped");
  });

  test.each([
    ["copilot", ["preToolUse", "sessionStart"]],
    ["grok", ["PreToolUse", "SessionStart"]],
  ])("%s gets each event under one name", async (host, events) => {
    expect(Object.keys(JSON.parse((await exported(host, POLICY)).stdout).hooks).sort()).toEqual(events);
  });

  test("names the events that the agent does not have", async () => {
    const ran = await exported("crush", `${POLICY}on_error: { type: command, command: log }\n`);
    expect(ran.stderr).toContain('mapped: pre_tool_use "guard": through hooksh dispatch on PreToolUse\n');
    expect(ran.stderr).toMatch(/not mapped: session_start "add_date": the host has no such event\n/);
    expect(ran.stderr).toMatch(/not mapped: on_error "log": the host has no such event\n/);
    expect((await exported("crush", POLICY, ["--strict"])).code).toBe(1);
  });

  test("writes executables into a folder, one for each event", async () => {
    const refused = await exported("cline", POLICY);
    expect([refused.code, refused.stderr.split("\n")[0]]).toEqual([
      64,
      "cline has one file for each event: name a folder for them with --output",
    ]);
    const { cwd, code } = await exported("cline", POLICY, ["--output", "out"]);
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["PreToolUse", "TaskResume", "TaskStart"]);
    expect(readFileSync(join(cwd, "out/PreToolUse"), "utf8")).toContain("dispatch --dialect cline --event PreToolUse");
    expect(statSync(join(cwd, "out/PreToolUse")).mode & 0o111).not.toBe(0);
  });

  test("writes the plugin of opencode", async () => {
    expect((await exported("opencode", POLICY)).stdout).toContain('"tool.execute.before"');
  });

  test("replaces files only with --force, and writes none if one exists", async () => {
    const cwd = tempDir({ "hooks.yaml": POLICY, "out/TaskStart": "mine" });
    const args = ["export", "cline", "--file", "hooks.yaml", "--output", "out"];
    const refused = await hooksh(args, { cwd });
    expect([refused.code, refused.stderr.includes("exists: name another place")]).toEqual([1, true]);
    expect(existsSync(join(cwd, "out/PreToolUse"))).toBe(false);
    expect((await hooksh([...args, "--force"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "out/TaskStart"), "utf8")).toContain("dispatch");
  });
});
