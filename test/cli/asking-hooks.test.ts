import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { setUp, shell, start } from "../helpers/terminal-run.ts";

const serve = modelServers();

const touch = { calls: [{ name: "shell", arguments: { cmd: "touch made" } }] };
const answer = { hook_specific_output: { permission_decision: "ask", permission_decision_reason: "touches files" } };
const asking = { name: "careful", type: "command", command: `echo '${JSON.stringify(answer)}'` };
const onShell = (hook: object, keys: object = {}) => ({ pre_tool_use: [{ matcher: "shell", ...keys, hooks: [hook] }] });

/** Runs an agent that calls `touch made`, without a terminal. */
async function run(agent: Record<string, unknown>, flags: readonly string[], file: Record<string, unknown> = {}) {
  const server = serve(touch, { text: "done" });
  const directories = ["--config-dir", "config", "--data-dir", "data"];
  const cwd = tempDir({
    "agent.yaml": JSON.stringify({ ...JSON.parse(agentFor(server, agent)), ...file }),
    "config/config.yaml": "settings: {audit: true}",
    "data/.keep": "",
  });
  const ran = await hooksh(["run", "agent.yaml", ...flags, ...directories, "go"], { cwd });
  return { ...ran, cwd, made: existsSync(join(cwd, "made")) };
}

describe("a hook that asks, without a terminal", () => {
  test.each([
    ["--yolo", ["--yolo"], {}],
    ["an allow rule", [], { permissions: { allow: ["shell"] } }],
    ["autonomous mode of the file", [], { runtime: { safety: "autonomous" } }],
  ])("refuses the call under %s, and says why and what to change", async (_name, flags, file) => {
    const { made, stdout, code } = await run({ hooks: onShell(asking) }, flags, file);
    expect([made, code]).toEqual([false, 0]);
    expect(stdout).toContain("a hook wants your approval, and this run has no terminal to ask at");
    expect(stdout).toMatch(/asked for by careful \(agent\.yaml:1\), \d+ ms: touches files/);
    expect(stdout).toContain("where you are asked; or use --ask allow\n");
  });

  test.each([
    ["pre_tool_use", onShell(asking)],
    ["the preempt lane", onShell(asking, { preempt_yolo: true })],
    ["tool_guard", { tool_guard: onShell(asking).pre_tool_use }],
  ])("is answered with yes by --ask allow on %s, which the run and the audit log say", async (_name, hooks) => {
    const { made, stderr, cwd } = await run({ hooks }, ["--ask", "allow"]);
    expect(made).toBe(true);
    expect(stderr).toContain("warning: --ask allow: calls run although a hook asks for your approval\n");
    const log = (await hooksh(["audit", "--json", "--data-dir", "data"], { cwd })).lines();
    const approval = log.find(({ approval_source }) => approval_source !== undefined);
    expect(approval).toMatchObject({ approval_source: "ask_flag_allow", reason: "--ask allow", decision: "allow" });
  });

  test("is all that --ask allow answers: rules that ask, rules that deny and hooks that deny hold", async () => {
    const asked = { permissions: { ask: ["shell"] } };
    const refused = await run({ hooks: onShell(asking) }, ["--ask", "allow"], asked);
    expect(refused.made).toBe(false);
    expect(refused.stdout).toContain("or use --ask allow and --yolo\n");
    expect((await run({ hooks: onShell(asking) }, ["--ask", "allow", "--yolo"], asked)).made).toBe(true);
    expect((await run({}, ["--ask", "allow"])).made).toBe(false);
    const denied = { permissions: { deny: ["shell"] } };
    expect((await run({ hooks: onShell(asking) }, ["--ask", "allow", "--yolo"], denied)).made).toBe(false);
    const both = { pre_tool_use: [{ hooks: [asking, { type: "command", command: "exit 2" }] }] };
    expect((await run({ hooks: both }, ["--ask", "allow", "--yolo"])).made).toBe(false);
  });

  test("--ask takes no other answer", async () => {
    const ran = await hooksh(["run", "agent.yaml", "--ask", "deny", "go"], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 64 });
    expect(ran.stderr).toContain("--ask");
  });
});

