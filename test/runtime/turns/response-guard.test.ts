import { describe, expect, test } from "bun:test";
import { type Model, ModelError, type Reply } from "../../../src/model/model.ts";
import type { BuiltinInput } from "../../../src/protocol/builtin.ts";
import { NO_LIMITS } from "../../../src/runtime/agent/agent.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import { agentOf, begin, converse, fakeShell, hooksFor, type Run, script } from "../harness.ts";

const refuse = (reason: string) => ({ decision: "block", reason });
const rewrite = (updated_response: string) => ({ hook_specific_output: { updated_response } });
/** Refuses every answer that contains the word. */
const refusing = (word: string) => ({
  response_guard: ({ stop_response = "" }: BuiltinInput) =>
    stop_response.includes(word) ? refuse("leave out the price") : undefined,
});

/** Everything that a run shows, stores, or gives to a hook other than the guard. */
function visibleText({ reports, log, session, model }: Run): string {
  const inputs = log.filter(({ event }) => event !== "response_guard");
  return JSON.stringify([reports, inputs, session, model.requests]);
}

const shownIn = (run: Run) => run.reported("agent_choice").map(({ content }) => content);

describe("a refused answer", () => {
  test("reaches neither the user, the record, another hook nor the model, which answers again", async () => {
    const run = await converse({
      steps: [{ thought: "SECRET thought", text: "It costs SECRET" }, "It is cheap"],
      answers: refusing("SECRET"),
    });
    expect(visibleText(run)).not.toContain("SECRET");
    expect(run.events()).toEqual([
      "session_start",
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "response_guard",
      "after_llm_call",
      "turn_end",
      "turn_start",
      "before_llm_call",
      "response_guard",
      "after_llm_call",
      "stop",
      "turn_end",
      "on_user_input",
      "session_end",
    ]);
    expect(run.inputs("after_llm_call")[0]).not.toHaveProperty("stop_response");
    expect(shownIn(run)).toEqual(["It is cheap"]);
    expect(run.model.requests[1]?.slice(-2)).toMatchObject([
      { role: "user", content: "hi" },
      { role: "user", content: "Your last answer was not shown to the user: leave out the price\nAnswer again." },
    ]);
    expect(messagesOf(run.session)[1]).toMatchObject({ implicit: true, message: { role: "user" } });
    expect(run.reported("warning")).toMatchObject([
      {
        hook_event: "response_guard",
        message: "the answer is not shown, the model answers again (1 of 8): leave out the price",
      },
    ]);
    expect(run.ended).toEqual({ reason: "normal" });
  });

  test("is described to the guard with its thoughts, its model and earlier refusals", async () => {
    const run = await converse({ steps: [{ thought: "hm", text: "SECRET" }, "ok"], answers: refusing("SECRET") });
    expect(run.inputs("response_guard")).toMatchObject([
      {
        stop_response: "SECRET",
        reasoning_content: "hm",
        last_user_message: "hi",
        model_id: "openai/fake",
        max_guard_retries: 8,
      },
      { stop_response: "ok", guard_retries: 1 },
    ]);
  });

  test("is paid for", async () => {
    const usage = { input_tokens: 1000, output_tokens: 10 };
    const run = await converse({
      steps: [
        { text: "SECRET", usage },
        { text: "ok", usage },
      ],
      answers: refusing("SECRET"),
      agent: { prices: () => ({ input: 2, output: 10 }) },
    });
    expect(run.inputs("after_llm_call")).toMatchObject([{ usage, cost: 0.0021 }, { usage }]);
    expect(run.session.cost).toBeCloseTo(0.0042);
  });

  test("runs none of its tool calls", async () => {
    const ran: string[] = [];
    const calls = [{ name: "shell", arguments: { cmd: "SECRET" } }];
    const run = await converse({
      steps: [{ text: "I send SECRET", calls }, "no"],
      answers: refusing("SECRET"),
      tools: [fakeShell(ran)],
      mode: "autonomous",
    });
    expect(ran).toEqual([]);
    expect(run.inputs("response_guard")[0]).toMatchObject({ has_tool_calls: true });
    expect(run.inputs("response_guard")[1]).not.toHaveProperty("has_tool_calls");
    expect(visibleText(run)).not.toContain("SECRET");
  });

  test("does not use up the context of the tool calls before it", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "shell", arguments: { cmd: "a" } }] }, "SECRET", "ok"],
      answers: {
        ...refusing("SECRET"),
        post_tool_use: () => ({ hook_specific_output: { additional_context: "NOTE" } }),
      },
      tools: [fakeShell()],
      mode: "autonomous",
    });
    expect(run.model.requests[2]?.at(-1)).toMatchObject({ role: "system", content: "NOTE" });
  });

  test("after max_guard_retries is replaced by a text that says why, and the run ends with an error", async () => {
    const run = await converse({
      steps: ["SECRET 1", "SECRET 2", "SECRET 3"],
      answers: refusing("SECRET"),
      agent: { limits: { ...NO_LIMITS, maxGuardRetries: 2 } },
    });
    const notice = "[The answer was withheld: leave out the price]";
    expect(visibleText(run)).not.toContain("SECRET");
    expect(shownIn(run)).toEqual([notice]);
    expect(messagesOf(run.session).at(-1)).toMatchObject({
      implicit: true,
      message: { role: "assistant", blocks: [{ text: notice }] },
    });
    const message = "response_guard hooks withheld the answer after 2 retries: leave out the price";
    expect(run.ended).toEqual({ reason: "hook_blocked", error: { code: "hook_blocked", message } });
    expect(run.reported("error")).toMatchObject([{ code: "hook_blocked", hooks: [{ event: "response_guard" }] }]);
    expect(run.inputs("on_error")).toMatchObject([{ notification_message: message }]);
    expect(run.events().slice(-5)).toEqual(["notification", "on_error", "turn_end", "on_user_input", "session_end"]);
    expect(run.inputs("turn_end").at(-1)).toMatchObject({ reason: "hook_blocked" });
  });

  test("after one retry, without a reason, is withheld too", async () => {
    const run = await converse({
      steps: ["SECRET", "SECRET"],
      answers: { response_guard: () => ({ continue: false }) },
      agent: { limits: { ...NO_LIMITS, maxGuardRetries: 1 } },
    });
    expect(run.ended.error?.message).toBe(
      "response_guard hooks withheld the answer after 1 retry: a hook refused, without a reason",
    );
  });

  test("with max_guard_retries: 0 is withheld at once", async () => {
    const run = await converse({
      steps: ["SECRET"],
      answers: refusing("SECRET"),
      agent: { limits: { ...NO_LIMITS, maxGuardRetries: 0 } },
    });
    expect(run.ended.error?.message).toBe("response_guard hooks withheld the answer: leave out the price");
  });
});

