import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { hooksh, type Ran } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const samples = join(import.meta.dir, "../dialects/translate/samples");

/** A home directory and a project with the configuration of one agent, written after its public documentation. */
function sampleOf(host: string): { home: string; project: string } {
  const dir = realpathSync(tempDir());
  cpSync(join(samples, host), dir, { recursive: true });
  for (const folder of ["home", "project"]) mkdirSync(join(dir, folder), { recursive: true });
  return { home: join(dir, "home"), project: join(dir, "project") };
}

interface Row {
  status: string;
  place: string;
  host_event: string;
  event?: string;
  matcher?: string;
  remarks: string[];
}

interface Imported extends Ran {
  yaml: string;
  rows: string[];
  report: { hooks: Row[]; notes: string[] };
}

/** Imports into hooks.yaml, and returns each row of the report as `status HOST_EVENT -> EVENT [MATCHER]`. */
async function imported(
  args: readonly string[],
  { home, project }: { home: string; project: string },
): Promise<Imported> {
  const ran = await hooksh(["import", ...args, "--output", "hooks.yaml", "--json"], {
    cwd: project,
    env: { HOME: home },
  });
  const path = join(project, "hooks.yaml");
  const report = ran.code === 0 ? JSON.parse(ran.stdout) : { hooks: [], notes: [] };
  const rows = (report.hooks as Row[]).map(({ status, host_event, event, matcher }) =>
    [status, host_event, ...(event ? ["->", event] : []), ...(matcher ? [matcher] : [])].join(" "),
  );
  return { ...ran, yaml: existsSync(path) ? readFileSync(path, "utf8") : "", rows, report };
}

