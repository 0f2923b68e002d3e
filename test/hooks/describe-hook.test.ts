import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import { describeHook } from "../../src/hooks/describe-hook.ts";
import type { EventName, Lane } from "../../src/protocol/events.ts";

function entry(event: EventName, hook: Partial<HookDefinition>, lane: Lane = "default", matcher = ""): HookEntry {
  const definition = defineHook({ type: "command", ...hook });
  return { event, lane, matcher, hook: definition, path: [], source: async () => "agent.yaml:1:1" };
}

describe("a configured hook is described with", () => {
  const registry = newRegistry();
  const described = (...args: Parameters<typeof entry>) => describeHook(entry(...args), registry);

  test("its matcher where the event has matchers", async () => {
    expect(await described("pre_tool_use", { command: "x" })).toMatchObject({ matcher: "*" });
    expect(await described("pre_tool_use", { command: "x" }, "default", "shell")).toMatchObject({ matcher: "shell" });
    expect(await described("turn_start", { command: "x" })).not.toHaveProperty("matcher");
  });

  test("its stage, its timeout and whether it judges", async () => {
    expect(await described("pre_tool_use", { command: "x" })).toMatchObject({
      stage: "concurrent",
      timeout_seconds: 60,
      on_failure: "block",
    });
    expect(await described("pre_tool_use", { command: "x", rewrite: true, timeout: 7 })).toMatchObject({
      stage: "rewrite",
      timeout_seconds: 7,
    });
    expect(await described("pre_tool_use", { type: "builtin", command: "redact_secrets" })).toMatchObject({
      stage: "rewrite",
    });
    expect(await described("pre_tool_use", { type: "builtin", command: "no_such_builtin" })).toMatchObject({
      stage: "concurrent",
    });
    expect(await described("pre_tool_use", { command: "redact_secrets" })).toMatchObject({ stage: "concurrent" });
    expect(await described("pre_tool_use", { command: "x", rewrite: true }, "preempt")).toMatchObject({
      stage: "preempt",
    });
    expect(await described("pre_tool_use", { command: "x" })).not.toHaveProperty("judge");
  });
});
