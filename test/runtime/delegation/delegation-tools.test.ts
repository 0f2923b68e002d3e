import { describe, expect, test } from "bun:test";
import { ModelError } from "../../../src/model/model.ts";
import type { Step } from "../../helpers/scripted-model.ts";
import { agentOf, converse, fakeShell, hooksFor, type Setup, script, tool } from "../harness.ts";

const transfer = (agent: string) => ({
  calls: [{ name: "transfer_task", arguments: { agent, task: "do X", expected_output: "X" } }],
});
const handoffTo = (agent: string) => ({ calls: [{ name: "handoff", arguments: { agent } }] });

const withHelper = (steps: Step[], helperSteps: Step[], setup: Setup = {}) => {
  const helper = script(helperSteps);
  return converse({
    steps,
    mode: "autonomous",
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log), [fakeShell()], { subAgents: ["root"] })],
    ...setup,
    agent: { subAgents: ["helper"], ...setup.agent },
  });
};

test("a child that fails gives an error result, and the transfer is closed as usual", async () => {
  const run = await withHelper([transfer("helper"), "sorry"], [new ModelError("HTTP 500: broken")]);
  const root = run.log.filter(({ on }) => on === "root").map(({ event }) => event);
  expect(root.slice(root.indexOf("on_agent_switch"), root.indexOf("turn_end"))).toEqual([
    "on_agent_switch",
    "subagent_stop",
    "on_agent_switch",
    "tool_response_transform",
  ]);
  expect(run.inputs("subagent_stop")[0]).not.toHaveProperty("stop_response");
  expect(run.inputs("tool_response_transform")[0]).toMatchObject({
    tool_error: true,
    tool_response: expect.stringContaining("broken"),
  });
  expect(run.ended).toEqual({ reason: "normal" });
  expect(run.session.items.some(({ kind }) => kind === "subsession")).toBeTrue();
});

test("a child's answer that reached the output limit says so to its parent", async () => {
  const run = await withHelper([transfer("helper"), "ok"], [{ text: "The first half", finishReason: "length" }]);
  expect(run.inputs("subagent_stop")[0]).toMatchObject({ stop_response: "The first half" });
  expect(run.model.requests[1]?.at(-1)?.content).toBe(
    "The first half\n\n[the answer is incomplete: it reached the output limit of the model]",
  );
});

test("a name that the agent must not use is refused with the valid ones", async () => {
  const run = await withHelper([transfer("stranger"), "ok"], []);
  expect(run.inputs("on_agent_switch")).toHaveLength(0);
  expect(run.model.requests[1]?.at(-1)?.content).toContain("Valid names: helper");
});

test("a task cannot be given to an agent that is waiting for it", async () => {
  const run = await withHelper([transfer("helper"), "ok"], [transfer("root"), "gave up"]);
  expect(run.inputs("on_agent_switch")).toHaveLength(2);
  expect(run.inputs("tool_response_transform")[0]).toMatchObject({
    tool_error: true,
    tool_response: expect.stringContaining("root -> helper"),
  });
});

test("a child copies the parent's mode and grants, and its own do not apply to the parent", async () => {
  const run = await withHelper(
    [transfer("helper"), { calls: [{ name: "shell", arguments: { cmd: "x" } }] }, "ok"],
    [{ calls: [{ name: "shell", arguments: { cmd: "x" } }] }, "done"],
    {
      tools: [fakeShell()],
      mode: "strict",
      grants: { allow: ["transfer_task"], ask: [], deny: [] },
      askApproval: async () => ({ kind: "tool" }),
    },
  );
  const decided = run
    .inputs("on_tool_approval_decision")
    .map(({ tool_name, approval_source }) => `${tool_name} ${approval_source}`);
  expect(decided).toEqual([
    "transfer_task session_permissions_allow",
    "shell user_approved_tool",
    "shell user_approved_tool",
  ]);
});

test("the user's earlier grants apply to the child", async () => {
  const work = { calls: [{ name: "shell", arguments: { cmd: "x" } }] };
  const run = await withHelper([transfer("helper"), "ok"], [work, "done"], {
    mode: "strict",
    grants: { allow: ["transfer_task", "shell"], ask: [], deny: [] },
  });
  const sources = run.inputs("on_tool_approval_decision").map(({ approval_source }) => String(approval_source));
  expect(sources).toEqual(["session_permissions_allow", "session_permissions_allow"]);
});

