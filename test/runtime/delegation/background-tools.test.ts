import { describe, expect, test } from "bun:test";
import { type Message, textOf } from "../../../src/model/messages/message.ts";
import type { EventName } from "../../../src/protocol/events.ts";
import {
  addTask,
  appendOutput,
  type BackgroundTask,
  type BackgroundTasks,
} from "../../../src/runtime/stream/background-tasks.ts";
import { stopBackgroundTasks } from "../../../src/runtime/stream/runtime.ts";
import type { ScriptedCall, ScriptedReply, Step } from "../../helpers/scripted-model.ts";
import { until } from "../../helpers/until.ts";
import {
  agentOf,
  begin,
  fakeShell,
  hooksFor,
  type LoggedInput,
  type Run,
  type Setup,
  script,
  tool,
} from "../harness.ts";

const start = (agent = "helper"): ScriptedReply => ({
  calls: [{ name: "run_background_agent", arguments: { agent, task: "do X" } }],
});
const about =
  (name: string): Step =>
  ({ messages }) => ({
    calls: [{ name, arguments: { task_id: idIn(messages) } }],
  });

/** Returns the id of the only task, as the model read it. */
function idIn(messages: readonly Message[]): string {
  return /agent_task_[0-9a-f-]+/.exec(messages.map(textOf).join("\n"))?.[0] ?? "";
}

const calls = (name: string, input: ScriptedCall["arguments"] = {}): ScriptedReply => ({
  calls: [{ name, arguments: input }],
});

interface Parts extends Setup {
  helperSteps: Step[];
  helperTools?: Parameters<typeof agentOf>[3];
  helperAnswers?: Setup["answers"];
}

/** Starts a run whose root can start `helper` in the background. */
function withHelper({ helperSteps, helperTools = [], helperAnswers, ...setup }: Parts): Promise<Run> {
  const helper = script(helperSteps);
  return begin({
    mode: "autonomous",
    ...setup,
    agent: { subAgents: ["helper"], background: {}, ...setup.agent },
    others: (log: LoggedInput[]) => [agentOf("helper", helper, hooksFor("helper", log, helperAnswers), helperTools)],
  });
}

const on = (run: Run, agent: string) => run.log.filter((asked) => asked.on === agent).map(({ event }) => event);

/** Waits until an event was dispatched. */
async function untilDispatched(run: Run, event: EventName, agent: string): Promise<void> {
  await until(() => on(run, agent).includes(event));
}

test("a task runs in parallel with the conversation, and the caller's hooks are notified of its end", async () => {
  const gate = Promise.withResolvers<string>();
  const run = await withHelper({ steps: [start(), "meanwhile"], helperSteps: [() => gate.promise] });
  expect((await run.say("hi")).reason).toBe("normal");
  expect(on(run, "helper")).toEqual(["session_start", "turn_start", "before_llm_call"]);
  expect(run.inputs("on_agent_switch")).toEqual([]);
  await run.end();
  gate.resolve("X done");
  await untilDispatched(run, "subagent_stop", "root");
  expect(on(run, "helper").slice(3)).toEqual(["after_llm_call", "stop", "turn_end", "session_end"]);
  expect(on(run, "root").slice(-2)).toEqual(["session_end", "subagent_stop"]);
  const child = run.log.find((asked) => asked.on === "helper")?.input.session_id;
  expect(run.inputs("subagent_stop")).toMatchObject([
    {
      session_id: child!,
      parent_session_id: run.session.id,
      agent_name: "helper",
      stop_response: "X done",
    },
  ]);
  expect(run.runtime.currentAgent).toBe("root");
  expect(run.session.items.filter(({ kind }) => kind === "subsession")).toHaveLength(1);
});

test("only the costs of a task are reported", async () => {
  const run = await withHelper({ steps: [start(), "ok"], helperSteps: ["X done"] });
  await run.say("hi");
  await untilDispatched(run, "subagent_stop", "root");
  const child = run.inputs("subagent_stop")[0]?.session_id;
  const ofChild = run.reports.filter((event) => "session_id" in event && event.session_id === child);
  expect(ofChild.map(({ type }) => type)).toEqual(["token_usage"]);
  expect(run.reported("sub_session_completed")).toEqual([]);
});

