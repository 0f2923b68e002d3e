import { describe, expect, test } from "bun:test";
import type { EventName } from "../../src/protocol/events.ts";
import { buildInput, parseInput } from "../../src/protocol/input.ts";

describe("an event from outside", () => {
  test.each([
    [{}, "hook_event_name is required: it names the event"],
    [{ hook_event_name: "" }, "hook_event_name is required: it names the event"],
    [{ hook_event_name: 7 }, "hook_event_name is required: it names the event"],
    [{ hook_event_name: null }, "hook_event_name is required: it names the event"],
    [{ hook_event_name: "pre_tool_us" }, 'unknown hook event "pre_tool_us", did you mean pre_tool_use?'],
    [{ hook_event_name: "toString" }, 'unknown hook event "toString"'],
    [{ event: "stop" }, 'hook_event_name is required: it names the event; "event" is not read'],
    [
      { hook_event_name: "pre_tool_use", tool: "shell", input: { cmd: "ls" } },
      'pre_tool_use: tool_name is required: it decides which hooks run; "tool" is not read',
    ],
    [{ hook_event_name: "pre_tool_use" }, "pre_tool_use: tool_name is required: it decides which hooks run"],
    [
      { hook_event_name: "pre_tool_use", tool_name: "" },
      "pre_tool_use: tool_name is required: it decides which hooks run",
    ],
  ])("%j is refused: %s", (value, message) => {
    expect(parseInput(value)).toBe(message);
  });

  test("has no fields that are null; unknown fields pass through", () => {
    expect(
      parseInput({ hook_event_name: "turn_start", agent_name: null, other: null, extra: { a: null } }),
    ).toStrictEqual({ hook_event_name: "turn_start", extra: { a: null } });
  });
});

describe("the input of a hook", () => {
  const built = (payload: Record<string, unknown>, event: EventName = "turn_start") =>
    buildInput(event, payload, "/work");

  test("starts with the common fields", () => {
    expect(Object.entries(built({ extra: 1 }))).toEqual([
      ["session_id", ""],
      ["cwd", "/work"],
      ["hook_event_name", "turn_start"],
      ["extra", 1],
    ]);
    expect(built({ session_id: "" })).toEqual(built({}));
    expect(built({ session_id: "s", cwd: "/other", hook_event_name: "stop" })).toEqual({
      session_id: "s",
      cwd: "/other",
      hook_event_name: "turn_start",
    });
    expect(built({ cwd: "" })).toMatchObject({ cwd: "/work" });
  });

  test.each([
    ["", "agent_name"],
    [0, "iteration"],
    [false, "tool_error"],
    [[], "messages"],
    [{}, "tool_input"],
    [null, "extra"],
    [undefined, "extra"],
  ])("leaves out %j in %s", (value, key) => {
    expect(built({ [key]: value })).not.toHaveProperty(key);
  });

  test.each([
    ["", "tool_response"],
    [0, "cost"],
    ["a", "agent_name"],
    [[0], "steering_messages"],
    [{ a: 0 }, "tool_input"],
    [0, "extra"],
    ["", "extra"],
  ])("keeps %j in %s", (value, key) => {
    expect(built({ [key]: value })).toHaveProperty(key, value);
  });
});