describe("a guard that fails", () => {
  test("withholds the answer at once, because another answer would not repair it", async () => {
    const run = await converse({
      steps: ["SECRET"],
      answers: {
        response_guard: () => {
          throw new Error("broken");
        },
      },
    });
    expect(visibleText(run)).not.toContain("SECRET");
    expect(shownIn(run)).toEqual([expect.stringContaining("[The answer was withheld: response_guard hook failed")]);
    expect(run.ended.reason).toBe("hook_blocked");
  });

  test("withholds the answer if it gives one that it cannot mean", async () => {
    const answers = { response_guard: () => ({ updatedResponse: "x" }) as never };
    const run = await converse({ steps: ["SECRET"], answers });
    expect(visibleText(run)).not.toContain("SECRET");
  });
});

describe("a rewritten answer", () => {
  test("is what the user, the record, other hooks and the model see, without the thoughts of the original", async () => {
    const run = await begin({
      steps: [{ thought: "SECRET thought", text: "It costs SECRET" }, "bye"],
      answers: {
        response_guard: ({ stop_response }) => (stop_response === "bye" ? undefined : rewrite("It costs ***")),
      },
    });
    await run.say("price?");
    await run.say("thanks");
    expect(visibleText(run)).not.toContain("SECRET");
    expect(shownIn(run)).toEqual(["It costs ***", "bye"]);
    expect(run.reported("agent_choice_reasoning")).toEqual([]);
    expect(run.inputs("after_llm_call")[0]).toMatchObject({ stop_response: "It costs ***" });
    expect(run.inputs("stop")[0]).toMatchObject({ stop_response: "It costs ***" });
    expect(run.model.requests[1]?.slice(-2)).toMatchObject([
      { role: "assistant", content: "It costs ***" },
      { role: "user", content: "thanks" },
    ]);
  });

  test("keeps its tool calls", async () => {
    const ran: string[] = [];
    const calls = [{ name: "shell", arguments: { cmd: "a" } }];
    const run = await converse({
      steps: [{ text: "SECRET", calls }, "done"],
      answers: { response_guard: ({ has_tool_calls }) => (has_tool_calls ? rewrite("I look") : undefined) },
      tools: [fakeShell(ran)],
      mode: "autonomous",
    });
    expect(ran).toEqual(["a"]);
    expect(visibleText(run)).not.toContain("SECRET");
    const types = run.reports.map(({ type }) => type);
    expect(types.indexOf("agent_choice")).toBeLessThan(types.indexOf("partial_tool_call"));
  });

  test("keeps the provider's data about its tool calls", async () => {
    const origin = { provider: "google", api: "google", data: { thoughtSignature: "s" } };
    const call = { type: "tool_call" as const, id: "c1", name: "shell", arguments: "{}", origin };
    const reply: Reply = { blocks: [{ type: "text", text: "SECRET" }, call], finishReason: "tool_calls" };
    const model = script(["done"]);
    const first: Model = { id: "google/fake", provider: "google", contextLimit: 0, stream: async () => reply };
    let asked = 0;
    const run = await converse({
      model,
      agent: { chooseModel: () => (asked++ === 0 ? first : model) },
      answers: { response_guard: ({ has_tool_calls }) => (has_tool_calls ? rewrite("I look") : undefined) },
      tools: [fakeShell()],
      mode: "autonomous",
    });
    expect(messagesOf(run.session)[1]?.message.blocks).toEqual([{ type: "text", text: "I look" }, call]);
  });

  test("that is empty is neither shown nor recorded", async () => {
    const run = await converse({ steps: ["SECRET"], answers: { response_guard: () => rewrite("") } });
    expect(shownIn(run)).toEqual([]);
    expect(messagesOf(run.session)).toHaveLength(1);
    expect(visibleText(run)).not.toContain("SECRET");
  });

  test("with the same text loses its thoughts", async () => {
    const run = await converse({
      steps: [{ thought: "SECRET", text: "fine" }],
      answers: { response_guard: () => rewrite("fine") },
    });
    expect(visibleText(run)).not.toContain("SECRET");
    expect(shownIn(run)).toEqual(["fine"]);
  });
});

