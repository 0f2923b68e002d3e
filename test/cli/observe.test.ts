import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const DENY = 'echo "not here" >&2; exit 2';
const hooks = (group: object) => ({
  pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", name: "guard", command: DENY }], ...group }],
});
const event = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });
const NOTICE = 'pre_tool_use hook "guard" only observes: it would have denied: not here';

async function dispatch(group: object, ...args: string[]) {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks(group)) });
  return hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--output", "result", ...args], { cwd, input: event });
}

describe("dispatch", () => {
  test("reports what a hook that only observes would have decided", async () => {
    const { code, stdout } = await dispatch({ mode: "observe" });
    expect(JSON.parse(stdout)).toEqual({ event: "pre_tool_use", allowed: true, system_message: NOTICE });
    expect(code).toBe(0);
  });

  test("with --observe enforces no configured hook, and says so", async () => {
    expect((await dispatch({})).code).toBe(2);
    const { code, stdout, stderr } = await dispatch({}, "--observe");
    expect(JSON.parse(stdout)).toMatchObject({ allowed: true, system_message: NOTICE });
    expect(stderr).toContain("every configured hook only observes: nothing is enforced (--observe)");
    expect(code).toBe(0);
  });

  test("for another agent lets the call go on", async () => {
    const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks({ mode: "observe" })) });
    const payload = { session_id: "s", transcript_path: "/t", cwd, hook_event_name: "PreToolUse" };
    const call = { ...payload, tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" };
    const ran = await hooksh(["dispatch", "--dialect", "claude", "--hooks-file", "hooks.yaml"], {
      cwd,
      input: JSON.stringify(call),
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain("deny");
  });
});

test("validate, hooks list and its JSON say that a guard only observes", async () => {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks({ mode: "observe" })) });
  const notice =
    /hooks\.yaml:1:\d+: hooks\.pre_tool_use\[0\]\.hooks\[0\]: guard only observes: its verdict is reported, not enforced/;
  expect((await hooksh(["validate", "hooks.yaml"], { cwd })).stderr).toMatch(notice);
  const list = await hooksh(["hooks", "list", "--hooks-file", "hooks.yaml"], { cwd });
  expect(list.stderr).toMatch(notice);
  expect(list.stdout).toMatch(/guard +command \(only observes\) .* is ignored/);
  const json = await hooksh(["hooks", "list", "--json", "--hooks-file", "hooks.yaml"], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject([{ name: "guard", mode: "observe" }]);
});

test("validate, hooks list and status say that a rule only observes", async () => {
  const rules = [
    { deny: "no", when: { program: "rm" }, mode: "observe" },
    { deny: "no", when: { program: "git" } },
  ];
  const cwd = tempDir({ "hooks.yaml": JSON.stringify({ rules }) });
  const checked = await hooksh(["validate", "hooks.yaml"], { cwd });
  expect(checked.stdout).toBe("hooks.yaml: ok, 1 warning\n");
  expect(checked.stderr).toMatch(
    /hooks\.yaml:1:\d+: rules\[0\]\.mode: rules\[0\] only observes: its verdict is reported, not enforced/,
  );
  const list = await hooksh(["hooks", "list", "--hooks-file", "hooks.yaml"], { cwd });
  expect(list.stdout).toContain("2 rules judge events, 1 of them only observes: hooksh rules list\n");
  const status = await hooksh(["status", "--hooks-file", "hooks.yaml"], { cwd });
  expect(status.stdout).toContain("hooks.yaml: no hooks, 2 rules, 1 of them only observes\n");
});

test("--no-audit contradicts an audit log that is required", async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, ".home/.config/hooksh"), { recursive: true });
  writeFileSync(join(cwd, ".home/.config/hooksh/config.yaml"), "settings: { audit: required }\n");
  for (const args of [[], ["--no-user-hooks"]]) {
    const ran = await hooksh(["dispatch", "--output", "result", "--no-audit", ...args], { cwd, input: event });
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining("--no-audit contradicts settings.audit") });
  }
});

describe("run", () => {
  const servers: FakeOpenAI[] = [];
  afterAll(() => servers.forEach((server) => void server.stop()));

  async function run(agentHooks: object, ...args: string[]) {
    const server = fakeOpenAI([
      { calls: [{ name: "shell", arguments: { cmd: "echo $((40 + 2)) ran" } }] },
      { text: "done" },
    ]);
    servers.push(server);
    const cwd = tempDir({ "agent.yaml": agentFor(server, { toolsets: [{ type: "shell" }], hooks: agentHooks }) });
    return hooksh(["run", "agent.yaml", "--yolo", ...args, "go"], { cwd, env: { OPENAI_API_KEY: "k" } });
  }

  test("says at the start that a guard only observes, and reports what it would have done", async () => {
    const { stdout, stderr } = await run(hooks({ mode: "observe" }));
    expect(stdout).toContain("42 ran");
    expect(stderr).toContain("guard only observes: its verdict is reported, not enforced");
    expect(stderr).toContain(NOTICE);
  });

  test("with --observe enforces no hook of the agent", async () => {
    expect((await run(hooks({}))).stdout).not.toContain("42 ran");
    const { stdout, stderr } = await run(hooks({}), "--observe");
    expect(stdout).toContain("42 ran");
    expect(stderr).toContain(NOTICE);
  });
});
