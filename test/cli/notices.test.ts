import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const env = { OPENAI_API_KEY: "unused" };

const group = (matcher: string, hook: object = { type: "builtin", command: "add_date" }) => ({
  matcher,
  hooks: [hook],
});
const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const agentFile = (agent: object) =>
  JSON.stringify({ agents: { root: { model: "openai/gpt-4o", description: "d", instruction: "i", ...agent } } });

/** The warnings of `validate` about a hooks file in `cwd`. */
async function warningsOf(hooks: unknown, { cwd = tempDir(), name = "hooks.yaml" } = {}): Promise<string[]> {
  await Bun.write(join(cwd, name), typeof hooks === "string" ? hooks : JSON.stringify(hooks, undefined, 1));
  const ran = await hooksh(["validate", name], { cwd });
  const warnings = ran.stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/^warning: /, ""));
  const count = warnings.length === 0 ? "" : `, ${warnings.length} warning${warnings.length === 1 ? "" : "s"}`;
  expect(ran).toMatchObject({ code: 0, stdout: `${name}: ok${count}\n` });
  return warnings;
}

describe("a matcher that matches no tool", () => {
  test.each([
    ["Bash", 'matcher "Bash" matches no built-in tool; did you mean "shell"?'],
    ["Shell", 'matcher "Shell" matches no built-in tool; did you mean "shell"?'],
    ["shel", 'matcher "shel" matches no built-in tool; did you mean "shell"?'],
    ["write", 'matcher "write" matches no built-in tool; did you mean "write_file"?'],
    [
      "shell|edit_fil",
      'matcher "shell|edit_fil": the name "edit_fil" matches no built-in tool; did you mean "edit_file"?',
    ],
    ["Bash.*", 'matcher "Bash.*" matches no built-in tool'],
    ["deploy", 'matcher "deploy" matches no built-in tool'],
  ])("%s is reported with its place", async (matcher, message) => {
    const text = `pre_tool_use:\n  - matcher: '${matcher}'\n    hooks:\n      - {type: builtin, command: safer_shell}\n      - {type: command, command: 'true'}\n`;
    expect(await warningsOf(text)).toEqual([`hooks.yaml:2:14: hooks.pre_tool_use[0]: ${message}`]);
  });

  test.each([
    "",
    "*",
    "shell",
    "shell|edit_file",
    "read_.*",
    ".*",
    "mcp:.*",
    "shell|mcp:github:.*",
    "mcp__github__create",
    "transfer_task|run_skill",
  ])("%j is not reported", async (matcher) => expect(await warningsOf({ pre_tool_use: [group(matcher)] })).toEqual([]));

  test("is checked against the tools of the agent, if there is one", async () => {
    const hooks = { pre_tool_use: [group("shell"), group("read_file"), group("shell|read_file"), group("greet|gret")] };
    const toolsets = [
      { type: "filesystem", tools: ["read_file"] },
      { type: "script", shell: { greet: { cmd: "echo hi" } } },
    ];
    const cwd = tempDir({ "agent.yaml": agentFile({ hooks, toolsets }) });
    const { stderr } = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(stderr.split("\n").filter(Boolean)).toEqual([
      expect.stringContaining('matcher "shell" matches no tool of agent root; known tools are read_file, greet'),
      expect.stringContaining(
        'matcher "greet|gret": the name "gret" matches no tool of agent root; did you mean "greet"?',
      ),
    ]);
  });

  test("is not reported if a server may provide the tool, unless it misspells a built-in tool", async () => {
    const hooks = { pre_tool_use: [group("create_issue"), group("Bash")] };
    const cwd = tempDir({ "agent.yaml": agentFile({ hooks, toolsets: [{ type: "mcp", command: "sh" }] }) });
    const { stderr } = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(stderr).toMatch(
      /^warning: agent\.yaml:1:\d+: agents\.root\.hooks\.pre_tool_use\[1\]: matcher "Bash" matches no tool of agent root.*\n$/,
    );
  });

  test("fails run and validate --strict, and is reported by doctor and hooks list", async () => {
    const cwd = tempDir({
      "agent.yaml": agentFile({ hooks: { pre_tool_use: [group("Bash")] }, toolsets: [{ type: "shell" }] }),
      "hooks.yaml": JSON.stringify({ pre_tool_use: [group("Shell")] }),
    });
    const message = 'matcher "Bash" matches no tool of agent root; did you mean "shell"?';
    const strict = await hooksh(["validate", "--strict", "agent.yaml"], { cwd });
    expect(strict).toMatchObject({ code: 1, stdout: "" });
    expect(strict.stderr).toMatch(/^agent\.yaml:1:\d+: /);
    expect(strict.stderr).toContain(message);
    const doctor = await hooksh(["doctor", "--json", "agent.yaml"], { cwd, env });
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      issues: expect.arrayContaining([expect.stringContaining(message)]),
    });
    const ofFile =
      'hooks.yaml:1:29: hooks.pre_tool_use[0]: matcher "Shell" matches no built-in tool; did you mean "shell"?';
    const listed = await hooksh(["hooks", "list", "agent.yaml", "--hooks-file", "hooks.yaml"], { cwd, env });
    expect(listed.code).toBe(0);
    expect(listed.stderr.split(message)).toHaveLength(2);
    expect(listed.stderr).toContain(`warning: ${ofFile}`);
    for (const more of [["--dry-run"], ["go"]]) {
      const ran = await hooksh(["run", "agent.yaml", ...more, "--hooks-file", "hooks.yaml"], { cwd, env });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(message);
      expect(ran.stderr).toContain(ofFile);
      expect(ran.stderr).not.toContain("warning");
    }
    const dispatch = await hooksh(["dispatch", "agent.yaml"], { cwd, env, input: '{"hook_event_name":"stop"}' });
    expect(dispatch).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a matcher stops a run only if no part of it can name a tool", () => {
  const server = { type: "mcp", command: "no-such-server" };
  const filesystem = { type: "filesystem" };
  test.each([
    ["a built-in tool that the agent lacks", "fetch", { toolsets: [filesystem] }, 0],
    ["one of several names", "Bash|read_file", { toolsets: [filesystem] }, 1],
    ["a tool that a server may have", "Bash", { toolsets: [server] }, 1],
    ["a tool of a server by its name", "mcp:git:.*", { toolsets: [filesystem] }, 0],
  ])("%s", async (_name, matcher, agent, strict) => {
    const cwd = tempDir({ "agent.yaml": agentFile({ ...agent, hooks: { pre_tool_use: [group(matcher)] } }) });
    expect((await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env })).code).toBe(0);
    expect((await hooksh(["validate", "agent.yaml"], { cwd })).stderr).toContain(`matcher "${matcher}"`);
    expect((await hooksh(["validate", "--strict", "agent.yaml"], { cwd })).code).toBe(strict);
  });

  test.each(["sh*ll", "Bash", "Shell", "deploy", "Bash|Edit"])("%s stops it", async (matcher) => {
    const hooks = { pre_tool_use: [group(matcher)] };
    const cwd = tempDir({
      "agent.yaml": agentFile({ hooks, toolsets: [{ type: "shell" }] }),
      "plain.yaml": agentFile({ toolsets: [{ type: "shell" }] }),
      "config/config.yaml": JSON.stringify({ settings: { hooks } }),
    });
    for (const args of [["agent.yaml"], ["plain.yaml", "--config-dir", "config"]]) {
      const ran = await hooksh(["run", ...args, "go"], { cwd, env });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/yaml:1:\d+: .*hooks\.pre_tool_use\[0\]: matcher /);
    }
  });

  test.each([
    ["Shel", true],
    ["sh*ll", true],
    ["Bash", false], // a tool of Claude Code, whose calls it fits
    ["Shel|shell", false],
  ])("in hooks.d, %s stops run, fails validate --strict and doctor; dispatch warns: %s", async (matcher, warns) => {
    const hooks = JSON.stringify({ pre_tool_use: [group(matcher)] });
    const cwd = tempDir({
      "agent.yaml": agentFile({ toolsets: [{ type: "shell" }] }),
      "config/hooks.d/a.yaml": hooks,
      "hooks.yaml": hooks,
    });
    const isDead = matcher !== "Shel|shell";
    const said = async (args: string[], input = "") => {
      const ran = await hooksh([...args, "--config-dir", "config"], { cwd, env, input });
      return [ran.code, `${ran.stdout}${ran.stderr}`.includes("yaml:1:29: hooks.pre_tool_use[0]: matcher ")];
    };
    expect(await said(["run", "agent.yaml", "--dry-run"])).toEqual([isDead ? 1 : 0, true]);
    expect(await said(["validate", "--strict", "agent.yaml"])).toEqual([isDead ? 1 : 0, isDead]);
    expect(await said(["validate", "agent.yaml"])).toEqual([0, isDead]);
    expect(await said(["doctor", "agent.yaml"])).toEqual([isDead ? 1 : 0, true]);
    const event = '{"hook_event_name":"stop"}';
    expect(await said(["dispatch"], event)).toEqual([0, warns]);
    expect(await said(["dispatch", "--no-user-hooks", "--hooks-file", "hooks.yaml"], event)).toEqual([0, warns]);
    expect(await said(["dispatch", "agent.yaml"], event)).toEqual([0, warns]);
  });

  test("a hook of the user may be for a tool of another agent that hooksh has nothing like", async () => {
    const files = (matcher: string) => ({
      "agent.yaml": agentFile({ toolsets: [{ type: "shell" }] }),
      "hooks.yaml": JSON.stringify({ pre_tool_use: [group(matcher)] }),
    });
    const run = async (matcher: string) =>
      hooksh(["run", "agent.yaml", "--dry-run", "--hooks-file", "hooks.yaml"], { cwd: tempDir(files(matcher)), env });
    expect((await run("ExitPlanMode|AskUserQuestion")).code).toBe(0);
    expect((await run("ExitPlanMod")).code).toBe(1);
    const own = agentFile({ hooks: { pre_tool_use: [group("ExitPlanMode")] }, toolsets: [{ type: "shell" }] });
    const ofFile = await hooksh(["run", "agent.yaml", "--dry-run"], { cwd: tempDir({ "agent.yaml": own }), env });
    expect(ofFile.code).toBe(1);
  });
});

