import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { ANSWER_THAT_CANNOT_BE_READ, readAnswer } from "../../src/engine/answer.ts";
import { interpret } from "../../src/engine/interpret.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";

function asked(event: EventName, hook: Partial<HookDefinition> = {}) {
  return { event, contract: contractOf(event), hook: defineHook({ type: "builtin", command: "x", ...hook }) };
}

/** The answer as an in-process hook returns it, which may hold values that JSON lacks. */
function answer(event: EventName, value: object, hook: Partial<HookDefinition> = {}) {
  return readAnswer(asked(event, hook), value as Record<string, unknown>);
}

const cycle = () => {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
};

describe("an answer of an in-process hook", () => {
  test("that holds a cycle is a failure, and its field at the top is dropped", () => {
    const { output, problems } = answer("pre_tool_use", { hook_specific_output: { updated_input: cycle() } });
    expect(problems).toEqual([expect.stringMatching(/^invalid hook output: cannot be serialised: ./)]);
    expect(output).toEqual({});
  });

  test("may hold values that JSON writes in its own way", () => {
    const updated_input = { at: new Date(0) };
    const { output, problems } = answer("pre_tool_use", { hook_specific_output: { updated_input } });
    expect(problems).toEqual([]);
    expect(output).toEqual({ hook_specific_output: { updated_input } });
  });

  test("has only its own keys", () => {
    const inherited = Object.assign(Object.create({ decision: "block" }), { system_message: "own" });
    expect(answer("pre_tool_use", inherited).output).toEqual({ system_message: "own" });
  });
});

describe("null inside", () => {
  test.each([
    ["post_tool_use", "metadata", { a: null, b: "c" }, { b: "c" }],
    ["session_start", "instruction_context", [null, { content: "c", source: null }], [{ content: "c" }]],
    ["pre_tool_use", "updated_input", { a: null }, { a: null }],
  ] as const)("on %s, %s: %j is read as %j", (event, key, given, read) => {
    const { output, problems } = answer(event, { hook_specific_output: { [key]: given } });
    expect(problems).toEqual([]);
    expect(output).toEqual({ hook_specific_output: { [key]: read } });
  });
});

test("unknown verdicts are dropped, so that they neither block nor decide", () => {
  expect(answer("pre_tool_use", { decision: "approve", reason: "r" }).output).toEqual({ reason: "r" });
  expect(answer("pre_tool_use", { hook_specific_output: { permission_decision: "maybe" } }).output).toEqual({
    hook_specific_output: {},
  });
  expect(answer("turn_start", { decision: "allow" }, { strict_output: true }).output).toEqual({});
});

describe("the result of an in-process hook", () => {
  const returned = (event: EventName, output: unknown, more: object = {}) =>
    interpret(asked(event), { kind: "returned", output: output as never, ...more });

  test("keeps its warning unless it failed", () => {
    const warning = "no effect";
    expect(returned("turn_start", undefined, { warning })).toEqual({ kind: "silent", warning });
    expect(returned("turn_start", { system_message: "s" }, { warning })).toMatchObject({ kind: "answered", warning });
    expect(returned("turn_start", "text", { warning })).toEqual({
      kind: "failed",
      reason: "failed",
      error: "invalid hook output: expected an object",
      stderr: "",
      help: ANSWER_THAT_CANNOT_BE_READ,
    });
  });

  test("counts redacted secrets only with an answer", () => {
    const redacted = { "github-pat": 1 };
    const output = { system_message: "s" };
    expect(returned("turn_start", output, { redacted })).toEqual({ kind: "answered", output, redacted });
    expect(returned("turn_start", output)).toEqual({ kind: "answered", output });
    expect(returned("turn_start", null, { redacted })).toEqual({ kind: "silent" });
  });

  test.each([
    ["a Map", new Map([["decision", "block"]])],
    ["a Date", new Date(0)],
    ["a text", "block"],
    ["a list", [1]],
  ])("is a failure if it is %s", (_name, output) => {
    expect(returned("pre_tool_use", output)).toMatchObject({
      kind: "failed",
      error: "invalid hook output: expected an object",
    });
  });

  test("may be an instance of a class with own keys", () => {
    class Answer {
      decision = "block";
    }
    expect(returned("pre_tool_use", new Answer())).toMatchObject({ kind: "answered", output: { decision: "block" } });
  });

  test("is silent if it is an object without keys", () => {
    expect(returned("pre_tool_use", {})).toEqual({ kind: "silent" });
    expect(returned("pre_tool_use", Object.create(null))).toEqual({ kind: "silent" });
  });
});
