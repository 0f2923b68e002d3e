import { expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import { failurePolicy, stageOf } from "../../src/engine/hook-policy.ts";
import { contractOf, type EventName } from "../../src/protocol/events.ts";

test("the effect of a failure: block, warn or nothing", () => {
  const policy = (event: EventName, hook: Partial<HookDefinition>) =>
    failurePolicy(contractOf(event), defineHook({ type: "command", command: "x", ...hook }));
  const redaction = { type: "builtin", command: "redact_secrets" };
  expect(policy("pre_tool_use", { on_error: "ignore" })).toBe("block");
  expect(policy("turn_start", {})).toBe("warn");
  expect(policy("post_tool_use", { on_error: "block" })).toBe("block");
  expect(policy("session_end", { on_error: "ignore" })).toBe("ignore");
  expect(policy("session_end", { on_error: "block" })).toBe("warn");
  expect(policy("session_end", { ...redaction, on_error: "ignore" })).toBe("warn");
  expect(policy("session_end", { command: "redact_secrets", on_error: "ignore" })).toBe("ignore");
});

test("a hook's stage: only declared rewriters rewrite on a staged event, and every hook on a sequential one", () => {
  expect(stageOf(contractOf("pre_tool_use"), "preempt", true)).toBe("preempt");
  expect(stageOf(contractOf("tool_response_transform"), "default", true)).toBe("rewrite");
  expect(stageOf(contractOf("tool_response_transform"), "default", false)).toBe("concurrent");
  expect(stageOf(contractOf("tool_input_transform"), "default", false)).toBe("rewrite");
  expect(stageOf(contractOf("turn_start"), "default", true)).toBe("concurrent");
});