test("calls that need approval are denied without a question", async () => {
  const ran: string[] = [];
  const asked: string[] = [];
  const run = await withHelper({
    steps: [start(), "ok"],
    mode: "strict",
    grants: { allow: ["run_background_agent"], ask: [], deny: [] },
    helperSteps: [calls("shell", { cmd: "x" }), "gave up"],
    helperTools: [fakeShell(ran)],
    askApproval: async ({ toolName }) => {
      asked.push(toolName);
      return { kind: "once" };
    },
  });
  await run.say("hi");
  await untilDispatched(run, "subagent_stop", "root");
  const ofHelper = (wanted: EventName) => run.log.filter((asked) => asked.on === "helper" && asked.event === wanted);
  const sources = ofHelper("on_tool_approval_decision").map(({ input }) => input.approval_source);
  expect(sources).toEqual(["non_interactive_deny"]);
  expect(ofHelper("on_user_input")).toEqual([]);
  expect([ran, asked]).toEqual([[], []]);
});

test("a task outlives a cancel of the conversation", async () => {
  const stop = new AbortController();
  const gate = Promise.withResolvers<string>();
  const halt = tool("halt", () => {
    stop.abort();
    return { text: "" };
  });
  const run = await withHelper({
    steps: [start(), calls("halt")],
    helperSteps: [() => gate.promise],
    tools: [halt],
    signal: stop.signal,
  });
  expect((await run.say("hi")).reason).toBe("canceled");
  gate.resolve("X done");
  await untilDispatched(run, "subagent_stop", "root");
  expect(run.inputs("subagent_stop")[0]?.stop_response).toBe("X done");
});

test("the end of the process stops a task and waits for its last hooks", async () => {
  const run = await withHelper({
    steps: [start(), "ok"],
    helperSteps: [
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    ],
    helperAnswers: {
      session_end: async () => {
        await Bun.sleep(50);
        return undefined;
      },
    },
  });
  await run.say("hi");
  await stopBackgroundTasks(run.runtime, "the run has ended");
  expect(on(run, "helper")).toEqual(["session_start", "turn_start", "before_llm_call", "turn_end", "session_end"]);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toContain("canceled");
  expect(on(run, "root").at(-1)).toBe("subagent_stop");
  expect([...run.runtime.backgroundTasks.values()].map(({ status }) => status)).toEqual(["stopped"]);
});

test("a task is listed, viewed and stopped by its id", async () => {
  const gate = Promise.withResolvers<string>();
  const run = await withHelper({
    steps: [
      start(),
      calls("list_background_agents"),
      about("view_background_agent"),
      about("stop_background_agent"),
      about("stop_background_agent"),
      "ok",
    ],
    helperSteps: [
      ({ signal }) => {
        signal.addEventListener("abort", () => gate.resolve("never"));
        return gate.promise;
      },
    ],
  });
  await run.say("hi");
  const results = run.inputs("tool_response_transform").map(({ tool_response }) => String(tool_response));
  expect(results[1]).toMatch(/^agent_task_\S+ \(helper, running\): do X$/);
  expect(results[2]).toContain("<no output>");
  expect(results[3]).toContain("Background agent stopped: agent_task_");
  expect(results[4]).toContain("is not running (stopped)");
  expect(run.inputs("post_tool_use")).toEqual([]);
});

test("an answer, and an error, can be read when the task has ended", async () => {
  const view = async (helperStep: Step) => {
    const run = await withHelper({ steps: [start(), "ok"], helperSteps: [helperStep] });
    await run.say("hi");
    await untilDispatched(run, "subagent_stop", "root");
    await Promise.all([...run.runtime.backgroundTasks.values()].map(({ ended }) => ended));
    return [...run.runtime.backgroundTasks.values()].map(({ status, output }) => [status, output]);
  };
  expect(await view("X done")).toEqual([["completed", "X done"]]);
  expect(await view(new Error("broken"))).toEqual([["failed", "model failed: broken"]]);
});

