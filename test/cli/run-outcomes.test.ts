import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const call = (name: string, input: unknown): Step => ({ text: "try", calls: [{ name, arguments: input }] });
const shell = (cmd: string): Step => call("shell", { cmd });
const guard = (name: string, command: string) => ({ name, type: "command", command });
const ASK = JSON.stringify({
  hook_specific_output: { permission_decision: "ask", permission_decision_reason: "it is production" },
});

interface Trial {
  step: Step;
  keys?: Record<string, unknown>;
  /** Top-level keys of the agent file. */
  file?: object;
  args?: string[];
}

/** Runs an agent whose first reply is the step and whose second reply is an answer. */
async function attempt({ step, keys = {}, file = {}, args = [] }: Trial) {
  const server = serve(step, { text: "could not." });
  const agent = { ...JSON.parse(agentFor(server, keys)), ...file };
  const cwd = tempDir({ "agent.yaml": JSON.stringify(agent, undefined, 1), "ask.json": ASK });
  return { cwd, server, ...(await hooksh(["run", "agent.yaml", ...args, "go"], { cwd })) };
}

const onShell = (...hooks: object[]) => [{ matcher: "shell", hooks }];
/** A hook with its source and duration. */
const by = (name: string) => `${name} \\(agent\\.yaml:\\d+\\), \\d+ ms`;

const OUTCOMES: [string, Trial, string][] = [
  [
    "denied by a rule",
    { step: shell("touch made"), file: { permissions: { deny: ["shell:cmd=rm *", "shell:cmd=touch *"] } } },
    'Denied shell\\(cmd: touch made\\): rule "shell:cmd=touch \\*" of the permissions configuration\n' +
      "  to allow it: change or remove the rule, which holds in every mode",
  ],
  [
    "denied by the safety mode",
    { step: shell("touch made"), args: ["--safety", "restricted"] },
    "Denied shell\\(cmd: touch made\\): Tool 'shell' is denied by the safety mode restricted.*\n" +
      '  to allow it: choose another --safety mode, or add to permissions\\.allow: "shell:cmd=touch\\*"',
  ],
  [
    "refused because there is no terminal",
    { step: shell("touch made") },
    "Denied shell\\(cmd: touch made\\): it needs your approval, and this run has no terminal to ask at\n" +
      '  to allow it: run it at a terminal, where you are asked; use --yolo; or add to permissions\\.allow: "shell:cmd=touch\\*"',
  ],
  [
    "refused although it only reads",
    { step: shell("ls") },
    "Denied shell\\(cmd: ls\\): .*\n  to allow it: .* --safety balanced;.*",
  ],
  [
    "refused, with no rule that would not allow it",
    { step: shell("touch made && chmod +x made") },
    "Denied shell\\(.*\\): .*\n  to allow it: run it at a terminal, where you are asked; or use --yolo",
  ],
  [
    "refused because a rule asks",
    { step: shell("touch made"), file: { permissions: { ask: ["shell:cmd=rm *", "shell"] } } },
    'Denied shell\\(cmd: touch made\\): permissions\\.ask wants your approval: "shell", and this run has no terminal to ask at\n' +
      "  to allow it: run it at a terminal, where you are asked; or use --yolo",
  ],
  [
    "refused because a hook asks",
    { step: shell("touch made"), keys: { hooks: { pre_tool_use: onShell(guard("careful", "cat ask.json")) } } },
    `Denied shell\\(cmd: touch made\\): .*\n  asked for by ${by("careful")}: it is production\n  to allow it: run it at a terminal, where you are asked; or use --ask allow`,
  ],
  [
    "refused because a guard asks, also under --yolo",
    {
      step: shell("touch made"),
      keys: { hooks: { tool_guard: onShell(guard("careful", "cat ask.json")) } },
      args: ["--yolo"],
    },
    `Denied shell\\(cmd: touch made\\): .*\n  asked for by ${by("careful")}: it is production\n  to allow it: run it at a terminal, where you are asked; or use --ask allow`,
  ],
  [
    "blocked by a hook",
    {
      step: shell("touch made"),
      keys: {
        hooks: { pre_tool_use: onShell(guard("quiet", "true"), guard("strict", "echo 'not here' >&2; exit 2")) },
      },
      args: ["--yolo"],
    },
    `Denied shell\\(cmd: touch made\\): not here\n  by ${by("strict")}`,
  ],
  [
    "blocked by a hook that fails",
    {
      step: shell("touch made"),
      keys: { hooks: { tool_guard: onShell(guard("broken", "exit 7")) } },
      args: ["--yolo"],
    },
    `Denied shell\\(cmd: touch made\\): tool_guard hook failed: exited with status 7.*\n  by ${by("broken")}`,
  ],
  [
    "blocked by two hooks",
    {
      step: shell("touch made"),
      keys: {
        hooks: {
          pre_tool_use: onShell(
            guard("strict", "echo 'not here' >&2; exit 2"),
            guard("stern", "echo 'nor there' >&2; exit 2"),
          ),
        },
      },
      args: ["--yolo"],
    },
    `Denied shell\\(cmd: touch made\\): 2 hooks say no\n  by ${by("strict")}: not here\n  by ${by("stern")}: nor there`,
  ],
  [
    "of an unknown tool",
    { step: call("rm", { path: "made" }) },
    "Not run: rm\\(path: made\\): Tool 'rm' is not available\\..*",
  ],
  [
    "with arguments that cannot be read",
    { step: call("shell", "{]"), args: ["--yolo"] },
    "Not run: shell\\(\\{\\]\\): Tool 'shell' was called with malformed arguments: .*",
  ],
];

