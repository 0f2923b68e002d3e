import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
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
    expect(Object.keys(hooks).sort()).toEqual(["ConfigChange", "PreToolUse", "SessionStart"]);
    const [entry] = hooks.PreToolUse[0].hooks;
    expect(entry).toMatchObject({ type: "command", onFailure: "block" });
    expect(entry.command).toContain(
      `dispatch --dialect claude --event PreToolUse --hooks-file ${cwd}/hooks.yaml --proof --deadline `,
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

  test("names each rule: through hooksh dispatch, or not where the agent lacks the event", async () => {
    const rules = `rules:
  - { name: push, deny: no, when: { effect: git-history } }
  - { name: late, warn: hm, on: [stop, session_end], when: { time: "22:00-06:00" } }
`;
    const ran = await exported("crush", rules);
    expect(ran.stderr).toContain(
      'hooks.yaml:2: mapped: pre_tool_use rule "push": through hooksh dispatch on PreToolUse\n',
    );
    expect(ran.stderr).toContain('hooks.yaml:3: not mapped: session_end rule "late": the host has no such event\n');
    expect(ran.stderr.trimEnd()).toEndWith("0 hooks, 3 rules: 1 mapped, 2 not mapped");
    expect(JSON.parse(ran.stdout).hooks.PreToolUse[0].command).toContain("--hooks-file");
    expect((await exported("crush", rules, ["--strict"])).code).toBe(1);
    expect((await exported("claude", rules, ["--strict"])).code).toBe(0);
    // A script of the agent itself runs through hooksh, too, where a rule judges the same event.
    const native = `${rules}pre_tool_use: [{ hooks: { type: command, command: ./own.sh, dialect: claude } }]\n`;
    const both = await exported("claude", native);
    expect(both.stdout).not.toContain("own.sh");
    expect(both.stderr).toContain("through hooksh dispatch on PreToolUse");
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

const samples = join(import.meta.dir, "../dialects/translate/samples");

describe("import and export", () => {
  const FILES: readonly (readonly [host: string, original: string, target?: string])[] = [
    ["agy", "home/.gemini/config/hooks.json"],
    ["claude", "home/.claude/settings.json"],
    ["claude", "project/.claude/settings.json"],
    ["codex", "project/.codex/hooks.json"],
    ["codex", "home/.codex/config.toml", "home/.codex/hooks.json"],
    ["copilot", "project/.github/hooks/guard.json"],
    ["crush", "project/crush.json"],
    ["cursor", "home/.cursor/hooks.json"],
    ["cursor", "project/.cursor/hooks.json"],
    ["droid", "home/.factory/settings.json"],
    ["gemini", "home/.gemini/settings.json"],
    ["gemini", "project/.gemini/settings.json"],
    ["grok", "project/.grok/hooks/guard.json"],
    ["kimi", "home/.kimi-code/config.toml"],
    ["kiro", "project/.kiro/hooks/guard.json"],
    ["openhands", "project/.openhands/hooks.json"],
    ["q", "project/.amazonq/cli-agents/dev.json"],
    ["qwen", "home/.qwen/settings.json"],
    ["vibe", "project/.vibe/hooks.toml"],
    ["windsurf", "project/.windsurf/hooks.json"],
  ];

  test.each(FILES.map(([host, original, target = original]) => [host, original, target] as const))(
    "of %s, %s, lose nothing that both can say",
    async (host, original, target) => {
      const dir = realpathSync(tempDir());
      cpSync(join(samples, host), dir, { recursive: true });
      for (const folder of ["home", "project"]) mkdirSync(join(dir, folder), { recursive: true });
      const run = (args: string[]) => hooksh(args, { cwd: join(dir, "project"), env: { HOME: join(dir, "home") } });
      const scope = original.startsWith("home/") ? "--user" : "--project";
      const [from, to] = [join(dir, original), join(dir, target)];
      expect((await run(["import", from, "--output", "one.yaml"])).code).toBe(0);
      const out = await run(["export", host, scope, "--file", "one.yaml", "--output", to, "--force"]);
      expect([out.code, out.stderr.includes("not mapped")]).toEqual([0, false]);
      expect((await run(["import", to, "--dialect", host, "--output", "two.yaml"])).code).toBe(0);
      expect(hooksOf(join(dir, "project/two.yaml"))).toEqual(hooksOf(join(dir, "project/one.yaml")));
    },
  );

  test("give back the entries of Claude Code as they were", async () => {
    const original = {
      hooks: {
        PreToolUse: [
          {
            matcher: "Edit|Write",
            hooks: [{ type: "command", command: "./guard.sh", timeout: 5, onFailure: "block" }],
          },
          { matcher: "mcp__github__.*", hooks: [{ type: "command", command: "a", args: ["b c"], onFailure: "block" }] },
        ],
        Stop: [{ hooks: [{ type: "command", command: "date", shell: "bash", timeout: 60 }] }],
      },
    };
    const cwd = realpathSync(tempDir({ ".claude/settings.json": JSON.stringify(original) }));
    expect((await hooksh(["import", "claude", "--output", "hooks.yaml"], { cwd })).code).toBe(0);
    const { stdout, stderr } = await hooksh(["export", "claude", "--project", "--file", "hooks.yaml"], { cwd });
    expect(JSON.parse(stdout)).toEqual(original);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("3 hooks: 3 mapped");
  });
});

/** The lines of a hooks file that hold hooks. hooksh fails closed before tools, so export always writes that. */
function hooksOf(path: string): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => !/^ *#|^ *on_error: block$/.test(line));
}

describe("export of hooks with the dialect of the agent", () => {
  const script = "{ type: command, command: ./guard.sh, dialect: claude, timeout: 5 }";

  test("together with others of the same event lets hooksh dispatch run both", async () => {
    const hooks = `pre_tool_use:\n  - hooks: ${script}\n  - hooks: { type: command, command: other }\nstop: ${script}\n`;
    const { stdout, stderr } = await exported("claude", hooks);
    const { PreToolUse, Stop } = JSON.parse(stdout).hooks;
    expect([PreToolUse.length, PreToolUse[0].hooks.length]).toEqual([1, 1]);
    expect(PreToolUse[0].hooks[0].command).toContain("dispatch --dialect claude --event PreToolUse");
    expect(Stop[0].hooks[0].command).toBe("./guard.sh");
    expect(stderr).toContain('"./guard.sh": through hooksh dispatch on PreToolUse\n');
  });

  test("writes what the agent has no keys for into the command, and names what is lost", async () => {
    const hooks = `pre_tool_use:
  - matcher: shell|mcp:git:push
    hooks: { type: command, name: guard, command: ./guard.sh, args: [a b], dialect: claude, env: { MODE: it's }, working_dir: /srv/x, strict_output: true, mode: observe, examples: { deny: [x] } }
`;
    const { stdout, stderr } = await exported("claude", hooks);
    const [group] = JSON.parse(stdout).hooks.PreToolUse;
    expect(group.matcher).toBe("Bash|PowerShell|Monitor|REPL|JavaScript|mcp__git__push");
    expect(group.hooks[0].command).toBe("export MODE='it'\\''s'; cd /srv/x && sh -c ./guard.sh sh 'a b'");
    expect(stderr).toContain("mode: observe is not kept: the host enforces the hook; examples are not kept");
    expect(stderr).toContain("name is not kept: the host has none; strict_output is not kept");
  });
});