test.each([
  [
    "settings of Claude Code",
    { permissions: {}, hooks: { PreToolUse: [group("Bash")] } },
    "hooks.hooks: unknown event: these are settings of Claude Code; `hooksh import claude` translates their hooks",
  ],
  [
    "an agent file",
    { agents: {}, providers: {} },
    "hooks.agents: unknown event: this is an agent file, which is given as the agent, not as a hooks file",
  ],
])("%s as a hooks file says once where it goes", async (_name, file, message) => {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(file) });
  const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd, input: '{"hook_event_name":"stop"}' });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toEndWith(`${message}\n`);
  expect(ran.stderr.split("\n")).toHaveLength(2);
});

describe("a file that is not read for its name", () => {
  test.each([
    ["config.yml", "config.yml: not read, because its name is not config.yaml"],
    ["hook.d/a.yaml", "hook.d: not read, because its name is not hooks.d"],
    ["hooks.d/a.json", "hooks.d: not read: a.json;"],
    ["hooks.d/a.YML", "hooks.d: not read: a.YML;"],
    ["hooks.d/guard.ts", "hooks.d: not read: guard.ts;"],
    ["hooks.d/guard.js", "hooks.d: not read: guard.js;"],
  ])("%s stops run and validate --strict, and is a warning elsewhere", async (name, message) => {
    const cwd = tempDir({ "agent.yaml": agentFile({}), [`config/${name}`]: "{}" });
    const at = ["--config-dir", "config"];
    for (const args of [
      ["run", "agent.yaml", "--dry-run"],
      ["validate", "--strict", "agent.yaml"],
    ]) {
      const ran = await hooksh([...args, ...at], { cwd, env });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(message);
    }
    for (const args of [
      ["validate", "agent.yaml"],
      ["dispatch"],
      ["run", "agent.yaml", "--dry-run", "--no-user-hooks"],
      ["run", "agent.yaml", "--dry-run", "--skip-broken-hooks"],
    ]) {
      const ran = await hooksh([...args, ...at], { cwd, env, input: '{"hook_event_name":"stop"}' });
      expect(ran.code).toBe(0);
      expect(ran.stderr).toContain(message);
    }
  });

  test.each([
    [{ "config/hooks.d/a.yaml~": "{}" }, "warning"],
    [{ "config/hooks.d/a.bak": "{}" }, "warning"],
    [{ "config/hooks.d/README.md": "" }, ""],
    [{ "config/hooks.d/guard.sh": "" }, ""],
    [
      {
        "config/hooks.d/a.yaml": "stop: [{type: builtin, command: '${hook_dir}/guard.ts'}]",
        "config/hooks.d/guard.ts": "export default () => undefined",
        "config/hooks.d/lib.ts": "",
      },
      "",
    ],
  ])("does not stop a run if it is a backup, a note or part of a hook: %j", async (files, said) => {
    const cwd = tempDir({ "agent.yaml": agentFile({}), ...files });
    const ran = await hooksh(["run", "agent.yaml", "--dry-run", "--config-dir", "config"], { cwd, env });
    expect(ran.code).toBe(0);
    expect(ran.stderr.split(":")[0]).toBe(said);
  });
});

