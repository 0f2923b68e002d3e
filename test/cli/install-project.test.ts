import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const command = (line: string) => ({ type: "command", command: line });
const POLICY = JSON.stringify({
  pre_tool_use: [{ hooks: [command('grep -q FORBID && { echo "not here" >&2; exit 2; }; exit 0')] }],
});
const PAYLOAD = {
  session_id: "s",
  transcript_path: "/t",
  tool_name: "Bash",
  tool_input: { command: "FORBID" },
};

async function project(files: Record<string, string> = {}) {
  const cwd = tempDir({ "policy/hooks.yaml": POLICY, ...files });
  const run = async (args: readonly string[], env = {}) => {
    const { code, stdout, stderr } = await hooksh(args, { cwd, env });
    return { code, stdout, stderr };
  };
  return { cwd, run };
}

const install = (host: string, ...more: string[]) => [
  "install",
  host,
  "--project",
  "--yes",
  ...(more.includes("--file") ? [] : ["--file", "policy/hooks.yaml"]),
  ...more,
];

/** Runs a registered line on a machine: in the folder of a project, with the variables of the host. */
function runs(line: string, cwd: string, env: Record<string, string>) {
  const event = /--event (\S+)/.exec(line)?.[1];
  const stdin = Buffer.from(JSON.stringify({ ...PAYLOAD, hook_event_name: event, cwd }));
  const ran = Bun.spawnSync(["/bin/sh", "-c", line], { cwd, env: cleanEnv(cwd, env), stdin });
  return { code: ran.exitCode, text: ran.stdout.toString() + ran.stderr.toString() };
}

describe("install --project", () => {
  test.each([
    ["claude", ".claude/settings.json", "CLAUDE_PROJECT_DIR"],
    ["codex", ".codex/hooks.json", undefined],
    ["gemini", ".gemini/settings.json", "GEMINI_PROJECT_DIR"],
    ["copilot", ".github/hooks/hooksh.json", "COPILOT_PROJECT_DIR"],
    ["qwen", ".qwen/settings.json", "QWEN_PROJECT_DIR"],
    ["droid", ".factory/settings.json", "FACTORY_PROJECT_DIR"],
  ])("writes for %s what works in another copy of the project", async (host, path, variable) => {
    const { cwd, run } = await project();
    const installed = await run(install(host));
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    const text = readFileSync(join(cwd, path), "utf8");
    expect(text).not.toContain(cwd);
    expect(text).not.toContain("dist/hooksh");
    expect((await run(["diff", host])).stdout).toBe(`${host}: no difference\n`);
    expect(JSON.parse((await run(["status", host, "--json"])).stdout)).toMatchObject([
      {
        problems: [],
        registered: [{ scope: "project", program: "hooksh", hooks_file: join(cwd, "policy/hooks.yaml") }],
      },
    ]);

    const copy = tempDir();
    cpSync(cwd, copy, { recursive: true, filter: (from) => !from.endsWith(".home") });
    const { hooks } = JSON.parse(readFileSync(join(copy, path), "utf8"));
    const [event = ""] = Object.keys(hooks);
    const [entry] = hooks[event];
    const line: string = entry.bash ?? entry.hooks[0].command;
    const env = variable === undefined ? {} : { [variable]: copy };
    const allowed = runs(line, copy, env);
    expect(allowed.text).toContain("not here");
    if (variable === undefined) return;
    mkdirSync(join(copy, "deeper"));
    expect(runs(line, join(copy, "deeper"), env).text).toContain("not here");
    // Nowhere else.
    expect(runs(line, copy, { [variable]: "" }).text).toMatch(/den(y|ied)|block|hooks\.yaml/);
  });

  test("writes a line that refuses where hooksh is not on PATH", async () => {
    const { cwd, run } = await project();
    await run(install("codex"));
    const { hooks } = JSON.parse(readFileSync(join(cwd, ".codex/hooks.json"), "utf8"));
    const ran = runs(hooks.PreToolUse[0].hooks[0].command, cwd, { PATH: "/usr/bin:/bin" });
    expect(ran.code === 2 || ran.text.includes("deny")).toBe(true);
    const { code, stdout } = await run(["status", "codex"], { PATH: "/usr/bin:/bin" });
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`${join(cwd, ".codex/hooks.json")}: hooksh: no such program`),
    ]);
  });

  test("writes a policy outside the project into Claude Code's file for this machine, which uninstall cleans too", async () => {
    const { cwd, run } = await project();
    const outside = join(tempDir({ "mine.yaml": POLICY }), "mine.yaml");
    const { code, stdout } = await run(install("claude", "--file", outside));
    const [shared, local] = [join(cwd, ".claude/settings.json"), join(cwd, ".claude/settings.local.json")];
    expect([code, existsSync(shared)]).toEqual([0, false]);
    expect(stdout).toStartWith(`Claude Code, local: ${local}\n`);
    expect(stdout).toContain(
      `note: ${outside} is outside the project, so ${shared}, which a team shares, is left alone\n`,
    );
    expect(readFileSync(local, "utf8")).toContain(outside);
    expect((await run(["status", "claude"])).stdout).toContain(`  local: ${local}\n`);
    expect((await run(["uninstall", "claude", "--project", "--yes"])).code).toBe(0);
    expect(existsSync(local)).toBe(false);
    expect((await run(["status"])).code).toBe(0);
  });

  test("refuses a policy outside the project, and a hooksh that is not on PATH, where the agent has no such file", async () => {
    const { cwd, run } = await project();
    const outside = join(tempDir({ "mine.yaml": POLICY }), "mine.yaml");
    const path = join(cwd, ".codex/hooks.json");
    expect(await run(install("codex", "--file", outside))).toEqual({
      code: 1,
      stdout: "",
      stderr: `${outside} is outside the project, so ${path}, which a team shares, cannot name it; change that, or use --user\n`,
    });
    expect(await run(install("codex"), { PATH: "/usr/bin:/bin" })).toMatchObject({
      code: 1,
      stderr: `hooksh is not on PATH, so ${path}, which a team shares, cannot name it; change that, or use --user\n`,
    });
    expect(existsSync(path)).toBe(false);
  });

  test("says that a file names this machine where the agent has no variable for the project", async () => {
    const { cwd, run } = await project();
    const { code, stdout } = await run(install("vibe"));
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `note: ${join(cwd, ".vibe/hooks.toml")} names files of this machine, because this agent has no variable for the folder of the project: do not share it\n`,
      ),
    ]);
  });

  test("keeps --capture and --record-events inside the project", async () => {
    const { cwd, run } = await project();
    await run(install("claude", "--capture", "kept/raw"));
    const text = readFileSync(join(cwd, ".claude/settings.json"), "utf8");
    expect(text).toContain('\\"$CLAUDE_PROJECT_DIR\\"/kept/raw');
    rmSync(join(cwd, ".claude"), { recursive: true });
  });

  test("warns if Claude Code runs the same policy twice, as its lines differ", async () => {
    const { run } = await project();
    await run(install("claude"));
    await run(["install", "claude", "--yes", "--file", "policy/hooks.yaml"]);
    const { code, stdout } = await run(["status", "claude"]);
    expect([code, stdout]).toEqual([1, expect.stringContaining("each hook runs twice; uninstall one of them")]);
  });
});