describe("wait_background_agents", () => {
  const waitFor = (more: object, ids = (messages: readonly Message[]) => [idIn(messages)]): Step => {
    return ({ messages }) => ({
      calls: [{ name: "wait_background_agents", arguments: { task_ids: ids(messages), ...more } }],
    });
  };
  const resultsOf = (run: Run) =>
    run
      .inputs("tool_response_transform")
      .slice(1)
      .map(({ tool_response, tool_error }) => ({
        ...JSON.parse(String(tool_response)),
        ...(tool_error && { tool_error }),
      }));

  test("returns when the task has ended, with its output or error cut to 4 KiB", async () => {
    const outcome = async (helperStep: Step) => {
      const run = await withHelper({ steps: [start(), waitFor({}), "ok"], helperSteps: [helperStep] });
      await run.say("hi");
      return resultsOf(run)[0];
    };
    const task = { task_id: expect.stringMatching(/^agent_task_/), done: true };
    expect(await outcome("X done")).toEqual({
      all_done: true,
      tasks: [{ ...task, status: "completed", output: "X done" }],
    });
    expect(await outcome(new Error("broken"))).toEqual({
      all_done: true,
      tasks: [{ ...task, status: "failed", error: "model failed: broken" }],
    });
    expect(await outcome("é".repeat(3000))).toEqual({
      all_done: true,
      tasks: [{ ...task, status: "completed", output: "é".repeat(2048), truncated: true }],
    });
  });

  test("returns when its time is up, and stops nothing", async () => {
    const gate = Promise.withResolvers<string>();
    const run = await withHelper({
      steps: [start(), waitFor({ timeout: 1 }), "ok"],
      helperSteps: [() => gate.promise],
    });
    await run.say("hi");
    expect(resultsOf(run)).toMatchObject([
      { all_done: false, timed_out: true, tasks: [{ status: "running", done: false, output: "" }] },
    ]);
    gate.resolve("late");
    const [task] = run.runtime.backgroundTasks.values();
    await task?.ended;
    expect(task).toMatchObject({ status: "completed", output: "late" });
  });

  test("is an error at once for an unknown id, and for ids that are no valid list", async () => {
    const gate = Promise.withResolvers<string>();
    const unknown = (messages: readonly Message[]) => ["other", idIn(messages)];
    const twice = (messages: readonly Message[]) => [idIn(messages), idIn(messages)];
    const run = await withHelper({
      steps: [
        start(),
        waitFor({}, unknown),
        waitFor({}, twice),
        waitFor({}, () => []),
        waitFor({}, () => Array(101).fill("a")),
        "ok",
      ],
      helperSteps: [() => gate.promise],
    });
    await run.say("hi");
    const [, first, ...others] = run.inputs("tool_response_transform");
    expect(JSON.parse(String(first?.tool_response))).toMatchObject({
      all_done: false,
      tasks: [
        { task_id: "other", status: "not_found", done: false },
        { status: "running", done: false },
      ],
    });
    expect(String(first?.tool_response)).not.toContain("timed_out");
    expect([first, ...others].map((input) => input?.tool_error)).toEqual([true, true, true, true]);
    expect(others[0]?.tool_response).toBe("task_ids has an id twice");
    gate.resolve("done");
    await Promise.all([...run.runtime.backgroundTasks.values()].map(({ ended }) => ended));
  });

  test("does not count as a loop", async () => {
    const gate = Promise.withResolvers<string>();
    const run = await withHelper({
      steps: [start(), ...Array.from({ length: 7 }, () => waitFor({}, () => ["other"])), "ok"],
      helperSteps: [() => gate.promise],
    });
    expect((await run.say("hi")).reason).toBe("normal");
    gate.resolve("done");
    await Promise.all([...run.runtime.backgroundTasks.values()].map(({ ended }) => ended));
  });
});

test("only agents that list it as a sub-agent can give an agent work", async () => {
  const run = await withHelper({ steps: [start("stranger"), "ok"], helperSteps: [] });
  await run.say("hi");
  expect(run.inputs("tool_response_transform")[0]).toMatchObject({
    tool_error: true,
    tool_response: expect.stringContaining("helper"),
  });
});

test("at most twenty tasks run at once", async () => {
  const gate = Promise.withResolvers<string>();
  const twentyOne = Array.from({ length: 21 }, (_, n) => ({
    name: "run_background_agent",
    arguments: { agent: "helper", task: `task ${n}` },
  }));
  const run = await withHelper({
    steps: [{ calls: twentyOne }, "ok"],
    helperSteps: Array.from({ length: 20 }, () => () => gate.promise),
  });
  await run.say("hi");
  const errors = run.inputs("tool_response_transform").filter(({ tool_error }) => tool_error);
  expect(errors.map(({ tool_response }) => tool_response)).toEqual([expect.stringContaining("Too many agents")]);
  gate.resolve("done");
  await Promise.all([...run.runtime.backgroundTasks.values()].map(({ ended }) => ended));
});

