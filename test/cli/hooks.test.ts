import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HOOKS = `turn_start: { type: builtin, command: add_date }
pre_tool_use:
  - matcher: shell
    hooks:
      - { type: command, name: guard, command: touch ran, timeout: 5 }
      - { type: builtin, command: ./own.ts, rewrite: true }
      - { type: builtin, command: redact_secrets }
  - matcher: "mcp:.*"
    hooks: { type: command, command: "one\\ntwo" }
  - preempt_yolo: true
    hooks: { type: command, name: first, command: touch ran }
  - hooks:
      - { type: command, name: guard, command: touch ran, timeout: 5 }
      - { type: model, name: judge, model: a/b, prompt: Fine?, schema: pre_tool_use_decision }
post_tool_use: { hooks: { type: command, command: a, on_error: ignore } }
before_llm_call: { type: command, command: b, on_error: block }
`;

async function hooks(args: readonly string[], options: { input?: string; files?: Record<string, string> } = {}) {
  const cwd = tempDir({ "hooks.yaml": HOOKS, ...options.files });
  const ran = await hooksh(["hooks", ...args], {
    cwd,
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  expect(existsSync(join(cwd, "ran"))).toBe(false); // it explains, it never runs
  return ran;
}

const FILE = ["--hooks-file", "hooks.yaml"];

describe("hooks list", () => {
  test("shows every hook by event in canonical order, with stage, deadline, failure policy and place", async () => {
    const ran = await hooks(["list", ...FILE, "--hook-stop", "echo bye", "--json"]);
    expect(ran.code).toBe(0);
    const rows = JSON.parse(ran.stdout) as Record<string, unknown>[];
    expect(
      rows.map(({ event, name, type, lane, matcher, stage, timeout_seconds, on_failure, source }) =>
        [event, name, type, lane, matcher, stage, timeout_seconds, on_failure, source].join(" "),
      ),
    ).toEqual([
      "pre_tool_use guard command default shell concurrent 5 block hooks.yaml:5",
      "pre_tool_use ./own.ts builtin default shell rewrite 60 block hooks.yaml:6",
      "pre_tool_use redact_secrets builtin default shell rewrite 60 block hooks.yaml:7",
      "pre_tool_use one\ntwo command default mcp:.* concurrent 60 block hooks.yaml:9",
      "pre_tool_use first command preempt * preempt 60 block hooks.yaml:11",
      "pre_tool_use guard command default * concurrent 5 block hooks.yaml:13",
      "pre_tool_use judge model default * concurrent 60 block hooks.yaml:14",
      "post_tool_use a command default * concurrent 60 ignore hooks.yaml:15",
      "turn_start add_date builtin default  concurrent 60 warn hooks.yaml:1",
      "before_llm_call b command default  concurrent 60 block hooks.yaml:16",
      "stop echo bye command default  concurrent 60 warn --hook-stop",
    ]);
  });

  test("as text prints one table per event, or only the given event", async () => {
    const ran = await hooks(["list", ...FILE, "--event", "post_tool_use"]);
    expect(ran.stdout).toBe(
      "post_tool_use\n" +
        "  HOOK  TYPE     STAGE       MATCHER  DEADLINE  IF IT FAILS  SOURCE\n" +
        "  a     command  concurrent  *        1m0s      is ignored   hooks.yaml:15\n",
    );
    expect((await hooks(["list", ...FILE])).stdout.match(/^\w+$/gm)).toEqual([
      "pre_tool_use",
      "post_tool_use",
      "turn_start",
      "before_llm_call",
    ]);
    expect((await hooks(["list"])).stdout).toBe("No hooks are configured.\n");
  });

  test("of an agent shows its own, the user's and the implicit hooks in configuration order", async () => {
    const agent =
      "agents:\n  root:\n    model: openai/gpt-4o\n    add_date: true\n    hooks:\n      turn_start: { type: command, command: own }\n";
    const files = {
      "agent.yaml": agent,
      ".home/.config/hooksh/hooks.d/a.yaml": "turn_start: { type: command, command: users }",
    };
    const ran = await hooks(["list", "agent.yaml", "--event", "turn_start", "--json"], { files });
    expect(ran.stderr).toBe("");
    const rows = JSON.parse(ran.stdout) as { name: string; source: string }[];
    expect(rows.map(({ name }) => name)).toEqual(["own", "users", "add_date"]);
    expect(rows.map(({ source }) => source)).toEqual([
      expect.stringMatching(/agent\.yaml:6$/),
      expect.stringMatching(/a\.yaml:1$/),
      "add_date: true",
    ]);
  });

  test("prints no control characters", async () => {
    const ran = await hooks(["list", "--hook-stop", "echo \u001b[31mred\u0007\r\n\u202ehidden"]);
    expect(ran.stdout).toContain("echo [31mred hidden");
    expect(/[\u001b\u0007\r\u202e]/.test(ran.stdout)).toBe(false);
  });
});

describe("hooks explain", () => {
  test("says for each hook whether it runs for a tool, in which step, and if not, why", async () => {
    const ran = await hooks(["explain", ...FILE, "--event", "pre_tool_use", "--tool", "shell", "--json"]);
    const {
      event,
      names,
      hooks: rows,
    } = JSON.parse(ran.stdout) as { event: string; names: string[]; hooks: Record<string, unknown>[] };
    expect([event, names]).toEqual(["pre_tool_use", ["shell"]]);
    expect(
      rows.map(({ name, runs, step, why, of }) =>
        [name, runs, step ?? why, of].filter((part) => part !== undefined).join(" "),
      ),
    ).toEqual([
      "add_date false other_event",
      "guard true 4",
      "./own.ts true 2",
      "redact_secrets true 3",
      "one\ntwo false matcher",
      "first true 1",
      "guard false duplicate guard (hooks.yaml:5)",
      "judge true 4",
      "a false other_event",
      "b false other_event",
    ]);
  });

  test("as text says the same", async () => {
    const ran = await hooks([
      "explain",
      ...FILE,
      "--event",
      "pre_tool_use",
      "--tool",
      "gh_search",
      "--qualified",
      "mcp:gh:search",
    ]);
    expect(ran.stdout).toBe(`pre_tool_use on gh_search, mcp:gh:search: 4 of 10 hooks run

  STEP  HOOK     TYPE     STAGE       MATCHER  DEADLINE  IF IT FAILS  SOURCE
  1     first    command  preempt     *        1m0s      blocks       hooks.yaml:11
  2     one two  command  concurrent  mcp:.*   1m0s      blocks       hooks.yaml:9
  2     guard    command  concurrent  *        5s        blocks       hooks.yaml:13
  2     judge    model    concurrent  *        1m0s      blocks       hooks.yaml:14

judge is a judge: it is not asked about a call that a rule of permissions.allow covers.

Not run:
  add_date (hooks.yaml:1): for turn_start only
  guard (hooks.yaml:5): matcher "shell" does not match gh_search or mcp:gh:search
  ./own.ts (hooks.yaml:6): matcher "shell" does not match gh_search or mcp:gh:search
  redact_secrets (hooks.yaml:7): matcher "shell" does not match gh_search or mcp:gh:search
  a (hooks.yaml:15): for post_tool_use only
  b (hooks.yaml:16): for before_llm_call only
`);
  });

  test("distinguishes a duplicate from the hook it repeats, and the lanes", async () => {
    const ran = await hooks(["explain", ...FILE, "--event", "pre_tool_use", "--tool", "shell", "--lane", "default"]);
    expect(ran.stdout).toContain("pre_tool_use (default lane) on shell: 4 of 10 hooks run\n");
    expect(ran.stdout).toContain("  first (hooks.yaml:11): on the preempt lane\n");
    expect(ran.stdout).toContain("  guard (hooks.yaml:13): the same as guard (hooks.yaml:5), which runs\n");
  });

  test("of an event without a tool needs none", async () => {
    const ran = await hooks(["explain", ...FILE, "--event", "turn_start"]);
    expect(ran.stdout).toStartWith("turn_start: 1 of 10 hooks run\n");
  });

  test("without --event reads the event from standard input, as dispatch does", async () => {
    const input = '{"hook_event_name":"pre_tool_use","tool_name":"gh_search","tool_qualified_name":"mcp:gh:search"}';
    const ran = await hooks(["explain", ...FILE], { input });
    expect(ran.stdout).toStartWith("pre_tool_use on gh_search, mcp:gh:search: 4 of 10 hooks run\n");
    expect((await hooks(["explain", ...FILE, "--tool", "shell"], { input })).stdout).toStartWith(
      "pre_tool_use on shell, mcp:gh:search: 6 of 10",
    );
  });

  test("names the hooks that a dispatch then runs", async () => {
    const cwd = tempDir({ "hooks.yaml": HOOKS.replace(/.*judge.*\n/, ""), "own.ts": "export default () => {};" });
    const input = '{"hook_event_name":"pre_tool_use","tool_name":"shell"}';
    const explained = JSON.parse((await hooksh(["hooks", "explain", ...FILE, "--json"], { cwd, input })).stdout) as {
      hooks: { name: string; runs: boolean; step: number }[];
    };
    const ran = await hooksh(["dispatch", ...FILE, "--details", "--output", "result"], { cwd, input });
    const wanted = explained.hooks
      .filter(({ runs }) => runs)
      .map(({ name }) => name)
      .sort();
    expect((ran.lines()[0]?.["hooks"] as { name: string }[]).map(({ name }) => name).sort()).toEqual(wanted);
  });
});

describe("hooksh explain COMMAND_LINE", () => {
  const AGENT = `
agents: { root: { model: openai/gpt-4o, instruction: x, toolsets: [{ type: shell }] } }
permissions: { deny: ["shell:cmd=git push*"] }
hooks: { pre_tool_use: [{ matcher: shell, hooks: [{ type: command, name: guard, command: touch ran }] }] }
`;
  const explain = (files: Record<string, string>, ...args: string[]) =>
    hooksh(["explain", ...args], { cwd: tempDir(files) });

  test("says how dangerous it looks, which rule decides, and which hooks of agent.yaml are asked; runs nothing", async () => {
    const cwd = tempDir({ "agent.yaml": AGENT });
    const ran = await hooksh(["explain", "true; git  push origin"], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "using agent.yaml\n" });
    expect(ran.stdout).toStartWith(
      'The command line is labelled unknown\nThe permission rules deny it: "shell:cmd=git push*"\n\npre_tool_use on shell: 2 of ',
    );
    expect(ran.stdout).toMatch(/^ {2}2 +guard +command/m);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("without an agent file asks the user's own hooks; with AGENT, that agent's", async () => {
    const own = await explain({}, "rm -rf x");
    expect(own.stdout).toStartWith(
      "The command line is labelled destructive: Command matches destructive operation: rm ",
    );
    expect(own.stdout).toContain("\n\npre_tool_use on shell: 0 of 0 hooks run");
    const named = await explain({ "other.yaml": AGENT }, "other.yaml", "ls");
    expect(named).toMatchObject({ stderr: "", stdout: expect.stringContaining("No permission rule decides") });
  });

  test("--json has label, reason, permissions and hooks", async () => {
    const { stdout } = await explain({ "agent.yaml": AGENT }, "rm -rf x; git push", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      label: "destructive",
      permissions: { verdict: "deny", rule: '"shell:cmd=git push*"' },
      event: "pre_tool_use",
    });
  });

  test.each([
    [["a", "b", "c"], "one command line: put it in quotes"],
    [["a.yaml", "ls", "--event", "stop"], "a command line or --event EVENT, not both"],
    [["rm x", "--tool", "shell"], "--tool goes with --event"],
    [[" "], "the command line is empty"],
  ])("%j is a usage error", async (args, message) => {
    const ran = await explain({}, ...args);
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});

test("hooks sources names each place and how many hooks it has, also those without any", async () => {
  const cwd = tempDir({ "hooks.yaml": HOOKS, "config/hooks.d/a.yaml": "stop: [{ type: command, command: 'true' }]" });
  const config = join(cwd, "config");
  const args = ["hooks", "sources", ...FILE, "--hook", "stop=true", "--config-dir", config];
  const { code, stdout } = await hooksh(args, { cwd });
  expect(code).toBe(0);
  expect(stdout.split("\n").map((line) => line.trim())).toEqual([
    `1  ${join(config, "hooks.d/a.yaml")}`,
    `10  ${join(cwd, "hooks.yaml")}`,
    "1  --hook",
    `0  ${join(config, "config.yaml")} (not there, or empty)`,
    "",
  ]);
  expect((await hooksh([...args, "--no-user-hooks"], { cwd })).stdout).toContain("left out by --no-user-hooks");
});

describe("mistakes", () => {
  test.each<[string[], number, string]>([
    [[], 64, "hooks takes list or sources"],
    [["--json", "explain"], 64, "hooks explain is hooksh explain now"],
    [["lst"], 64, 'hooks takes list or sources, not "lst"'],
    [["list", "a.yaml", "b.yaml"], 64, "hooks list takes one agent, not 2"],
    [["list", "--tool", "shell"], 64, "unknown flag --tool"],
    [["list", "--event", "turn_strat"], 64, "did you mean turn_start?"],
    [
      ["explain", "--event", "pre_tool_use"],
      64,
      "pre_tool_use is about a tool call: explain --event pre_tool_use --tool NAME",
    ],
    [["explain", "--event", "stop", "--tool", "shell"], 64, "stop has no tool"],
    [["explain", "--event", "stop", "--lane", "default"], 64, "stop has no lanes"],
    [["explain"], 64, "explain needs --event EVENT, or a JSON event on standard input"],
    [["list", "--agent", "root"], 64, "--agent needs an agent file"],
    [["list", "--hooks-file", "gone.yaml"], 1, "gone.yaml: no such file"],
    [["list", "gone.yaml"], 1, "gone.yaml"],
  ])("%j", async (args, code, message) => {
    const ran = await hooks(args);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(message);
  });

  test.each([
    ["[]", "one event, a JSON object"],
    ['{"hook_event_name":"stop"}{"hook_event_name":"stop"}', "one event"],
    ['{"hook_event_name":"noon"}', "unknown hook event"],
    ['{"hook_event_name":"pre_tool_use"}', "tool_name is required"],
  ])("%s on standard input", async (input, message) => {
    const ran = await hooks(["explain"], { input });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});
