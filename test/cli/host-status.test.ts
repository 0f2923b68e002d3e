import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const command = (line: string) => ({ type: "command", command: line });
const POLICY = JSON.stringify({
  pre_tool_use: [{ hooks: [command("true")] }],
  post_tool_use: [{ hooks: [command("true")] }],
});

interface Status {
  host: string;
  state: string;
  registered: { scope: string; path: string; events: string[]; program: string; hooks_file?: string }[];
  problems: string[];
  muted: string[];
  heartbeats: { event: string; count: number; last: string }[];
  warnings: string[];
  notes: string[];
}

/** A project in which hooksh is installed for a host. */
async function installed(host = "claude", scope = "--user", files: Record<string, string> = {}): Promise<string> {
  const cwd = tempDir({ "hooks.yaml": POLICY, ...files });
  const ran = await hooksh(["install", host, scope, "--yes", "--file", "hooks.yaml"], { cwd });
  expect([ran.code, ran.stderr]).toEqual([0, ""]);
  return cwd;
}

async function status(cwd: string, host = "claude"): Promise<Status & { code: number }> {
  const ran = await hooksh(["status", host, "--json"], { cwd });
  expect(ran.stderr).toBe("");
  const [found] = JSON.parse(ran.stdout) as Status[];
  if (!found) throw new Error("no status");
  return { ...found, code: ran.code };
}

const settings = (cwd: string) => join(cwd, ".home/.claude/settings.json");

/** Sends an event as Claude Code does: with the registered command, through a shell. */
function claudeCalls(cwd: string, event: "PreToolUse" | "PostToolUse", line = "ls") {
  const { hooks } = JSON.parse(readFileSync(settings(cwd), "utf8"));
  return claudeRuns(cwd, hooks[event][0].hooks[0].command, event, line);
}

function claudeRuns(cwd: string, registered: string, event: string, line: string) {
  const payload = {
    session_id: "s",
    transcript_path: "/t",
    cwd,
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command: line },
    tool_use_id: "t",
    ...(event === "PostToolUse" ? { tool_response: { stdout: "x" } } : {}),
  };
  const ran = Bun.spawnSync(["/bin/sh", "-c", registered], {
    cwd,
    env: cleanEnv(cwd),
    stdin: Buffer.from(JSON.stringify(payload)),
  });
  return { code: ran.exitCode, stdout: ran.stdout.toString(), stderr: ran.stderr.toString() };
}