test("hooks of the user that cannot be loaded are a warning of validate, and an error with --strict", async () => {
  const cwd = tempDir({
    "agent.yaml": agentFile({}),
    "hooks.yaml": "stop: []\n",
    "config/hooks.d/a.yaml": "stopp: []\n",
  });
  const message = "config/hooks.d/a.yaml:1:1: hooks.stopp: unknown event, did you mean stop?";
  for (const file of ["agent.yaml", "hooks.yaml"]) {
    const ran = await hooksh(["validate", file, "--config-dir", "config"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stderr.split(message)).toHaveLength(2);
  }
  expect((await hooksh(["validate", "--strict", "agent.yaml", "--config-dir", "config"], { cwd })).code).toBe(1);
});

describe("a permission rule that matches no tool", () => {
  const withRules = (rules: object, toolsets: object[] = [{ type: "shell" }]) =>
    JSON.stringify({
      agents: { root: { model: "openai/gpt-4o", description: "d", instruction: "i", toolsets } },
      permissions: rules,
    });

  async function warnings(text: string): Promise<string[]> {
    const { stderr, code } = await hooksh(["validate", "a.yaml"], { cwd: tempDir({ "a.yaml": text }) });
    expect(code).toBe(0);
    return stderr
      .split("\n")
      .filter(Boolean)
      .map((line) => line.replace(/^warning: a\.yaml:1:\d+: /, ""));
  }

  test("is reported with its place", async () => {
    expect(await warnings(withRules({ deny: ["shell:cmd=rm *", "Bash", "shel:cmd=sudo *", "read_*"] }))).toEqual([
      'permissions.deny[1]: rule "Bash" matches no tool of the agents; did you mean "shell"?',
      'permissions.deny[2]: rule "shel:cmd=sudo *" matches no tool of the agents; did you mean "shell"?',
      'permissions.deny[3]: rule "read_*" matches no tool of the agents; known tools are shell',
    ]);
  });

  test("is not reported if it matches in another case, with a wildcard, or if a server may provide the tool", async () => {
    expect(await warnings(withRules({ allow: ["SHELL", "sh*", "*", "[s]hell"] }))).toEqual([]);
    expect(
      await warnings(withRules({ deny: ["create_issue", "mcp:github:*"] }, [{ type: "mcp", command: "sh" }])),
    ).toEqual([]);
  });

  test("of config.yaml is compared with the built-in tools", async () => {
    const text = "settings: {permissions: {deny: ['shell', 'Bash', 'mcp:x:*']}}\n";
    expect(await warningsOf(text, { name: "c.yaml" })).toEqual([
      'c.yaml:1:42: settings.permissions.deny[1]: rule "Bash" matches no built-in tool; did you mean "shell"?',
    ]);
    const cwd = tempDir({ "agent.yaml": agentFile({}), "config/config.yaml": text });
    const { stderr } = await hooksh(["--config-dir", "config", "run", "agent.yaml", "--dry-run"], { cwd, env });
    expect(stderr).toContain('rule "Bash" matches no built-in tool');
  });
});

test("a broken drop-in stops run, with its place, and --skip-broken-hooks only warns", async () => {
  const cwd = tempDir({
    "agent.yaml": agentFile({}),
    ".home/.config/hooksh/hooks.d/a.yaml": "stop:\n  - {type: command, comand: x}\n",
  });
  const place = `${cwd}/.home/.config/hooksh/hooks.d/a.yaml:2:`;
  const refused = await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toStartWith(place);
  const ran = await hooksh(["run", "agent.yaml", "--dry-run", "--skip-broken-hooks"], { cwd, env });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toStartWith(`warning: skipped hooks: ${place}`);
});

test("a notice about a hook of a flag starts with the flag", async () => {
  const cwd = tempDir({ "agent.yaml": agentFile({ toolsets: [{ type: "shell" }] }) });
  const { stderr } = await hooksh(["hooks", "list", "agent.yaml", "--hook", "pre_tool_use:Bash=true"], { cwd, env });
  expect(stderr).toBe('warning: --hook: matcher "Bash" matches no built-in tool; did you mean "shell"?\n');
});

test("run and doctor report a mistyped variable", async () => {
  const cwd = tempDir({ "agent.yaml": agentFile({}) });
  const message = "HOOKSH_SAFTEY is set and has no effect, did you mean HOOKSH_SAFETY?";
  const mistyped = { ...env, HOOKSH_SAFTEY: "strict", HOOKSH_VERSION: "1", OPENAI_API_BASE: "http://x" };
  const ran = await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env: mistyped });
  expect(ran.stderr.split("\n").sort()).toEqual([
    "",
    `warning: ${message}`,
    "warning: OPENAI_API_BASE is set and has no effect, did you mean OPENAI_BASE_URL?",
  ]);
  const doctor = await hooksh(["doctor", "--json"], { cwd, env: mistyped });
  expect(JSON.parse(doctor.stdout)).toMatchObject({ warnings: expect.arrayContaining([message]) });
});

