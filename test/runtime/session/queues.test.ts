import { expect, test } from "bun:test";
import { createQueues, queueFollowUp, queueSteering } from "../../../src/runtime/session/queues.ts";
import { begin, type Run, type Setup, tool } from "../harness.ts";

const texts = (run: Run, request: number) =>
  run.model.requests[request]?.map(({ role, content }) => `${role}: ${content}`).slice(1);

/** Starts a run whose only tool call queues messages. */
async function runWith(queue: (run: Run) => void, setup: Setup) {
  let begun: Run | undefined;
  const working = tool("work", () => {
    if (begun) queue(begun);
    return { text: "worked" };
  });
  begun = await begin({ tools: [working], mode: "autonomous", ...setup });
  const ended = await begun.say("hi");
  return { ...begun, ended };
}

const work = { calls: [{ name: "work" }] };
const steerTwice = ({ runtime }: Run) => {
  queueSteering(runtime.queues, "first");
  queueSteering(runtime.queues, "second");
};

test("steering messages are taken up together after the batch, with one event", async () => {
  const run = await runWith(steerTwice, {
    steps: [work, "done"],
    answers: {
      user_prompt_submit: () => ({ hook_specific_output: { additional_context: "OLD" } }),
      user_steering_messages_submit: () => ({ hook_specific_output: { additional_context: "NEW" } }),
    },
  });
  expect(run.inputs("user_steering_messages_submit").map(({ steering_messages }) => steering_messages)).toEqual([
    ["first", "second"],
  ]);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["steered", "normal"]);
  expect(texts(run, 1)).toEqual([
    "system: NEW",
    "user: hi",
    "assistant: ",
    "tool: worked",
    "user: first\n",
    "user: second",
  ]);
  expect(run.reported("user_message").map(({ message }) => message)).toEqual(["hi", "first", "second"]);
  expect(run.inputs("user_prompt_submit")).toHaveLength(1);
});

test("a hook that blocks steering ends the run, and no model ever sees the messages", async () => {
  const run = await runWith(steerTwice, {
    steps: [work, "fine"],
    answers: { user_steering_messages_submit: () => ({ decision: "block", reason: "stay" }) },
  });
  expect(run.ended).toMatchObject({ reason: "hook_blocked", error: { message: "stay" } });
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["hook_blocked"]);
  await run.say("next");
  expect(texts(run, 1)).toEqual(["user: hi", "assistant: ", "tool: worked", "user: next"]);
});

test("steering that waits before a turn is taken up, or blocked, before that turn", async () => {
  const run = await begin({
    steps: [],
    answers: { user_steering_messages_submit: () => ({ decision: "block", reason: "stay" }) },
  });
  queueSteering(run.runtime.queues, "early");
  expect((await run.say("hi")).reason).toBe("hook_blocked");
  expect(run.events().slice(2)).toEqual(["user_steering_messages_submit", "notification", "on_error", "on_user_input"]);
});

test("follow-ups are taken up one at a time, each after an answer", async () => {
  const run = await begin({ steps: ["1", "2", "3"] });
  queueFollowUp(run.runtime.queues, "then this");
  queueFollowUp(run.runtime.queues, "and that");
  await run.say("hi");
  const turn = ["turn_start", "before_llm_call", "after_llm_call", "stop"];
  expect(run.events().slice(2)).toEqual([
    ...turn,
    "user_followup_submit",
    "turn_end",
    ...turn,
    "user_followup_submit",
    "turn_end",
    ...turn,
    "turn_end",
    "on_user_input",
  ]);
  expect(run.inputs("user_followup_submit").map(({ prompt }) => prompt)).toEqual(["then this", "and that"]);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "continue", "normal"]);
});

test("a follow-up after an error waits for the next stream", async () => {
  const run = await begin({
    steps: ["1", "2", "3"],
    answers: {
      user_followup_submit: ({ prompt }) => (prompt === "bad" ? { decision: "block", reason: "no" } : undefined),
    },
  });
  queueFollowUp(run.runtime.queues, "bad");
  queueFollowUp(run.runtime.queues, "good");
  expect((await run.say("hi")).reason).toBe("hook_blocked");
  expect(run.runtime.queues.followUps).toEqual([{ text: "good", files: [] }]);
  expect((await run.say("again")).reason).toBe("normal");
  expect(texts(run, 2)?.filter((text) => text.startsWith("user"))).toEqual(["user: hi", "user: again", "user: good"]);
});

test("a full queue refuses", () => {
  const queues = createQueues();
  for (let count = 0; count < 5; count++) queueSteering(queues, "x");
  expect(() => queueSteering(queues, "x")).toThrow("The steering queue is full: 5 messages are already waiting");
  for (let count = 0; count < 20; count++) queueFollowUp(queues, "x");
  expect(() => queueFollowUp(queues, "x")).toThrow("The follow-up queue is full: 20 messages are already waiting");
});

test("a blank message is not queued", () => {
  const queues = createQueues();
  expect(() => queueSteering(queues, " \n")).toThrow("The steering message is empty");
  expect(() => queueFollowUp(queues, "")).toThrow("The follow-up message is empty");
  expect(queues).toEqual(createQueues());
});