describe("an answer with a guard", () => {
  test("is shown only after the verdict", async () => {
    let shownBefore = -1;
    const run = await begin({
      steps: [{ thought: "hm", text: "fine" }],
      answers: {
        response_guard: () => {
          shownBefore = run.reported("agent_choice").length + run.reported("agent_choice_reasoning").length;
          return undefined;
        },
      },
    });
    await run.say("hi");
    expect(shownBefore).toBe(0);
    expect(shownIn(run)).toEqual(["fine"]);
    expect(run.reported("agent_choice_reasoning")).toMatchObject([{ content: "hm" }]);
  });

  test("that consists of tool calls and blanks is not judged", async () => {
    const run = await converse({
      steps: [{ thought: " ", text: "\n", calls: [{ name: "shell", arguments: { cmd: "a" } }] }, "done"],
      answers: { response_guard: () => undefined },
      tools: [fakeShell()],
      mode: "autonomous",
    });
    expect(run.inputs("response_guard")).toMatchObject([{ stop_response: "done" }]);
    expect(run.reported("partial_tool_call")).toHaveLength(1);
  });

  test("that breaks off is never shown", async () => {
    const run = await converse({
      steps: [new ModelError("HTTP 500: broken", { status: 500 })],
      answers: { response_guard: () => undefined },
    });
    expect(run.inputs("response_guard")).toHaveLength(0);
    expect(shownIn(run)).toEqual([]);
  });

  test("is not shown if the run is cancelled while the guard runs", async () => {
    const stop = new AbortController();
    const run = await converse({
      steps: ["SECRET"],
      signal: stop.signal,
      answers: {
        response_guard: () => {
          stop.abort();
          return new Promise(() => {});
        },
      },
    });
    expect(run.ended.reason).toBe("canceled");
    expect(visibleText(run)).not.toContain("SECRET");
    expect(messagesOf(run.session)).toHaveLength(1);
  });
});

test("a sub-agent's refused answer reaches neither the screen nor its parent", async () => {
  const helper = script(["SECRET", "X is done"]);
  const run = await converse({
    steps: [
      { calls: [{ name: "transfer_task", arguments: { agent: "helper", task: "do X", expected_output: "X" } }] },
      "ok",
    ],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log, refusing("SECRET")))],
  });
  expect(visibleText(run)).not.toContain("SECRET");
  expect(run.inputs("response_guard")[0]).toMatchObject({ agent_name: "helper", parent_session_id: run.session.id });
  expect(run.model.requests[1]?.at(-1)).toMatchObject({ role: "tool", content: "X is done" });
});

test("a parent reads why the answer of its sub-agent was withheld", async () => {
  const helper = script(["SECRET"]);
  const limits = { limits: { ...NO_LIMITS, maxGuardRetries: 0 } };
  const run = await converse({
    steps: [
      { calls: [{ name: "transfer_task", arguments: { agent: "helper", task: "do X", expected_output: "X" } }] },
      "ok",
    ],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
    others: (log) => [agentOf("helper", helper, hooksFor("helper", log, refusing("SECRET")), [], limits)],
  });
  expect(run.model.requests[1]?.at(-1)).toMatchObject({
    role: "tool",
    content: expect.stringContaining("withheld the answer: leave out the price"),
  });
  expect(run.ended).toEqual({ reason: "normal" });
});
