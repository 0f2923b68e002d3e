import { describe, expect, test } from "bun:test";
import { fromHookMessage } from "../../../src/model/messages/hook-messages.ts";
import { resultOf, textMessage, textOf } from "../../../src/model/messages/message.ts";
import { ModelError } from "../../../src/model/model.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";
import { NO_LIMITS } from "../../../src/runtime/agent/agent.ts";
import { queueSteering } from "../../../src/runtime/session/queues.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import { runStream } from "../../../src/runtime/turns/run-stream.ts";
import { type Answers, agentOf, begin, converse, fakeShell, hooksFor, script, tool } from "../harness.ts";

const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });
const reasons = (run: { inputs: (event: "turn_end") => { reason?: string | undefined }[] }) =>
  run.inputs("turn_end").map(({ reason }) => reason);

describe("a model that fails", () => {
  test("is reported once by notification and on_error, then the turn ends with error", async () => {
    const failure = new ModelError("HTTP 500: broken", { status: 500 });
    const run = await converse({ steps: [failure] });
    expect(run.events()).toEqual([
      "session_start",
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "notification",
      "on_error",
      "turn_end",
      "on_user_input",
      "session_end",
    ]);
    const message = run.inputs("notification")[0]?.notification_message;
    expect(message).toContain("broken");
    expect(run.inputs("on_error")[0]).toMatchObject({ notification_level: "error", notification_message: message! });
    expect(reasons(run)).toEqual(["error"]);
    expect(run.ended).toMatchObject({ reason: "error", error: { code: "model_error" } });
    expect(run.reported("error")).toHaveLength(1);
  });

  test("with an error of an unknown kind ends the run the same way", async () => {
    const run = await converse({ steps: [new Error("socket fell over")] });
    expect(run.ended).toMatchObject({
      reason: "error",
      error: { code: "model_error", message: "model failed: socket fell over" },
    });
    expect(run.inputs("on_error")).toHaveLength(1);
  });
});

describe("an answer", () => {
  test("has its usage and cost in hook inputs, session and run events", async () => {
    const usage = { input_tokens: 1000, output_tokens: 10, cached_input_tokens: 500 };
    const run = await converse({
      steps: [{ text: "Hello", usage }],
      agent: { prices: () => ({ input: 2, output: 10, cache_read: 1 }) },
    });
    expect(run.inputs("after_llm_call")[0]).toMatchObject({ usage, cost: 0.0026 });
    expect(run.session).toMatchObject({ inputTokens: 1500, outputTokens: 10, cost: 0.0026 });
    expect(run.reported("token_usage")[0]?.usage).toMatchObject({
      input_tokens: 1500,
      context_length: 1510,
      last_message: {
        ...usage,
        cost: 0.0026,
        model: "openai/fake",
        finish_reason: "stop",
      },
    });
  });

  test("costs 0 if its price is 0, and has no cost if its price is unknown", async () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const free = await converse({ steps: [{ text: "a", usage }], agent: { prices: () => ({ input: 0, output: 0 }) } });
    expect(free.inputs("after_llm_call")[0]?.cost).toBe(0);
    const unpriced = await converse({ steps: [{ text: "a", usage }] });
    expect(unpriced.inputs("after_llm_call")[0]).not.toHaveProperty("cost");
  });

  test("that is empty is not recorded and causes a warning", async () => {
    const run = await converse({ steps: ["  "] });
    expect(messagesOf(run.session)).toHaveLength(1);
    expect(run.reported("warning")[0]?.message).toContain("empty answer");
    expect(reasons(run)).toEqual(["normal"]);
  });

  test("that is a refusal drops its tool calls and counts as an end", async () => {
    const run = await converse({
      steps: [{ text: "I will not", ...call("x"), finishReason: "refusal" }],
      tools: [fakeShell()],
    });
    expect(reasons(run)).toEqual(["normal"]);
    expect(run.reported("warning")[0]?.message).toContain("refused");
  });
});

