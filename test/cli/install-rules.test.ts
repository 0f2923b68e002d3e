import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { project } from "../helpers/policy-project.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const DROP_IN = ".home/.config/hooksh/hooks.d/rules.yaml";
const SETTINGS = ".home/.claude/settings.json";

const emptyHome = () => tempDir({ ".home/.keep": "" });
const read = (cwd: string, path: string) => readFileSync(join(cwd, path), "utf8");

/** The answer of the hooks and rules in force to a command line. */
async function verdict(cwd: string, cmd: string, ...args: string[]): Promise<string | undefined> {
  const input = { hook_event_name: "pre_tool_use", session_id: "s", cwd, tool_name: "shell", tool_input: { cmd } };
  const { stdout } = await hooksh(["dispatch", "--output", "result", ...args], {
    cwd,
    input: JSON.stringify(input),
  });
  return (JSON.parse(stdout) as { message?: string }).message;
}

describe("install --rules", () => {
  test("puts sets in force for a user without hooks, and uninstall says that they stay", async () => {
    const cwd = emptyHome();
    const run = await hooksh(["install", "claude", "--rules", "git-safety,builtin:ci", "--yes"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).not.toContain("no rules are in force");
    expect(read(cwd, DROP_IN)).toBe("rules:\n  - include: builtin:git-safety\n  - include: builtin:ci\n");
    expect(read(cwd, SETTINGS)).toContain('"PreToolUse"');
    expect(await verdict(cwd, "git push -f")).toContain("Others may have pulled this history");

    const again = await hooksh(["install", "claude", "--rules", "ci", "--rules", "packages", "--yes"], { cwd });
    expect(again.stdout).toContain("includes already: ci\n");
    expect(read(cwd, DROP_IN)).toEndWith("builtin:ci\n  - include: builtin:packages\n");
    expect((await hooksh(["install", "claude", "--rules", "ci"], { cwd })).stdout).toEndWith("nothing to change\n");

    const { stdout } = await hooksh(["uninstall", "claude", "--yes"], { cwd });
    expect(stdout).toMatch(/note: \S+rules\.yaml stays, and its rules hold for hooksh run and other agents\n$/);
    expect(existsSync(join(cwd, SETTINGS))).toBe(false);
    expect(existsSync(join(cwd, DROP_IN))).toBe(true);
  });

  test("adds to the hooks file that the agent reads, and keeps its comments", async () => {
    const before = 'stop: # at the end\n  - { type: command, command: "true" }\n';
    const cwd = tempDir({ ".home/.keep": "", "hooks.yaml": before });
    const args = ["install", "claude", "--file", "hooks.yaml", "--rules", "git-safety"];
    const dry = await hooksh([...args, "--dry-run"], { cwd });
    expect(dry.stdout).toContain("+  - include: builtin:git-safety\n");
    expect(dry.stdout).toContain('"PreToolUse"');
    expect(read(cwd, "hooks.yaml")).toBe(before);
    expect((await hooksh([...args, "--yes"], { cwd })).code).toBe(0);
    expect(read(cwd, "hooks.yaml")).toBe(`${before}rules:\n  - include: builtin:git-safety\n`);
    expect(read(cwd, SETTINGS)).toContain("hooks.yaml");
    expect(existsSync(join(cwd, DROP_IN))).toBe(false);
    const { stdout } = await hooksh(["status", "claude", "--json"], { cwd });
    expect(stdout).not.toContain("gone since");
  });

  test("creates the hooks file", async () => {
    const cwd = emptyHome();
    await hooksh(["install", "claude", "--file", "guard.yaml", "--rules", "ci", "--yes"], { cwd });
    expect(read(cwd, "guard.yaml")).toBe("rules:\n  - include: builtin:ci\n");
    expect(await verdict(cwd, "npm publish", "--hooks-file", "guard.yaml")).toContain("Releases are made by CI");
  });

  test("a wrong name is an error with the nearest, and nothing is written", async () => {
    const cwd = emptyHome();
    const { code, stderr } = await hooksh(["install", "claude", "--rules", "git-safty", "--yes"], { cwd });
    expect(code).not.toBe(0);
    expect(stderr).toStartWith('--rules: unknown set of rules "git-safty", did you mean "git-safety"?\n');
    expect(existsSync(join(cwd, ".home/.config"))).toBe(false);
  });
});

describe("offering sets to a user without rules", () => {
  test("without a terminal, the end of the output names them", async () => {
    const cwd = project();
    const { stdout } = await hooksh(["install", "claude", "--file", "hooks.yaml", "--yes"], { cwd });
    expect(stdout).toMatch(
      /note: no rules are in force; add ready-made sets with --rules NAME,\.\.\.: git-safety, .*\n$/,
    );
    expect(existsSync(join(cwd, DROP_IN))).toBe(false);
    const none = await hooksh(["install", "claude", "--yes"], { cwd: emptyHome() });
    expect(none.stderr).toContain("or add ready-made rules with --rules\n");
  });

  test("at a terminal, asks before the first registration, and once more after a wrong name", async () => {
    const cwd = project();
    const run = startAtTerminal(cwd, ["install", "claude", "--file", "hooks.yaml"]);
    await run.sees("Enter for none:");
    run.press("git-safty\r");
    await run.sees("did you mean");
    await run.sees("Enter for none:");
    run.press("git-safety, ci\r");
    await run.sees("Change these 2 files? [y/N]");
    run.press("y\r");
    expect(await run.child.exited).toBe(0);
    expect(read(cwd, "hooks.yaml")).toContain('"builtin:git-safety"');

    const second = startAtTerminal(cwd, ["install", "claude", "--file", "hooks.yaml"]);
    await second.sees("nothing to change");
    expect(await second.child.exited).toBe(0);
  });
});
