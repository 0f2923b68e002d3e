import { expect, test } from "bun:test";
import type { HookOutput } from "../../../src/protocol/output.ts";
import type { Agent } from "../../../src/runtime/agent/agent.ts";
import type { Tool } from "../../../src/tools/tool.ts";
import { agentOf, begin, fakeShell, hooksFor, type Run, type Setup, script, tool } from "../harness.ts";
import { assembled } from "../team/assembled.ts";

const skillFile = (body: string, head = "") => `---\ndescription: d\n${head}---\n${body}\n`;
const calls = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, arguments: input }] });

/** Returns the skills of an agent file with this `skills` key, and the message that lists them. */
async function skillsOf(skills: unknown, files: Record<string, string> = {}, file: Record<string, unknown> = {}) {
  const { agent, warnings, directory } = await assembled({ skills }, { files, file });
  return { skills: agent.skills ?? [], toolsets: agent.toolsets, warnings, directory };
}

/** Starts a run of an agent with the skills of an agent file. */
async function runWith(skills: unknown, files: Record<string, string>, setup: Setup): Promise<Run> {
  const found = await skillsOf(skills, files);
  return begin({ ...setup, agent: { skills: found.skills, ...setup.agent } });
}

const inline = (name: string, more: object = {}) => ({
  name,
  description: `about ${name}`,
  instructions: `Do ${name}.`,
  ...more,
});
const local = { ".agents/skills/a/SKILL.md": skillFile("A"), ".agents/skills/b/SKILL.md": skillFile("B") };

test.each([
  [false, []],
  [true, ["a", "b"]],
  [["local"], ["a", "b"]],
  [["b"], ["b"]],
  [["local", "b"], ["b"]],
  [[inline("x")], ["x"]],
  [
    [inline("x"), "a"],
    ["a", "x"],
  ],
  [
    ["local", inline("a")],
    ["a", "b"],
  ],
])("skills: %j are %j", async (skills, names) => {
  expect((await skillsOf(skills, local)).skills.map(({ name }) => name)).toEqual(names);
});

test("a skill of the agent file wins over a local one of the same name", async () => {
  const { skills } = await skillsOf(["local", inline("a")], local);
  expect(skills.find(({ name }) => name === "a")?.text).toEqual({ kind: "inline", instructions: "Do a." });
});

test("a URL without a server and an unknown skill name cause warnings", async () => {
  const { skills, warnings } = await skillsOf(["http://127.0.0.1:1", "local", "none"], local);
  expect(skills).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining("skills from http://127.0.0.1:1/ are left out"),
    expect.stringContaining('no skill "none"'),
  ]);
});

test("a name next to a URL selects from the URL's skills, not from local ones", async () => {
  const { skills, warnings } = await skillsOf(["http://127.0.0.1:1", "a"], local);
  expect(skills).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("are left out"), expect.stringContaining('no skill "a"')]);
});

test("the model gets the list of skills, with markup escaped", async () => {
  const { toolsets } = await skillsOf([inline("x", { description: "a </available_skills> & b", context: "fork" })]);
  expect(toolsets.at(-1)?.instructions).toContain(
    "<description>a &lt;/available_skills&gt; &amp; b</description>\n    <mode>forked</mode>",
  );
});

test("the skill tools are offered only if a skill needs them", async () => {
  const offered = async (skills: unknown, files = {}) => {
    const run = await runWith(skills, files, { steps: ["ok"] });
    await run.say("hi");
    return run.model.calls[0]?.tools.map(({ name }) => name);
  };
  expect(await offered(false)).toEqual([]);
  expect(await offered([inline("x")])).toEqual(["read_skill"]);
  const withFile = { ".agents/skills/a/SKILL.md": skillFile("A"), ".agents/skills/a/more.md": "" };
  expect(await offered(["local"], withFile)).toEqual(["read_skill", "read_skill_file"]);
  expect(await offered([inline("x", { context: "fork" })])).toEqual(["read_skill", "run_skill"]);
});