test("a prompt file that a flag names must exist", async () => {
  const cwd = tempDir({ "agent.yaml": agentFile({}), "NOTES.md": "" });
  const run = (name: string) => hooksh(["run", "agent.yaml", "--dry-run", "--prompt-file", name], { cwd, env });
  expect(await run("NOTES.md")).toMatchObject({ code: 0, stderr: "" });
  expect(await run("NOTE.md")).toMatchObject({
    code: 64,
    stdout: "",
    stderr: expect.stringContaining(`--prompt-file NOTE.md: no such file in ${cwd}, above it or in the home directory`),
  });
  expect(await run("/etc/hosts")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("--prompt-file /etc/hosts: must name a file inside the directory"),
  });
});

describe("a timeout", () => {
  test.each([
    [600, []],
    [601, ["hooks.yaml:6:15: hooks.stop[0]: timeout: 601 seconds are 10 minutes; timeouts are in seconds"]],
    [5000, ["hooks.yaml:6:15: hooks.stop[0]: timeout: 5000 seconds are 83 minutes; timeouts are in seconds"]],
  ])("of %d", async (timeout, expected) =>
    expect(await warningsOf({ stop: [command("true", { timeout })] })).toEqual(expected),
  );
});

describe("the script of a hook", () => {
  test.each([
    ["./guard.sh", '"./guard.sh": no such file: $DIR/guard.sh'],
    ["/nowhere/guard.sh x", '"/nowhere/guard.sh": no such file: /nowhere/guard.sh'],
    ["~/guard.sh", '"~/guard.sh": no such file: $DIR/.home/guard.sh'],
    ["sh guard.sh", '"guard.sh": no such file: $DIR/guard.sh'],
    ["/bin/sh -e guard.sh", '"guard.sh": no such file: $DIR/guard.sh'],
    ["/usr/bin/env python3 ./x.py", '"./x.py": no such file: $DIR/x.py'],
    ["python3 -u ./x.py", '"./x.py": no such file: $DIR/x.py'],
    ["A=1 exec './my guard.sh' --all", '"./my guard.sh": no such file: $DIR/my guard.sh'],
    ['"${hook_dir}/guard.sh"', '"${hook_dir}/guard.sh": no such file: $DIR/guard.sh'],
    ["'${hook_dir}/good.sh'", "${hook_dir} is not expanded inside single quotes: use double quotes"],
    ["jq . \"it's\" | '${hook_dir}/good.sh'", "${hook_dir} is not expanded inside single quotes: use double quotes"],
    ["${hook_dir}/guard.sh | cat", '"${hook_dir}/guard.sh": no such file: $DIR/guard.sh'],
    ["guard.sh", '"guard.sh" is not in PATH; write a path with a slash, such as "${hook_dir}/guard.sh"'],
    ["folder/", '"folder/": is a directory: $DIR/folder'],
    ["./plain.sh", '"./plain.sh": not executable, chmod +x $DIR/plain.sh'],
    [
      "./crlf.sh",
      '"./crlf.sh": its first line ends in a carriage return, save it with Unix line ends (LF): $DIR/crlf.sh',
    ],
    ["./lost.sh", '"./lost.sh": its first line names /no/such/sh, which does not exist: $DIR/lost.sh'],
  ])("%s cannot run", async (text, message) => {
    const cwd = scripts();
    expect(await warningsOf({ stop: [command(text)] }, { cwd })).toEqual([
      `hooks.yaml:5:15: hooks.stop[0]: ${message.replace("$DIR", cwd)}`,
    ]);
  });

  test.each([
    "./good.sh",
    "'./good.sh'",
    '"${hook_dir}/good.sh"',
    `echo "'\${hook_dir}'"`,
    "sh plain.sh",
    "~nobody/guard.sh",
    "true",
    "echo ./nothing.sh",
    "$GUARD",
    "./$GUARD",
    "sh -c './nothing.sh'",
    "python3 -m guard",
    "[ -e ./x ]",
    "cat <<< ./x",
    "./good.sh > ./out",
  ])("%s can run, or it is not known", async (text) =>
    expect(await warningsOf({ stop: [command(text)] }, { cwd: scripts() })).toEqual([]),
  );

  test("is also checked if it is TypeScript", async () => {
    const cwd = scripts();
    expect(
      await warningsOf(
        {
          stop: [
            { type: "builtin", command: "./good.ts" },
            { type: "builtin", command: "./lost.ts" },
          ],
        },
        { cwd },
      ),
    ).toEqual([`hooks.yaml:9:15: hooks.stop[1]: "./lost.ts": no such file: ${cwd}/lost.ts`]);
  });

  test("that is next to the hooks file instead of in the working directory is reported with the right path", async () => {
    const cwd = tempDir({
      "guards/hooks.yaml": JSON.stringify({ stop: [command("sh ./guard.sh")] }),
      "guards/guard.sh": "",
    });
    const { stderr } = await hooksh(["validate", "guards/hooks.yaml"], { cwd });
    expect(stderr).toEndWith(
      `"./guard.sh": no such file: ${cwd}/guard.sh; write "\${hook_dir}/guard.sh" for the file next to this configuration\n`,
    );
  });

  test("is looked up in the hook's own directory", async () => {
    const cwd = scripts();
    expect(await warningsOf({ stop: [command("./good.sh", { working_dir: "folder" })] }, { cwd })).toEqual([
      expect.stringContaining(`"./good.sh": no such file: ${cwd}/folder/good.sh`),
    ]);
  });

  test("that cannot run is an issue of doctor", async () => {
    const cwd = tempDir({ "config/hooks.d/a.yaml": JSON.stringify({ stop: [command("/nowhere/guard.sh")] }) });
    const ran = await hooksh(["--config-dir", "config", "doctor", "--json"], { cwd });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: false,
      issues: [expect.stringContaining('"/nowhere/guard.sh": no such file')],
    });
  });

  /** A directory with scripts, of which `good.sh` and `good.ts` can run. */
  function scripts(): string {
    const cwd = tempDir({
      "good.sh": "#!/bin/sh\n",
      "plain.sh": "#!/bin/sh\n",
      "crlf.sh": "#!/bin/sh\r\nexit 2\r\n",
      "lost.sh": "#!/no/such/sh\n",
      "good.ts": "export default () => undefined;\n",
      "folder/x": "",
    });
    for (const name of ["good.sh", "crlf.sh", "lost.sh"]) chmodSync(join(cwd, name), 0o755);
    return cwd;
  }
});