test("a cancel of the child closes the transfer and cancels the parent", async () => {
  const stop = new AbortController();
  const helper = script([{ calls: [{ name: "halt" }] }]);
  const halt = tool("halt", () => {
    stop.abort();
    return { text: "" };
  });
  const run = await withHelper([transfer("helper")], [], {
    signal: stop.signal,
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log), [halt])],
  });
  const after = run.log.slice(run.log.findIndex(({ on, event }) => on === "helper" && event === "turn_end"));
  expect(after.map(({ on, event }) => `${on} ${event}`)).toEqual([
    "helper turn_end",
    "helper session_end",
    "root subagent_stop",
    "root on_agent_switch",
    "root turn_end",
    "root session_end",
  ]);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["canceled", "canceled"]);
});

test("after a handoff the other agent continues the conversation", async () => {
  const run = await withHelper([handoffTo("helper")], ["from helper", "still helper"], {
    agent: { handoffs: ["helper"], subAgents: [] },
  });
  expect(run.log.map(({ on, event }) => `${on} ${event}`).slice(6)).toEqual([
    "root tool_guard",
    "root pre_tool_use",
    "root on_tool_approval_decision",
    "root on_agent_switch",
    "root tool_response_transform",
    "root turn_end",
    "helper turn_start",
    "helper before_llm_call",
    "helper after_llm_call",
    "helper stop",
    "helper turn_end",
    "helper on_user_input",
    "helper session_end",
  ]);
  expect(run.inputs("on_agent_switch")).toMatchObject([
    {
      from_agent: "root",
      to_agent: "helper",
      agent_switch_kind: "handoff",
    },
  ]);
  expect(run.log.every(({ input }) => input.session_id === run.session.id)).toBeTrue();
  expect((await run.say("more")).reason).toBe("normal");
  expect(run.log.at(-1)?.on).toBe("helper");
});

test("a forced handoff follows every answer", async () => {
  const run = await withHelper(["draft"], ["final"], { agent: { forceHandoff: "helper" } });
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["force_handoff", "normal"]);
  expect(run.log.map(({ on, event }) => `${on} ${event}`).slice(5, 9)).toEqual([
    "root stop",
    "root on_agent_switch",
    "root turn_end",
    "helper turn_start",
  ]);
  expect(run.inputs("after_llm_call")[1]?.last_user_message).toBe("hi");
});

test("a cancel waits for the last hooks of a child, even if they are slow", async () => {
  const stop = new AbortController();
  const order: string[] = [];
  const halt = tool("halt", () => {
    stop.abort();
    return { text: "" };
  });
  const closing = {
    session_end: async () => {
      await Bun.sleep(3500);
      order.push("helper closed");
      return undefined;
    },
  };
  const helper = script([{ calls: [{ name: "halt" }] }]);
  await withHelper([transfer("helper")], [], {
    signal: stop.signal,
    answers: { turn_end: () => void order.push("root's turn ends") },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log, closing), [halt])],
  });
  expect(order).toEqual(["helper closed", "root's turn ends"]);
});

describe("the tools of delegation", () => {
  const both = ["handoff", "transfer_task"];
  test.each([
    [{ subAgents: [], handoffs: [] }, []],
    [{ subAgents: ["helper"], handoffs: [] }, ["transfer_task"]],
    [{ subAgents: [], handoffs: ["helper"] }, ["handoff"]],
    [{ subAgents: ["helper"], handoffs: ["helper"] }, both],
  ])("are offered to an agent with %j: %j", async (agent, names) => {
    const run = await withHelper(["ok"], [], { agent });
    expect(run.model.calls[0]?.tools.map(({ name }) => name).toSorted()).toEqual(names);
  });

  test("say what they do, which agents there are, and that all arguments are required", async () => {
    const run = await withHelper(["ok"], [], { agent: { handoffs: ["helper"] } });
    const [transferring, handing] = run.model.calls[0]?.tools ?? [];
    expect(transferring).toMatchObject({
      description: expect.stringMatching(/^Hands a task to another agent .*nothing of this conversation\.$/),
      parameters: {
        type: "object",
        properties: { agent: { type: "string", enum: ["helper"] }, task: { type: "string" } },
        required: ["agent", "task", "expected_output"],
        additionalProperties: false,
      },
    });
    expect(handing).toMatchObject({
      description: expect.stringMatching(/^Hands this conversation to another agent/),
      parameters: { properties: { agent: { enum: ["helper"] } }, required: ["agent"] },
    });
  });

  const texts = { agent: "helper", task: "do X", expected_output: "X" };
  test.each(["agent", "task", "expected_output"])("refuse a transfer whose %s is no text", async (argument) => {
    const call = { name: "transfer_task", arguments: { ...texts, [argument]: 1 } };
    const run = await withHelper([{ calls: [call] }, "ok"], []);
    expect(run.inputs("tool_response_transform")[0]).toMatchObject({ tool_error: true });
    expect(run.model.requests[1]?.at(-1)?.content).toMatch(/agent|task|expected_output/);
    expect(run.inputs("on_agent_switch")).toHaveLength(0);
  });

  test("refuse a handoff to an agent that is not named for it, with the valid names", async () => {
    const run = await withHelper([handoffTo("root"), "ok"], [], { agent: { handoffs: ["helper"] } });
    expect(run.model.requests[1]?.at(-1)?.content).toBe(
      "Agent 'root' is not available for handoff. Valid names: helper.",
    );
    expect(run.inputs("on_agent_switch")).toHaveLength(0);
  });
});