describe("a call that did not run is shown with its outcome and reason", () => {
  test.each(OUTCOMES)("%s", async (_name, trial, shown) => {
    const { code, stdout, stderr, cwd } = await attempt(trial);
    expect(stdout).toMatch(new RegExp(`^try\n${shown}\ncould not\\.\n$`));
    expect(code).toBe(0);
    expect(stderr).toBe(shown.startsWith("Not run:") ? "" : "1 call denied, see standard output\n");
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test.each(OUTCOMES)("on standard error when tool calls are hidden: %s", async (_name, trial, shown) => {
    const { stdout, stderr } = await attempt({ ...trial, args: [...(trial.args ?? []), "--hide-tool-calls"] });
    expect(stdout).toBe("could not.\n");
    const summary = shown.startsWith("Not run:") ? "" : "1 call denied, see above\n";
    expect(stderr).toMatch(new RegExp(`^⚠️  ${shown}\n${summary}$`));
  });
});

describe("a call that failed", () => {
  const trial = { step: call("shell", { cmd: "" }), args: ["--yolo"] };

  test("is shown with its error", async () => {
    const { stdout } = await attempt(trial);
    expect(stdout).toBe("try\nCalling shell(cmd: )\nshell failed → Error: cmd is blank\ncould not.\n");
  });

  test("is shown with the first line of its error if results are hidden", async () => {
    expect((await attempt({ ...trial, args: ["--yolo", "--hide-tool-results"] })).stdout).toContain(
      "shell failed → Error: cmd is blank\n",
    );
  });
});

test("a hook that ends the run is named with the error", async () => {
  const server = serve();
  const hooks = { user_prompt_submit: [guard("gate", "echo 'not this' >&2; exit 2")] };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(new RegExp(`^error: not this\n  by ${by("gate")}\n$`));
});

test("calls after one whose hook ends the run are shown as skipped", async () => {
  const server = serve({
    calls: [
      { name: "shell", arguments: { cmd: "echo 1" } },
      { name: "shell", arguments: { cmd: "echo 2" } },
    ],
  });
  const hooks = { post_tool_use: onShell(guard("breaker", "echo 'enough' >&2; exit 2")) };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  expect(ran.stdout).toMatch(
    new RegExp(
      `^Calling shell\\(cmd: echo 1\\)\nshell response → 1\n` +
        `Skipped shell\\(cmd: echo 2\\): a hook ended the run: enough\n  by ${by("breaker")}\n$`,
    ),
  );
  expect(ran.stderr).toMatch(new RegExp(`^error: enough\n  by ${by("breaker")}\n$`));
});

describe("programs can see which hooks gave a verdict", () => {
  const hooks = {
    pre_tool_use: onShell(
      guard("quiet", "true"),
      guard("strict", "echo 'not here' >&2; exit 2"),
      guard("stern", "echo 'nor there' >&2; exit 2"),
    ),
    on_tool_approval_decision: [guard("log", "cat >> decisions.log")],
  };
  const strict = {
    event: "pre_tool_use",
    name: "strict",
    type: "command",
    outcome: "blocked",
    exit_code: 2,
    message: "not here",
  };
  const stern = { ...strict, name: "stern", message: "nor there" };
  const places = { source: expect.stringMatching(/^agent\.yaml:\d+$/), duration_ms: expect.any(Number) };
  const named = [
    { ...strict, ...places },
    { ...stern, ...places },
  ];
  const decisionsOf = (cwd: string) =>
    readFileSync(join(cwd, "decisions.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("by the events of --json and by on_tool_approval_decision", async () => {
    const ran = await attempt({ step: shell("touch made"), keys: { hooks }, args: ["--yolo", "--json"] });
    const events = ran.lines();
    const call = { function: { name: "shell", arguments: '{"cmd":"touch made"}' } };
    expect(events.find(({ type }) => type === "hook_blocked")).toMatchObject({
      message: "not here\nnor there",
      hooks: named,
    });
    expect(events.find(({ type }) => type === "tool_call_response")).toMatchObject({
      outcome: "blocked",
      tool_call: call,
      reason: "not here\nnor there",
      hooks: named,
    });
    expect(events.find(({ type }) => type === "hook_finished")).toMatchObject({ allowed: false, hooks: named });
    expect(decisionsOf(ran.cwd)).toMatchObject([
      { approval_decision: "deny", approval_reason: "not here\nnor there", approval_hooks: named },
    ]);
  });

  test("even if the hooks only asked for approval, or if one allowed the call", async () => {
    const asking = { ...hooks, pre_tool_use: onShell(guard("quiet", "true"), guard("careful", "cat ask.json")) };
    const asked = await attempt({ step: shell("touch made"), keys: { hooks: asking }, args: ["--json"] });
    const careful = {
      event: "pre_tool_use",
      name: "careful",
      type: "command",
      outcome: "answered",
      message: "it is production",
      ...places,
    };
    expect(decisionsOf(asked.cwd)).toMatchObject([
      { approval_source: "non_interactive_deny", approval_hooks: [careful] },
    ]);
    expect(asked.lines().find(({ type }) => type === "tool_call_response")).toMatchObject({
      outcome: "refused",
      hint: expect.stringContaining("--ask allow"),
      hooks: [careful],
    });

    const answer = JSON.stringify({
      hook_specific_output: { permission_decision: "allow", permission_decision_reason: "fine" },
    });
    const allowing = { ...hooks, pre_tool_use: onShell(guard("kind", `echo '${answer}'`)) };
    const allowed = await attempt({ step: shell("touch made"), keys: { hooks: allowing } });
    expect(decisionsOf(allowed.cwd)).toMatchObject([
      { approval_source: "pre_tool_use_hook_allow", approval_reason: "fine", approval_hooks: [{ name: "kind" }] },
    ]);
    expect(allowed.stdout).toContain("Calling shell(cmd: touch made)\nshell response →");
  });
});
