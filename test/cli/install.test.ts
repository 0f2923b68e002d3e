import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { HostId } from "../../src/dialects/host-files.ts";
import { binary, hooksh } from "../helpers/binary.ts";
import { EVENTS, POLICY, project } from "../helpers/policy-project.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const install = (cwd: string, ...args: string[]) => hooksh(["install", ...args, "--file", "hooks.yaml"], { cwd });

const settings = (cwd: string) => join(cwd, ".home/.claude/settings.json");

/** The parsed file that `install` wrote. */
async function written(host: HostId, path: string, scope = "user"): Promise<unknown> {
  const cwd = project();
  expect((await install(cwd, host, `--${scope}`, "--yes")).code).toBe(0);
  const text = readFileSync(join(cwd, scope === "user" ? ".home" : "", path), "utf8");
  return path.endsWith(".toml")
    ? Bun.TOML.parse(text)
    : JSON.parse(text.replaceAll(cwd, "<cwd>").replaceAll(binary(), "<hooksh>"));
}

const call = (host: string, event: string, deadline: string) =>
  `<hooksh> dispatch --dialect ${host} --event ${event} --hooks-file <cwd>/hooks.yaml${/^pretooluse$/i.test(event) ? " --guards-stay" : ""} --deadline ${deadline}`;

/** The line of an event that hooks can refuse: it waits 57 s for hooksh, which has 54 s. */
const guardedCall = (host: string, event: string) =>
  expect.stringMatching(
    new RegExp(`^sh -c '.* sleep 57 .*' '.*' ${call(host, event, "54s").replace("--deadline", "--proof --deadline")}$`),
  );

