import { expect, test } from "bun:test";
import { NO_LIMITS } from "../../../src/runtime/agent/agent.ts";
import { queueFollowUp, queueSteering } from "../../../src/runtime/session/queues.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import { agentOf, begin, converse, fakeShell, hooksFor, script } from "../harness.ts";

const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });
const refuse = (reason: string) => ({ decision: "block", reason });
const retries = (most: number) => ({ limits: { ...NO_LIMITS, maxGuardRetries: most } });

test("stop_guard sends the agent back to work with its reason, before stop fires", async () => {
  let asked = 0;
  const run = await converse({
    steps: ["half done", "all done"],
    answers: { stop_guard: () => (asked++ === 0 ? refuse("run the tests") : undefined) },
  });
  expect(run.events()).toEqual([
    "session_start",
    "user_prompt_submit",
    "turn_start",
    "before_llm_call",
    "after_llm_call",
    "stop_guard",
    "turn_end",
    "turn_start",
    "before_llm_call",
    "after_llm_call",
    "stop_guard",
    "stop",
    "turn_end",
    "on_user_input",
    "session_end",
  ]);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "normal"]);
  expect(run.model.requests[1]?.slice(-3)).toMatchObject([
    { role: "user", content: "hi" },
    { role: "assistant", content: "half done" },
    { role: "user", content: "You cannot stop yet: run the tests" },
  ]);
  expect(run.inputs("stop_guard")).toMatchObject([
    { agent_name: "root", stop_response: "half done", last_user_message: "hi", max_guard_retries: 8 },
    { stop_response: "all done", last_user_message: "hi", stop_hook_active: true, guard_retries: 1 },
  ]);
  expect(run.inputs("stop_guard")[0]).toHaveProperty("stop_hook_active", false);
  expect(run.inputs("stop_guard")[0]).not.toHaveProperty("parent_session_id");
  expect(run.reported("warning")).toMatchObject([
    { hook_event: "stop_guard", message: "the agent goes on (1 of 8): run the tests" },
  ]);
  expect(run.ended).toEqual({ reason: "normal" });
});

test("the reason is stored with the session, as a message that the user did not write", async () => {
  let asked = 0;
  const run = await converse({
    steps: ["a", "b"],
    answers: { stop_guard: () => (asked++ === 0 ? { continue: false } : undefined) },
  });
  expect(messagesOf(run.session)[2]).toMatchObject({
    implicit: true,
    message: { role: "user", blocks: [{ text: "You cannot stop yet: a hook refused, without a reason" }] },
  });
});

test("after max_guard_retries refusals the turn ends, and a warning says so", async () => {
  const run = await converse({
    steps: ["1", call("a"), "2", "3"],
    mode: "autonomous",
    tools: [fakeShell()],
    agent: retries(2),
    answers: { stop_guard: () => refuse("never") },
  });
  expect(run.inputs("stop_guard").map(({ guard_retries }) => guard_retries ?? 0)).toEqual([0, 1, 2]);
  expect(run.reported("warning").map(({ message }) => message)).toEqual([
    "the agent goes on (1 of 2): never",
    "the agent goes on (2 of 2): never",
    "the agent stops although hooks refuse, max_guard_retries (2) is reached: never",
  ]);
  expect(run.inputs("stop")).toMatchObject([{ stop_response: "3" }]);
  expect(run.ended).toEqual({ reason: "normal" });
});

test("without a setting the bound is eight", async () => {
  const steps = Array.from({ length: 9 }, (_, index) => String(index));
  const run = await converse({ steps, answers: { stop_guard: () => refuse("never") } });
  expect(run.inputs("stop_guard")).toHaveLength(9);
});

test("each message of the user, queued ones too, gives the guard all its retries again", async () => {
  const run = await begin({
    steps: ["1", "2", "3", "4", "5", "6"],
    agent: retries(1),
    answers: {
      stop_guard: ({ guard_retries = 0, stop_response }) => {
        if (stop_response === "2") queueFollowUp(run.runtime.queues, "and then?");
        return guard_retries < 2 ? refuse("more") : undefined;
      },
    },
  });
  await run.say("first");
  await run.say("second");
  expect(run.inputs("stop_guard").map(({ guard_retries }) => guard_retries ?? 0)).toEqual([0, 1, 0, 1, 0, 1]);
});