describe("a relative path in a hook from elsewhere", () => {
  const INSTEAD = 'and the agent can write there; write "${hook_dir}/guard.sh" for the file next to this configuration';

  /** Two directories: hooks in one, and the one in which they run. */
  function places(hook: object, files: Record<string, string> = {}) {
    const outside = tempDir({ "hooks.yaml": JSON.stringify({ stop: [hook] }) });
    return { outside, cwd: tempDir({ "agent.yaml": agentFile({}), ...files }) };
  }

  test.each([
    [{}, `"./guard.sh" is looked for in the working directory, where it is missing or cannot run, ${INSTEAD}`],
    [{ "guard.sh": "#!/bin/sh\n" }, `"./guard.sh" is looked for in the working directory, ${INSTEAD}`],
  ])("is reported whether or not it exists: %j", async (files, message) => {
    const { outside, cwd } = places(command("./guard.sh"), files);
    if ("guard.sh" in files) chmodSync(join(cwd, "guard.sh"), 0o755);
    const line = `${outside}/hooks.yaml:1:38: hooks.stop[0]: ${message}\n`;
    expect((await hooksh(["validate", join(outside, "hooks.yaml")], { cwd })).stderr).toBe(`warning: ${line}`);
    const input = '{"hook_event_name":"stop"}';
    for (const args of [
      ["hooks", "list", "agent.yaml"],
      ["run", "agent.yaml", "--dry-run"],
      ["dispatch", "agent.yaml"],
    ]) {
      const ran = await hooksh([...args, "--hooks-file", join(outside, "hooks.yaml")], { cwd, env, input });
      expect(ran.stderr.split(`warning: ${line}`)).toHaveLength(2);
    }
  });

  test.each([
    command("sh guard.sh"),
    command("bin/guard.sh x"),
    { type: "builtin", command: "./guard.ts" },
    command("python3 ./guard.py"),
  ])("%j", async (hook) => {
    const { outside, cwd } = places(hook);
    const { stderr } = await hooksh(["validate", join(outside, "hooks.yaml")], { cwd });
    expect(stderr).toContain(
      "is looked for in the working directory, where it is missing or cannot run, and the agent can write there",
    );
  });

  test("is not reported if the file is in the working directory, or the hook runs elsewhere", async () => {
    const cwd = tempDir({
      "guards/hooks.yaml": JSON.stringify({ stop: [command("./guard.sh")] }),
      "guard.sh": "#!/bin/sh\n",
    });
    chmodSync(join(cwd, "guard.sh"), 0o755);
    expect((await hooksh(["validate", "guards/hooks.yaml"], { cwd })).stderr).toBe("");
    const outside = tempDir({
      "hooks.yaml": JSON.stringify({ stop: [command("./guard.sh", { working_dir: "${hook_dir}" })] }),
      "guard.sh": "#!/bin/sh\n",
    });
    chmodSync(join(outside, "guard.sh"), 0o755);
    expect((await hooksh(["validate", join(outside, "hooks.yaml")], { cwd })).stderr).toBe("");
  });
});