describe("an answer that reached the output limit", () => {
  test("is kept, with a warning that says what to do", async () => {
    const run = await converse({ steps: [{ text: "The first half", finishReason: "length" }] });
    expect(run.reported("warning").map(({ message }) => message)).toEqual([
      "openai/fake reached its output limit, so the answer is incomplete: ask it to continue, or raise max_tokens of the model",
    ]);
    expect(reasons(run)).toEqual(["normal"]);
    expect(messagesOf(run.session).at(-1)?.message).toMatchObject({ finishReason: "length" });
  });

  test("because the context window is full does not blame max_tokens", async () => {
    const steps = [
      { text: "The first half", finishReason: "length" as const, usage: { input_tokens: 900, output_tokens: 90 } },
    ];
    const run = await converse({ model: script(steps, { contextLimit: 1000 }) });
    expect(run.reported("warning").map(({ message }) => message)).toEqual([
      "the conversation fills the context window of openai/fake, so the answer is incomplete: compact it, or use a model with a larger window",
    ]);
  });

  test("before any text is not reported as empty", async () => {
    const run = await converse({ steps: [{ text: "", finishReason: "length" }] });
    expect(run.reported("warning").map(({ message }) => message)).toEqual([
      "openai/fake reached its output limit before it answered: raise max_tokens of the model, or lower its thinking_budget",
    ]);
  });

  test.each([
    ["none", ""],
    ["some", '{"cmd": "rm -rf /tm'],
    ["what looks like all", '{"cmd":"rm -rf /tmp"}'],
  ])("in a call does not run it, although %s of its arguments arrived; the calls before it run", async (_how, cut) => {
    const ran: string[] = [];
    const calls = [
      { name: "shell", arguments: { cmd: "first" } },
      { name: "shell", arguments: cut },
    ];
    const run = await converse({
      steps: [{ text: "both", calls, finishReason: "length" }, "ok"],
      tools: [fakeShell(ran)],
      mode: "autonomous",
    });
    expect(ran).toEqual(["first"]);
    expect(run.inputs("pre_tool_use")).toHaveLength(1);
    expect(run.reported("tool_call_response").map(({ outcome }) => outcome)).toEqual([
      "completed",
      "malformed_arguments",
    ]);
    expect(run.model.requests[1]?.at(-1)).toMatchObject({
      role: "tool",
      tool_call_id: "call_2",
      content: expect.stringContaining("your answer reached its length limit"),
    });
    expect(run.reported("warning").map(({ message }) => message)).toEqual([
      "openai/fake reached its output limit in a call of shell, which does not run: raise max_tokens of the model",
    ]);
  });

  test("in five calls in a row ends the run, wherever each was cut", async () => {
    const step = (index: number) => ({
      text: "",
      calls: [{ name: "shell", arguments: `{"cmd":"echo ${index}` }],
      finishReason: "length" as const,
    });
    const run = await converse({ steps: [1, 2, 3, 4, 5].map(step), tools: [fakeShell([])] });
    expect(run.ended).toMatchObject({
      reason: "loop_detected",
      error: {
        message:
          "Agent terminated: the model reached its output limit in 5 consecutive calls to shell: raise max_tokens of the model.",
      },
    });
  });
});

describe("a request with nothing to answer is not sent", () => {
  type Rewrite = (messages: HookMessage[]) => HookMessage[];
  const rewrites = (rewrite: Rewrite): Answers => ({
    before_llm_call: ({ messages = [] }) => ({ hook_specific_output: { updated_messages: rewrite(messages) } }),
  });

  test.each<[string, Rewrite]>([
    [
      "emptied the message",
      (messages) => messages.map((message) => (message.role === "user" ? { ...message, content: " " } : message)),
    ],
    ["left it out", (messages) => messages.filter(({ role }) => role === "system")],
  ])("because a hook %s", async (_how, rewrite) => {
    const run = await converse({ steps: [], answers: rewrites(rewrite) });
    expect(run.ended).toMatchObject({
      reason: "hook_blocked",
      error: {
        code: "hook_blocked",
        message:
          "the model is not called: before_llm_call hooks left no message of the user and no tool result to answer",
      },
    });
    expect(run.inputs("on_error")).toHaveLength(1);
  });

  test("because a hook left out the last of several", async () => {
    const run = await begin({
      steps: ["one"],
      answers: rewrites((messages) => messages.filter(({ content }) => content !== "second")),
    });
    await run.say("first");
    expect(await run.say("second")).toMatchObject({ reason: "hook_blocked" });
    await run.end();
  });

  test("but a hook may start the answer", async () => {
    const run = await converse({
      steps: ["one"],
      answers: rewrites((messages) => [...messages, { role: "assistant", content: "{" }]),
    });
    expect(run.ended).toMatchObject({ reason: "normal" });
  });
});

