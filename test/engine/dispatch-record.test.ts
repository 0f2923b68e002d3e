import { describe, expect, test } from "bun:test";
import { defineHook, type HookDefinition, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { EventName, Lane } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function entry(event: EventName, hook: Partial<HookDefinition>, lane: Lane = "default", matcher = ""): HookEntry {
  const definition = defineHook({ type: "command", ...hook });
  return { event, lane, matcher, hook: definition, path: [], source: async () => "agent.yaml:1:1" };
}

async function details(event: EventName, payload: object, ...hooks: Partial<HookDefinition>[]) {
  const subject = new Executor(
    hooks.map((hook) => entry(event, hook)),
    { workingDir: tempDir(), env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" } },
  );
  const { details: all, deciders } = await subject.dispatch(event, payload as never, { details: true });
  return { all: await all(), deciders: (await deciders()).map(({ name }) => name) };
}

const print = (output: object) => `echo '${JSON.stringify(output)}'`;
const decide = (permission_decision: string) => print({ hook_specific_output: { permission_decision } });
const CALL = { tool_name: "shell", tool_input: { cmd: "ls" } };

describe("the details of a hook", () => {
  test("contain its outcome, its exit code and its output, if any", async () => {
    const { all } = await details(
      "turn_start",
      {},
      { name: "silent", command: "true" },
      { name: "said", command: "echo hello" },
      { name: "failed", command: "echo oops >&2; exit 3" },
      { name: "late", command: "sleep 600", timeout: 1 },
      { name: "builtin", type: "builtin", command: "add_date" },
      { name: "reason", command: print({ decision: "block", reason: "no" }) },
    );
    const withoutTimes = all.map(({ duration_ms: _, ...rest }) => rest);
    const same = { source: "agent.yaml:1:1", stage: "concurrent" };
    expect(withoutTimes).toMatchObject([
      { ...same, name: "silent", type: "command", outcome: "silent", exit_code: 0 },
      { ...same, name: "said", outcome: "said", exit_code: 0, message: "hello" },
      { ...same, name: "failed", outcome: "failed", exit_code: 3, message: expect.stringContaining("oops") },
      { ...same, name: "late", outcome: "timed_out", message: expect.stringContaining("timed out after") },
      { ...same, name: "builtin", type: "builtin", outcome: "answered" },
      { ...same, name: "reason", outcome: "answered", exit_code: 0, message: "no" },
    ]);
    expect(withoutTimes.map((detail) => Object.keys(detail).filter((key) => key === "message").length)).toEqual([
      0, 1, 1, 1, 0, 1,
    ]);
    expect(withoutTimes.map((detail) => "exit_code" in detail)).toEqual([true, true, true, false, false, true]);
    expect(all.every((detail) => !("redacted" in detail))).toBe(true);
  });

  test("hold the time it took in milliseconds, to a hundredth", async () => {
    const started = performance.now();
    const { all } = await details("turn_start", {}, { command: "sleep 0.2" });
    const time = all[0]?.duration_ms ?? 0;
    expect(time).toBeWithin(200, performance.now() - started);
    expect(Math.abs(time * 100 - Math.round(time * 100))).toBeLessThan(1e-6);
  });

  test("name the hooks that gave the verdict: those that blocked, else those with the winning decision", async () => {
    const allow = { name: "allow", command: decide("allow") };
    const ask = { name: "ask", command: decide("ask") };
    const deny = { name: "deny", command: decide("deny") };
    const silent = { name: "silent", command: "true" };
    expect((await details("pre_tool_use", CALL, allow, silent, deny, ask)).deciders).toEqual(["deny"]);
    expect((await details("pre_tool_use", CALL, allow, ask, silent)).deciders).toEqual(["ask"]);
    expect((await details("pre_tool_use", CALL, silent, allow)).deciders).toEqual(["allow"]);
    expect((await details("pre_tool_use", CALL, silent)).deciders).toEqual([]);
    expect((await details("permission_request", CALL, silent, allow)).deciders).toEqual(["allow"]);
  });
});
