import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { sentByScript } from "../helpers/terminal-run.ts";

const HOOKS = "stop: [{type: command, command: exit 0}]\n";
const NOTE = "note: no hook is configured for pre_tool_use, so nothing judges it; hooksh status lists the hooks";

const EVENT = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });
const OF_CLAUDE = JSON.stringify({
  session_id: "s",
  transcript_path: "/t",
  cwd: "/",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

describe("an event without a hook", () => {
  test.each([
    ["of hooksh", EVENT],
    ["of another agent", OF_CLAUDE],
  ])("%s is named once at a terminal, and nowhere else", async (_name, event) => {
    const cwd = tempDir({ "hooks.yaml": HOOKS, event });
    const args = ["dispatch", "--hooks-file", "hooks.yaml"];
    const sent = await sentByScript(
      cwd,
      `cat event event | "$0" ${args.join(" ")} >answers; cat event | "$0" ${args.join(" ")} >more`,
    );
    expect(sent.split(NOTE).length - 1).toBe(event === EVENT ? 2 : 1);
    const piped = await hooksh(args, { cwd, input: event });
    expect(piped).toMatchObject({ code: 0, stderr: "" });
  });

  test("is not named if a hook for another tool is configured for it", async () => {
    const hooks = "pre_tool_use: [{matcher: write_file, hooks: [{type: command, command: exit 0}]}]\n";
    const cwd = tempDir({ "hooks.yaml": hooks, event: EVENT });
    const sent = await sentByScript(cwd, '"$0" dispatch --hooks-file hooks.yaml <event');
    expect(sent).not.toContain("no hook");
  });

  test("is named once if a matcher has another name of its tool", async () => {
    const hooks = "pre_tool_use: [{matcher: shell, hooks: [{type: command, command: exit 2}]}]\n";
    const events = ["bash", "bash", "fetch", "shel"].map((tool) => EVENT.replace("shell", tool)).join("\n");
    const cwd = tempDir({ "hooks.yaml": hooks, events });
    const sent = await sentByScript(cwd, '"$0" dispatch --hooks-file hooks.yaml <events >answers');
    const note =
      /note: no matcher of pre_tool_use names the tool "(\w+)", so no hook judges it; did you mean "shell"\?/g;
    expect([...sent.matchAll(note)].map(([, tool]) => tool)).toEqual(["bash", "shel"]);
    expect(sent.split("note: ")).toHaveLength(3);
  });
});

test("an agent for which no hook is configured any more is told so, also if the agent may not change guards", async () => {
  for (const args of [[], ["--guards-stay"]]) {
    const ran = await hooksh(["dispatch", ...args], { cwd: tempDir(), input: OF_CLAUDE });
    const stderr = "hooksh: no hook is configured, so nothing judges this agent; hooksh status lists the hooks\n";
    expect(ran).toMatchObject({ code: 0, stdout: "", stderr });
  }
});

test("status says that nothing is judged", async () => {
  const { stdout } = await hooksh(["status"], { cwd: tempDir() });
  expect(stdout).toContain("Hooks\n  none: hooksh allows every event\n");
});

describe("a home directory that does not exist", () => {
  const missing = (cwd: string) => ({ HOME: join(cwd, "gone") });
  const reason = (cwd: string) =>
    `HOME is ${join(cwd, "gone")}, which does not exist, so config.yaml and hooks.d are not found`;

  test("refuses every event if there is no other hook", async () => {
    const cwd = tempDir();
    for (const event of [EVENT, OF_CLAUDE, OF_CLAUDE]) {
      const ran = await hooksh(["dispatch"], { cwd, env: missing(cwd), input: event });
      expect(ran.stdout + ran.stderr).toContain(`no hooks: ${reason(cwd)}: set HOME, or name the hooks with`);
      expect(ran.code === 2 || ran.stdout.includes('"permissionDecision":"deny"')).toBe(true);
    }
    const guarded = await hooksh(["dispatch", "--guards-stay"], { cwd, env: missing(cwd), input: EVENT });
    expect(guarded.code).toBe(2);
  });

  test("is a warning if there are other hooks, and of a run", async () => {
    const agent = JSON.stringify({ agents: { root: { model: "openai/gpt-4o" } } });
    const cwd = tempDir({ "hooks.yaml": HOOKS, "agent.yaml": agent });
    const run = await hooksh(["run", "agent.yaml", "--dry-run"], {
      cwd,
      env: { ...missing(cwd), OPENAI_API_KEY: "unused" },
    });
    expect(run).toMatchObject({ code: 0, stderr: `warning: ${reason(cwd)}\n` });
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd, env: missing(cwd), input: EVENT });
    expect(ran).toMatchObject({ code: 0, stderr: `warning: ${reason(cwd)}\n` });
  });

  test("does not matter if the configuration is elsewhere or left out", async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "config"));
    for (const args of [["--config-dir", "config"], ["--no-user-hooks"]]) {
      const ran = await hooksh(["dispatch", ...args], { cwd, env: missing(cwd), input: EVENT });
      expect(ran.code).toBe(0);
      expect(ran.stderr).not.toContain("HOME");
    }
  });
});
