import { expect, test } from "bun:test";
import { type Builtin, type EventName, type EventPayload, Executor, type Result } from "hooksh";
import { settled } from "../helpers/settled.ts";

// The compiler is the test here: a line marked as an error that is none fails `tsc`.

test("a result has only the fields that its event can set", async () => {
  const executor = new Executor([]);
  const before = await executor.dispatch("pre_tool_use", { tool_name: "shell" });
  const shown: [boolean, Record<string, unknown> | undefined, "allow" | "ask" | "deny" | undefined] = [
    before.allowed,
    before.modified_input,
    before.decision,
  ];
  expect(shown).toEqual([true, undefined, undefined]);
  // @ts-expect-error only tool_response_transform rewrites a response
  expect(before.updated_tool_response).toBeUndefined();
  // @ts-expect-error only permission_request answers in the user's place
  expect(before.permission_allowed).toBeUndefined();
  // @ts-expect-error a guard adds no context
  expect(before.additional_context).toBeUndefined();

  const start = await executor.dispatch("turn_start", {});
  const context: string | undefined = start.additional_context;
  expect(context).toBeUndefined();
  // @ts-expect-error turn_start cannot block, so there is no message of a block
  expect(start.message).toBeUndefined();

  const transformed: Result<"tool_response_transform"> = { allowed: true, updated_tool_response: "x" };
  expect(transformed.updated_tool_response).toBe("x");
  const compacted: Result<"before_compaction"> = { allowed: true, summary: "s" };
  expect(compacted.summary).toBe("s");
  const rewritten: Result<"response_guard"> = { allowed: true, message: "no", updated_response: "x" };
  expect(rewritten.updated_response).toBe("x");
  const stopped = await executor.dispatch("stop_guard", { stop_response: "done", stop_hook_active: true });
  // @ts-expect-error only response_guard rewrites an answer
  expect(stopped.updated_response).toBeUndefined();
});

test("a payload has the fields of its event, and there is no event besides the known ones", () => {
  const call: EventPayload<"pre_tool_use"> = { tool_name: "shell", tool_input: { cmd: "ls" }, cwd: "/" };
  // @ts-expect-error a tool call that is yet to run has no response
  const early: EventPayload<"pre_tool_use"> = { tool_name: "shell", tool_response: "x" };
  // @ts-expect-error a tool call has a name: without it no hook would be asked
  const nameless: EventPayload<"pre_tool_use"> = {};
  // @ts-expect-error and the name is a text
  const wrongName: EventPayload<"tool_guard"> = { tool_name: 5 };
  const none: EventPayload<"stop"> = {};
  // @ts-expect-error the dispatcher names the event
  const named: EventPayload<"stop"> = { hook_event_name: "stop" };
  // @ts-expect-error no such event
  const event: EventName = "before_lunch";
  expect([call, early, nameless, wrongName, none, named, event].length).toBe(7);
});

test("a dispatch takes no payload without a tool's name, and gives details only when asked", async () => {
  const executor = new Executor([]);
  // @ts-expect-error a tool call has a name
  expect(await settled(executor.dispatch("post_tool_use", {}))).toThrow("tool_name is required");
  const plain = await executor.dispatch("stop", {});
  // @ts-expect-error only with details
  expect(plain.details).toBeUndefined();
  const { result, details } = await executor.dispatch("pre_tool_use", { tool_name: "shell" }, { details: true });
  const decision: "allow" | "ask" | "deny" | undefined = result.decision;
  expect([decision, await details()]).toEqual([undefined, []]);
  // @ts-expect-error only tool_response_transform rewrites a response
  expect(result.updated_tool_response).toBeUndefined();
});

test("a builtin returns an output of known fields", () => {
  const good: Builtin = (input) => ({
    hook_specific_output: { hook_event_name: input.hook_event_name, permission_decision: "ask" },
  });
  // @ts-expect-error the verdict stands in hook_specific_output
  const misplaced: Builtin = () => ({ permission_decision: "deny" });
  // @ts-expect-error continue is true or false
  const wrong: Builtin = () => ({ continue: "no" });
  expect([good, misplaced, wrong].length).toBe(3);
});