test("it does not fire while the user's queued messages or tool calls continue the turn", async () => {
  const run = await begin({
    steps: [
      call("a"),
      () => {
        queueSteering(run.runtime.queues, "wait");
        return "steered";
      },
      "done",
    ],
    mode: "autonomous",
    tools: [fakeShell()],
    answers: { stop_guard: () => undefined },
  });
  await run.say("go");
  expect(run.inputs("stop_guard").map(({ stop_response }) => stop_response)).toEqual(["done"]);
});

test("max_iterations ends a run that a guard keeps going", async () => {
  const run = await converse({
    steps: ["1", "2"],
    agent: { limits: { ...NO_LIMITS, maxIterations: 2 } },
    answers: { stop_guard: () => refuse("never") },
  });
  expect(run.inputs("on_max_iterations")).toHaveLength(1);
  expect(run.inputs("stop")).toHaveLength(0);
});

test("a guard that fails lets the agent stop, with a warning", async () => {
  const run = await converse({
    steps: ["done"],
    answers: {
      stop_guard: () => {
        throw new Error("broken");
      },
    },
  });
  expect(run.inputs("stop")).toHaveLength(1);
  expect(run.reported("warning")).toMatchObject([{ message: expect.stringContaining("broken") }]);
});

test("a run that is cancelled while the guard runs is not sent back to work", async () => {
  const stop = new AbortController();
  const run = await converse({
    steps: ["done"],
    signal: stop.signal,
    answers: {
      stop_guard: () => {
        stop.abort();
        return refuse("more");
      },
    },
  });
  expect(run.ended.reason).toBe("canceled");
  expect(messagesOf(run.session)).toHaveLength(2);
});

test("a sub-agent has its own guards and retries, and its parent reads only its last answer", async () => {
  const helper = script(["half", "whole"]);
  const run = await converse({
    steps: [
      { calls: [{ name: "transfer_task", arguments: { agent: "helper", task: "do X", expected_output: "X" } }] },
      "ok",
    ],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
    others: (log) => {
      const answers = { stop_guard: ({ guard_retries = 0 }) => (guard_retries === 0 ? refuse("more") : undefined) };
      return [agentOf("helper", helper, hooksFor("helper", log, answers))];
    },
  });
  expect(run.inputs("stop_guard")).toMatchObject([
    { agent_name: "helper", stop_response: "half", parent_session_id: run.session.id },
    { agent_name: "helper", stop_response: "whole", parent_session_id: run.session.id },
  ]);
  expect(run.inputs("subagent_stop")).toMatchObject([{ stop_response: "whole" }]);
  expect(run.model.requests[1]?.at(-1)).toMatchObject({ role: "tool", content: "whole" });
});

test("an agent hands over by force only after its guard lets it stop", async () => {
  let asked = 0;
  const next = script(["the end"]);
  const run = await converse({
    steps: ["half", "whole"],
    agent: { forceHandoff: "next" },
    answers: { stop_guard: () => (asked++ === 0 ? refuse("more") : undefined) },
    others: (log) => [agentOf("next", next, hooksFor("next", log))],
  });
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "force_handoff", "normal"]);
});

test("each guard and each agent has its own retries", async () => {
  const once = ({ guard_retries = 0 }: { guard_retries?: number }) =>
    guard_retries === 0 ? refuse("more") : undefined;
  const answers = { stop_guard: once, response_guard: once };
  const next = script(["1", "2", "3"]);
  const run = await converse({
    steps: ["1", "2", "3"],
    agent: { ...retries(1), forceHandoff: "next" },
    answers,
    others: (log) => [agentOf("next", next, hooksFor("next", log, answers), [], retries(1))],
  });
  expect(run.reported("warning").map(({ agent_name, hook_event }) => [agent_name, hook_event])).toEqual([
    ["root", "response_guard"],
    ["root", "stop_guard"],
    ["next", "response_guard"],
    ["next", "stop_guard"],
  ]);
  expect(run.ended).toEqual({ reason: "normal" });
});
