import { describe, expect, test } from "bun:test";
import { createModelChain } from "../../../src/model/calls/chain.ts";
import { type Model, type ModelDelta, ModelError, type Reply } from "../../../src/model/model.ts";
import type { RunEvent } from "../../../src/runtime/events/run-events.ts";
import { type Answers, begin, fakeShell } from "../harness.ts";

const text = (value: string): ModelDelta => ({ kind: "text", text: value });
const answered = (value: string): Reply => ({ blocks: [{ type: "text", text: value }], finishReason: "stop" });
const broken = new ModelError("the connection broke", { retryable: true });

/** An attempt of a model: what it streams, and how it ends. */
interface Attempt {
  deltas: ModelDelta[];
  end: Reply | ModelError;
}

/** Runs a conversation whose model makes these attempts. `streamed` holds the events before the end of the first. */
async function play(attempts: Attempt[], answers: Answers = {}) {
  const streamed: RunEvent[] = [];
  let at = 0;
  const model: Model = {
    id: "openai/fake",
    provider: "openai",
    contextLimit: 0,
    stream: async (_request, onDelta) => {
      const attempt = attempts[at++];
      for (const delta of attempt?.deltas ?? []) onDelta(delta);
      if (at === 1) streamed.push(...run.reports);
      if (attempt === undefined || attempt.end instanceof ModelError)
        throw attempt?.end ?? new Error("no attempt left");
      return attempt.end;
    },
  };
  const run = await begin({
    steps: [],
    agent: { chooseModel: () => model, models: createModelChain({ retries: 2, backoffMs: 1 }) },
    answers,
    tools: [fakeShell()],
    mode: "autonomous",
  });
  await run.say("hi");
  const shown = run.reports.flatMap((event) => {
    if (event.type === "agent_choice") return [event.content];
    return event.type === "model_restarted" ? [event.type] : [];
  });
  return { run, shown, streamed };
}

const ANSWERS = [
  { deltas: [text("half")], end: broken },
  { deltas: [text("wh"), text("ole")], end: answered("whole") },
];

describe("without a response_guard", () => {
  test("an answer streams", async () => {
    const { streamed } = await play([{ deltas: [text("whole")], end: answered("whole") }]);
    expect(streamed.filter(({ type }) => type === "agent_choice")).toHaveLength(1);
  });

  test("an answer that breaks off is reported as void", async () => {
    expect((await play(ANSWERS)).shown).toEqual(["half", "model_restarted", "wh", "ole"]);
  });

  test("a call that fails before it streams anything restarts without a word", async () => {
    const silent = { deltas: [], end: broken };
    expect((await play([silent, { deltas: [text("a")], end: answered("a") }])).shown).toEqual(["a"]);
  });

  test("a restart is reported once, even if the next attempt fails too", async () => {
    const attempts = [
      { deltas: [text("half")], end: broken },
      { deltas: [], end: broken },
    ];
    expect((await play([...attempts, { deltas: [], end: answered("whole") }])).shown).toEqual([
      "half",
      "model_restarted",
    ]);
  });
});

describe("with a response_guard", () => {
  const guarded = { response_guard: () => undefined };

  test("nothing streams, and an answer that breaks off is never shown", async () => {
    const { streamed, shown } = await play(ANSWERS, guarded);
    expect(streamed.filter(({ type }) => type === "agent_choice")).toHaveLength(0);
    expect(shown).toEqual(["whole"]);
  });

  test("the tokens of an answer are released in a few events", async () => {
    const tokens = Array.from({ length: 1000 }, (_, at) => `${at} `);
    const { shown } = await play([{ deltas: tokens.map(text), end: answered(tokens.join("")) }], guarded);
    expect(shown.join("")).toBe(tokens.join(""));
    expect(shown.length).toBeLessThan(10);
  });
});

describe("a tool call", () => {
  const call = { type: "tool_call" as const, id: "call_1", name: "shell", arguments: '{"cmd":"a"}' };
  const pieces: ModelDelta[] = [
    { kind: "tool_call", index: 0, id: "call_1", name: "shell" },
    { kind: "tool_call", index: 0, arguments: '{"cmd":"a"}' },
  ];
  const calling: Attempt = { deltas: pieces, end: { blocks: [call], finishReason: "tool_calls" } };
  const done: Attempt = { deltas: [], end: answered("done") };

  test("is reported piece by piece, with its id, and with its tool in the first piece only", async () => {
    const { run } = await play([calling, done]);
    expect(run.reported("partial_tool_call")).toMatchObject([
      {
        tool_call: { id: "call_1", function: { name: "shell", arguments: "" } },
        tool_definition: { category: "shell" },
      },
      { tool_call: { id: "call_1", function: { name: "", arguments: '{"cmd":"a"}' } } },
    ]);
    expect(run.reported("partial_tool_call")[1]).not.toHaveProperty("tool_definition");
  });

  test("without a name or an id is reported without them", async () => {
    const { run } = await play([{ deltas: [{ kind: "tool_call", index: 0, arguments: "{" }], end: answered("done") }]);
    expect(run.reported("partial_tool_call")).toMatchObject([
      { tool_call: { id: "", function: { name: "", arguments: "{" } } },
    ]);
  });

  test("that is repeated after a restart has its tool again", async () => {
    const { run } = await play([{ deltas: pieces, end: broken }, calling, done]);
    const [first, , again] = run.reported("partial_tool_call");
    expect(again).toEqual({ ...first!, timestamp: expect.any(String) });
  });
});