describe("calls that never reach a tool", () => {
  test("an unknown tool is answered, with no hook but tool_response_transform", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "nope", arguments: { a: 1 } }] }, "ok"],
      tools: [fakeShell()],
    });
    const events = run.events();
    expect(events.slice(events.indexOf("after_llm_call") + 1, events.indexOf("turn_end"))).toEqual([
      "tool_response_transform",
    ]);
    expect(run.inputs("tool_response_transform")[0]).toMatchObject({
      tool_name: "nope",
      tool_input: { a: 1 },
      tool_error: true,
      tool_response: expect.stringContaining("not available"),
    });
    expect(run.reported("tool_call_response")[0]?.outcome).toBe("unknown_tool");
  });

  test("malformed arguments are answered with the problem, without approval", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "shell", arguments: '{"cmd": ' }] }, "ok"],
      tools: [fakeShell()],
    });
    expect(run.inputs("pre_tool_use")).toHaveLength(0);
    expect(run.inputs("on_tool_approval_decision")).toHaveLength(0);
    expect(run.inputs("tool_response_transform")[0]).toMatchObject({
      tool_error: true,
      tool_response: expect.stringContaining("not valid JSON"),
    });
    expect(run.inputs("tool_response_transform")[0]).not.toHaveProperty("tool_input");
    expect(run.reported("tool_call_response")[0]?.outcome).toBe("malformed_arguments");
  });

  test("are answered before the model is asked again, however long the hook on responses takes", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "nope", arguments: {} }] }, "ok"],
      tools: [fakeShell()],
      answers: { tool_response_transform: () => Bun.sleep(20).then(() => undefined) },
    });
    expect(JSON.stringify(run.model.requests[1])).toContain("not available");
  });

  test("no arguments at all are an empty object, and no tool_input", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "shell", arguments: "" }] }, "ok"],
      tools: [fakeShell()],
      mode: "autonomous",
    });
    expect(run.inputs("post_tool_use")[0]).toMatchObject({ tool_response: "ran undefined" });
    expect(run.inputs("post_tool_use")[0]).not.toHaveProperty("tool_input");
  });

  test("a call without an id gets one, a malformed name is cut", async () => {
    const run = await converse({
      steps: [{ calls: [{ name: "shell<|x|>", id: "" }] }, "ok"],
      tools: [fakeShell()],
      mode: "autonomous",
    });
    const recorded = run.model.requests[1]?.find(({ tool_calls }) => tool_calls)?.tool_calls?.[0];
    expect(recorded?.function.name).toBe("shell");
    expect(recorded?.id).toMatch(/^call_.+/);
    expect(run.model.requests[1]?.at(-1)?.tool_call_id).toBe(recorded?.id!);
  });
});