test("a transfer is reported there and back, with the models of the agent that is left", async () => {
  const run = await withHelper([transfer("helper"), "ok"], ["done"]);
  expect(run.reported("agent_switching")).toMatchObject([
    { switching: true, from_agent: "root", to_agent: "helper" },
    { switching: false, from_agent: "helper", to_agent: "root" },
  ]);
  const from_agent_models = [{ provider: "openai", model: "fake" }];
  expect(run.inputs("on_agent_switch")).toMatchObject([
    { from_agent: "root", to_agent: "helper", agent_switch_kind: "transfer_task", from_agent_models },
    { from_agent: "helper", to_agent: "root", agent_switch_kind: "transfer_task_return", from_agent_models },
  ]);
});

test("a child starts and ends as a session of its own, below its parent", async () => {
  const run = await withHelper([transfer("helper"), "ok"], ["done"]);
  const started = run.log.find(({ on, event }) => on === "helper" && event === "session_start");
  expect(started?.input).toMatchObject({ source: "startup", agent_name: "helper", cwd: run.session.workingDir });
  const child = started?.input.session_id ?? "";
  expect(child).not.toBe(run.session.id);
  expect(run.log.find(({ on, event }) => on === "helper" && event === "session_end")?.input).toMatchObject({
    session_id: child,
    reason: "other",
  });
  expect(run.reported("sub_session_completed")).toMatchObject([
    {
      parent_session_id: run.session.id,
      sub_session: { id: child, title: "Transferred task", agent_name: "helper" },
    },
  ]);
  expect(run.inputs("subagent_stop")).toMatchObject([
    { session_id: child, agent_name: "helper", parent_session_id: run.session.id, stop_response: "done" },
  ]);
  expect(run.inputs("user_prompt_submit")).toHaveLength(1);
});

test("the task of a child is in its instructions, with what the result has to look like, and it starts with a message of the user", async () => {
  const helper = script(["done"]);
  await withHelper([transfer("helper"), "ok"], [], {
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log))],
  });
  const [, task, start] = helper.requests[0] ?? [];
  expect(task?.content).toStartWith("Another agent has given you a task. Work on it alone");
  expect(task?.content).toContain("<task>\ndo X\n</task>\n\n<expected_output>\nX\n</expected_output>");
  expect(start).toMatchObject({ role: "user", content: "Please proceed." });
});

test("the context of a child's session_start is part of its requests", async () => {
  const helper = script(["done"]);
  const answers = {
    session_start: () => ({ hook_specific_output: { additional_context: "the child's context" } }),
  };
  await withHelper([transfer("helper"), "ok"], [], {
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log, answers))],
  });
  expect(JSON.stringify(helper.requests[0])).toContain("the child's context");
});

test("a task can be passed on ten times, and not an eleventh time", async () => {
  const names = Array.from({ length: 11 }, (_, index) => `helper${index + 1}`);
  const run = await converse({
    steps: [transfer("helper1"), "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper1"] },
    others: (log) =>
      names.map((name, index) => {
        const next = names[index + 1];
        const steps = next === undefined ? [] : [transfer(next), "passed on"];
        return agentOf(name, script(steps), hooksFor(name, log), [], { subAgents: next === undefined ? [] : [next] });
      }),
  });
  const refused = run.inputs("tool_response_transform").filter(({ tool_error }) => tool_error === true);
  expect(refused.map(({ agent_name, tool_response }) => [agent_name, tool_response])).toEqual([
    ["helper10", "Tasks may be transferred at most 10 times in a row."],
  ]);
});

test("hooks see the category of a transfer and of a handoff, whose result is for the agent that continues", async () => {
  const helper = script(["done", "from helper"]);
  const run = await withHelper([transfer("helper"), handoffTo("helper")], [], {
    agent: { handoffs: ["helper"] },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log))],
  });
  expect(run.inputs("pre_tool_use").map(({ tool_category }) => String(tool_category))).toEqual(["transfer", "handoff"]);
  expect(helper.requests[1]?.at(-1)?.content).toMatch(/^The agent root has handed the conversation to helper/);
});