/** What becomes of every hook of every sample. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  claude: [
    "mapped PreToolUse -> pre_tool_use Bash|shell",
    "mapped PreToolUse -> pre_tool_use Bash|shell",
    "unmapped PreToolUse",
    "mapped UserPromptSubmit -> user_prompt_submit",
    "lossy Notification -> notification",
    "mapped PreToolUse -> pre_tool_use Edit|Write|write_file|edit_file",
    "lossy PreToolUse -> pre_tool_use Edit|Write|write_file|edit_file",
    "lossy PostToolUse -> post_tool_use Write|Edit|NotebookEdit|write_file|edit_file",
    "unmapped Stop",
    "unmapped SubagentStart",
    "duplicate UserPromptSubmit -> user_prompt_submit",
  ],
  codex: [
    "lossy PreToolUse -> pre_tool_use Edit|Write|apply_patch|edit_file|write_file",
    "unmapped Interrupt",
    "lossy PreToolUse -> pre_tool_use Bash|shell",
    "mapped Stop -> stop",
  ],
  gemini: [
    "mapped BeforeTool -> pre_tool_use .*(?:write_file|replace).*|write_file|edit_file",
    "lossy BeforeTool -> pre_tool_use .*(?:write_file|replace).*|write_file|edit_file",
    "mapped BeforeAgent -> user_prompt_submit",
    "unmapped BeforeToolSelection",
    "lossy AfterTool -> post_tool_use .*(?:^run_shell_command$).*|shell",
  ],
  agy: [
    "mapped PreToolUse -> pre_tool_use .*(?:run_command).*|shell",
    "mapped Stop -> stop",
    "mapped preInvocation -> turn_start",
  ],
  copilot: [
    "lossy preToolUse -> pre_tool_use bash|edit|shell|edit_file|write_file",
    "unmapped preToolUse",
    "unmapped sessionStart",
    "mapped PostToolUse -> post_tool_use Edit|edit_file",
  ],
  vscode: ["lossy PreToolUse -> pre_tool_use run_in_terminal|shell", "mapped agentStop -> stop"],
  cursor: [
    "lossy beforeShellExecution -> pre_tool_use Shell|shell",
    "lossy stop -> stop",
    "mapped preToolUse -> pre_tool_use .*(?:Shell|Write).*|shell|edit_file|write_file",
    "lossy afterFileEdit -> post_tool_use Write|write_file|edit_file",
    "unmapped afterAgentThought",
  ],
  windsurf: [
    "lossy pre_run_command -> pre_tool_use pre_run_command|shell",
    "mapped pre_mcp_tool_use -> pre_tool_use mcp:.*",
    "mapped pre_user_prompt -> user_prompt_submit",
  ],
  q: [
    "mapped agentSpawn -> session_start",
    "lossy preToolUse -> pre_tool_use execute_bash|shell",
    "lossy preToolUse -> pre_tool_use @git/.*|mcp:git:.*",
    "lossy postToolUse -> post_tool_use fs_.*|list_directory|search_files_content|read_file|write_file|edit_file",
  ],
  kiro: [
    "mapped PreToolUse -> pre_tool_use .*(?:execute_bash|fs_write).*|shell|write_file|edit_file",
    "unmapped Stop",
    "unmapped PostToolUse",
    "lossy AgentSpawn -> session_start",
    "mapped agentStop -> stop",
  ],
  cline: ["mapped PreToolUse -> pre_tool_use", "unmapped "],
  "cline-sdk": ["mapped PreToolUse -> pre_tool_use"],
  droid: ["lossy PreToolUse -> pre_tool_use Execute|shell", "mapped Stop -> stop"],
  qwen: ["lossy PreToolUse -> pre_tool_use run_shell_command|edit|shell|edit_file", "mapped SessionEnd -> session_end"],
  grok: ["mapped PreToolUse -> pre_tool_use .*(?:run_terminal_command|write).*|shell|write_file"],
  kimi: ["mapped PreToolUse -> pre_tool_use .*(?:Bash).*|shell", "mapped Stop -> stop", "unmapped PostToolUse"],
  goose: ["mapped PreToolUse -> pre_tool_use .*(?:^shell$).*|shell"],
  crush: ["mapped pre_tool_use -> pre_tool_use .*(?:^(bash|edit)$).*|shell|edit_file"],
  openhands: ["mapped PreToolUse -> pre_tool_use terminal|shell", "unmapped PreToolUse"],
  vibe: ["lossy pre_tool -> pre_tool_use (?i:bash)|shell", "mapped before_tool -> pre_tool_use (?i:serena_.*)"],
  opencode: ["unmapped "],
};

describe.each(Object.entries(EXPECTED))("import %s", (host, expected) => {
  test("reports each hook, and writes a file that hooksh reads", async () => {
    const sample = sampleOf(host);
    const ran = await imported([host], sample);
    expect(ran.stderr).toBe("");
    expect(ran.rows).toEqual([...expected]);
    expect(ran.report.hooks.filter(({ status, remarks }) => status !== "mapped" && remarks.length === 0)).toEqual([]);
    const list = await hooksh(["hooks", "list", "--hooks-file", "hooks.yaml", "--json"], { cwd: sample.project });
    expect(list.code).toBe(0);
    const written = ran.report.hooks.filter(({ status }) => status === "mapped" || status === "lossy");
    expect(JSON.parse(list.stdout)).toHaveLength(written.length);
  });
});

test("every agent whose files are known has a sample", () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(
    [...new Bun.Glob("*").scanSync({ cwd: samples, onlyFiles: false })].sort(),
  );
});

describe("import", () => {
  const CLAUDE = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] } };

  test("prints the hooks on standard output and a line for each on standard error, with its place", async () => {
    const { home, project } = sampleOf("codex");
    const ran = await hooksh(["import", "codex"], { cwd: project, env: { HOME: home } });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("pre_tool_use:\n");
    expect(ran.stdout).toContain("dialect: codex\n");
    expect(ran.stderr.split("\n")).toContain('~/.codex/config.toml:17:10: mapped: Stop "say done"');
    expect(ran.stderr.trimEnd().split("\n").at(-1)).toBe("4 hooks: 1 mapped, 2 mapped with loss, 1 not mapped");
  });

  test("keeps the timeout in seconds, fail-closed switches, variables, arguments and the folder of a script", async () => {
    const { yaml } = await imported(["claude"], sampleOf("claude"));
    const block = yaml.slice(yaml.indexOf("no-force-push"), yaml.indexOf("audit"));
    expect(block).toContain("timeout: 10\n");
    expect(block).toContain("on_error: block\n");
    expect(yaml).toContain(
      'command: exec "$@"\n        args:\n          - audit\n          - --agent\n          - claude code\n',
    );
    expect(yaml).toMatch(/command: \.claude\/hooks\/protect\.sh\n +dialect: claude\n +working_dir: .*\/project\n/);
    const gemini = await imported(["gemini"], sampleOf("gemini"));
    expect(gemini.yaml).toMatch(/timeout: 5\n/);
    expect(gemini.yaml).toMatch(/env:\n +MODE: strict\n/);
    expect(gemini.report.hooks[1]?.remarks).toContain("timeout 30 means 30 ms here: were seconds meant?");
    const codex = await imported(["codex"], sampleOf("codex"));
    expect(codex.report.hooks[0]?.remarks).toContain("timeout 5000 means 5000 s here: were milliseconds meant?");
  });

  test.each([
    ["qwen", "check", "timeout: 5"],
    ["codex", "~/bin/check-command", "timeout: 1"],
    ["kiro", "./warm-up", "timeout: 86400"],
    ["vibe", "./guard.sh", "timeout: 11"],
    ["grok", "./guard.sh", "timeout: 5"],
    ["kimi", "notify done", "timeout: 30"],
    ["cline", "PreToolUse", "timeout: 30"],
    ["cline-sdk", "PreToolUse.py", "timeout: 120"],
  ])("of %s, %s, gives the hook the time that the agent gave it: %s", async (host, command, timeout) => {
    const { yaml } = await imported([host], sampleOf(host));
    const [, hook = ""] = yaml.split(new RegExp(`command: .*${RegExp.escape(command)}"?\n`));
    expect(hook.split(/^ *(?:#|- )/m)[0]).toContain(`${timeout}\n`);
  });

  test("writes no time for agents that end no hook, and for those whose default is that of hooksh", async () => {
    for (const host of ["windsurf", "droid"])
      expect((await imported([host], sampleOf(host))).yaml).not.toContain("timeout");
  });

  test("a guard that was imported holds under another agent", async () => {
    const denial = {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
    };
    const guard = `#!/bin/sh\ngrep -q '"Bash"' && echo '${JSON.stringify(denial)}'\n`;
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: ".claude/guard.sh" }] }] };
    const project = tempDir({ ".claude/settings.json": JSON.stringify({ hooks }), ".claude/guard.sh!x": guard });
    await imported(["claude"], { home: tempDir(), project });
    const payload = {
      conversation_id: "c",
      hook_event_name: "preToolUse",
      cursor_version: "3.5.0",
      workspace_roots: [project],
      tool_name: "Shell",
      tool_input: { command: "ls" },
    };
    const args = ["dispatch", "--dialect", "cursor", "--event", "preToolUse", "--hooks-file", "hooks.yaml"];
    const ran = await hooksh(args, { cwd: project, input: JSON.stringify(payload) });
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([
      0,
      { permission: "deny", user_message: "no", agent_message: "no" },
    ]);
  });

  test("says which settings keep the agent from running its hooks", async () => {
    const { report } = await imported(["claude"], sampleOf("claude"));
    expect(report.notes).toContain(
      ".claude/settings.local.json:5:22: disableAllHooks is true: no hook runs in the host, but the imported ones do",
    );
    const droid = await imported(["droid"], sampleOf("droid"));
    expect(droid.report.notes.join("\n")).toContain('.factory/hooks.json:1:12: the host ignores events below "hooks"');
  });

  test("does not import what hooksh install has written", async () => {
    const command = '"/usr/local/bin/hooksh" dispatch --dialect claude --event PreToolUse --hooks-file /a.yaml';
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] };
    const home = tempDir({ ".claude/settings.json": JSON.stringify({ hooks }) });
    const { rows, report } = await imported(["claude"], { home, project: tempDir() });
    expect(rows).toEqual(["unmapped PreToolUse"]);
    expect(report.hooks[0]?.remarks).toEqual(["it starts hooksh itself"]);
  });

  test("reads the plugins of Claude Code that are installed here and not turned off", async () => {
    const plugin = (name: string) => ({
      [`cache/${name}/hooks/hooks.json`]: JSON.stringify({
        hooks: { Stop: [{ hooks: [{ type: "command", command: `"${"${CLAUDE_PLUGIN_ROOT}"}/${name}.sh"` }] }] },
      }),
    });
    const home = realpathSync(
      tempDir({ ...plugin("on"), ...plugin("off"), ...plugin("elsewhere"), ...plugin("gone") }),
    );
    const install = (name: string, more = {}) => [{ scope: "user", installPath: join(home, "cache", name), ...more }];
    const installed = {
      "on@m": install("on"),
      "off@m": install("off"),
      "x@m": install("elsewhere", { projectPath: "/x" }),
    };
    await Bun.write(
      join(home, ".claude/plugins/installed_plugins.json"),
      JSON.stringify({ version: 2, plugins: installed }),
    );
    await Bun.write(join(home, ".claude/settings.json"), JSON.stringify({ enabledPlugins: { "off@m": false } }));
    const { rows, yaml } = await imported(["claude"], { home, project: tempDir() });
    expect(rows).toEqual(["mapped Stop -> stop"]);
    expect(yaml).toContain(`CLAUDE_PLUGIN_ROOT: ${home}/cache/on\n`);
  });

  test("says when two agents start the same command", async () => {
    const home = tempDir({
      ".claude/settings.json": JSON.stringify(CLAUDE),
      ".codex/hooks.json": JSON.stringify({
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ command: "check" }] }] },
      }),
    });
    const { report, rows, yaml } = await imported(["claude", "codex"], { home, project: tempDir() });
    expect(rows.at(-1)).toBe("duplicate PreToolUse -> pre_tool_use Bash|shell");
    expect(report.hooks.at(-1)?.remarks).toEqual([
      "the same hook as ~/.claude/settings.json:1:52, which speaks claude; hooksh runs it for every agent",
    ]);
    expect(yaml.match(/command: check/g)).toHaveLength(1);
  });

  test("says when the same command would run with two matchers", async () => {
    const groups = ["Bash", "Edit"].map((matcher) => ({ matcher, hooks: [{ type: "command", command: "check" }] }));
    const home = tempDir({ ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: groups } }) });
    const { report } = await imported(["claude"], { home, project: tempDir() });
    expect(report.hooks[1]?.remarks).toContain(
      "~/.claude/settings.json:1:52 has the same command: both may run for one event",
    );
  });

  describe("verdicts stay those of the agent", () => {
    const IDIOM = 'input=$(cat); echo "$input" | grep -q "rm -rf" && exit 2';
    const group = (hooks: object[], matcher = "Bash") => [{ matcher, hooks }];
    const settings = (PreToolUse: object[]) => ({
      home: tempDir(),
      project: tempDir({ ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse } }) }),
    });
    const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
    const verdict = async (project: string, cmd: string) => {
      const event = { transcript_path: "/t", hook_event_name: "PreToolUse", tool_name: "Bash" };
      const input = JSON.stringify({ ...event, session_id: "s", cwd: project, tool_input: { command: cmd } });
      const ran = await hooksh(["dispatch", "--dialect", "claude", "--hooks-file", "hooks.yaml"], {
        cwd: project,
        input,
      });
      const said = ran.stdout === "" ? {} : JSON.parse(ran.stdout).hookSpecificOutput;
      return said.permissionDecision ?? "none";
    };

    test.each<[string, object, Record<string, string>]>([
      ["a search that ends with && exit 2", command(IDIOM), { ls: "none", "rm -rf build": "deny" }],
      ["the same, failing closed", command(IDIOM, { onFailure: "block" }), { ls: "deny", "rm -rf build": "deny" }],
      ["a script that is not there", command("./gone.sh"), { ls: "deny" }],
      ["a hook for some commands", command("exit 2", { if: "Bash(rm *)" }), { ls: "none", "cd x && rm y": "deny" }],
      [
        "a hook for a prefix",
        command("exit 2", { if: "Bash(git push:*)" }),
        { "git pull": "none", "git push": "deny" },
      ],
      ["an older allow", command(`echo '{"permissionDecision":"allow"}'`), { ls: "none" }],
      ["an older denial", command(`echo '{"permissionDecision":"deny"}'`), { ls: "deny" }],
      ["context at the top", command(`echo '{"additionalContext":"x"}'`), { ls: "none" }],
    ])("%s", async (_name, hook, verdicts) => {
      const where = settings(group([hook]));
      await imported(["claude"], where);
      for (const [cmd, expected] of Object.entries(verdicts))
        expect([cmd, await verdict(where.project, cmd)]).toEqual([cmd, expected]);
    });

    test("a condition on paths is not kept, and the report says so", async () => {
      const where = settings(group([command("exit 2", { if: "Edit(src/**)" })], "Edit"));
      const { yaml, report } = await imported(["claude"], where);
      expect(yaml).not.toContain("if:");
      expect(report.hooks[0]).toMatchObject({
        status: "lossy",
        remarks: expect.arrayContaining([expect.stringContaining("is not kept")]),
      });
    });

    test("the file and the report show which hooks go on after other exit codes", async () => {
      const { yaml, report } = await imported(["claude"], settings(group([command(IDIOM)])));
      expect(yaml).toContain("other_exit_codes: allow\n");
      expect(report.notes.join("\n")).toContain("remove it from guards that must not fail open");
      const copilot = await imported(["copilot"], sampleOf("copilot"));
      expect(copilot.yaml).not.toContain("other_exit_codes");
    });

    test("a matcher that import wrote is not reported", async () => {
      const where = settings(group([command("exit 0")]));
      const { yaml } = await imported(["claude"], where);
      expect(yaml).toContain("matcher: Bash|shell");
      const listed = await hooksh(["hooks", "list", "--hooks-file", "hooks.yaml"], { cwd: where.project });
      expect(listed.stderr).toBe("");
    });
  });

  describe("--check", () => {
    const guard = (command: string, matcher: string, more: object = {}) => ({
      matcher,
      hooks: [{ type: "command", command, ...more }],
    });
    const checked = async (PreToolUse: object[], args: readonly string[] = ["--check"]) => {
      const project = tempDir({ ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse } }) });
      const ran = await hooksh(["import", "claude", ...args], { cwd: project, env: { HOME: tempDir() } });
      const lines = ran.stderr.trimEnd().split("\n");
      return { ...ran, project, lines: lines.slice(lines.findIndex((line) => /^\d+ hooks?: /.test(line)) + 1) };
    };
    const NO_RM =
      'input=$(cat); echo ran$HOOKSH_REPLAY >> marker; echo "$input" | grep -q "rm -rf" && { echo no rm >&2; exit 2; }';

    test("runs no hook without the flag", async () => {
      const { code, project } = await checked([guard(NO_RM, "Bash")], []);
      expect([code, existsSync(join(project, "marker"))]).toEqual([0, false]);
    });

    test("says that ten calls have the same verdicts, and runs the hook of a command twice for each command", async () => {
      const { code, lines, project } = await checked([guard(NO_RM, "Bash"), guard("exit 2", "Edit|Write|WebFetch")]);
      expect([code, lines]).toEqual([0, ["10 calls: same verdicts"]]);
      expect(readFileSync(join(project, "marker"), "utf8")).toBe("ran1\n".repeat(12));
    });

    test.each<[string, object, string[]]>([
      [
        "a hook that lost its condition on paths",
        guard("echo no docs >&2; exit 2", "Edit", { if: "Edit(docs/**)" }),
        ["edit src/app.ts: claude allows, hooksh denies: no docs", "10 calls: 1 verdict differs"],
      ],
      [
        "a condition on paths that fits",
        guard("echo no src >&2; exit 2", "Edit", { if: "Edit(src/**)" }),
        ["10 calls: same verdicts"],
      ],
      ["a condition on commands", guard("exit 2", "Bash", { if: "Bash(git push:*)" }), ["10 calls: same verdicts"]],
      [
        "an approval that lost its condition",
        guard(`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`, "Read", {
          if: "Read(docs/**)",
        }),
        ["read .env: claude allows, hooksh approves", "10 calls: 1 verdict differs"],
      ],
      [
        "a hook that fails",
        guard("kill -9 $$", "Read"),
        [
          'read .env: claude allows, hooksh denies: pre_tool_use hook failed to execute: hook "kill -9 $$": killed by SIGKILL',
          "10 calls: 1 verdict differs",
        ],
      ],
      ["a hook that fails closed", guard("kill -9 $$", "Read", { onFailure: "block" }), ["10 calls: same verdicts"]],
      [
        "a hook that hooksh cannot run",
        { matcher: "Bash", hooks: [{ type: "http", url: "http://127.0.0.1:9/" }] },
        [
          ".claude/settings.json:1:52: not checked: type http: it posts to a URL; write a command that does this",
          "10 calls: same verdicts, not checked: 1 hook",
        ],
      ],
      [
        "a matcher that hooksh cannot read",
        guard("exit 2", "^(?!Read)"),
        [
          '.claude/settings.json:1:57: not checked: matcher "^(?!Read)": look-around such as (?!...) cannot be expressed in RE2',
          "10 calls: same verdicts, not checked: 1 hook",
        ],
      ],
    ])("%s", async (_name, group, expected) => {
      const { code, lines } = await checked([group]);
      expect(lines).toEqual(expected);
      expect(code).toBe(expected[0] === "10 calls: same verdicts" ? 0 : 1);
    });

    test("a hook that runs only in hooksh shows in the report as JSON", async () => {
      const { code, stdout } = await checked(
        [guard("echo no docs >&2; exit 2", "Edit", { if: "Edit(docs/**)" })],
        ["--check", "--json", "--output", "hooks.yaml"],
      );
      const difference = {
        call: "edit src/app.ts",
        host: "claude",
        agent: { decision: "none" },
        hooksh: { decision: "deny", reason: "no docs" },
      };
      expect([code, JSON.parse(stdout).check]).toEqual([1, { calls: 10, differences: [difference], unchecked: [] }]);
    });

    test("a plugin, which may guard calls, is not checked", async () => {
      const { home, project } = sampleOf("opencode");
      const ran = await hooksh(["import", "opencode", "--check"], { cwd: project, env: { HOME: home } });
      expect([ran.code, ran.stderr.trimEnd().split("\n").at(-1)]).toEqual([
        1,
        "10 calls: same verdicts, not checked: 1 hook",
      ]);
    });

    test("what install wrote, and a hook that is off, are no hooks to check", async () => {
      const own = "hooksh dispatch --dialect claude --event PreToolUse --hooks-file /a.yaml";
      const { code, lines } = await checked([guard(own, "Bash"), guard("exit 2", "Bash", { enabled: false })]);
      expect([code, lines]).toEqual([0, ["10 calls: same verdicts"]]);
    });

    const CODES = { version: 1, hooks: { preToolUse: [{ type: "command", bash: "kill -9 $$" }] } };
    const REGEX = { command: "exit 2", commandRegex: "push" };
    const vscode = { PreToolUse: [{ matcher: "Nothing", hooks: [{ type: "command", command: "exit 2" }] }] };
    const cursor = { version: 1, hooks: { beforeShellExecution: [{ command: "exit 2" }] } };

    test.each<[string, string, string, object, string[]]>([
      ["refuses a call if a hook crashes", "copilot", ".github/hooks/guard.json", CODES, ["10 calls: same verdicts"]],
      ["asks about commands alone", "cursor", ".cursor/hooks.json", cursor, ["10 calls: same verdicts"]],
      [
        "ignores matchers",
        "vscode",
        ".github/hooks/guard.json",
        { hooks: vscode },
        ["ls -la: vscode denies, hooksh allows", "10 calls: 10 verdicts differ"],
      ],
      [
        "has a condition that hooksh does not know",
        "droid",
        ".factory/settings.json",
        { hooks: { PreToolUse: [{ matcher: "Execute", hooks: [{ type: "command", ...REGEX }] }] } },
        [
          ".factory/settings.json:1:55: not checked: hooksh does not know for which calls the agent runs it: commandRegex",
          "10 calls: same verdicts, not checked: 1 hook",
        ],
      ],
    ])("an agent that %s: %s", async (_what, host, path, file, [first, last]) => {
      const cwd = tempDir({ [path]: JSON.stringify(file) });
      const ran = await hooksh(["import", host, "--check"], { cwd, env: { HOME: tempDir() } });
      const lines = ran.stderr.trimEnd().split("\n");
      expect([ran.code === 0, lines.at(-1)]).toEqual([last === undefined, last ?? first ?? ""]);
      expect(lines).toContain(first ?? "");
    });
  });

  test("warns that a guard without its condition may approve more", async () => {
    const { report } = await imported(["claude"], sampleOf("claude"));
    expect(report.hooks[6]?.remarks).toContain("check that it approves no call that this excluded");
    const droid = await imported(["droid"], sampleOf("droid"));
    expect(droid.report.hooks[0]?.remarks.at(-1)).toBe("check that it approves no call that this excluded");
  });

  test("--strict exits 1 if a hook is lost or changed", async () => {
    const { home, project } = sampleOf("codex");
    const strict = await hooksh(["import", "codex", "--strict"], { cwd: project, env: { HOME: home } });
    expect(strict.code).toBe(1);
    const whole = tempDir({ ".claude/settings.json": JSON.stringify(CLAUDE) });
    expect((await hooksh(["import", "claude", "--strict"], { cwd: project, env: { HOME: whole } })).code).toBe(0);
  });
});

describe("import FILE", () => {
  test.each([
    ["claude/home/.claude/settings.json", "claude"],
    ["codex/home/.codex/config.toml", "codex"],
    ["gemini/home/.gemini/settings.json", "gemini"],
    ["agy/home/.gemini/config/hooks.json", "agy"],
    ["copilot/project/.github/hooks/guard.json", "copilot"],
    ["cursor/project/.cursor/hooks.json", "cursor"],
    ["droid/home/.factory/settings.json", "droid"],
    ["qwen/home/.qwen/settings.json", "qwen"],
    ["kimi/home/.kimi-code/config.toml", "kimi"],
  ])("%s is recognised by its path and by its content", async (file, host) => {
    const project = tempDir({
      [`other${file.slice(file.lastIndexOf("."))}`]: readFileSync(join(samples, file), "utf8"),
    });
    for (const path of [join(samples, file), `other${file.slice(file.lastIndexOf("."))}`]) {
      const ran = await hooksh(["import", path], { cwd: project });
      expect(ran.code).toBe(0);
      expect(ran.stdout).toContain(`dialect: ${host}\n`);
    }
  });

  test("--dialect names the agent", async () => {
    const cwd = tempDir({ "a.json": readFileSync(join(samples, "claude/home/.claude/settings.json"), "utf8") });
    const ran = await hooksh(["import", "a.json", "--dialect", "codex"], { cwd });
    expect(ran.stdout).toContain("dialect: codex\n");
    expect(ran.stdout).not.toContain("dialect: claude\n");
  });

  test.each([
    ["a.json", '{\n  "hooks": {,\n}', "a.json:2:13: not valid JSON: "],
    ["a.json", '{"hooks": {}, "hooks": {}}', 'a.json:1:15: repeated key "hooks"'],
    ["a.json", "[".repeat(100_000), "a.json:1:201: nested more than 200 levels deep"],
    ["a.toml", "[[hooks]]\nevent = = 1", "a.toml:2:9: "],
    ["a.json", "{}", "a.json: not the hooks of an agent that hooksh knows: name it with --dialect"],
    ["a.json", '"x"', "a.json: not the hooks of an agent that hooksh knows: name it with --dialect"],
  ])("%s with %p is refused with its place, and nothing is written", async (name, text, message) => {
    const cwd = tempDir({ [name]: text });
    const ran = await hooksh(["import", name, "--output", "out.yaml"], { cwd });
    expect([ran.code === 0, ran.stdout, ran.stderr.startsWith(message)]).toEqual([false, "", true]);
    expect(existsSync(join(cwd, "out.yaml"))).toBe(false);
  });

  test.each([
    [["a.json"], "a.json: no such file"],
    [["./claude"], "claude: no such file"],
    [["b.json", "--dialect", "claude"], "b.json: no hooks of claude found in this file"],
  ])("%p names the file", async (args, message) => {
    const ran = await hooksh(["import", ...args], { cwd: tempDir({ "b.json": "{}" }) });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, "", `${message}\n`]);
  });

  test("parts of a file that are no hooks are reported with their place", async () => {
    const text = '{"hooks": {"PreToolUse": [1, {"hooks": [2, {"command": 3}]}, {"matcher": "x"}], "Stop": {}}}';
    const cwd = tempDir({ ".claude/settings.json": text });
    const { report } = await imported(["claude"], { home: tempDir(), project: cwd });
    expect(report.hooks.map(({ place, remarks }) => `${place} ${remarks}`)).toEqual([
      ".claude/settings.json:1:27 PreToolUse: expected a mapping",
      ".claude/settings.json:1:41 PreToolUse: expected a mapping",
      ".claude/settings.json:1:62 PreToolUse: expected a group with a list under hooks",
      ".claude/settings.json:1:89 Stop: expected a list",
      ".claude/settings.json:1:44 it has no command",
    ]);
  });

  test("a file of more than 5 MiB is refused", async () => {
    const cwd = tempDir({ "a.json": `{"hooks": "${"x".repeat(5 * 1024 * 1024)}"}` });
    const ran = await hooksh(["import", "a.json"], { cwd });
    expect([ran.code, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain("a.json: larger than 5 MiB");
  });

  test("the file of --output is replaced only with --force", async () => {
    const cwd = tempDir({ ".claude/settings.json": "{}", "out.yaml": "mine" });
    const refused = await hooksh(["import", "claude", "--output", "out.yaml"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      "out.yaml: the file exists: name another one, or replace it with --force\n",
    ]);
    expect(readFileSync(join(cwd, "out.yaml"), "utf8")).toBe("mine");
    expect((await hooksh(["import", "claude", "--output", "out.yaml", "--force"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "out.yaml"), "utf8")).not.toBe("mine");
  });

  test.each([
    [["import"], "import takes an agent or a file"],
    [["import", "nothing"], '"nothing" is neither a file nor an agent: claude, '],
    [["import", "claud"], '"claud" is neither a file nor an agent, did you mean claude?'],
    [["import", "claude", "--dialect", "clade"], "--dialect takes "],
    [["import", "claude", "--json"], "--json needs --output"],
    [["import", "docker-agent", "--check"], "import docker-agent takes no --output, --force, --dialect or --check"],
  ])("%p is a usage error", async (args, message) => {
    const ran = await hooksh(args, { cwd: tempDir() });
    expect([ran.code, ran.stdout]).toEqual([64, ""]);
    expect(ran.stderr).toContain(message);
  });
});

test("rules of hooksh in a file of an agent are named, because the agent ignores them", async () => {
  const home = realpathSync(tempDir());
  const project = realpathSync(
    tempDir({
      ".claude/settings.json": JSON.stringify({
        rules: [{ deny: "no", when: { program: "rm" } }],
        hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
      }),
    }),
  );
  const { report } = await imported(["claude"], { home, project });
  expect(report.notes).toContainEqual(
    expect.stringMatching(/settings\.json:1:\d+: rules of hooksh, which the host ignores: not imported/),
  );
});