describe("hooksh status", () => {
  test("of a machine without registrations says how to make one", async () => {
    const cwd = tempDir();
    expect(await hooksh(["status"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^hooksh is not registered in any agent; hooksh install HOST registers it\n\n/),
    });
    expect(await hooksh(["status", "claude"], { cwd })).toMatchObject({
      code: 1,
      stdout: "claude (Claude Code): not registered; hooksh install claude registers it\n",
    });
  });

  test("names the file, the events, the program and the hooks file", async () => {
    const cwd = await installed();
    expect(await status(cwd)).toMatchObject({
      code: 0,
      state: "unseen",
      registered: [
        {
          scope: "user",
          path: settings(cwd),
          events: ["PreToolUse", "PostToolUse", "PostToolUseFailure", "ConfigChange"],
          program: binary(),
          hooks_file: join(cwd, "hooks.yaml"),
        },
      ],
      problems: [],
      muted: [],
      heartbeats: [],
      warnings: [],
    });
  });

  test.each(["codex", "cursor", "agy", "copilot", "kimi", "vibe", "opencode", "cline-sdk", "goose", "kiro", "q"])(
    "finds what install wrote: %s",
    async (host) => {
      const cwd = await installed(host);
      const { state, registered, problems } = await status(cwd, host);
      expect([state, problems, registered.length]).toEqual(["unseen", [], 1]);
      expect(registered[0]?.events.length).toBeGreaterThan(0);
      expect(JSON.parse((await hooksh(["status", "--json"], { cwd })).stdout)).toHaveLength(1);
    },
  );

  test("counts the calls of each event, and says when the last one came", async () => {
    const cwd = await installed();
    /** The time by the clock of the file system, which also tells when the last call came. */
    const now = () => {
      writeFileSync(join(cwd, "now"), "");
      return Math.floor(statSync(join(cwd, "now")).mtimeMs);
    };
    const before = now();
    expect(claudeCalls(cwd, "PreToolUse")).toEqual({ code: 0, stdout: "", stderr: "" });
    claudeCalls(cwd, "PreToolUse");
    claudeCalls(cwd, "PostToolUse");
    const after = now();
    const { state, heartbeats, warnings, code } = await status(cwd);
    expect([state, warnings, code]).toEqual(["seen", [], 0]);
    expect(Object.fromEntries(heartbeats.map(({ event, count }) => [event, count]))).toEqual({
      PreToolUse: 2,
      PostToolUse: 1,
    });
    expect(Date.parse(heartbeats[0]?.last ?? "")).toBeWithin(before, after + 1);
  });

  test("counts calls of several processes at once", async () => {
    const cwd = await installed();
    const { hooks } = JSON.parse(readFileSync(settings(cwd), "utf8"));
    const line = `${hooks.PreToolUse[0].hooks[0].command} < event.json`;
    writeFileSync(
      join(cwd, "event.json"),
      JSON.stringify({
        session_id: "s",
        transcript_path: "/t",
        cwd,
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "ls" },
      }),
    );
    const calls = Array.from(
      { length: 8 },
      () => Bun.spawn(["/bin/sh", "-c", line], { cwd, env: cleanEnv(cwd), stdout: "ignore" }).exited,
    );
    expect(await Promise.all(calls)).toEqual(Array(8).fill(0));
    expect((await status(cwd)).heartbeats).toMatchObject([{ event: "PreToolUse", count: 8 }]);
  });

  test("warns if calls finished that hooksh was not asked about", async () => {
    const cwd = await installed();
    claudeCalls(cwd, "PostToolUse");
    const { warnings, code } = await status(cwd);
    expect(code).toBe(1);
    expect(warnings).toEqual([
      "finished tool calls seen: 1 (PostToolUse), asked about before they ran: 0; the guard is not in force for all calls",
    ]);
  });

  test("starts to count anew when the registration changes", async () => {
    const cwd = await installed();
    claudeCalls(cwd, "PostToolUse");
    writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify({ pre_tool_use: [{ hooks: [command("true")] }] }));
    await hooksh(["install", "claude", "--yes", "--file", "hooks.yaml"], { cwd });
    expect((await status(cwd)).heartbeats).toEqual([]);
  });

  test("says that an unwritable data directory changes no verdict", async () => {
    const cwd = await installed();
    mkdirSync(join(cwd, ".home/.hooksh"), { recursive: true });
    writeFileSync(join(cwd, ".home/.hooksh/heartbeats"), "a file in the place of the folder");
    expect(claudeCalls(cwd, "PreToolUse")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each([
    ["claude", ".home/.claude/settings.json", "disableAllHooks is true: no hook runs"],
    ["qwen", ".qwen/settings.json", "disableAllHooks is true: no hook runs"],
    ["gemini", ".gemini/settings.json", "hooksConfig.enabled is false: no hook runs"],
    ["codex", ".home/.codex/config.toml", "features.hooks is false: no hook runs"],
    ["copilot", ".github/copilot/settings.json", "disableAllHooks is true: no hook runs"],
    ["droid", ".factory/hooks.json", "hooks: Droid ignores a hooks.json whose events are not top-level keys"],
  ])("names the setting of %s that mutes hooks", async (host, path, text) => {
    const cwd = await installed(host);
    const file = join(cwd, path);
    mkdirSync(join(file, ".."), { recursive: true });
    const value = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    const mute = { disableAllHooks: true, hooksConfig: { enabled: false }, ...(host === "droid" ? { hooks: {} } : {}) };
    writeFileSync(file, path.endsWith(".toml") ? "[features]\nhooks = false\n" : JSON.stringify({ ...value, ...mute }));
    expect(await status(cwd, host)).toMatchObject({ code: 1, state: "muted", muted: [`${file}: ${text}`] });
    expect(await hooksh(["install", host, "--yes", "--file", "hooks.yaml"], { cwd })).toMatchObject({
      code: 1,
      stderr: `${host}: registered, but the host runs no hook of hooksh: ${file}: ${text}\n`,
    });
  });

  test("says which prompts of Droid no hook judges, where prompts are judged", async () => {
    const note = "droid exec fires no UserPromptSubmit: these hooks judge only prompts of an interactive session";
    const cwd = await installed("droid");
    expect((await status(cwd, "droid")).notes).toEqual([]);
    writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify({ user_prompt_submit: [command("true")] }));
    const { stdout } = await hooksh(["install", "droid", "--yes", "--file", "hooks.yaml"], { cwd });
    expect(stdout).toContain(`note: ${note}\n`);
    expect((await status(cwd, "droid")).notes).toEqual([note]);
  });

  test.each([
    [
      "kimi",
      ".home/.kimi-code/config.toml",
      '\n[[hooks]]\nevent = "Stop"\ncommand = "x"\nname = "mine"\n',
      "unknown key name",
    ],
    ["kimi", ".home/.kimi-code/config.toml", '\n[[hooks]]\nevent = "stop"\ncommand = "x"\n', 'unknown event "stop"'],
    ["cursor", ".home/.cursor/hooks.json", { PreToolUse: [{ command: "x" }] }, 'unknown event "PreToolUse"'],
    [
      "claude",
      ".home/.claude/settings.json",
      { Stop: [{ hooks: [{ type: "command", command: "x", onFailure: "deny" }] }] },
      'onFailure is "deny", not block or continue',
    ],
    [
      "claude",
      ".home/.claude/settings.json",
      { Stop: [{ hooks: [{ type: "shell", command: "x" }] }] },
      'type is "shell", not ',
    ],
  ])("finds the entry of others for which %s ignores the whole file: %s %j", async (host, path, added, text) => {
    const cwd = await installed(host);
    const file = join(cwd, path);
    const before = readFileSync(file, "utf8");
    const value = typeof added === "string" ? {} : JSON.parse(before);
    writeFileSync(
      file,
      typeof added === "string" ? before + added : JSON.stringify({ ...value, hooks: { ...value.hooks, ...added } }),
    );
    const { code, state, muted } = await status(cwd, host);
    expect([code, state, muted.length]).toEqual([1, "muted", 1]);
    expect(muted[0]).toStartWith(`${file}:`);
    expect(muted[0]).toContain(`: ${text}`);
    expect(muted[0]).toEndWith(": the host ignores all hooks of this file");
  });

  test.each([
    ["copilot", 1],
    ["claude", 1],
  ])("warns about two registrations that %s runs both", async (host, count) => {
    const cwd = await installed(host);
    await hooksh(["install", host, "--project", "--yes", "--file", "hooks.yaml"], { cwd });
    const { warnings, registered } = await status(cwd, host);
    expect([registered.length, warnings.length]).toEqual([2, count]);
    for (const text of warnings) expect(text).toEndWith("each hook runs twice; uninstall one of them");
  });

  test("counts a call of Copilot with Claude Code's settings for Copilot, and says that each hook runs twice", async () => {
    const cwd = await installed("claude", "--project");
    const file = join(cwd, ".claude/settings.json");
    const line = JSON.parse(readFileSync(file, "utf8")).hooks.PreToolUse[0].hooks[0].command;
    // As Copilot CLI 1.0.102 sends it.
    const payload = {
      hook_event_name: "PreToolUse",
      session_id: "fee9290c-a17a-4efd-aa87-f8c4b4263836",
      timestamp: "2026-11-22T02:25:48.281Z",
      cwd,
      tool_name: "Bash",
      tool_input: { command: "ls", description: "list" },
    };
    const stdin = Buffer.from(JSON.stringify(payload));
    const env = cleanEnv(cwd, { CLAUDE_PROJECT_DIR: cwd, COPILOT_PROJECT_DIR: cwd });
    expect(Bun.spawnSync(["/bin/sh", "-c", line], { cwd, env, stdin }).exitCode).toBe(0);
    expect(await status(cwd)).toMatchObject({ state: "unseen", heartbeats: [], code: 0 });
    const note =
      "GitHub Copilot CLI also runs the hooks in Claude Code's settings of this project, so it runs each hook of hooksh twice; status counts these calls for copilot";
    expect((await status(cwd)).notes).not.toContain(note);
    const { stdout } = await hooksh(["install", "copilot", "--project", "--yes", "--file", "hooks.yaml"], { cwd });
    expect(stdout).toContain(`note: ${note}\n`);
    Bun.spawnSync(["/bin/sh", "-c", line], { cwd, env, stdin });
    for (const host of ["copilot", "claude"]) expect((await status(cwd, host)).notes).toContain(note);
    expect((await status(cwd, "copilot")).heartbeats).toMatchObject([{ event: "PreToolUse", count: 1 }]);
    claudeRuns(cwd, `CLAUDE_PROJECT_DIR=${cwd}; ${line}`, "PreToolUse", "ls");
    expect((await status(cwd)).heartbeats).toMatchObject([{ event: "PreToolUse", count: 1 }]);
  });

  test("names a missing program and a broken hooks file", async () => {
    const cwd = await installed();
    writeFileSync(settings(cwd), readFileSync(settings(cwd), "utf8").replaceAll(binary(), "/gone/hooksh"));
    writeFileSync(join(cwd, "hooks.yaml"), "pre_tool_use: 1\n");
    const { code, state, problems } = await status(cwd);
    expect([code, state]).toEqual([1, "broken"]);
    expect(problems[0]).toBe(`${settings(cwd)}: /gone/hooksh: no such program`);
    expect(problems[1]).toContain("claude gets a denial for every guarded call: ");
    expect(problems[1]).toContain("hooks.yaml:1:15: ");
  });

  test("names events for which there are hooks since install", async () => {
    const cwd = await installed();
    writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify({ ...JSON.parse(POLICY), stop: [command("true")] }));
    expect((await status(cwd)).problems).toEqual([
      `${settings(cwd)}: not registered: Stop, for which there are hooks; run hooksh install claude again`,
    ]);
  });

  test("warns about a file that the host may ignore because it is not valid", async () => {
    const cwd = await installed("claude", "--project");
    mkdirSync(join(cwd, ".home/.claude"), { recursive: true });
    writeFileSync(settings(cwd), "{ oops");
    const { warnings } = await status(cwd);
    expect(warnings[0]).toStartWith(`${settings(cwd)}:1:3: `);
  });

  test("prints text for people", async () => {
    const cwd = await installed();
    claudeCalls(cwd, "PreToolUse");
    const { stdout } = await hooksh(["status"], { cwd });
    expect(stdout).toMatch(/^claude \(Claude Code\): registered and called\n/);
    expect(stdout).toMatch(/\n {2}last PreToolUse: \d+ s ago \(1 so far\)\n/);
  });
});

