import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks.ts";
import { interpret } from "../../src/engine/interpret.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";

function read(event: EventName, stdout: string, hook: Partial<HookDefinition> = {}) {
  const asked = { event, contract: contractOf(event), hook: defineHook({ type: "command", command: "x", ...hook }) };
  return interpret(asked, { kind: "exited", exitCode: 0, stdout, stderr: "" });
}

describe("standard output", () => {
  test.each([
    ["", "silent"], ["  \n", "silent"], ["{}", "silent"], ["text", "said"], ["[1]", "said"], ['"text"', "said"], ["7", "said"],
    ['{"system_message":"x"}', "answered"], ['{"decision":null}', "silent"],
  ])("%j is %s", (stdout, kind) => {
    expect(read("turn_start", stdout).kind).toBe(kind as never);
  });

  test.each([
    ["{} {}", "single JSON object"], ['{"a":1}x', "single JSON object"], ['{"a":', "invalid hook output"], ['{"a":}', "invalid hook output"],
    ['{"continue":"no"}', 'continue: expected boolean but received "no"'],
    ['{"hook_specific_output":[]}', "hook_specific_output"],
    ['{"hook_specific_output":{"updated_input":"rm"}}', "updated_input"],
    ['{"hook_specific_output":{"updated_tool_response":5}}', "updated_tool_response"],
    ['{"hook_specific_output":{"metadata":{"a":1}}}', "metadata"],
    ['{"hook_specific_output":{"permission_decision":"maybe"}}', 'invalid permission_decision "maybe": expected allow, ask, or deny'],
    ['{"decision":"approve"}', 'invalid decision "approve": expected block'],
  ])("%s fails", (stdout, message) => {
    expect(read("pre_tool_use", stdout)).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
  });

  test("a trailing object inside a string is not a second object", () => {
    expect(read("pre_tool_use", '{"reason":"} {}"}').kind).toBe("answered");
  });

  test("what looks like JSON and is none is kept as text on the six context events of the seed only", () => {
    const kept = (["session_start", "user_prompt_submit", "turn_start", "post_tool_use", "pre_compact", "stop"] as const).map((event) => read(event, "{ x"));
    for (const outcome of kept) expect(outcome).toMatchObject({ kind: "failed", text: "{ x" });
    for (const event of ["user_followup_submit", "pre_tool_use", "turn_end"] as const) expect(read(event, "{ x")).not.toHaveProperty("text");
    expect(read("turn_start", "{ x", { strict_output: true })).not.toHaveProperty("text");
  });

  test("values inside a rewrite keep their nulls", () => {
    const outcome = read("pre_tool_use", '{"hook_specific_output":{"updated_input":{"a":null}}}');
    expect(outcome).toMatchObject({ output: { hook_specific_output: { updated_input: { a: null } } } });
  });
});

describe("strict_output", () => {
  const strict = { strict_output: true };
  test.each([
    ["turn_start", "text", "strict_output requires a JSON object or empty stdout"],
    ["turn_start", '{"decision":"allow"}', 'invalid decision "allow": expected block'],
    ["turn_start", '{"decision":"block"}', "turn_start does not support blocking output"],
    ["turn_start", '{"reason":"a","reason":"b"}', 'repeated key "reason"'],
    ["turn_start", '{"suppress_output":true}', "suppress_output is not supported; use stderr for diagnostics"],
    ["post_tool_use", '{"hook_specific_output":{"permission_decision_reason":"r"}}', "post_tool_use does not support permission_decision"],
    ["turn_start", '{"hook_specific_output":{"colour":1}}', '"hook_specific_output.colour"'],
  ] as const)("on %s %s fails", (event, stdout, message) => {
    expect(read(event, stdout, strict)).toMatchObject({ kind: "failed", error: expect.stringContaining(message) });
  });

  test("instruction_context is accepted where it has meaning", () => {
    expect(read("session_start", '{"hook_specific_output":{"instruction_context":[{"content":"c"}]}}', strict).kind).toBe("answered");
  });
});

describe("exit 2", () => {
  const exit2 = (stdout: string, stderr: string) =>
    interpret({ event: "pre_tool_use", contract: contractOf("pre_tool_use"), hook: defineHook({ type: "command" }) }, { kind: "exited", exitCode: 2, stdout, stderr });

  test("standard error is the message, trimmed, and standard output is not looked at", () => {
    expect(exit2('{"reason":"other"}', " no \n")).toMatchObject({ kind: "blocked", message: "no" });
  });

  test.each([
    ['{"reason":"r","stop_reason":"s"}', "r"], ['{"stop_reason":"s"}', "s"],
    ['{"hook_specific_output":{"permission_decision_reason":"p"}}', "p"], ["not json", ""], ["[]", ""],
  ])("with a blank standard error %s says %j", (stdout, message) => {
    expect(exit2(stdout, " ")).toMatchObject({ kind: "blocked", message });
  });

  test("a system message on standard output is kept with it, nothing else is", () => {
    expect(exit2('{"reason":"r","system_message":"s","hook_specific_output":{"updated_input":{"a":1},"permission_decision":"allow"}}', ""))
      .toEqual({ kind: "blocked", message: "r", systemMessage: "s", stderr: "" });
  });
});