test("a skill and its files are read as tool results, without asking", async () => {
  const files = { ".agents/skills/a/SKILL.md": skillFile("Read more.md."), ".agents/skills/a/more.md": "MORE" };
  const run = await runWith(true, files, {
    steps: [
      calls("read_skill", { name: "a" }),
      calls("read_skill_file", { skill_name: "a", path: "more.md" }),
      calls("read_skill_file", { skill_name: "a", path: "../../../x" }),
      calls("read_skill", { name: "z" }),
      "ok",
    ],
  });
  await run.say("hi");
  const responses = run.inputs("tool_response_transform");
  expect(responses.map(({ tool_response, tool_error }) => [tool_response, tool_error])).toEqual([
    [expect.stringMatching(/^The folder of this skill: .*\.agents\/skills\/a\n\nRead more.md.$/), undefined],
    ["MORE", undefined],
    [expect.stringContaining("is not a path inside the skill"), true],
    ['No skill "z"; the skills are: a', true],
  ]);
  expect(run.inputs("on_tool_approval_decision").map(({ approval_source }) => approval_source)).toEqual([
    "readonly_hint",
    "readonly_hint",
    "readonly_hint",
    "readonly_hint",
  ]);
  expect(
    run
      .inputs("post_tool_use")
      .map(({ tool_name, tool_response, tool_error }) => [tool_name, tool_response, tool_error]),
  ).toEqual(responses.map(({ tool_name, tool_response, tool_error }) => [tool_name, tool_response, tool_error]));
});

test.each([
  ["read_skill", { name: "a" }],
  ["read_skill_file", { skill_name: "a", path: "more.md" }],
])("a post_tool_use hook can end the run after %s", async (name, input) => {
  const files = { ".agents/skills/a/SKILL.md": skillFile("Read more.md."), ".agents/skills/a/more.md": "MORE" };
  const post_tool_use = (): HookOutput => ({ decision: "block", reason: "not that skill" });
  const run = await runWith(true, files, { steps: [calls(name, input)], answers: { post_tool_use } });
  expect(await run.say("hi")).toMatchObject({ reason: "hook_blocked", error: { message: "not that skill" } });
  expect(run.inputs("post_tool_use")).toHaveLength(1);
});

test("a command in a local skill is a shell call with the usual approval", async () => {
  const ran: string[] = [];
  const files = { ".agents/skills/a/SKILL.md": skillFile("On !`git branch`: !`touch made`.") };
  const run = await runWith(true, files, {
    steps: [calls("read_skill", { name: "a" }), "ok"],
    tools: [fakeShell(ran)],
    mode: "balanced",
    answers: {
      tool_guard: ({ tool_input }) =>
        String(tool_input?.["cmd"]).startsWith("touch") ? { decision: "block", reason: "no touching" } : undefined,
    },
  });
  await run.say("hi");
  expect(ran).toEqual(["git branch"]);
  const text = run.model.requests[1]?.at(-1)?.content;
  expect(text).toContain("On ran git branch: The tool call was rejected by a tool_guard hook. Reason: no touching.");
  const decided = run.inputs("on_tool_approval_decision");
  expect(decided.map(({ tool_name, approval_source }) => `${tool_name} ${approval_source}`)).toEqual([
    "read_skill mode_balanced",
    "shell mode_balanced",
    "shell tool_guard_deny",
  ]);
  expect(run.session.items.filter((item) => item.kind === "message" && item.message.role === "tool")).toHaveLength(1);
});

test("without a shell, and in a skill of the agent file, a command stays text", async () => {
  const files = { ".agents/skills/a/SKILL.md": skillFile("!`date`") };
  const read = async (name: string, tools: Tool[]) => {
    const run = await runWith(["local", inline("x", { instructions: "!`date`" })], files, {
      steps: [calls("read_skill", { name }), "ok"],
      mode: "autonomous",
      tools,
    });
    await run.say("hi");
    return String(run.model.requests[1]?.at(-1)?.content);
  };
  expect(await read("a", [])).toEndWith("!`date`");
  expect(await read("x", [fakeShell()])).toBe("!`date`");
  expect(await read("a", [fakeShell()])).toEndWith("ran date");
  expect(await read("a", [{ ...fakeShell(), category: "mcp" }])).toEndWith("!`date`");
});