/** Starts a canary, and waits until it has printed its word. */
async function canary(cwd: string, timeout: string) {
  const child = Bun.spawn([binary(), "canary", "claude", "--timeout", timeout], {
    cwd,
    env: cleanEnv(cwd),
    stdout: "pipe",
    stderr: "pipe",
  });
  let shown = "";
  const reader = child.stdout.getReader();
  while (!shown.includes("Waiting")) shown += new TextDecoder().decode((await reader.read()).value);
  const rest = async () => {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      shown += new TextDecoder().decode(chunk.value);
    return { code: await child.exited, stdout: shown };
  };
  return { word: /hooksh-canary-[0-9a-f]{16}/.exec(shown)?.[0] ?? "", rest };
}

describe("hooksh canary", () => {
  test("sees the refused call, and leaves nothing behind", async () => {
    const cwd = await installed();
    const bird = await canary(cwd, "1m");
    expect(JSON.parse(claudeCalls(cwd, "PreToolUse", `echo ${bird.word}`).stdout)).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: "deny",
        permissionDecisionReason: "hooksh canary: the guard works, hooksh refused this call",
      },
    });
    const { code, stdout } = await bird.rest();
    expect(code).toBe(0);
    expect(stdout).toEndWith(
      "The guard is in force: Claude Code asked hooksh (PreToolUse), and hooksh denied the call.\n",
    );
    expect(readdirSync(join(cwd, ".home/.hooksh/heartbeats"))).toEqual(["claude.PreToolUse"]);
    expect(claudeCalls(cwd, "PreToolUse", `echo ${bird.word}`).stdout).toBe("");
  });

  test("refuses no other call", async () => {
    const cwd = await installed();
    const bird = await canary(cwd, "1m");
    expect(claudeCalls(cwd, "PreToolUse", "echo hooksh-canary-0000000000000000").stdout).toBe("");
    claudeCalls(cwd, "PreToolUse", `echo ${bird.word}`);
    expect((await bird.rest()).code).toBe(0);
  });

  test("says that the guard is not in force if the call ran", async () => {
    const cwd = await installed();
    const bird = await canary(cwd, "1m");
    claudeCalls(cwd, "PostToolUse", `echo ${bird.word}`);
    const { code, stdout } = await bird.rest();
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        "The guard is not in force: Claude Code ran the call (PostToolUse) and did not ask hooksh before.\n",
      ),
    ]);
  });

  test("gives up after its timeout, and names what mutes hooks", async () => {
    const cwd = await installed();
    writeFileSync(
      settings(cwd),
      JSON.stringify({ ...JSON.parse(readFileSync(settings(cwd), "utf8")), disableAllHooks: true }),
    );
    const { code, stdout } = await (await canary(cwd, "300ms")).rest();
    expect(code).toBe(1);
    expect(stdout).toContain("did not ask hooksh about the call");
    expect(stdout).toContain("disableAllHooks is true: no hook runs");
  });

  test("waits one minute without a terminal and five at one, unless --timeout says otherwise", async () => {
    const cwd = await installed();
    const child = Bun.spawn([binary(), "canary", "claude"], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
      stderr: "pipe",
    });
    let shown = "";
    for await (const chunk of child.stdout) {
      shown += new TextDecoder().decode(chunk);
      if (shown.includes(" ...\n")) break;
    }
    child.kill();
    expect(shown).toContain("Waiting for up to 60 s, because there is no terminal; --timeout 5m waits longer ...");
    const attended = startAtTerminal(cwd, ["canary", "claude"]);
    await attended.sees("Waiting for up to 5 min ...");
    attended.child.kill();
    await attended.child.exited;
  });

  test("needs a registration with a guard", async () => {
    const cwd = await installed();
    rmSync(settings(cwd));
    expect((await hooksh(["canary", "claude"], { cwd })).stderr).toBe(
      "hooksh is not registered in claude; run hooksh install claude first\n",
    );
    writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify({ stop: [command("true")] }));
    await hooksh(["install", "claude", "--yes", "--without-guards-stay", "--file", "hooks.yaml"], { cwd });
    expect((await hooksh(["canary", "claude"], { cwd })).stderr).toBe(
      "claude: there are no hooks on pre_tool_use, so the agent does not ask before it runs a tool\n",
    );
  });
});

describe("hooksh doctor", () => {
  test("has an issue for a registration that does not work, and lists the others", async () => {
    const cwd = await installed();
    const examine = async () => JSON.parse((await hooksh(["doctor", "--json"], { cwd })).stdout);
    expect(await examine()).toMatchObject({ ok: true, hosts: [{ host: "claude", state: "unseen" }] });
    writeFileSync(settings(cwd), readFileSync(settings(cwd), "utf8").replaceAll(binary(), "/gone/hooksh"));
    expect(await examine()).toMatchObject({
      ok: false,
      hosts: [{ host: "claude", state: "broken" }],
      issues: [
        `claude: ${settings(cwd)}: /gone/hooksh: no such program`,
        expect.stringContaining("ConfigChange: registered on "),
      ],
    });
    expect((await hooksh(["doctor"], { cwd })).stdout).toContain(
      "Agents with hooksh\n  claude  registered, but not in force\n",
    );
  });
});