describe("validate", () => {
  test.each([
    [
      "a mistyped event",
      { pre_tool_ues: [group("shell")] },
      "hooks.pre_tool_ues: unknown event, did you mean pre_tool_use?",
    ],
    ["Claude's event", { PreToolUse: [group("Bash")] }, "hooks.PreToolUse: unknown event: write pre_tool_use"],
    [
      "a wrapper",
      { hooks: { pre_tool_use: [group("shell")] } },
      "hooks.hooks: unknown event: the file is already a hooks block",
    ],
  ])("judges a hooks file with %s as a hooks file", async (_name, hooks, message) => {
    const ran = await hooksh(["validate", "h.yaml"], { cwd: tempDir({ "h.yaml": JSON.stringify(hooks) }) });
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });

  test.each([
    ["setings: {hooks: {}}\n", 'c.yaml:1:1: setings: unknown key; did you mean "settings"?'],
    ["settings: {hook: {}}\n", 'c.yaml:1:12: settings.hook: unknown key; did you mean "hooks"?'],
    ["settings: {hooks: {stop: [{type: command}]}}\n", "c.yaml:1:27: settings.hooks.stop[0]: command is required"],
    ["aliases: {a: {path: b, safety: c}}\n", "aliases.a.safety: expected one of"],
  ])("judges config.yaml as config.yaml: %j", async (text, message) => {
    const ran = await hooksh(["validate", "c.yaml"], { cwd: tempDir({ "c.yaml": text }) });
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("warns about the hooks in config.yaml", async () => {
    const text =
      "settings:\n  hooks:\n    pre_tool_use:\n      - {matcher: Bash, hooks: [{type: builtin, command: safer_shell}]}\n";
    expect(await warningsOf(text, { name: "c.yaml" })).toEqual([
      'c.yaml:4:19: settings.hooks.pre_tool_use[0]: matcher "Bash" matches no built-in tool; did you mean "shell"?',
    ]);
  });

  test("warns about a relative path in an agent from elsewhere", async () => {
    const agent = agentFile({ hooks: { stop: [command("./guard.sh")] } });
    await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(agent) });
    const ran = await hooksh(["validate", `http://127.0.0.1:${server.port}/agent.yaml`], { cwd: tempDir() });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toEndWith(
      '"./guard.sh" is looked for in the working directory, where it is missing or cannot run, and the agent can write there; write an absolute path\n',
    );
  });

  test("treats a file with a mistyped agents key as an agent file", async () => {
    const ran = await hooksh(["validate", "a.yaml"], { cwd: tempDir({ "a.yaml": '{"agnets": {}, "models": {}}' }) });
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agnets: unknown key; did you mean "agents"?'),
    });
  });

  test.each(["", "# nothing\n", "~\n"])("reports a file without content: %j", async (text) => {
    const ran = await hooksh(["validate", "a.yaml"], { cwd: tempDir({ "a.yaml": text }) });
    expect(ran).toMatchObject({
      code: 1,
      stderr: "a.yaml: contains neither agents nor hooks: it is empty, null or only comments\n",
    });
  });

  test("reports a hooks file without hooks", async () => {
    expect(await warningsOf("pre_tool_use: []\nstop:\n")).toEqual(["hooks.yaml: defines no hook"]);
  });
});