describe("what is written", () => {
  test("Claude Code: failures of a guard block, and SessionEnd keeps its short timeout", async () => {
    const { hooks } = (await written("claude", ".claude/settings.json")) as { hooks: Record<string, unknown> };
    expect(hooks["PreToolUse"]).toEqual([
      { hooks: [{ type: "command", command: guardedCall("claude", "PreToolUse"), timeout: 60, onFailure: "block" }] },
    ]);
    expect(hooks["Stop"]).toEqual([
      { hooks: [{ type: "command", command: call("claude", "Stop", "57s"), timeout: 60 }] },
    ]);
    expect(hooks["SessionEnd"]).toEqual([
      { hooks: [{ type: "command", command: call("claude", "SessionEnd", "1.2s") }] },
    ]);
  });

  test("Gemini CLI: milliseconds, and PreCompress only for a pre_compact hook", async () => {
    const { hooks } = (await written("gemini", ".gemini/settings.json")) as {
      hooks: Record<string, [{ hooks: [{ timeout: number }] }]>;
    };
    expect(hooks["BeforeTool"]?.[0].hooks[0].timeout).toBe(60_000);
    expect(Object.keys(hooks)).toContain("PreCompress");
    const cwd = project({
      "hooks.yaml": JSON.stringify({ pre_tool_use: [{ hooks: [{ type: "command", command: "true" }] }] }),
    });
    await install(cwd, "gemini", "--yes");
    expect(Object.keys(JSON.parse(readFileSync(join(cwd, ".home/.gemini/settings.json"), "utf8")).hooks)).toEqual([
      "BeforeTool",
    ]);
  });

  test("Copilot CLI: no matcher, because an empty one matches nothing", async () => {
    expect(await written("copilot", ".copilot/hooks/hooksh.json")).toMatchObject({
      version: 1,
      hooks: { preToolUse: [{ type: "command", bash: guardedCall("copilot", "preToolUse"), timeoutSec: 60 }] },
    });
  });

  test("Cursor: no failClosed, and one event of each pair that fires for one call", async () => {
    const { hooks } = (await written("cursor", ".cursor/hooks.json")) as { hooks: Record<string, unknown> };
    expect(hooks["preToolUse"]).toEqual([{ command: guardedCall("cursor", "preToolUse"), timeout: 60 }]);
    expect(Object.keys(hooks)).not.toContain("beforeShellExecution");
  });

  test("Antigravity: whole seconds, tool events in groups and loop events flat", async () => {
    expect(await written("agy", ".gemini/config/hooks.json")).toEqual({
      hooksh: {
        PreToolUse: [{ hooks: [{ type: "command", command: guardedCall("agy", "PreToolUse"), timeout: 60 }] }],
        PostToolUse: [{ hooks: [{ type: "command", command: call("agy", "PostToolUse", "57s"), timeout: 60 }] }],
        Stop: [{ type: "command", command: call("agy", "Stop", "57s"), timeout: 60 }],
        ...(await antigravitySessionStart()),
      },
    });
  });

  test("Kimi Code: four keys and no matcher", async () => {
    const { hooks } = (await written("kimi", ".kimi-code/config.toml")) as { hooks: Record<string, unknown>[] };
    for (const hook of hooks) expect(Object.keys(hook).sort()).toEqual(["command", "event", "timeout"]);
  });

  test("Vibe: strict on tools", async () => {
    const { hooks } = (await written("vibe", ".vibe/hooks.toml")) as { hooks: Record<string, unknown>[] };
    expect(hooks.find(({ type }) => type === "pre_tool")).toMatchObject({ strict: true, name: "hooksh-pre_tool" });
    expect(hooks.find(({ type }) => type === "post_agent")).not.toHaveProperty("strict");
  });

  test("goose: a plugin with its manifest, which blocks if the guard fails", async () => {
    const cwd = project();
    await install(cwd, "goose", "--yes");
    const plugin = join(cwd, ".home/.agents/plugins/hooksh");
    expect(JSON.parse(readFileSync(join(plugin, "plugin.json"), "utf8"))).toMatchObject({ name: "hooksh" });
    const { hooks } = JSON.parse(readFileSync(join(plugin, "hooks/hooks.json"), "utf8"));
    expect(hooks.PreToolUse[0].hooks[0].on_failure).toBe("block");
    expect(hooks.Stop[0].hooks[0]).not.toHaveProperty("on_failure");
  });

  test("Droid: settings.json, not hooks.json", async () => {
    const { hooks } = (await written("droid", ".factory/settings.json")) as { hooks: Record<string, unknown> };
    expect(hooks["PostToolUse"]).toEqual([
      { hooks: [{ type: "command", command: call("droid", "PostToolUse", "57s"), timeout: 60 }] },
    ]);
  });

  test("--deadline is how long the line of a guarded event waits", async () => {
    const cwd = project();
    const ran = await install(cwd, "codex", "--deadline", "5", "--yes");
    expect(ran.code).toBe(0);
    const { hooks } = JSON.parse(readFileSync(join(cwd, ".home/.codex/hooks.json"), "utf8"));
    expect(hooks.PreToolUse[0].hooks[0].command).toMatch(/ sleep 5 .* --deadline 4s$/);
    expect(hooks.Stop[0].hooks[0].command).toEndWith(" --deadline 57s");
    expect((await hooksh(["diff", "codex"], { cwd })).stdout).not.toContain("deadline");
    for (const wrong of ["58", "1", "5s"])
      expect(await install(cwd, "codex", "--deadline", wrong, "--yes")).toMatchObject({
        code: 64,
        stderr: expect.stringContaining("--deadline takes whole seconds from 2 to 57, because codex waits 60 s"),
      });
  });

  test("install replaces the line of an earlier version, which wants no proof", async () => {
    const cwd = project();
    await install(cwd, "codex", "--yes");
    const path = join(cwd, ".home/.codex/hooks.json");
    const settings = JSON.parse(readFileSync(path, "utf8"));
    const hook = settings.hooks.PreToolUse[0].hooks[0];
    const now = hook.command;
    const words = now.slice(now.lastIndexOf("' ") + 2).replace(" --proof", "");
    hook.command = `sh -c '"$0" "$@" || { echo "hooksh did not answer, so this is refused" >&2; exit 2; }' ${words}`;
    writeFileSync(path, JSON.stringify(settings));
    expect((await hooksh(["status", "codex"], { cwd })).stdout).toContain(
      "PreToolUse: written by an earlier version, and may not refuse if hooksh gives no answer",
    );
    expect((await hooksh(["diff", "codex"], { cwd })).stdout).toContain(
      "PreToolUse: it does not refuse if hooksh gives no answer; run hooksh install again",
    );
    await install(cwd, "codex", "--yes");
    expect(JSON.parse(readFileSync(path, "utf8")).hooks.PreToolUse).toEqual([{ hooks: [{ ...hook, command: now }] }]);
  });

  test.each([
    [
      "cline",
      ".home/Documents/Cline/Hooks/PreToolUse",
      (text: string) =>
        text.replace(
          /exec .*/,
          `answer=$(hooksh dispatch --dialect cline --event PreToolUse) || answer='{"cancel":true}'`,
        ),
    ],
    ["opencode", ".home/.config/opencode/plugins/hooksh.js", (text: string) => text.replace(/^const SECONDS.*\n/m, "")],
  ])("uninstall %s removes what an earlier version wrote, and not what a user changed", async (host, file, earlier) => {
    const cwd = project();
    await install(cwd, host, "--yes");
    const path = join(cwd, file);
    const text = earlier(readFileSync(path, "utf8"));
    writeFileSync(path, text);
    expect((await hooksh(["uninstall", host, "--yes"], { cwd })).stderr).toContain("changed since hooksh wrote it");
    const record = join(cwd, ".home/.hooksh/hosts/installed.json");
    const { version, files } = JSON.parse(readFileSync(record, "utf8"));
    files[path].digest = new Bun.CryptoHasher("sha256").update(text).digest("hex");
    writeFileSync(record, JSON.stringify({ version, files }));
    expect((await hooksh(["uninstall", host, "--yes"], { cwd })).code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test("the Cline CLI: four executables, and none for events that it never fires", async () => {
    const cwd = project();
    await install(cwd, "cline-sdk", "--yes");
    const folder = join(cwd, ".home/.cline/hooks");
    expect(readdirSync(folder).sort()).toEqual(["PostToolUse", "PreToolUse", "TaskComplete", "TaskStart"]);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(folder, "PreToolUse"), "utf8")).toMatch(
      /^#!\/bin\/sh\n.*\nexec sh -c '.*' '\{"cancel":true,.*\}' .* --event tool_call --hooks-file .* --proof /,
    );
    expect(readFileSync(join(folder, "TaskStart"), "utf8")).toMatch(/^#!\/bin\/sh\n.*\nexec .* --event agent_start /);
  });

  test("a hooks file with blanks and quotes in its path is quoted for the shell", async () => {
    const cwd = project({ "it's mine/hooks.yaml": POLICY });
    await hooksh(["install", "claude", "--yes", "--file", "it's mine/hooks.yaml"], { cwd });
    const { hooks } = JSON.parse(readFileSync(settings(cwd), "utf8"));
    const event = { session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const ran = Bun.spawnSync(["/bin/sh", "-c", hooks.PreToolUse[0].hooks[0].command], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: join(cwd, ".home") },
      stdin: Buffer.from(JSON.stringify(event)),
    });
    expect([ran.exitCode, ran.stdout.toString(), ran.stderr.toString()]).toEqual([0, "", ""]);
    expect((await hooksh(["install", "claude", "--yes", "--file", "it's mine/hooks.yaml"], { cwd })).stdout).toContain(
      "nothing to change",
    );
  });

  test("directories of hooksh that the user chose are named, because the agent's environment may lack them", async () => {
    const cwd = project();
    mkdirSync(join(cwd, "data"));
    await hooksh(["install", "claude", "--yes", "--file", "hooks.yaml", "--data-dir", "data"], { cwd });
    expect(readFileSync(settings(cwd), "utf8")).toContain(`--data-dir ${join(cwd, "data")}`);
  });

  test.each(["--capture", "--record-events"])(
    "%s is written into every command, is no drift, and goes with the next install without it",
    async (flag) => {
      const cwd = project();
      await install(cwd, "claude", "--yes", flag, "kept");
      const commands = () => readFileSync(settings(cwd), "utf8").split(`${flag} ${join(cwd, "kept")}`).length - 1;
      expect(commands()).toBeGreaterThan(EVENTS.length);
      expect(await hooksh(["diff", "claude"], { cwd })).toMatchObject({ code: 0 });
      expect((await install(cwd, "claude", "--yes", flag, "kept")).stdout).toContain("nothing to change");
      await install(cwd, "claude", "--yes");
      expect(commands()).toBe(0);
    },
  );

  test("variables that move a host's folder are followed", async () => {
    const cwd = project();
    await hooksh(["install", "codex", "--yes", "--file", "hooks.yaml"], {
      cwd,
      env: { CODEX_HOME: join(cwd, "codex") },
    });
    expect(existsSync(join(cwd, "codex/hooks.json"))).toBe(true);
  });
});

/** Antigravity has SessionStart on newer builds; the table of its dialect says whether hooksh knows it. */
async function antigravitySessionStart(): Promise<Record<string, unknown>> {
  const { dialect } = await import("../../src/dialects/hosts/agy.ts");
  if (!dialect.events["SessionStart"]?.is.includes("session_start")) return {};
  return { SessionStart: [{ type: "command", command: call("agy", "SessionStart", "57s"), timeout: 60 }] };
}

describe("what a host cannot do", () => {
  test("is printed line by line, for events of the policy alone", async () => {
    const { stdout } = await install(project(), "kimi", "--yes");
    expect(stdout).toContain("kimi: post_tool_use: feedback is dropped; added context is dropped\n");
    expect(stdout).toContain(
      "kimi: pre_tool_use: an ask becomes a denial; a rewrite becomes a denial; added context is dropped\n",
    );
    expect(stdout).not.toContain("permission_request");
    expect((await install(project(), "crush", "--yes")).stdout).toContain(
      "crush: stop: the host has no such event; these hooks do not run\n",
    );
  });

  test("a matcher of MCP tools is named where the host does not tell their servers", async () => {
    const hooks = { pre_tool_use: [{ matcher: "shell|mcp:mem:.*", hooks: [{ type: "command", command: "true" }] }] };
    const cwd = project({ "hooks.yaml": JSON.stringify(hooks) });
    const dead = "matcher shell|mcp:mem:.*: the host does not say which tools are of an MCP server";
    expect((await install(cwd, "openhands", "--yes")).stdout).toContain(`openhands: ${dead}`);
    for (const host of ["copilot", "opencode", "kimi", "droid"])
      expect((await install(cwd, host, "--yes")).stdout).not.toContain(dead);
  });

  test("hooks that only redact are not installed where the output of a failing command stays as it is", async () => {
    const policy = (hooks: object) => project({ "hooks.yaml": JSON.stringify(hooks) });
    const redact = [{ matcher: "*", hooks: [{ type: "builtin", command: "redact_secrets" }] }];
    const only = policy({ tool_response_transform: redact, stop: [{ type: "command", command: "exit 0" }] });
    const refused = await install(only, "claude", "--yes");
    expect([refused.code, existsSync(join(only, ".claude"))]).toEqual([1, false]);
    expect(refused.stderr).toContain("or accept that with --partial-redaction; nothing was written");
    const note = "note: the output of a command that fails reaches the model as it is";
    expect(await install(only, "claude", "--yes", "--partial-redaction")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(note),
    });
    expect((await hooksh(["status", "claude"], { cwd: only })).stdout).toContain(note.slice(6));
    expect((await install(only, "codex", "--yes")).code).toBe(0);
    const guarded = policy({ tool_response_transform: redact, pre_tool_use: redact });
    expect((await install(guarded, "claude", "--yes")).code).toBe(0);
  });

  test("a policy of which a host can run nothing is not installed", async () => {
    const cwd = project({ "hooks.yaml": JSON.stringify({ session_end: [{ type: "command", command: "true" }] }) });
    const { code, stderr } = await install(cwd, "crush", "--yes");
    expect([code, stderr]).toEqual([1, "crush: none of these hooks can run there; nothing was written\n"]);
  });

  test("a guard that hooksh runs with the call is enough to register the call", async () => {
    const cwd = project({
      "hooks.yaml": JSON.stringify({ tool_guard: [{ hooks: [{ type: "command", command: "true" }] }] }),
    });
    await install(cwd, "claude", "--yes");
    expect(Object.keys(JSON.parse(readFileSync(settings(cwd), "utf8")).hooks)).toEqual(["PreToolUse", "ConfigChange"]);
  });
});