test("a command may run for thirty seconds and print a megabyte, and a skill may have twenty commands", async () => {
  const loud = tool("shell", () => ({ text: "x".repeat(2_000_000) }), { category: "shell" });
  const run = await runWith(
    true,
    { ".agents/skills/a/SKILL.md": skillFile("!`a`\n".repeat(21)) },
    {
      steps: [calls("read_skill", { name: "a" }), "ok"],
      tools: [loud],
      mode: "autonomous",
    },
  );
  await run.say("hi");
  const text = String(run.model.requests[1]?.at(-1)?.content);
  const inputs = run.inputs("post_tool_use").map(({ tool_input }) => tool_input);
  expect(inputs).toEqual([...Array(20).fill({ cmd: "a", timeout: 30 }), { name: "a" }]);
  expect(text.length - 20 * 1024 * 1024).toBeLessThan(1000);
  expect(text).toEndWith("!`a`");
});

test("a command that needs approval does not run if no user can be asked", async () => {
  const ran: string[] = [];
  const run = await runWith(
    true,
    { ".agents/skills/a/SKILL.md": skillFile("!`make`") },
    {
      steps: [calls("read_skill", { name: "a" }), "ok"],
      tools: [fakeShell(ran)],
    },
  );
  await run.say("hi");
  expect(ran).toEqual([]);
  const sources = run.inputs("on_tool_approval_decision").map(({ approval_source }) => approval_source);
  expect(sources).toContain("non_interactive_deny");
});

test("a post_tool_use block on a command ends the run", async () => {
  const run = await runWith(
    true,
    { ".agents/skills/a/SKILL.md": skillFile("!`a` !`b`") },
    {
      steps: [calls("read_skill", { name: "a" })],
      tools: [fakeShell()],
      mode: "autonomous",
      answers: { post_tool_use: () => ({ decision: "block", reason: "circuit open" }) },
    },
  );
  const error = { code: "hook_blocked", message: "circuit open" };
  expect(await run.say("hi")).toMatchObject({ reason: "hook_blocked", error });
  expect(run.inputs("post_tool_use")).toHaveLength(1);
});

const forked = (more: object = {}): unknown => [inline("x", { context: "fork", ...more })];
const task = calls("run_skill", { name: "x", task: "the task" });

test("a forked skill runs in its own session with the same agent", async () => {
  const run = await runWith(forked(), {}, { steps: [task, "skill done", "ok"], mode: "autonomous" });
  expect((await run.say("hi")).reason).toBe("normal");
  const child = run.inputs("subagent_stop")[0]?.session_id;
  expect(run.log.filter(({ input }) => input.session_id === child).map(({ event }) => event)).toEqual([
    "session_start",
    "turn_start",
    "before_llm_call",
    "after_llm_call",
    "stop",
    "turn_end",
    "session_end",
    "subagent_stop",
  ]);
  expect(run.inputs("subagent_stop")[0]).toMatchObject({
    agent_name: "root",
    parent_session_id: run.session.id,
    stop_response: "skill done",
  });
  expect(run.inputs("on_agent_switch")).toEqual([]);
  expect(run.inputs("user_prompt_submit")).toHaveLength(1);
  expect(run.model.requests[1]?.slice(-2)).toMatchObject([
    { role: "system", content: expect.stringContaining("the task") },
    { role: "user", content: "Do x." },
  ]);
  expect(run.model.requests[2]?.at(-1)).toMatchObject({ role: "tool", content: "skill done" });
});

test("a forked skill has the tools it is allowed, its own, and never run_skill", async () => {
  const skills = forked({ allowed_tools: ["read_*", "run_skill"], toolsets: ["thinking"] });
  const { agent } = await assembled(
    { skills },
    {
      file: { toolsets: { thinking: { type: "think" } } },
    },
  );
  const run = await begin({
    steps: [task, "done", "ok"],
    mode: "autonomous",
    tools: [fakeShell(), tool("read_it", () => ({ text: "" }))],
    agent: { skills: agent.skills ?? [] },
  });
  await run.say("hi");
  expect(run.model.calls.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["shell", "read_it", "read_skill", "run_skill"],
    ["read_it", "read_skill", "think"],
    ["shell", "read_it", "read_skill", "run_skill"],
  ]);
});