test("a builtin that does nothing on its event, or with its arguments, is reported", async () => {
  const hook = (args: string[]) => ({ hooks: [{ type: "builtin", command: "transform_json", args }] });
  expect(await warningsOf({ post_tool_use: [hook(["a"])], tool_response_transform: [hook([]), hook(["a"])] })).toEqual([
    expect.stringContaining("transform_json does nothing here: it runs on tool_response_transform only"),
    expect.stringContaining("transform_json does nothing here: it needs the names of the fields to keep in args"),
  ]);
});

test("an unknown option of a provider is reported by validate, doctor and run, and an error under --strict", async () => {
  const cwd = tempDir();
  const model = { provider: "openai", model: "gpt-4o", provider_opts: { servise_tier: "fast" } };
  await Bun.write(
    join(cwd, "agent.yaml"),
    JSON.stringify({ models: { m: model }, agents: { root: { model: "m", instruction: "i" } } }),
  );
  const message = 'models.m.provider_opts.servise_tier: not sent: unknown option; did you mean "service_tier"?';
  const outputs = await Promise.all(
    [["validate", "agent.yaml"], ["doctor"], ["run", "--dry-run", "agent.yaml"]].map((args) =>
      hooksh(args, { cwd, env }),
    ),
  );
  expect(outputs.map(({ stdout, stderr }) => (stdout + stderr).split(message).length)).toEqual([2, 2, 2]);
  expect(await hooksh(["validate", "--strict", "agent.yaml"], { cwd })).toMatchObject({ code: 1 });
});
