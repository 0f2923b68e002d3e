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

  test("fails validate --strict, and is reported by doctor, hooks list and at the start of run", async () => {
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
      warnings: expect.arrayContaining([expect.stringContaining(message)]),
    });
    for (const args of [
      ["hooks", "list", "agent.yaml"],
      ["run", "agent.yaml", "--dry-run"],
    ]) {
      const ran = await hooksh([...args, "--hooks-file", "hooks.yaml"], { cwd, env });
      expect(ran.code).toBe(0);
      expect(ran.stderr.split(message)).toHaveLength(2);
      expect(ran.stderr).toContain(
        'warning: hooks.yaml:1:29: hooks.pre_tool_use[0]: matcher "Shell" matches no built-in tool; did you mean "shell"?',
      );
    }
    const dispatch = await hooksh(["dispatch", "agent.yaml"], { cwd, env, input: '{"hook_event_name":"stop"}' });
    expect(dispatch).toMatchObject({ code: 0, stderr: "" });
  });
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
  const mistyped = { ...env, HOOKSH_SAFTEY: "strict", HOOKSH_VERSION: "1" };
  expect(await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env: mistyped })).toMatchObject({
    code: 0,
    stderr: `warning: ${message}\n`,
  });
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
    [
      "an unsupported event",
      { before_agent_run: [command("true")], stop: [] },
      "hooks.before_agent_run: unknown event: docker-agent has it, hooksh does not support it; remove the key, because its hooks would not run",
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
