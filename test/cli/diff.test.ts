import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh, type Ran } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const POLICY = `pre_tool_use:
  - matcher: shell
    hooks: { type: command, command: "true" }
stop: { type: command, command: "true" }
`;

/** A project with a hooks file that is installed for the user. */
async function installed(host: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = realpathSync(tempDir({ "hooks.yaml": POLICY, ".home/.keep": "", ...files }));
  const run = (...args: string[]): Promise<Ran> => hooksh(args, { cwd });
  expect((await run("install", host, "--file", "hooks.yaml", "--yes")).code).toBe(0);
  return { cwd, run, home: join(cwd, ".home") };
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

describe("diff", () => {
  test.each([
    ["claude"],
    ["codex"],
    ["gemini"],
    ["agy"],
    ["copilot"],
    ["vscode"],
    ["cursor"],
    ["windsurf"],
    ["q"],
    ["kiro"],
    ["cline"],
    ["cline-sdk"],
    ["droid"],
    ["qwen"],
    ["grok"],
    ["kimi"],
    ["opencode"],
    ["goose"],
    ["crush"],
    ["openhands"],
    ["vibe"],
  ])("%s has no difference after install", async (host) => {
    const { run } = await installed(host);
    const ran = await run("diff", host);
    expect([ran.code, ran.stdout]).toEqual([0, `${host}: no difference\n`]);
    expect(JSON.parse((await run("diff", "--json")).stdout)).toMatchObject([{ host, registered: true, drift: [] }]);
  });

  test("says which events are not registered, and which ones no hook needs", async () => {
    const { cwd, run } = await installed("claude");
    writeFileSync(join(cwd, "hooks.yaml"), POLICY.replace("stop:", "session_start:"));
    const { code, stdout } = await run("diff", "claude");
    expect(code).toBe(1);
    expect(stdout).toContain("claude: missing: SessionStart is not registered\n");
    expect(stdout).toMatch(/^\.home\/\.claude\/settings\.json:\d+:\d+: not needed: Stop: no hook or rule needs it$/m);
  });

  test("says what was changed in an entry, by hand or by an editor", async () => {
    const { run, home } = await installed("claude");
    const settings = join(home, ".claude/settings.json");
    edit(settings, (text) =>
      text.replace('"timeout": 60', '"timeout": 6').replace(/--deadline \S+?(?=")/, "--deadline 99s"),
    );
    const { code, stdout } = await run("diff", "claude");
    expect(code).toBe(1);
    expect(stdout).toContain("changed: PreToolUse: timeout is 6, and install writes 60\n");
    expect(stdout).toMatch(/changed: PreToolUse: --deadline is 99s, and install writes \S+\n/);
    edit(settings, (text) => text.replace('"PreToolUse": [\n      {', '"PreToolUse": [\n      { "matcher": "Bash",'));
    expect((await run("diff", "claude")).stdout).toContain(
      'changed: PreToolUse: the matcher "Bash" keeps it from running for other calls\n',
    );
  });

  test("says which hooks of the agent hooksh does not have, and which ones run twice", async () => {
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] };
    const { cwd, run } = await installed("claude", { ".claude/settings.json": JSON.stringify({ hooks }) });
    const unknown = await run("diff", "claude");
    expect(unknown.stdout).toBe(
      '.claude/settings.json:1:52: unknown hook: pre_tool_use "check": hooksh does not have it\n',
    );
    appendFileSync(
      join(cwd, "hooks.yaml"),
      "permission_request:\n  - hooks: { type: command, command: other, dialect: claude }\n",
    );
    edit(join(cwd, "hooks.yaml"), (text) =>
      text.replace(
        'hooks: { type: command, command: "true" }',
        "hooks: { type: command, command: check, dialect: claude }",
      ),
    );
    const twice = await run("diff", "claude");
    expect(twice.stdout).toContain(
      '.claude/settings.json:1:52: runs twice: pre_tool_use "check": hooksh runs it too\n',
    );
    expect(twice.stdout).toContain("claude: missing: PermissionRequest is not registered\n");
    expect([unknown.code, twice.code]).toEqual([1, 1]);
  });

  test("says which entries point to files that do not exist", async () => {
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "./gone.sh" }] }] };
    const { cwd, run } = await installed("codex", { ".codex/hooks.json": JSON.stringify({ hooks }) });
    expect((await run("diff", "codex")).stdout).toContain('.codex/hooks.json:1:29: broken: "./gone.sh": no such file');
    rmSync(join(cwd, "hooks.yaml"));
    const { code, stdout } = await run("diff", "codex");
    expect(code).toBe(1);
    expect(stdout).toContain(`broken: PreToolUse: ${cwd}/hooks.yaml does not exist\n`);
  });

  test("names the place of a syntax error, and still compares the other files", async () => {
    const { run } = await installed("claude", { ".claude/settings.json": '{\n "hooks": ' });
    const { code, stdout } = await run("diff", "claude");
    expect([code, stdout]).toEqual([1, ".claude/settings.json:2:11: broken: not valid JSON: value expected\n"]);
  });

  test("without a host compares every agent in which hooksh is registered", async () => {
    const { run, home } = await installed("claude");
    expect((await run("install", "gemini", "--file", "hooks.yaml", "--yes")).code).toBe(0);
    rmSync(join(home, ".claude/settings.json"));
    expect(existsSync(join(home, ".gemini/settings.json"))).toBe(true);
    expect((await run("diff")).stdout).toEndWith("gemini: no difference\n");
    const none = await hooksh(["diff"], { cwd: tempDir() });
    expect([none.code, none.stdout]).toEqual([0, "hooksh is not registered in any agent\n"]);
  });

  test("with --file compares with another hooks file", async () => {
    const { cwd, run } = await installed("claude");
    writeFileSync(join(cwd, "other.yaml"), POLICY);
    const { code, stdout } = await run("diff", "claude", "--file", "other.yaml");
    expect(code).toBe(1);
    expect(stdout).toContain(`changed: Stop: it runs the hooks of ${cwd}/hooks.yaml\n`);
  });

  test("an unknown host is a usage error", async () => {
    const ran = await hooksh(["diff", "clade"], { cwd: tempDir() });
    expect([ran.code, ran.stderr.includes("did you mean claude?")]).toEqual([64, true]);
  });
});

describe("import after install", () => {
  test.each([["cline"], ["opencode"], ["claude"], ["kimi"]])("of %s takes no entry of hooksh", async (host) => {
    const { run } = await installed(host);
    const { code, stdout, stderr } = await run("import", host);
    expect([code, stdout.includes("command:")]).toEqual([0, false]);
    expect(stderr).toContain("it starts hooksh itself");
  });
});