describe("asking", () => {
  test("without a terminal and without --yes, the change is shown and nothing is written", async () => {
    const cwd = project();
    const { code, stdout, stderr } = await install(cwd, "claude");
    expect(code).toBe(1);
    expect(stderr).toBe("nothing was written: there is no terminal to ask on; --yes writes without asking\n");
    expect(stdout).toContain("--- /dev/null\n");
    expect(stdout).toContain('+            "onFailure": "block"\n');
    expect(existsSync(settings(cwd))).toBe(false);
  });

  test("secrets around the change are not shown", async () => {
    const secret = ["s", "k-ant-api03-", "Ab9".repeat(31), "AA"].join("");
    const cwd = project({
      ".home/.claude/settings.json": JSON.stringify({ env: { ANTHROPIC_API_KEY: secret } }, undefined, 2),
    });
    const { stdout } = await install(cwd, "claude", "--yes");
    expect(stdout).toContain('"ANTHROPIC_API_KEY"');
    expect(stdout).not.toContain(secret);
    expect(readFileSync(settings(cwd), "utf8")).toContain(secret);
  });

  test("--dry-run writes nothing", async () => {
    const cwd = project();
    const { code, stdout } = await install(cwd, "claude", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toContain("+++ ");
    expect(existsSync(settings(cwd))).toBe(false);
    expect(existsSync(join(cwd, ".home/.hooksh"))).toBe(false);
  });

  test.each([
    ["y", true],
    ["n", false],
    ["", false],
  ])("at a terminal, %j is an answer", async (answer, isWritten) => {
    const cwd = project();
    const run = startAtTerminal(cwd, ["install", "claude", "--file", "hooks.yaml"]);
    await run.sees("Enter for none:");
    run.press("\r");
    await run.sees("Change this file? [y/N]");
    run.press(`${answer}\r`);
    expect(await run.child.exited).toBe(isWritten ? 0 : 1);
    expect(existsSync(settings(cwd))).toBe(isWritten);
  });
});

const MESSY = '\uFEFF{\r\n\t// mine\r\n\t"theme" : "dark",\r\n\t"hooks": { },\r\n}';

describe("the file of the user", () => {
  test("becomes what it was, byte for byte, even where hooksh fills an empty object", async () => {
    const cwd = project({ ".home/.gemini/settings.json": MESSY });
    expect((await install(cwd, "gemini", "--yes")).code).toBe(0);
    const path = join(cwd, ".home/.gemini/settings.json");
    expect(readFileSync(path, "utf8")).toContain("BeforeTool");
    expect(readFileSync(path, "utf8")).toStartWith('\uFEFF{\r\n\t// mine\r\n\t"theme" : "dark",\r\n\t"hooks": {\r\n');
    await hooksh(["uninstall", "gemini", "--yes"], { cwd });
    expect(readFileSync(path, "utf8")).toBe(MESSY);
  });

  test("keeps what the user changed after install", async () => {
    const cwd = project({ ".home/.claude/settings.json": '{\n  "model": "a"\n}\n' });
    await install(cwd, "claude", "--yes");
    writeFileSync(settings(cwd), readFileSync(settings(cwd), "utf8").replace('"a"', '"b"'));
    await hooksh(["uninstall", "claude", "--yes"], { cwd });
    expect(readFileSync(settings(cwd), "utf8")).toBe('{\n  "model": "b"\n}\n');
  });

  test("gets only the difference when the policy changes, and is restored to what it was at first", async () => {
    const cwd = project({ ".home/.claude/settings.json": '{\n  "hooks": {}\n}\n' });
    await install(cwd, "claude", "--yes");
    writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify({ stop: [{ type: "command", command: "true" }] }));
    const { stdout } = await install(cwd, "claude", "--yes");
    expect(stdout).toContain('-    "SessionStart": [');
    expect(Object.keys(JSON.parse(readFileSync(settings(cwd), "utf8")).hooks)).toEqual([
      "PreToolUse",
      "Stop",
      "ConfigChange",
    ]);
    await hooksh(["uninstall", "claude", "--yes"], { cwd });
    expect(readFileSync(settings(cwd), "utf8")).toBe('{\n  "hooks": {}\n}\n');
  });

  test("registers guards_stay where tool calls are judged, unless --without-guards-stay", async () => {
    const cwd = project({ "hooks.yaml": JSON.stringify({ stop: [{ type: "command", command: "true" }] }) });
    const lines = () =>
      [...readFileSync(settings(cwd), "utf8").matchAll(/--event (\w+).*?(--guards-stay|--deadline)/g)].map(
        ([, event, flag]) => `${event} ${flag}`,
      );
    await install(cwd, "claude", "--yes");
    expect(lines()).toContain("PreToolUse --guards-stay");
    expect(lines()).toContain("Stop --deadline");
    const status = async () => (await hooksh(["status", "claude"], { cwd })).stdout;
    expect(await status()).toContain("    guards_stay: on\n");
    expect((await hooksh(["diff", "claude"], { cwd })).stdout).toBe("claude: no difference\n");
    await install(cwd, "claude", "--yes", "--without-guards-stay");
    expect(lines().filter((line) => line.includes("guards-stay"))).toEqual([]);
    expect(await status()).toContain("    guards_stay: off: ");
    await hooksh(["uninstall", "claude", "--yes"], { cwd });
    expect(existsSync(settings(cwd))).toBe(false);
  });

  test("is kept as a backup that only the user can read", async () => {
    const cwd = project({ ".home/.claude/settings.json": '{"secret": 1}' });
    const { stdout } = await install(cwd, "claude", "--yes");
    const backup = /\(backup: (.*)\)/.exec(stdout)?.[1] ?? "";
    expect(readFileSync(backup, "utf8")).toBe('{"secret": 1}');
    expect(statSync(backup).mode & 0o777).toBe(0o600);
  });

  test("is not written if its backup cannot be kept", async () => {
    const cwd = project({
      ".home/.claude/settings.json": "{}",
      ".home/.hooksh/hosts": "a file in the place of the folder",
    });
    const { code, stderr } = await install(cwd, "claude", "--yes");
    expect(code).toBe(1);
    expect(stderr).toStartWith(`${settings(cwd)}: its backup cannot be kept in ${join(cwd, ".home/.hooksh")}: `);
    expect(readFileSync(settings(cwd), "utf8")).toBe("{}");
  });

  test("keeps its mode, and a symbolic link to it stays one", async () => {
    const cwd = project({ "dotfiles/claude.json": '{"a": 1}' });
    chmodSync(join(cwd, "dotfiles/claude.json"), 0o640);
    mkdirSync(dirname(settings(cwd)), { recursive: true });
    symlinkSync("../../dotfiles/claude.json", settings(cwd));
    expect((await install(cwd, "claude", "--yes")).code).toBe(0);
    expect(lstatSync(settings(cwd)).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "dotfiles/claude.json"), "utf8")).toContain("PreToolUse");
    expect(statSync(join(cwd, "dotfiles/claude.json")).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(cwd, "dotfiles"))).toEqual(["claude.json"]);
  });

  test.each([
    ["a syntax error", '{"a": 1,}', ":1:9: "],
    ["comments, which Claude Code does not read", '{\n  // c\n  "a": 1\n}', ":2:3: "],
    ["an empty list of hooks", '{"hooks": []}', ":1:11: expected an object"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]).toString("latin1"), ": "],
  ])("is never rewritten if it has %s", async (name, text, place) => {
    const cwd = project();
    mkdirSync(dirname(settings(cwd)), { recursive: true });
    const bytes = Buffer.from(text, name.includes("UTF-8") ? "latin1" : "utf8");
    writeFileSync(settings(cwd), bytes);
    for (const verb of ["install", "uninstall"]) {
      const args = verb === "install" ? ["--file", "hooks.yaml"] : [];
      const { code, stderr } = await hooksh([verb, "claude", "--yes", ...args], { cwd });
      expect(code).toBe(1);
      expect(stderr).toStartWith(`${settings(cwd)}${place}`);
    }
    expect(readFileSync(settings(cwd))).toEqual(bytes);
  });

  test("is not written if it is read-only", async () => {
    const cwd = project({ ".home/.claude/settings.json": "{}" });
    chmodSync(settings(cwd), 0o444);
    const { code, stderr } = await install(cwd, "claude", "--yes");
    expect([code, stderr]).toEqual([
      1,
      `${settings(cwd)}: is read-only; to let hooksh edit it: chmod u+w ${settings(cwd)}\n`,
    ]);
    expect(readFileSync(settings(cwd), "utf8")).toBe("{}");
  });

  test.skipIf(process.getuid?.() !== 0)("is not written if it is another user's", async () => {
    const cwd = project({ ".home/.claude/settings.json": "{}" });
    chownSync(settings(cwd), 12345, 12345);
    const { code, stderr } = await install(cwd, "claude", "--yes");
    expect([code, stderr]).toEqual([
      1,
      `${settings(cwd)}: belongs to another user; hooksh writes only your own files\n`,
    ]);
  });

  test("is not replaced if it is a program that hooksh did not write", async () => {
    const cwd = project({
      ".home/.cline/hooks/PreToolUse!x": "#!/bin/sh\nguard\n",
      ".home/.config/opencode/plugins/hooksh.js": "export {};\n",
    });
    for (const host of ["cline-sdk", "opencode"]) {
      const { code, stderr } = await install(cwd, host, "--yes");
      expect(code).toBe(1);
      expect(stderr).toContain("not written by hooksh");
    }
    expect(readFileSync(join(cwd, ".home/.cline/hooks/PreToolUse"), "utf8")).toBe("#!/bin/sh\nguard\n");
  });

  test("is not removed if it is a program of hooksh that was changed by hand", async () => {
    const cwd = project();
    for (const [host, name] of [
      ["cline-sdk", ".cline/hooks/PreToolUse"],
      ["opencode", ".config/opencode/plugins/hooksh.js"],
    ] as const) {
      await install(cwd, host, "--yes");
      const path = join(cwd, ".home", name);
      writeFileSync(path, `${readFileSync(path, "utf8")}\n# or // mine\n`);
      const { code, stderr } = await hooksh(["uninstall", host, "--yes"], { cwd });
      expect([code, stderr]).toEqual([1, `${path}: changed since hooksh wrote it; remove it yourself\n`]);
      expect(existsSync(path)).toBe(true);
    }
  });
});