describe("a hook that asks, at a terminal", () => {
  test("asks under --yolo", async () => {
    const { cwd } = setUp({ hooks: onShell(asking) }, shell("touch made"), { text: "finished" });
    const terminal = start(cwd, ["--yolo", "go"]);
    await terminal.sees("asked for by careful");
    await terminal.sees("[n]o:");
    terminal.press("n");
    await terminal.sees("finished");
    await terminal.child.exited;
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("asks again after [a], and not after [t] for calls that it covers", async () => {
    const steps = ["touch one", "touch two", "touch three", "mkdir four"].map((cmd) => shell(cmd));
    const { cwd } = setUp({ hooks: onShell(asking) }, ...steps, { text: "finished" });
    const terminal = start(cwd, ["go"]);
    for (const [shown, key] of [
      ["touch one", "a"],
      ["touch two", "t"],
      ["mkdir four", "n"],
    ] as const) {
      await terminal.sees(`root wants to run shell(cmd: ${shown})`);
      await terminal.sees("[n]o:");
      terminal.press(key);
    }
    await terminal.sees("finished");
    await terminal.child.exited;
    expect(["one", "two", "three", "four"].map((name) => existsSync(join(cwd, name)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("does not ask with --ask allow, which the run says", async () => {
    const { cwd } = setUp({ hooks: onShell(asking) }, shell("touch made"), { text: "finished" });
    const terminal = start(cwd, ["--ask", "allow", "go"]);
    await terminal.sees("(--ask allow: calls run although a hook asks for your approval)");
    await terminal.sees("finished");
    await terminal.child.exited;
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });
});

describe("a model that judges", () => {
  const verdict = (decision: string) => ({ text: JSON.stringify({ decision, reason: "the judge" }) });
  /** An agent whose shell a judge guards, with the judge at its own server. */
  function judged(judge: FakeOpenAI, keys: object = {}, file: object = {}) {
    const server = serve(touch, { text: "done" });
    const hook = { type: "model", name: "judge", model: "court/j", prompt: "p", schema: "pre_tool_use_decision" };
    const text = JSON.parse(agentFor(server, { hooks: onShell(hook, keys) }));
    text.providers.court = { base_url: judge.url };
    return tempDir({ "agent.yaml": JSON.stringify({ ...text, ...file }) });
  }
  const go = async (cwd: string, flags: readonly string[]) => {
    const ran = await hooksh(["run", "agent.yaml", ...flags, "go"], { cwd });
    return { ...ran, made: existsSync(join(cwd, "made")) };
  };

  test.each([
    ["deny", false],
    ["ask", false],
    ["allow", true],
  ])("is asked under --yolo, and its %s counts", async (decision, made) => {
    const cwd = judged(serve(verdict(decision)));
    expect((await go(cwd, ["--yolo"])).made).toBe(made);
  });

  test("that does not answer blocks the call under --yolo", async () => {
    const cwd = judged(serve(() => new Response("", { status: 401 })));
    expect((await go(cwd, ["--yolo"])).made).toBe(false);
  });

  test("is not asked where an allow rule covers the call, which validate and the run say", async () => {
    const permissions = { allow: ["shell:cmd=touch*", "fetch"] };
    const cwd = judged(serve(), {}, { permissions });
    const ran = await go(cwd, []);
    expect(ran.made).toBe(true);
    const notice =
      'permissions.allow[0]: the model hook judge (agent.yaml:1) is not asked about calls that "shell:cmd=touch*" covers; preempt_yolo: true on its group has it asked about every call';
    expect(ran.stderr.split(notice)).toHaveLength(2);
    const checked = await hooksh(["validate", "--strict", "agent.yaml"], { cwd });
    expect(checked.code).toBe(1);
    expect(checked.stderr).toContain(notice);
    expect(checked.stderr).not.toContain('that "fetch" covers');
    const explained = await hooksh(["hooks", "explain", "agent.yaml", "--event", "pre_tool_use", "--tool", "shell"], {
      cwd,
    });
    expect(explained.stdout).toContain(
      "judge is a judge: it is not asked about a call that a rule of permissions.allow covers.",
    );
  });

  test("is asked in spite of such a rule in the preempt lane", async () => {
    const cwd = judged(serve(verdict("deny")), { preempt_yolo: true }, { permissions: { allow: ["shell"] } });
    const ran = await go(cwd, ["--yolo"]);
    expect(ran.made).toBe(false);
    expect(ran.stderr).not.toContain("is not asked about");
  });

  test("is named beside a rule of the user's configuration", async () => {
    const cwd = judged(serve(), {}, {});
    await Bun.write(join(cwd, "config/config.yaml"), 'settings: {permissions: {allow: ["sh*"]}}\n');
    const ran = await go(cwd, ["--config-dir", "config"]);
    expect(ran.made).toBe(true);
    expect(ran.stderr).toMatch(
      /config\.yaml:1:\d+: settings\.permissions\.allow\[0\]: the model hook judge \(agent\.yaml:1\)/,
    );
  });
});

test.each(["--yolo", "--safety accept-edits"])(
  "a session that ran with %s asks again when it is resumed without a terminal",
  async (flag) => {
    const write = { calls: [{ name: "write_file", arguments: { path: "made", content: "x" } }] };
    const server = serve({ text: "hello" }, write, { text: "refused" }, write, { text: "done" });
    const cwd = tempDir({ "agent.yaml": agentFor(server, { toolsets: [{ type: "filesystem" }] }) });
    const run = (...args: string[]) => hooksh(["run", "agent.yaml", ...args], { cwd });
    await run(...flag.split(" "), "hello");
    const resumed = await run("--session", "-1", "go");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(resumed.stderr).toContain(
      `warning: this session ran with ${flag}; tools ask again now, unless ${flag} is given again\n`,
    );
    const again = await run("--session", "-1", ...flag.split(" "), "go");
    expect(existsSync(join(cwd, "made"))).toBe(true);
    expect(again.stderr).toBe("");
  },
);
