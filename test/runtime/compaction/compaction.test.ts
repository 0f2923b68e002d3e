import { describe, expect, test } from "bun:test";
import { Executor } from "../../../src/engine/executor.ts";
import { textMessage, textOf } from "../../../src/model/messages/message.ts";
import { ModelError } from "../../../src/model/model.ts";
import { compactSession } from "../../../src/runtime/conversation/session-lifecycle.ts";
import { conversationOf } from "../../../src/runtime/prompt/conversation.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import type { Step } from "../../helpers/scripted-model.ts";
import { begin, entry, type Run, type Setup, script, tool } from "../harness.ts";

const overflow = () => new ModelError("too long", { code: "context_exceeded", status: 400 });
const summary = (text: string) => ({ hook_specific_output: { summary: text } });
const texts = (run: Run, request: number) =>
  run.model.requests[request]?.map(({ role, content }) => `${role}: ${content}`);
const { signal } = new AbortController();

const limited = (steps: Step[], setup: Setup = {}, contextLimit = 1000) =>
  begin({ model: script(steps, { contextLimit }), mode: "autonomous", ...setup });

describe("an overflow", () => {
  test("is answered by a compaction and another turn", async () => {
    const run = await limited(["first", overflow(), "the summary", "Hello"]);
    await run.say("one");
    run.log.length = 0;
    await run.say("two");
    expect(run.events()).toEqual([
      "user_prompt_submit",
      "turn_start",
      "before_llm_call",
      "pre_compact",
      "before_compaction",
      "after_compaction",
      "turn_end",
      "turn_start",
      "before_llm_call",
      "after_llm_call",
      "stop",
      "turn_end",
      "on_user_input",
    ]);
    expect(run.inputs("pre_compact")[0]?.source).toBe("overflow");
    expect(run.inputs("after_compaction")[0]).toMatchObject({
      compaction_reason: "overflow",
      context_limit: 1000,
      summary: "the summary",
    });
    expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["error", "normal"]);
    expect(run.inputs("before_llm_call").map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(texts(run, 3)).toEqual(["system: You are root.", "user: Session Summary: the summary", "user: two"]);
    expect(run.session.items.filter(({ kind }) => kind === "message")).toHaveLength(4);
    const outcomes = run.reported("session_compaction").map(({ status, outcome }) => outcome ?? status);
    expect(outcomes).toEqual(["started", "applied"]);
  });

  test("twice in a row ends the run with one compaction", async () => {
    const run = await limited(["first", overflow(), "the summary", overflow()]);
    await run.say("one");
    expect(await run.say("two")).toMatchObject({ reason: "error", error: { code: "context_exceeded" } });
    expect(run.inputs("pre_compact")).toHaveLength(1);
    expect(run.inputs("on_error")).toHaveLength(1);
  });

  test("of the question alone ends the run unless hooks shorten it: the same request is not sent again", async () => {
    const run = await limited([overflow()]);
    expect(await run.say("one")).toMatchObject({ reason: "error", error: { code: "context_exceeded" } });
    expect(run.reported("error")[0]?.error).toContain("shorten the message or use a model with a larger window");
    expect(run.inputs("before_llm_call").map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(run.inputs("on_error")).toHaveLength(1);
  });

  test("of the question alone is tried once more with what a hook leaves of it", async () => {
    const short = { hook_specific_output: { updated_messages: [{ role: "user" as const, content: "one" }] } };
    const answers: Setup["answers"] = { before_llm_call: ({ iteration }) => (iteration === 2 ? short : undefined) };
    const run = await limited([overflow(), "Hello"], { answers });
    expect((await run.say("one ".repeat(100))).reason).toBe("normal");
    expect(texts(run, 1)?.at(-1)).toBe("user: one");
  });

  test("whose compaction failed is not sent again, so no later text passes for its answer", async () => {
    const run = await limited(["first", overflow(), new ModelError("HTTP 500"), "somebody else's text"], {}, 0);
    await run.say("one");
    expect(await run.say("two")).toMatchObject({ reason: "error", error: { code: "context_exceeded" } });
    expect(run.model.requests).toHaveLength(3);
    expect(run.inputs("after_llm_call")).toHaveLength(1);
    // The next prompt is sent: it may be another one.
    expect((await run.say("three")).reason).toBe("normal");
  });

  test("of a short conversation beside long instructions is compacted: what can be summarised is", async () => {
    const instruction = "Be brief. ".repeat(400);
    const steps = ["first", "second", overflow(), "they greeted", "Hello"];
    const run = await limited(steps, { agent: { instruction } }, 0);
    await run.say("hello");
    await run.say("how are you?");
    expect((await run.say("what now?")).reason).toBe("normal");
    expect(texts(run, 3)?.slice(1, -1)).toEqual([
      "user: hello",
      "assistant: first",
      "user: how are you?",
      "assistant: second",
    ]);
    expect(texts(run, 4)?.slice(1)).toEqual(["user: Session Summary: they greeted", "user: what now?"]);
    expect(run.reported("error")).toEqual([]);
  });

  test("whose compaction a hook vetoes is tried once more", async () => {
    const run = await limited(["first", overflow(), "Hello"], {
      answers: { pre_compact: () => ({ decision: "block", reason: "no" }) },
    });
    await run.say("one");
    expect((await run.say("two")).reason).toBe("normal");
    expect(run.inputs("before_compaction")).toHaveLength(0);
  });

  test("after an answer is compacted again", async () => {
    const look = tool("look", () => ({ text: "seen" }));
    const steps = [
      "first",
      overflow(),
      "summary 1",
      { calls: [{ name: "look" }] },
      { calls: [{ name: "look" }] },
      overflow(),
      "summary 2",
      "Hello",
    ];
    const run = await limited(steps, { tools: [look] });
    await run.say("one");
    expect((await run.say("two")).reason).toBe("normal");
    expect(run.inputs("after_compaction").map(({ summary }) => String(summary))).toEqual(["summary 1", "summary 2"]);
  });

  test("is an error when compaction is switched off", async () => {
    const run = await limited([overflow()], { agent: { compaction: { enabled: false } } });
    expect((await run.say("one")).error?.code).toBe("context_exceeded");
    expect(run.inputs("pre_compact")).toHaveLength(0);
  });

  test("is compacted even if the model's window is unknown", async () => {
    const run = await limited(["first", overflow(), "the summary", "Hello"], {}, 0);
    await run.say("one");
    expect((await run.say("two")).reason).toBe("normal");
    expect(run.inputs("before_compaction")[0]).not.toHaveProperty("context_limit");
  });
});

describe("the request for a summary", () => {
  const secret = ["ghp", "a1B2".repeat(9)].join("_");
  const asked = async (hooks: Executor) => {
    const run = await limited(["first", "the summary"], { agent: { hooks } });
    await run.say(`my token is ${secret}`);
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    return texts(run, 1)?.join("\n");
  };

  test("holds no secret when redaction is on", async () => {
    const sent = await asked(new Executor([entry("before_llm_call", "default", "redact_secrets")]));
    expect(sent).toContain("my token is [REDACTED]");
    expect(sent).not.toContain(secret);
  });

  test("is sent as it is when redaction is off", async () => {
    expect(await asked(new Executor([]))).toContain(secret);
  });
});

describe("the threshold", () => {
  const big = { text: "a", usage: { input_tokens: 950, output_tokens: 1 } };

  test("is checked before a turn", async () => {
    const run = await limited([big, "the summary", "b"]);
    await run.say("one");
    run.log.length = 0;
    await run.say("two");
    expect(run.events().slice(0, 5)).toEqual([
      "user_prompt_submit",
      "pre_compact",
      "before_compaction",
      "after_compaction",
      "turn_start",
    ]);
    expect(run.inputs("pre_compact")[0]?.source).toBe("auto");
    expect(run.inputs("before_compaction")[0]).toMatchObject({
      compaction_reason: "threshold",
      input_tokens: 950,
      output_tokens: 1,
      context_limit: 1000,
    });
    expect(run.inputs("after_compaction")[0]).toMatchObject({ input_tokens: 950, output_tokens: 1 });
    expect(run.session.inputTokens).toBeLessThan(100);
  });

  test("is checked after a batch, before its turn ends", async () => {
    const read = tool("read", () => ({ text: "x".repeat(1500) }));
    const usage = { input_tokens: 500, output_tokens: 10 };
    const run = await limited(["a", { calls: [{ name: "read" }], usage }, "the summary", "b"], { tools: [read] });
    await run.say("one");
    run.log.length = 0;
    await run.say("two");
    const events = run.events();
    expect(events.slice(events.indexOf("post_tool_use"), events.indexOf("turn_end"))).toEqual([
      "post_tool_use",
      "pre_compact",
      "before_compaction",
      "after_compaction",
    ]);
    expect(run.inputs("pre_compact")[0]?.source).toBe("tool_overflow");
    expect(run.inputs("before_compaction")[0]?.compaction_reason).toBe("threshold");
  });

  test.each([
    [890, "tool_overflow"],
    [900, "auto"],
  ])("after a batch is crossed by its results or, at a count of %i of 900, was before: %s", async (counted, source) => {
    const read = tool("read", () => ({ text: "word ".repeat(60) }));
    const call = { calls: [{ name: "read" }], usage: { input_tokens: counted - 10, output_tokens: 10 } };
    const run = await limited(["first", call, "the summary", "b"], { tools: [read] });
    await run.say("one");
    await run.say("two");
    expect(run.inputs("pre_compact").map((input) => input.source)).toEqual([source]);
  });

  test("is not checked when compaction is switched off", async () => {
    const run = await limited([big, "b"], { agent: { compaction: { enabled: false } } });
    await run.say("one");
    await run.say("two");
    expect(run.inputs("pre_compact")).toHaveLength(0);
  });
});

describe("hooks", () => {
  test("may supply the summary, which is used verbatim without a model call", async () => {
    const run = await limited(["first"], { answers: { before_compaction: () => summary("  mine\n") } });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    expect(run.inputs("after_compaction")[0]?.summary).toBe("  mine\n");
    expect(run.session.items.at(-1)).toMatchObject({ kind: "summary", text: "  mine\n" });
  });

  test("may add to the instructions of the summary", async () => {
    const run = await limited(["first", "the summary"], {
      answers: { pre_compact: () => ({ hook_specific_output: { additional_context: "keep the numbers" } }) },
    });
    await run.say("one");
    await compactSession(run.runtime, run.session, "be brief", signal);
    expect(texts(run, 1)?.at(-1)).toEndWith("\n\nbe brief\n\nkeep the numbers");
    expect(run.model.calls[1]).toMatchObject({ tools: [], maxTokens: 250 });
    expect(run.inputs("pre_compact")[0]?.source).toBe("manual");
  });

  test("that block pre_compact skip the rest, with a warning", async () => {
    const run = await limited(["first"], {
      answers: { pre_compact: () => ({ decision: "block", reason: "not now" }) },
    });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("vetoed");
    expect(run.inputs("before_compaction")).toHaveLength(0);
    expect(run.reported("warning")[0]?.message).toBe("not now");
    expect(run.reported("session_compaction")).toMatchObject([{ status: "completed", outcome: "skipped" }]);
  });

  test("that are cancelled leave the conversation as it is", async () => {
    const stop = new AbortController();
    const run = await limited(["first"], {
      answers: {
        before_compaction: () => {
          stop.abort();
          return summary("too late");
        },
      },
    });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", stop.signal)).toBe("vetoed");
    expect(run.session.items.every(({ kind }) => kind === "message")).toBeTrue();
  });

  test("that block before_compaction skip it silently", async () => {
    const run = await limited(["first"], {
      answers: { before_compaction: () => ({ decision: "block", reason: "not now" }) },
    });
    await run.say("one");
    await compactSession(run.runtime, run.session, "", signal);
    expect(run.inputs("after_compaction")).toHaveLength(0);
    expect(run.reported("warning")).toHaveLength(0);
  });
});

describe("the part that stays word for word", () => {
  const step = { calls: [{ name: "read" }], usage: { input_tokens: 950, output_tokens: 10 } };
  const read = (length: number) => tool("read", () => ({ text: "x".repeat(length) }));

  test("is the newest turn, even while it is running", async () => {
    const run = await limited(["first", step, "the summary", "done"], { tools: [read(20)] });
    await run.say("one");
    await run.say("two");
    expect(texts(run, 2)?.slice(1, -1)).toEqual(["user: one", "assistant: first"]);
    expect(texts(run, 3)?.slice(1)).toEqual([
      "user: Session Summary: the summary",
      "user: two",
      "assistant: ",
      `tool: ${"x".repeat(20)}`,
    ]);
  });

  test("is the question and the newest steps of a turn that is too long", async () => {
    const long = { calls: [{ name: "read" }] };
    const run = await limited([long, long, step, "the summary", "done"], { tools: [read(600)] });
    await run.say("one");
    expect(texts(run, 4)?.slice(1)).toEqual([
      "user: Session Summary: the summary",
      "user: one",
      "assistant: ",
      `tool: ${"x".repeat(600)}`,
    ]);
    expect(run.session.items.at(-2)).toMatchObject({ kind: "summary", firstKept: 5, kept: [0] });
  });

  test("is every unanswered message, oldest first, including those that the runtime wrote as the user", async () => {
    const run = await limited(["first", "the summary", "done"]);
    await run.say("one");
    const user = (text: string) => textMessage("user", text);
    run.session.items.push({ kind: "message", agent: "root", message: user("two") });
    run.session.items.push({ kind: "error", agent: "root", text: "failed" });
    run.session.items.push({ kind: "message", agent: "root", message: user("go on"), implicit: true });
    await compactSession(run.runtime, run.session, "", signal);
    await run.say("three");
    expect(texts(run, 2)?.slice(1)).toEqual([
      "user: Session Summary: the summary",
      "user: two",
      "user: go on",
      "user: three",
    ]);
  });

  test("is a tool result cut in the middle if it does not fit, and the record keeps all of it", async () => {
    const run = await limited(["first", step, "the summary", "done"], { tools: [read(5000)] });
    await run.say("one");
    await run.say("two");
    const result = texts(run, 3)?.at(-1) ?? "";
    expect(result).toMatch(/^tool: x+\n\[\.\.\. \d+ characters cut \.\.\.\]\nx+$/);
    expect(result.length).toBeLessThan(1300);
    expect(run.reported("warning")[0]?.message).toMatch(/^a tool result is cut to about \d+ tokens/);
    const kept = messagesOf(run.session).find(({ message }) => message.role === "tool");
    expect(kept?.message && textOf(kept.message)).toBe("x".repeat(5000));
  });

  test("includes the question of an answered turn of which only the end fits", async () => {
    const long = { calls: [{ name: "read" }] };
    const run = await limited([long, long, "done", "the summary"], { tools: [read(600)] });
    await run.say("one");
    await compactSession(run.runtime, run.session, "", signal);
    expect(conversationOf(run.session).map(textOf)).toEqual([
      "Session Summary: the summary",
      "one",
      "",
      "x".repeat(600),
      "done",
    ]);
  });

  test("is the question alone if even the calls of the newest step do not fit", async () => {
    const call = { calls: [{ name: "read", arguments: { content: "y".repeat(4000) } }], usage: { input_tokens: 950 } };
    const run = await limited([call, "the summary", "done"], { tools: [read(20)] });
    await run.say("one");
    expect(texts(run, 1)?.slice(1, -1).join()).toContain("[called read with");
    expect(texts(run, 2)?.slice(1)).toEqual(["user: Session Summary: the summary", "user: one"]);
  });

  test("is a whole answered turn, unless there is nothing else to summarise", async () => {
    const run = await limited(["first", "second", "summary 1", "summary 2"]);
    await run.say("one");
    await run.say("two");
    await compactSession(run.runtime, run.session, "", signal);
    expect(conversationOf(run.session).map(textOf)).toEqual(["Session Summary: summary 1", "two", "second"]);
    await compactSession(run.runtime, run.session, "", signal);
    expect(conversationOf(run.session).map(textOf)).toEqual(["Session Summary: summary 2"]);
  });
});

describe("a summary that cannot be used", () => {
  test("because it is longer than the window is rejected, even if a hook wrote it", async () => {
    const run = await limited(["first"], { answers: { before_compaction: () => summary("so ".repeat(2000)) } });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    expect(run.reported("error")[0]?.error).toContain("the summary is too long");
    expect(conversationOf(run.session).map(textOf)).toEqual(["one", "first"]);
  });

  test("is paid for, and not requested again before the conversation has grown", async () => {
    const usage = { input_tokens: 950, output_tokens: 10 };
    const cut = { text: "half a summ", finishReason: "length" as const, usage };
    const look = { calls: [{ name: "look" }], usage };
    const run = await limited(["first", look, cut, cut, cut, look, { text: "done", usage }], {
      tools: [tool("look", () => ({ text: "seen" }))],
      agent: { prices: () => ({ input: 1000, output: 0 }) },
    });
    await run.say("one");
    expect((await run.say("two")).reason).toBe("normal");
    expect(run.session.cost).toBeCloseTo(6 * 0.95);
    expect(run.model.calls.map(({ minimalThinking = false }) => minimalThinking)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(run.reported("error")).toMatchObject([
      { error: "the conversation is not compacted: the summary was cut off at its limit, 3 times; nothing is lost" },
    ]);
  });

  test("because the request does not fit the window is requested with less", async () => {
    const run = await limited(["a".repeat(1500), "b".repeat(1500), overflow(), "the summary"]);
    await run.say("one");
    await run.say("two");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    const [first = 0, second = 0] = [2, 3].map((request) => texts(run, request)?.join("").length ?? 0);
    expect(second).toBeLessThan(first / 2);
    expect(texts(run, 3)?.join()).toContain("characters cut");
  });
});

test("a summary whose length limit the provider refuses is requested with a lower limit", async () => {
  const refusal = new ModelError("max_tokens is too large", { status: 400 });
  const run = await limited(["first", refusal, "the summary"], {}, 100_000);
  await run.say("one");
  expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
  expect(run.model.calls.slice(1).map(({ maxTokens }) => maxTokens)).toEqual([16_000, 4096]);
});

test("the size of a conversation is estimated if the provider reports none, or zeros", async () => {
  const zeros = { input_tokens: 0, output_tokens: 0 };
  const run = await limited([{ text: "a".repeat(3500), usage: zeros }, "the summary", "b"], {}, 1100);
  await run.say("one");
  expect(run.session).toMatchObject({ outputTokens: 1005, tokensAreEstimated: true });
  expect(run.session.inputTokens).toBeGreaterThan(10);
  expect(run.reported("token_usage")[0]?.usage).toMatchObject({ estimated: true });
  await run.say("two");
  expect(texts(run, 2)?.slice(1)).toEqual(["user: Session Summary: the summary", "user: two"]);
});

test("the estimate of newer messages is scaled by the provider's count", async () => {
  const read = tool("read", () => ({ text: "word ".repeat(700) }));
  const twice = { calls: [{ name: "read" }], usage: { input_tokens: 2400, output_tokens: 10 } };
  const run = await limited(["x".repeat(4000), twice, "the summary", "b"], { tools: [read] }, 4500);
  await run.say("one");
  await run.say("two");
  expect(run.inputs("pre_compact")).toMatchObject([{ source: "tool_overflow" }]);
});

test("the newest messages stay when the conversation is long", async () => {
  const run = await limited(["a".repeat(2000), "short", "the summary", "c"], {}, 2000);
  await run.say("one");
  await run.say("two");
  await compactSession(run.runtime, run.session, "", signal);
  expect(texts(run, 2)?.slice(1, -1)).toEqual(["user: one", `assistant: ${"a".repeat(2000)}`]);
  await run.say("three");
  expect(texts(run, 3)?.slice(1)).toEqual([
    "user: Session Summary: the summary",
    "user: two",
    "assistant: short",
    "user: three",
  ]);
});

test("a second summary is written from the first and the messages after it", async () => {
  const run = await limited(["a".repeat(2000), "short", "summary 1", "c", "summary 2"], {}, 2000);
  await run.say("one");
  await run.say("two");
  await compactSession(run.runtime, run.session, "", signal);
  await run.say("x".repeat(2000));
  await compactSession(run.runtime, run.session, "", signal);
  expect(texts(run, 4)?.slice(1, 4)).toEqual(["user: Session Summary: summary 1", "user: two", "assistant: short"]);
  expect(texts(run, 4)?.join()).not.toContain("user: one");
});

test("system messages of the record survive a compaction, and withheld messages stay withheld", async () => {
  const run = await limited(["first", "the summary", "second"]);
  const task = textMessage("system", "the task");
  const bad = textMessage("user", "bad".repeat(1000));
  run.session.items.push({ kind: "message", agent: "root", message: task, implicit: true });
  run.session.items.push({ kind: "message", agent: "root", message: bad, withheld: true });
  await run.say("one");
  await compactSession(run.runtime, run.session, "", signal);
  await run.say("two");
  expect(texts(run, 1)?.join()).not.toContain("bad");
  expect(texts(run, 2)?.slice(1)).toEqual(["system: the task", "user: Session Summary: the summary", "user: two"]);
});

test("a summary that could not be written leaves the session as it was", async () => {
  const run = await limited(["first", new ModelError("HTTP 500"), "  ", "  ", "  "]);
  await run.say("one");
  expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
  expect(run.reported("error")[0]?.error).toContain("HTTP 500");
  expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
  expect(run.session.items.every(({ kind }) => kind === "message")).toBeTrue();
  expect(run.inputs("after_compaction")).toHaveLength(0);
});

describe("what a compaction reports", () => {
  const usage = { input_tokens: 300, output_tokens: 40 };

  test("is its start, the summary with its model and price, the new size and its end", async () => {
    const run = await limited(["first", { text: "the summary", usage }], {
      agent: { prices: () => ({ input: 1000, output: 0 }) },
    });
    await run.say("one");
    run.reports.length = 0;
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    const reports = run.reports.filter(({ type }) => !type.startsWith("hook_"));
    expect(reports).toMatchObject([
      { type: "session_compaction", session_id: run.session.id, status: "started" },
      {
        type: "session_summary",
        session_id: run.session.id,
        summary: "the summary",
        first_kept_entry: 2,
        model: "openai/fake",
        usage,
        cost: 0.3,
      },
      { type: "session_compaction", session_id: run.session.id, status: "completed", outcome: "applied" },
      { type: "token_usage", usage: { input_tokens: 40, output_tokens: 0, cost: 0.3 } },
    ]);
    expect(run.session.items.at(-1)).toMatchObject({ kind: "summary", agent: "root", model: "openai/fake", cost: 0.3 });
  });

  test("is no model and no price if a hook wrote the summary", async () => {
    const run = await limited(["first"], { answers: { before_compaction: () => summary("mine") } });
    await run.say("one");
    await compactSession(run.runtime, run.session, "", signal);
    const [reported] = run.reported("session_summary");
    for (const field of ["model", "usage", "cost"]) expect(reported).not.toHaveProperty(field);
    expect(run.session.cost).toBe(0);
    expect(run.session.inputTokens).toBeWithin(5, 30);
    expect(run.session.outputTokens).toBe(0);
  });

  test("is an end without a new size if it fails", async () => {
    const run = await limited(["first", new ModelError("HTTP 500")]);
    await run.say("one");
    const { inputTokens } = run.session;
    run.reports.length = 0;
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    const outcomes = run.reported("session_compaction").map(({ status, outcome }) => outcome ?? status);
    expect(outcomes).toEqual(["started", "failed"]);
    expect(run.reported("token_usage")).toEqual([]);
    expect(run.reported("session_summary")).toEqual([]);
    expect(run.session.inputTokens).toBe(inputTokens);
  });

  test("is that it was skipped if there is nothing to replace", async () => {
    const run = await limited([]);
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("skipped");
    const outcomes = run.reported("session_compaction").map(({ status, outcome }) => outcome ?? status);
    expect(outcomes).toEqual(["started", "skipped"]);
    expect(run.inputs("after_compaction")).toHaveLength(0);
  });

  test.each([
    [1, /^a tool result is cut to about \d+ tokens to fit the context window$/],
    [2, /^2 tool results are cut to about \d+ tokens to fit the context window$/],
  ])("is the new size, and no summary, if cutting %i results is enough", async (count, warning) => {
    const calls = Array.from({ length: count }, () => ({ name: "read" }));
    const step = { calls, usage: { input_tokens: 950, output_tokens: 10 } };
    const run = await limited([step, "done"], { tools: [tool("read", () => ({ text: "x".repeat(5000) }))] });
    await run.say("one");
    expect(run.inputs("after_compaction")).toHaveLength(1);
    expect(run.inputs("after_compaction")[0]).not.toHaveProperty("summary");
    expect(run.session.items.every(({ kind }) => kind === "message")).toBeTrue();
    expect(run.reported("warning").map(({ message }) => message)).toEqual([expect.stringMatching(warning)]);
    const ended = run.reports.findIndex((event) => event.type === "session_compaction" && event.status === "completed");
    const sizes = run.reports.slice(ended).filter((event) => event.type === "token_usage");
    expect(sizes[0]?.usage.input_tokens).toBeWithin(150, 800);
    expect(sizes[0]?.usage.output_tokens).toBe(0);
  });

  test("is a conversation of one message, too", async () => {
    const run = await limited(["the summary"]);
    run.session.items.push({ kind: "message", agent: "root", message: textMessage("assistant", "Welcome.") });
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    expect(conversationOf(run.session).map(textOf)).toEqual(["Session Summary: the summary"]);
  });
});

describe("a summary is requested three times", () => {
  const blank = { text: " \n" };
  test.each([
    ["length", "the summary was cut off at its limit", { text: "half", finishReason: "length" as const }],
    ["refusal", "the model refused to write a summary", { text: "No.", finishReason: "refusal" as const }],
    ["tool_calls", "the model called a tool instead of writing a summary", { calls: [{ name: "look" }] }],
    ["stop without a text", "the model wrote an empty summary", blank],
  ])("if each reply ends with %s, and the error says: %s", async (_end, problem, reply) => {
    const run = await limited(["first", reply, reply, reply]);
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    expect(run.reported("error").map(({ error }) => error)).toEqual([
      `the conversation is not compacted: ${problem}, 3 times; nothing is lost`,
    ]);
  });

  test("with a larger limit and ever fewer words, and the third reply is used", async () => {
    const run = await limited(["first", blank, blank, "the summary"]);
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "be brief", signal)).toBe("applied");
    expect(run.model.calls.slice(1).map(({ maxTokens }) => maxTokens)).toEqual([250, 500, 500]);
    const closings = [1, 2, 3].map((request) => texts(run, request)?.at(-1)?.split("\n\n").slice(1));
    expect(texts(run, 1)?.[0]).toStartWith("system: You summarise conversations between a user and an AI agent");
    expect(closings).toEqual([
      ["be brief"],
      ["be brief", "Write at most 166 words."],
      ["be brief", "Write at most 83 words."],
    ]);
  });

  test("with room for 50 words at least", async () => {
    const run = await limited(["first", blank, blank, "the summary"], {}, 200);
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("applied");
    expect([2, 3].map((request) => texts(run, request)?.at(-1)?.split("\n\n").at(-1))).toEqual([
      "Write at most 50 words.",
      "Write at most 50 words.",
    ]);
  });

  test("if it never fits the window", async () => {
    const run = await limited(["first", overflow(), overflow(), overflow()]);
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    expect(run.reported("error")[0]?.error).toMatch(/too long.*, 3 times; nothing is lost$/);
  });

  test.each([
    ["a server error", new ModelError("HTTP 500: broken", { status: 500 })],
    ["an error of an unknown kind", new TypeError("HTTP 500: broken")],
  ])("but not after %s, and earlier attempts are paid for", async (_what, failure) => {
    const run = await limited(["first", { ...blank, usage: { input_tokens: 100, output_tokens: 1 } }, failure], {
      agent: { prices: () => ({ input: 1000, output: 0 }) },
    });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    expect(run.reported("error")[0]?.error).toContain("HTTP 500: broken; nothing is lost");
    expect(run.session.cost).toBeCloseTo(0.1);
  });

  test("but not after a second complaint about a request whose limit is low already", async () => {
    const refusal = () => new ModelError("bad request", { status: 400 });
    const run = await limited(["first", refusal(), refusal()], {}, 100_000);
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
    expect(run.reported("error")[0]?.error).toEndWith("bad request; nothing is lost");
  });

  test("but not after a cancel, which is no error; earlier attempts are paid for", async () => {
    const stop = new AbortController();
    const cancel = () => {
      stop.abort();
      throw new ModelError("cancelled");
    };
    const run = await limited(["first", { ...blank, usage: { input_tokens: 100, output_tokens: 1 } }, cancel], {
      agent: { prices: () => ({ input: 1000, output: 0 }) },
    });
    await run.say("one");
    expect(await compactSession(run.runtime, run.session, "", stop.signal)).toBe("failed");
    expect(run.reported("error")).toEqual([]);
    expect(run.session.cost).toBeCloseTo(0.1);
    expect(run.session.items.every(({ kind }) => kind === "message")).toBeTrue();
  });
});