describe("hooks", () => {
  test("of the user alone are installed without --file, and the command names no file", async () => {
    const cwd = project({ ".home/.config/hooksh/hooks.d/guard.yaml": POLICY });
    expect((await hooksh(["install", "claude", "--yes"], { cwd })).code).toBe(0);
    expect(readFileSync(settings(cwd), "utf8")).not.toContain("--hooks-file");
  });

  test("are needed: a hooks.yaml of the directory counts only if it is named", async () => {
    const { code, stderr } = await hooksh(["install", "claude", "--yes"], { cwd: project() });
    expect(code).toBe(1);
    expect(stderr).toStartWith("no hooks to install: ");
  });

  test("that are broken are not installed", async () => {
    const cwd = project({ "hooks.yaml": "pre_tool_use: 1\n" });
    const { code, stderr } = await install(cwd, "claude", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("hooks.yaml:1:");
    expect(existsSync(settings(cwd))).toBe(false);
  });
});

test("uninstall names the flag for the scope in which hooksh is registered", async () => {
  const cwd = project();
  await install(cwd, "claude", "--project", "--yes");
  const { code, stdout } = await hooksh(["uninstall", "claude"], { cwd });
  const registered = join(cwd, ".claude", "settings.json");
  expect([code, stdout]).toEqual([
    0,
    `${settings(cwd)}: nothing to remove; hooksh is registered in ${registered}: use --project\n`,
  ]);
});

test("install --project in a folder of a repository names the repository", async () => {
  const root = project({ ".git/HEAD": "ref: refs/heads/main\n", "web/hooks.yaml": POLICY, "web/.home/.keep": "" });
  const note = (folder: string) => `note: ${folder} is a folder of the repository ${root}; `;
  const inFolder = await install(join(root, "web"), "claude", "--project", "--yes");
  const inRoot = await install(root, "claude", "--project", "--yes");
  expect(inFolder.stdout).toContain(note(join(root, "web")));
  expect(inRoot.stdout).not.toContain("of the repository");
});

test("the words of the shell's completion name the hosts", async () => {
  const { complete } = await import("../../src/commands/completion/complete.ts");
  const { COMMANDS } = await import("../../src/commands/index.ts");
  const directories = { config: "/nonexistent", data: "/nonexistent", cache: "/nonexistent" };
  const { candidates } = await complete(["install", "cl"], { commands: COMMANDS, directories });
  expect(candidates.map(({ word }) => word)).toEqual(["claude", "cline", "cline-sdk"]);
});

describe("usage", () => {
  test.each([
    [["install"], "install takes one host"],
    [["install", "cladue"], "did you mean claude?"],
    [["install", "claude", "--user", "--project"], "cannot be used together"],
    [["install", "kimi", "--project", "--file", "hooks.yaml"], "kimi reads no hooks of a project; use --user"],
    [["install", "claude", "--trust", "--file", "hooks.yaml"], "--trust works only for codex, not for claude"],
    [["uninstall"], "uninstall takes one host"],
    [["canary"], "canary takes one host"],
    [["status", "claude", "codex"], "status takes one host, not 2"],
  ])("%j", async (args, message) => {
    const { code, stderr } = await hooksh(args, { cwd: project() });
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });

  test("a usage error names the help of the command", async () => {
    const { stderr } = await hooksh(["install", "cladue"], { cwd: project() });
    expect(stderr).toEndWith("\nRun `hooksh install --help` for help\n");
  });

  test("antigravity is another name of agy, and copilot-pascal is installed as copilot", async () => {
    expect((await install(project(), "antigravity", "--dry-run")).stdout).toContain("--dialect agy ");
    expect((await install(project(), "copilot-pascal", "--dry-run")).stdout).toContain("--dialect copilot ");
  });
});