describe("a tool", () => {
  test("that fails is reported with tool_error, also to post_tool_use", async () => {
    const broken = tool("broken", () => {
      throw new Error("out of ink");
    });
    const run = await converse({ steps: [{ calls: [{ name: "broken" }] }, "ok"], tools: [broken], mode: "autonomous" });
    expect(run.inputs("post_tool_use")[0]).toMatchObject({
      tool_error: true,
      tool_response: expect.stringContaining("out of ink"),
    });
    expect(run.model.requests[1]?.at(-1)).toMatchObject({ is_error: true });
  });

  test("has its response rewritten everywhere, an empty text too", async () => {
    const answers = (updated_tool_response: string) => ({
      tool_response_transform: () => ({ hook_specific_output: { updated_tool_response } }),
    });
    const rewritten = await converse({
      steps: [call("a"), "ok"],
      tools: [fakeShell()],
      mode: "autonomous",
      answers: answers("clean"),
    });
    expect(rewritten.inputs("post_tool_use")[0]?.tool_response).toBe("clean");
    expect(rewritten.model.requests[1]?.at(-1)?.content).toBe("clean");
    expect(rewritten.reported("tool_call_response")[0]).toMatchObject({
      response: "clean",
      result: { output: "clean" },
    });
    expect(JSON.stringify(rewritten.session)).not.toContain("ran a");
    const cleared = await converse({
      steps: [call("a"), "ok"],
      tools: [fakeShell()],
      mode: "autonomous",
      answers: answers(""),
    });
    expect(cleared.inputs("post_tool_use")[0]?.tool_response).toBe("");
    expect(cleared.model.requests[1]?.at(-1)?.content).toBe("(no output)");
  });

  test("runs after the hooks of the previous call have ended", async () => {
    const order: string[] = [];
    const steps = [
      {
        calls: [
          { name: "shell", arguments: { cmd: "A" } },
          { name: "shell", arguments: { cmd: "B" } },
        ],
      },
      "ok",
    ];
    await converse({
      steps,
      tools: [
        tool("shell", ({ cmd }) => {
          order.push(`run ${String(cmd)}`);
          return { text: "" };
        }),
      ],
      mode: "autonomous",
      answers: {
        tool_input_transform: ({ tool_input }) => void order.push(`transform ${String(tool_input?.["cmd"])}`),
        post_tool_use: async ({ tool_input }) => {
          await Bun.sleep(5);
          order.push(`post ${String(tool_input?.["cmd"])}`);
          return undefined;
        },
      },
    });
    expect(order).toEqual(["transform A", "run A", "post A", "transform B", "run B", "post B"]);
  });

  test("does not show raw output if a hook may rewrite its response", async () => {
    const talkative = tool("talk", () => ({ text: "done" }), {
      run: async (_input, { onOutput }) => {
        onOutput?.("raw");
        return { text: "done" };
      },
    });
    const run = await converse({
      steps: [{ calls: [{ name: "talk" }] }, "ok"],
      tools: [talkative],
      mode: "autonomous",
    });
    expect(run.reported("tool_call_output")).toHaveLength(0);
  });
});

