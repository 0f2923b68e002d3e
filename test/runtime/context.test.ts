import { expect, test } from "bun:test";
import type { Message } from "../../src/protocol/fields.ts";
import { startSession, submitMessage } from "../../src/runtime/conversation/session-lifecycle.ts";
import { begin, converse, fakeShell } from "./harness.ts";

const context = (additional_context: string) => ({ hook_specific_output: { additional_context } });
const texts = (request: Message[] | undefined) => request?.map(({ role, content }) => `${role}: ${content}`);
const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });

test("contexts come before the conversation, except those of post_tool_use and stop, which come after it", async () => {
  let turns = 0;
  const run = await begin({
    steps: [call("a"), "done", "again"],
    tools: [fakeShell()],
    mode: "autonomous",
    answers: {
      session_start: () => context("START"),
      user_prompt_submit: ({ prompt }) => context(`PROMPT ${prompt}`),
      turn_start: () => context(`TURN ${++turns}`),
      post_tool_use: () => context("TOOL"),
      stop: () => context("STOP"),
      before_llm_call: () => context("IGNORED"),
    },
  });
  await run.say("hi");
  await run.say("more");
  const opening = ["system: You are root.", "system: START"];
  expect(run.model.requests.map(texts)).toEqual([
    [...opening, "system: PROMPT hi", "system: TURN 1", "user: hi"],
    [...opening, "system: PROMPT hi", "system: TURN 2", "user: hi", "assistant: ", "tool: ran a", "system: TOOL"],
    [
      ...opening,
      "system: PROMPT more",
      "system: TURN 3",
      "user: hi",
      "assistant: ",
      "tool: ran a",
      "assistant: done",
      "user: more",
      "system: STOP",
    ],
  ]);
  expect(JSON.stringify(run.session.items)).not.toMatch(/START|PROMPT|TURN|TOOL|STOP/);
  expect(run.session.startContext).toBe("START");
});

test("session_start runs once for three prompts, and a later one replaces its context", async () => {
  const run = await begin({
    steps: ["1", "2", "3", "4"],
    answers: { session_start: ({ source }) => (source === "startup" ? context("FIRST") : undefined) },
  });
  for (const text of ["a", "b", "c"]) await run.say(text);
  expect(run.inputs("session_start")).toHaveLength(1);
  expect(run.inputs("user_prompt_submit")).toHaveLength(3);
  expect(texts(run.model.requests[2])).toContain("system: FIRST");
  const { signal } = new AbortController();
  await startSession(run.runtime, run.session, "resume", signal);
  await submitMessage(run.runtime, run.session, "d", signal);
  expect(run.inputs("session_start").map(({ source }) => source)).toEqual(["startup", "resume"]);
  expect(texts(run.model.requests[3])).not.toContain("system: FIRST");
  expect(run.inputs("before_llm_call").map(({ iteration }) => iteration)).toEqual([1, 1, 1, 1]);
});

test("a blocked prompt ends the run before any turn, stays in the record and never reaches a model", async () => {
  const run = await begin({
    steps: ["fine"],
    answers: {
      user_prompt_submit: ({ prompt }) => (prompt === "bad" ? { decision: "block", reason: "not this" } : undefined),
    },
  });
  expect(await run.say("bad")).toEqual({
    reason: "hook_blocked",
    error: { code: "hook_blocked", message: "not this" },
  });
  expect(run.events()).toEqual(["session_start", "user_prompt_submit", "notification", "on_error", "on_user_input"]);
  expect(run.reports.map(({ type }) => type)).not.toContain("stream_started");
  expect(run.reported("stream_stopped")[0]?.reason).toBe("hook_blocked");
  await run.say("good");
  expect(texts(run.model.requests[0])).toEqual(["system: You are root.", "user: good"]);
  expect(run.session.items[0]).toMatchObject({
    kind: "message",
    withheld: true,
    message: { blocks: [{ text: "bad" }] },
  });
  expect(run.inputs("after_llm_call")[0]?.last_user_message).toBe("good");
});

test("a hook that blocks without a reason still causes a message", async () => {
  const run = await converse({ steps: [], answers: { before_llm_call: () => ({ continue: false }) } });
  expect(run.inputs("notification")[0]?.notification_message).toBe("Agent terminated by a hook.");
  expect(run.inputs("turn_end")[0]?.reason).toBe("hook_blocked");
});

test("updated_messages reach the model and nothing else", async () => {
  const run = await begin({
    steps: ["1"],
    answers: {
      before_llm_call: ({ iteration, messages = [] }) =>
        messages.some(({ content }) => content === "secret") && iteration === 1
          ? { hook_specific_output: { updated_messages: [{ role: "user", content: "changed" }] } }
          : undefined,
    },
  });
  await run.say("secret");
  expect(texts(run.model.requests[0])).toEqual(["user: changed"]);
  expect(run.session.items[0]).toMatchObject({ message: { blocks: [{ text: "secret" }] } });
});

test("every system message of a hook is reported as a warning, for observing events too", async () => {
  const run = await converse({
    steps: ["Hello"],
    answers: {
      turn_end: () => ({ system_message: "from turn_end" }),
      session_end: () => ({ system_message: "from session_end" }),
    },
  });
  expect(run.reported("warning").map(({ message, hook_event }) => [message, hook_event])).toEqual([
    ["from turn_end", "turn_end"],
    ["from session_end", "session_end"],
  ]);
});

test("hook_started and hook_finished come in pairs, and frequent events are not reported", async () => {
  const run = await converse({ steps: ["Hello"] });
  const started = run.reported("hook_started").map(({ hook_event }) => hook_event);
  expect(started).toEqual(["session_start", "user_prompt_submit", "turn_start", "stop", "turn_end"]);
  expect(run.reported("hook_finished").map(({ hook_event }) => hook_event)).toEqual(started);
  expect(run.reported("hook_finished").every(({ allowed }) => allowed)).toBeTrue();
});