test("without sub-agents or the toolset, no task can be started", async () => {
  const offered = async (agent: Setup["agent"] & object) => {
    const run = await begin({ steps: ["ok"], agent });
    await run.say("hi");
    return run.model.calls[0]?.tools.map(({ name }) => name);
  };
  expect(await offered({ background: {} })).toEqual([]);
  expect(await offered({ subAgents: ["root"] })).toEqual(["transfer_task"]);
  expect(await offered({ subAgents: ["root"], background: { readonly: true } })).toEqual([
    "transfer_task",
    "list_background_agents",
    "view_background_agent",
    "wait_background_agents",
  ]);
});

const delegate = (name: string, agent: string) => calls(name, { agent, task: "t", expected_output: "o" });

test("a background task cannot be given to an agent that is waiting for it", async () => {
  const helper = script([delegate("run_background_agent", "root"), "gave up"]);
  const run = await begin({
    steps: [start(), "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper"], background: {} },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log), [], { subAgents: ["root"], background: {} })],
  });
  await run.say("hi");
  await untilDispatched(run, "subagent_stop", "root");
  const answer = run.log.find((asked) => asked.on === "helper" && asked.event === "tool_response_transform");
  expect(answer?.input).toMatchObject({ tool_error: true, tool_response: expect.stringContaining("root -> helper") });
});

test("a transfer inside a background task does not change the agent of the conversation", async () => {
  const helper = script([delegate("transfer_task", "expert"), "X done"]);
  const expert = script(["X, by the expert"]);
  const run = await begin({
    steps: [start(), "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper"], background: {} },
    others: (log) => [
      agentOf("helper", helper, hooksFor("helper", log), [], { subAgents: ["expert"] }),
      agentOf("expert", expert, hooksFor("expert", log)),
    ],
  });
  await run.say("hi");
  await untilDispatched(run, "subagent_stop", "root");
  expect(run.inputs("on_agent_switch")).toEqual([]);
  expect(run.inputs("subagent_stop").map(({ agent_name }) => String(agent_name))).toEqual(["expert", "helper"]);
  expect(on(run, "expert")).toContain("stop");
  expect(run.runtime.currentAgent).toBe("root");
  expect([...run.runtime.backgroundTasks.values()].map(({ output }) => output)).toEqual(["X done"]);
});

test("the output of a task's agent is kept while it works, that of its sub-agents is not", async () => {
  const gate = Promise.withResolvers<string>();
  const helper = script([
    {
      text: "thinking",
      calls: [
        {
          name: "transfer_task",
          arguments: {
            agent: "expert",
            task: "t",
            expected_output: "o",
          },
        },
      ],
    },
    () => gate.promise,
  ]);
  const run = await begin({
    steps: [start(), "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper"], background: {} },
    others: (log) => [
      agentOf("helper", helper, hooksFor("helper", log), [], { subAgents: ["expert"] }),
      agentOf("expert", script(["expert words"]), hooksFor("expert", log)),
    ],
  });
  await run.say("hi");
  await untilDispatched(run, "session_end", "expert");
  expect([...run.runtime.backgroundTasks.values()].map(({ output }) => output)).toEqual(["thinking"]);
  gate.resolve("done");
  await untilDispatched(run, "subagent_stop", "root");
});

test("the context of a child's session_start is for the child", async () => {
  const helper = script(["X done"]);
  const answers = { session_start: () => ({ hook_specific_output: { additional_context: "CHILD" } }) };
  const run = await begin({
    steps: [start(), "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper"], background: {} },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log, answers))],
  });
  await run.say("hi");
  await untilDispatched(run, "subagent_stop", "root");
  expect(helper.requests[0]?.map(({ content }) => content)).toContain("CHILD");
  expect(JSON.stringify(run.model.requests)).not.toContain("CHILD");
});

/** Returns a task as the tools keep it. */
function taskOf(id: string, status: BackgroundTask["status"]): BackgroundTask {
  const rest = { startedAt: 0, output: "", stop: new AbortController(), ended: Promise.resolve() };
  return { id, agent: "a", task: "t", status, ...rest };
}

test("a hundred tasks are kept, and a running one is never removed", () => {
  const tasks: BackgroundTasks = new Map();
  addTask(tasks, taskOf("first", "running"));
  for (let n = 0; n < 105; n++) addTask(tasks, taskOf(`task ${n}`, "completed"));
  expect(tasks.size).toBe(100);
  expect([...tasks.keys()].slice(0, 2)).toEqual(["first", "task 6"]);
});

test("ten megabytes of a task's output are kept", () => {
  const task = taskOf("x", "running");
  for (let n = 0; n < 12; n++) appendOutput(task, "x".repeat(1024 * 1024));
  expect(task.output).toHaveLength(10 * 1024 * 1024);
});