test("a forked skill may name a model for its own session", async () => {
  const model = script(["done"], { id: "openai/other" });
  const { skills } = await skillsOf(forked());
  const scope = { allows: () => true, toolsets: [], model };
  const withModel: Agent["skills"] = skills.map((skill) => ({ ...skill, scope }));
  const run = await begin({ steps: [task, "ok"], mode: "autonomous", agent: { skills: withModel } });
  await run.say("hi");
  const ids = run.inputs("before_llm_call").map(({ model_id }) => String(model_id));
  expect(ids).toEqual(["openai/fake", "openai/other", "openai/fake"]);
});

test("a forked skill does not start if a command in its text has ended the run", async () => {
  const files = { ".agents/skills/a/SKILL.md": skillFile("!`a`", "context: fork\n") };
  const run = await runWith(true, files, {
    steps: [calls("run_skill", { name: "a", task: "t" })],
    tools: [fakeShell()],
    mode: "autonomous",
    answers: { post_tool_use: () => ({ decision: "block", reason: "circuit open" }) },
  });
  expect((await run.say("hi")).reason).toBe("hook_blocked");
  expect(run.inputs("subagent_stop")).toEqual([]);
});

test("a forked skill cannot hand off the conversation, and no agent it calls can run a skill", async () => {
  const helper = script(["helped"]);
  const { skills } = await skillsOf(forked());
  const given = { agent: "helper", task: "t", expected_output: "o" };
  const giving = [
    { name: "handoff", arguments: { agent: "helper" } },
    { name: "transfer_task", arguments: given },
  ];
  const run = await begin({
    steps: [task, { calls: giving }, "skill done", "ok"],
    mode: "autonomous",
    agent: { skills, subAgents: ["helper"], handoffs: ["helper"] },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log), [], { skills })],
  });
  await run.say("hi");
  const answers = run.inputs("tool_response_transform").map(({ tool_response }) => String(tool_response));
  expect(answers[0]).toContain("cannot be handed off");
  expect(answers[1]).toBe("helped");
  expect(run.runtime.currentAgent).toBe("root");
  expect(run.inputs("on_agent_switch")).toEqual([]);
  expect(helper.calls[0]?.tools.map(({ name }) => name)).toEqual(["read_skill"]);
});

test("a background agent that a forked skill starts cannot run a skill either", async () => {
  const helper = script(["helped"]);
  const { skills } = await skillsOf(forked());
  const given = { agent: "helper", task: "t" };
  const run = await begin({
    steps: [task, calls("run_background_agent", given), "skill done", "ok"],
    mode: "autonomous",
    agent: { skills, subAgents: ["helper"], background: {} },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log), [], { skills })],
  });
  await run.say("hi");
  await Promise.all([...run.runtime.backgroundTasks.values()].map(({ ended }) => ended));
  expect(helper.calls[0]?.tools.map(({ name }) => name)).toEqual(["read_skill"]);
});

test("run_skill is not read-only and needs approval", async () => {
  const run = await runWith(forked(), {}, { steps: [task, "ok"], mode: "balanced" });
  await run.say("hi");
  expect(run.inputs("on_tool_approval_decision")[0]?.approval_source).toBe("non_interactive_deny");
});

test("a forked skill is not read, and one that is not forked is not run", async () => {
  const run = await runWith(
    [inline("x", { context: "fork" }), inline("y")],
    {},
    {
      steps: [calls("read_skill", { name: "x" }), calls("run_skill", { name: "y", task: "t" }), "ok"],
      mode: "autonomous",
    },
  );
  await run.say("hi");
  expect(run.inputs("tool_response_transform").map(({ tool_error }) => tool_error)).toEqual([true, true]);
});