describe("max_iterations", () => {
  const limited = { limits: { ...NO_LIMITS, maxIterations: 2 } };

  test("without a user ends the stream with a message, and no error", async () => {
    const run = await converse({
      steps: [call("a"), call("b")],
      tools: [fakeShell()],
      mode: "autonomous",
      agent: limited,
    });
    const events = run.events();
    expect(events.slice(events.lastIndexOf("turn_end"))).toEqual([
      "turn_end",
      "notification",
      "on_max_iterations",
      "on_user_input",
      "session_end",
    ]);
    expect(run.inputs("on_max_iterations")[0]).toMatchObject({
      notification_level: "warning",
      notification_message: "Maximum iterations reached (2)",
    });
    expect(run.ended).toEqual({ reason: "continue" });
    expect(messagesOf(run.session).at(-1)).toMatchObject({
      message: { role: "assistant", blocks: [{ text: expect.stringContaining("2") }] },
    });
  });

  test("is extended by ten when the user agrees, as often as the user agrees", async () => {
    const asked: number[] = [];
    const steps = Array.from({ length: 12 }, (_, index) => call(String(index)));
    const run = await converse({
      steps,
      tools: [fakeShell()],
      mode: "autonomous",
      agent: limited,
      askContinue: async (limit) => asked.push(limit) === 1,
    });
    expect(asked).toEqual([2, 12]);
    expect(run.inputs("on_session_resume")).toMatchObject([{ previous_max_iterations: 2, new_max_iterations: 12 }]);
    const events = run.events();
    const at = events.indexOf("on_max_iterations");
    expect(events.slice(at - 1, at + 4)).toEqual([
      "notification",
      "on_max_iterations",
      "on_user_input",
      "on_session_resume",
      "turn_start",
    ]);
    expect(run.inputs("before_llm_call").map(({ iteration }) => iteration)).toEqual(steps.map((_, index) => index + 1));
  });

  test("leaves no message when the question is cancelled", async () => {
    const stop = new AbortController();
    const run = await converse({
      steps: [call("a"), call("b")],
      tools: [fakeShell()],
      mode: "autonomous",
      agent: limited,
      signal: stop.signal,
      askContinue: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    expect(run.ended.reason).toBe("canceled");
    expect(messagesOf(run.session).at(-1)?.message.role).toBe("tool");
  });

  test("is not reached by a run that ends with its last iteration", async () => {
    const run = await converse({
      steps: [call("a"), "done"],
      tools: [fakeShell()],
      mode: "autonomous",
      agent: limited,
    });
    expect(run.inputs("notification")).toHaveLength(0);
  });
});

describe("the model of a toolset", () => {
  const use = { calls: [{ name: "special" }] };
  const special = tool("special", () => ({ text: "used" }));

  test("answers the one call after a batch that used it", async () => {
    const other = script(["by other"], { id: "openai/other" });
    const run = await begin({
      steps: [use, "by own"],
      tools: [special],
      mode: "autonomous",
      agent: { modelAfter: (name) => (name === "special" ? other : undefined) },
    });
    await run.say("hi");
    await run.say("more");
    expect(run.inputs("before_llm_call").map(({ model_id }) => String(model_id))).toEqual([
      "openai/fake",
      "openai/other",
      "openai/fake",
    ]);
  });

  test("is forgotten when another agent takes over", async () => {
    const other = script([], { id: "openai/other" });
    const handoff = { name: "handoff", arguments: { agent: "helper" } };
    const run = await converse({
      steps: [{ calls: [{ name: "special" }, handoff] }],
      tools: [special],
      mode: "autonomous",
      agent: { modelAfter: () => other, handoffs: ["helper"] },
      others: (log) => [agentOf("helper", script(["from helper"]), hooksFor("helper", log))],
    });
    expect(run.ended.reason).toBe("normal");
  });
});

describe("the loop detector", () => {
  const batch = (...inputs: string[]) => ({ calls: inputs.map((text) => ({ name: "shell", arguments: text })) });

  test("ends the run after the fifth identical batch was executed", async () => {
    const ran: string[] = [];
    const run = await converse({
      steps: Array.from({ length: 5 }, (_, index) =>
        batch(index % 2 ? '{"cmd":"x","cwd":"."}' : '{ "cwd": ".", "cmd": "x" }'),
      ),
      tools: [fakeShell(ran)],
      mode: "autonomous",
    });
    expect(ran).toHaveLength(5);
    expect(reasons(run)).toEqual(["continue", "continue", "continue", "continue", "loop_detected"]);
    expect(run.events().slice(-5)).toEqual(["notification", "on_error", "turn_end", "on_user_input", "session_end"]);
    expect(run.ended.error?.message).toContain("detected 5 consecutive identical calls to shell");
  });

  test("counts a repeated batch of several calls, and not calls that alternate", async () => {
    const a = '{"cmd":"a"}';
    const b = '{"cmd":"b"}';
    const limits = { limits: { ...NO_LIMITS, maxConsecutiveToolCalls: 2 } };
    const setup = { tools: [fakeShell()], mode: "autonomous", agent: limits };
    const together = await converse({ ...setup, steps: [batch(a, b), batch(a, b)] });
    expect(together.ended.reason).toBe("loop_detected");
    const alternating = await converse({ ...setup, steps: [batch(a), batch(b), batch(a), batch(b), "ok"] });
    expect(alternating.ended.reason).toBe("normal");
  });

  test("ignores polling", async () => {
    const poll = { calls: [{ name: "view_background_job" }] };
    const run = await converse({
      steps: [batch('{"cmd":"a"}'), poll, poll, poll, batch('{"cmd":"a"}')],
      tools: [fakeShell(), tool("view_background_job", () => ({ text: "" }))],
      mode: "autonomous",
      agent: { limits: { ...NO_LIMITS, maxConsecutiveToolCalls: 2 } },
    });
    expect(run.ended.reason).toBe("loop_detected");
  });

  test("yields to a post_tool_use block in the same batch", async () => {
    const run = await converse({
      steps: [batch('{"cmd":"a"}')],
      tools: [fakeShell()],
      mode: "autonomous",
      agent: { limits: { ...NO_LIMITS, maxConsecutiveToolCalls: 1 } },
      answers: { post_tool_use: () => ({ decision: "block", reason: "stop" }) },
    });
    expect(run.ended.reason).toBe("hook_blocked");
    expect(run.inputs("on_error")).toHaveLength(1);
  });
});

describe("a cancel", () => {
  const cancelled = (run: { events(): string[] }) =>
    run.events().filter((event) => ["notification", "on_error", "stop"].includes(event));

  test("during the model call ends the turn as canceled, and turn_end and session_end still run", async () => {
    const stop = new AbortController();
    const waits = script([
      async ({ signal }) => {
        queueMicrotask(() => stop.abort());
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        return "";
      },
    ]);
    const run = await converse({ model: waits, signal: stop.signal });
    expect(run.events()).toEqual([
      "session_start",
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "turn_end",
      "session_end",
    ]);
    expect(reasons(run)).toEqual(["canceled"]);
    expect(run.ended).toEqual({ reason: "canceled" });
    expect(run.reported("stream_stopped")[0]?.reason).toBe("canceled");
  });

  test("during a tool leaves a result for every call of the batch", async () => {
    const stop = new AbortController();
    const slow = tool("slow", () => {
      stop.abort();
      queueSteering(run.runtime.queues, "too late");
      return { text: "unfinished" };
    });
    const run = await begin({
      steps: [{ calls: [{ name: "slow" }, { name: "slow" }] }],
      tools: [slow],
      mode: "autonomous",
      signal: stop.signal,
    });
    await run.say("hi");
    expect(reasons(run)).toEqual(["canceled"]);
    expect(cancelled(run)).toEqual([]);
    const results = messagesOf(run.session).filter(({ message }) => message.role === "tool");
    expect(results.map(({ message }) => [textOf(message), resultOf(message)?.isError])).toEqual([
      ["The tool call was canceled by the user.", true],
      ["The tool call was canceled by the user.", true],
    ]);
    expect(run.inputs("post_tool_use")).toHaveLength(0);
    const started = run.reported("hook_started").map(({ hook_event }) => hook_event);
    expect(started.slice(started.indexOf("pre_tool_use"))).toEqual(["pre_tool_use", "turn_end"]);
    expect(run.runtime.queues.steering).toEqual([{ text: "too late", files: [] }]);
  });

  test("ends the run although a tool never ends", async () => {
    const stop = new AbortController();
    const stuck = tool("stuck", () => {
      stop.abort();
      return new Promise(() => {});
    });
    const run = await converse({
      steps: [{ calls: [{ name: "stuck" }] }],
      tools: [stuck],
      mode: "autonomous",
      signal: stop.signal,
    });
    expect(run.events().slice(-2)).toEqual(["turn_end", "session_end"]);
  });

  test("while stop is dispatched ends the turn as canceled", async () => {
    const stop = new AbortController();
    const run = await converse({ steps: ["done"], signal: stop.signal, answers: { stop: () => void stop.abort() } });
    expect(reasons(run)).toEqual(["canceled"]);
  });

  test("after the approval keeps the tool from running", async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const run = await converse({
      steps: [call("a")],
      tools: [fakeShell(ran)],
      mode: "autonomous",
      signal: stop.signal,
      answers: { on_tool_approval_decision: () => void stop.abort() },
    });
    expect(ran).toEqual([]);
    expect(run.inputs("on_tool_approval_decision")).toHaveLength(1);
  });

  test.each(["tool_guard", "pre_tool_use", "preempt", "tool_input_transform"] as const)(
    "while %s runs cancels the call and denies nothing",
    async (event) => {
      const stop = new AbortController();
      const hang = () => {
        stop.abort();
        return new Promise<undefined>(() => {});
      };
      const run = await converse({
        steps: [call("a")],
        tools: [fakeShell()],
        mode: "autonomous",
        signal: stop.signal,
        answers: { [event]: hang },
      });
      expect(run.inputs("on_tool_approval_decision")).toMatchObject([
        { approval_decision: "canceled", approval_source: "context_canceled" },
      ]);
      expect(run.reported("hook_blocked")).toHaveLength(0);
      expect(run.ended).toEqual({ reason: "canceled" });
    },
  );

  test("while the user is asked cancels the call", async () => {
    const stop = new AbortController();
    const run = await converse({
      steps: [call("a")],
      tools: [fakeShell()],
      signal: stop.signal,
      interactive: true,
      askApproval: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    expect(run.inputs("on_tool_approval_decision")[0]?.approval_source).toBe("context_canceled");
    expect(run.events().slice(-3)).toEqual(["turn_end", "on_user_input", "session_end"]);
  });

  test("while a response is being rewritten withholds the raw text", async () => {
    const stop = new AbortController();
    const run = await converse({
      steps: [call("a")],
      tools: [fakeShell()],
      mode: "autonomous",
      signal: stop.signal,
      answers: {
        tool_response_transform: () => {
          stop.abort();
          return new Promise(() => {});
        },
      },
    });
    expect(JSON.stringify(run.session)).not.toContain("ran a");
    expect(JSON.stringify(run.reports)).not.toContain("ran a");
    expect(run.reported("tool_call_response")[0]).toMatchObject({ outcome: "canceled", result: { is_error: true } });
  });

  test("of a batch by the user lets the run continue", async () => {
    const run = await converse({
      steps: [
        {
          calls: [
            { name: "shell", arguments: { cmd: "a" } },
            { name: "shell", arguments: { cmd: "b" } },
          ],
        },
        "ok",
      ],
      tools: [fakeShell()],
      askApproval: async () => ({ kind: "cancel_batch" }),
    });
    expect(run.inputs("on_tool_approval_decision")).toHaveLength(1);
    expect(run.model.requests[1]?.slice(-2).map(({ content }) => content)).toEqual([
      "The tool call was canceled by the user.",
      "The tool call was canceled because another tool call in the same batch was canceled by the user.",
    ]);
    expect(run.ended.reason).toBe("normal");
  });
});

test("a run that was interrupted in a batch sends a valid history afterwards", async () => {
  const run = await begin({ steps: ["ok"] });
  const { session } = run;
  const tool_calls = [{ id: "call_1", type: "function", function: { name: "shell", arguments: "{}" } }];
  const messages: HookMessage[] = [
    { role: "user", content: "first" },
    { role: "assistant", content: "", tool_calls },
    { role: "tool", content: "orphan", tool_call_id: "call_9" },
  ];
  session.items = messages.map((message) => ({ kind: "message", agent: "root", message: fromHookMessage(message) }));
  await run.say("second");
  expect(run.model.requests[0]?.map(({ role, tool_call_id, is_error }) => [role, tool_call_id, is_error])).toEqual([
    ["system", undefined, undefined],
    ["user", undefined, undefined],
    ["assistant", undefined, undefined],
    ["tool", "call_1", true],
    ["user", undefined, undefined],
  ]);
});

describe("the start of a stream", () => {
  test("reports the team, the tools, the message and the agent, each before the first turn", async () => {
    const run = await converse({
      steps: ["Hello"],
      tools: [fakeShell()],
      others: (log) => [agentOf("helper", script([]), hooksFor("helper", log))],
      agent: { welcomeMessage: "Welcome!" },
    });
    const reports = run.reports.filter(({ type }) => !type.startsWith("hook_"));
    expect(reports.slice(0, 6)).toMatchObject([
      { type: "team_info", available_agents: ["root", "helper"], current_agent: "root" },
      { type: "toolset_info", available_tools: 1, loading: false },
      { type: "user_message", message: "hi", session_position: 0 },
      { type: "stream_started", session_id: run.session.id },
      { type: "toolset_info", available_tools: 1, loading: false },
      { type: "agent_info", model: "openai/fake", description: "The agent root.", welcome_message: "Welcome!" },
    ]);
    expect(run.reports.at(-1)).toMatchObject({ type: "stream_stopped", reason: "normal" });
    expect(run.ended).toStrictEqual({ reason: "normal" });
  });

  test("needs no welcome message", async () => {
    const run = await converse({ steps: ["Hello"] });
    expect(run.reported("agent_info")[0]).not.toHaveProperty("welcome_message");
  });

  test.each([
    ["a session without a message", undefined, false, "error"],
    ["a message of the agent", textMessage("assistant", "Welcome."), false, "error"],
    ["a message that the runtime wrote as the user", textMessage("user", "go on"), true, "normal"],
  ] as const)("submits no prompt to hooks for %s", async (_what, message, isImplicit, reason) => {
    const run = await begin({
      steps: reason === "normal" ? ["Hello"] : [],
      answers: { user_prompt_submit: () => ({ decision: "block", reason: "no" }) },
    });
    const implicit = isImplicit ? ({ implicit: true } as const) : {};
    if (message) run.session.items.push({ kind: "message", agent: "root", message, ...implicit });
    const ended = await runStream(run.runtime, run.session, new AbortController().signal);
    expect(run.inputs("user_prompt_submit")).toHaveLength(0);
    expect(run.reported("user_message")).toHaveLength(message ? 1 : 0);
    expect(ended.reason).toBe(reason);
    expect(ended.error?.code).toBe(reason === "error" ? "model_error" : undefined);
  });
});