describe("an unanswered message", () => {
  const question = (tokens: number) => textMessage("user", "x".repeat((tokens - 5) * 3.5));

  test.each([
    [840, "applied"],
    [970, "applied"],
    [990, "failed"],
  ] as const)("of %i tokens, in a window of 1000 that must also hold a summary: %s", async (tokens, outcome) => {
    const run = await limited(outcome === "applied" ? ["first", "the summary"] : ["first"]);
    await run.say("one");
    run.session.items.push({ kind: "message", agent: "root", message: question(tokens) });
    expect(await compactSession(run.runtime, run.session, "", signal)).toBe(outcome);
  });

  test.each([
    [1000, 9500],
    [1500, 14_250],
    [9000, 19_000],
    [100, 7125],
  ])(
    "of 9500 tokens, after a request of about 1000 that the provider counts as %i, counts as about %i",
    async (input_tokens, counted) => {
      const run = await limited([{ text: "first", usage: { input_tokens, output_tokens: 5 } }], {}, 7000);
      await run.say("x".repeat(985 * 3.5));
      run.session.items.push({ kind: "message", agent: "root", message: question(9500) });
      expect(await compactSession(run.runtime, run.session, "", signal)).toBe("failed");
      const [, found] = /the newest message (\d+)\)/.exec(run.reported("error")[0]?.error ?? "") ?? [];
      expect(Number(found)).toBeWithin(counted * 0.97, counted * 1.03);
    },
  );
});
