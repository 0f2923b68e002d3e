import { describe, expect, test } from "bun:test";
import { Budget } from "../../../src/runtime/budgets/budget.ts";
import { messagesOf } from "../../../src/runtime/session/session.ts";
import { converse, fakeShell } from "../harness.ts";

const usage = { input_tokens: 40, output_tokens: 10 };
const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }], usage });
const common = { tools: [fakeShell()], mode: "autonomous" };
const limited = () => ({ budgets: [new Budget("budget", { max_tokens: 100 })] });

describe("a budget that is used up", () => {
  test("ends the stream before the next turn, with a message and no error", async () => {
    const run = await converse({ ...common, steps: [call("a"), call("b")], agent: limited() });
    const text = "stopped by budget.max_tokens 100: 100 tokens are used";
    expect(run.ended).toEqual({ reason: "budget_exceeded" });
    expect(run.reported("budget_exceeded")).toMatchObject([
      { budget: "budget", message: "budget.max_tokens 100: 100 tokens are used" },
    ]);
    expect(run.inputs("notification")).toMatchObject([{ notification_level: "warning", notification_message: text }]);
    expect(run.inputs("on_error")).toEqual([]);
    expect(messagesOf(run.session).at(-1)).toMatchObject({
      implicit: true,
      message: { role: "assistant", blocks: [{ text: `Execution ${text}.` }] },
    });
  });

  test("does not end an answer that uses it up", async () => {
    const run = await converse({ ...common, steps: [call("a"), { text: "done", usage }], agent: limited() });
    expect(run.ended).toEqual({ reason: "normal" });
  });

  test("is granted once more as often as the user agrees", async () => {
    const asked: string[] = [];
    const steps = ["a", "b", "c", "d"].map(call);
    const run = await converse({
      ...common,
      steps,
      agent: limited(),
      askBudget: async (text: string) => asked.push(text) === 1,
    });
    expect(asked).toEqual([
      "budget.max_tokens 100 is used up: 100 tokens are used.",
      "budget.max_tokens 100 is used up: 200 tokens are used.",
    ]);
    expect(run.ended.reason).toBe("budget_exceeded");
    const events = run.events();
    const at = events.indexOf("notification");
    expect(events.slice(at, at + 3)).toEqual(["notification", "on_user_input", "turn_start"]);
  });

  test("leaves no message when the question is cancelled", async () => {
    const stop = new AbortController();
    const run = await converse({
      ...common,
      steps: [call("a"), call("b")],
      agent: limited(),
      signal: stop.signal,
      askBudget: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    expect(run.ended).toEqual({ reason: "canceled" });
    expect(messagesOf(run.session).at(-1)?.message.role).toBe("tool");
  });
});
