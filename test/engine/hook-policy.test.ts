import { expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import {
  blocksOnFailure,
  failurePolicy,
  isDeclaredRewriter,
  mayEndWith,
  nearTimeoutSeconds,
  stageOf,
} from "../../src/engine/hook-policy.ts";
import { newRegistry } from "../../src/engine/registry.ts";
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

test("where a failure blocks", () => {
  const blocks = (event: EventName) => blocksOnFailure({ contract: contractOf(event), hook });
  const hook = defineHook({ type: "command", command: "x" });
  expect([blocks("pre_tool_use"), blocks("turn_start")]).toEqual([true, false]);
});

test("other exit codes are no failure if the hook says so, except those of a command that cannot be started", () => {
  const [lenient, usual] = ["allow", ""].map((other_exit_codes) =>
    defineHook({ type: "command", command: "x", other_exit_codes }),
  );
  const ends = (hook = lenient!) => [1, 125, 126, 127, 128].map((code) => mayEndWith(code, hook));
  expect(ends()).toEqual([true, true, false, false, true]);
  expect(ends(usual)).toEqual([false, false, false, false, false]);
});

test("a hook is near its timeout from four fifths of it, and without a timeout from 48 seconds", () => {
  const near = [799, 800, 5000].map((milliseconds) => nearTimeoutSeconds({ timeout: 1 }, milliseconds));
  expect(near).toEqual([undefined, 1, 1]);
  expect([47_999, 48_000].map((milliseconds) => nearTimeoutSeconds({ timeout: 0 }, milliseconds))).toEqual([
    undefined,
    60,
  ]);
});

test("a rewriter is a hook that says so, or the builtin that is registered as one", () => {
  const registry = newRegistry();
  const isRewriter = (hook: Partial<HookDefinition>) =>
    isDeclaredRewriter({ hook: defineHook({ type: "command", command: "x", ...hook }) }, registry);
  expect(isRewriter({ rewrite: true })).toBe(true);
  expect(isRewriter({ type: "builtin", command: "redact_secrets" })).toBe(true);
  expect(isRewriter({ command: "redact_secrets" })).toBe(false);
  expect(isRewriter({ type: "builtin", command: "add_date" })).toBe(false);
  expect(isRewriter({})).toBe(false);
});

test("a hook's stage: only declared rewriters rewrite on a staged event, and every hook on a sequential one", () => {
  expect(stageOf(contractOf("pre_tool_use"), "preempt", true)).toBe("preempt");
  expect(stageOf(contractOf("tool_response_transform"), "default", true)).toBe("rewrite");
  expect(stageOf(contractOf("tool_response_transform"), "default", false)).toBe("concurrent");
  expect(stageOf(contractOf("tool_input_transform"), "default", false)).toBe("rewrite");
  expect(stageOf(contractOf("turn_start"), "default", true)).toBe("concurrent");
});
