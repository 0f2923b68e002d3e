import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DialectName } from "../../src/dialects/names.ts";
import { type EventFactsOptions, eventFacts } from "../../src/facts/event-facts.ts";
import type { EventFacts } from "../../src/facts/facts.ts";
import { placeOf } from "../../src/facts/place.ts";
import type { EventName } from "../../src/protocol/events.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { codec } from "../dialects/codec.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ENV = { HOME: tempDir(), PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh" };

function own(
  event: EventName,
  payload: Payload = {},
  more: Partial<EventFactsOptions> = {},
  cwd = tempDir(),
): EventFacts {
  return eventFacts(event, payload, { toolNames: [], host: undefined, place: placeOf({ cwd, env: ENV }), ...more });
}

/** The facts of the last of the events that a payload of a host is. */
async function hosted(name: DialectName, payload: Payload, event?: string): Promise<EventFacts> {
  const host = (await codec(name)).read(payload, event);
  const last = host.events.at(-1);
  if (!last) throw new Error("no event");
  const place = placeOf({ cwd: tempDir(), env: ENV });
  return eventFacts(last.event, last.payload, { toolNames: host.tool?.names ?? [], host, place });
}

describe("the text", () => {
  test.each<[EventName, Payload, string | undefined]>([
    ["user_prompt_submit", { prompt: "hi" }, "hi"],
    ["user_followup_submit", { prompt: "hi" }, "hi"],
    ["user_steering_messages_submit", { steering_messages: ["a", "b"] }, "a\nb"],
    ["stop", { stop_response: "done" }, "done"],
    ["subagent_stop", { stop_response: "done" }, "done"],
    ["post_tool_use", { tool_name: "shell", tool_response: "out" }, "out"],
    ["post_tool_use", { tool_name: "shell", tool_response: { stdout: "out", stderr: "err" } }, "out\nerr"],
    ["post_tool_use", { tool_name: "shell" }, undefined],
    ["pre_tool_use", { tool_name: "shell", prompt: "hi" }, undefined],
    ["session_start", { prompt: "hi" }, undefined],
  ])("of %s %j", (event, payload, expected) => {
    expect(own(event, payload).text as unknown).toBe(expected);
  });

  test("of hosts", async () => {
    const prompt = { hook_event_name: "UserPromptSubmit", prompt: "hi" };
    expect((await hosted("claude", prompt)).text).toBe("hi");
    const cline = { hookName: "UserPromptSubmit", userPromptSubmit: { prompt: "hi" } };
    expect((await hosted("cline", cline)).text).toBe("hi");
    expect((await hosted("gemini", { hook_event_name: "AfterAgent", prompt_response: "done" })).text).toBe("done");
    const windsurf = { agent_action_name: "pre_user_prompt", tool_info: { user_prompt: "hi" } };
    expect((await hosted("windsurf", windsurf)).text).toBe("hi");
  });
});

describe("a call is ok", () => {
  const shell = { tool_name: "shell", tool_input: { cmd: "npm test" } };
  test.each<[Payload, boolean]>([
    [{ ...shell, tool_response: "ok" }, true],
    [{ ...shell, tool_response: "1 failed", tool_error: true }, false],
    [{ ...shell, tool_response: "Error executing command: exit status 1\nOutput: x" }, false],
    [{ ...shell, tool_response: { exit_code: 0 } }, true],
    [{ ...shell, tool_response: { exit_code: 1 } }, false],
    [{ tool_name: "mcp:x:y", tool_response: { exit_code: 1 } }, true],
  ])("%j: %p", (payload, expected) => {
    expect(own("post_tool_use", payload).ok).toBe(expected);
  });

  test("only after it", () => {
    expect(own("pre_tool_use", shell).ok).toBeUndefined();
    expect(own("stop").ok).toBeUndefined();
  });

  test("as hosts say it", async () => {
    const input = { tool_name: "Bash", tool_input: { command: "x" } };
    const ok = async (payload: Payload) => (await hosted("claude", payload)).ok;
    expect(await ok({ hook_event_name: "PostToolUse", ...input, tool_response: { stdout: "", stderr: "" } })).toBe(
      true,
    );
    expect(await ok({ hook_event_name: "PostToolUseFailure", ...input, error: "Exit code 3\noops" })).toBe(false);
    const execute = { hook_event_name: "PostToolUse", tool_name: "Execute", tool_input: { command: "x" } };
    const droid = await hosted("droid", { ...execute, tool_response: "x\n\n[Process exited with code 1]" });
    expect(droid.ok).toBe(false);
  });
});

describe("who acts", () => {
  test("an agent that the event names", async () => {
    expect(own("pre_tool_use", { tool_name: "shell", agent_name: "root" }).agent).toBe("root");
    expect(own("pre_tool_use", { tool_name: "shell" }).agent).toBeUndefined();
    const bash = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "x" } };
    expect(await hosted("claude", bash)).toMatchObject({ agent: undefined, depth: 0 });
    const inside = { ...bash, agent_id: "a1", agent_type: "general-purpose" };
    expect(await hosted("claude", inside)).toMatchObject({ agent: "general-purpose", depth: 1 });
    expect(await hosted("claude", { ...bash, agent_type: "reviewer" })).toMatchObject({ agent: "reviewer", depth: 0 });
  });

  test("how deep it is, as far as the event says", async () => {
    expect(own("pre_tool_use", { tool_name: "shell" }).depth).toBe(0);
    expect(own("subagent_stop", { parent_session_id: "s" }).depth).toBe(1);
    const sdk = { hookName: "tool_call", tool_call: { name: "run_commands", input: {} }, agent_id: "a" };
    expect((await hosted("cline-sdk", { ...sdk, parent_agent_id: null })).depth).toBe(0);
    expect((await hosted("cline-sdk", { ...sdk, parent_agent_id: "b" })).depth).toBe(1);
    const copilot = { hookName: "preToolUse", toolName: "bash", toolArgs: {} };
    expect((await hosted("copilot", copilot)).depth).toBeUndefined();
    expect((await hosted("copilot", { ...copilot, parentAgentId: "b" })).depth).toBe(1);
    const q = { hook_event_name: "preToolUse", tool_name: "execute_bash", tool_input: {} };
    expect((await hosted("q", q)).depth).toBeUndefined();
  });
});

describe("what a run knows", () => {
  test("wins over the payload", () => {
    const session = { depth: 2, source: "schedule", cost: 1.5, calls: 7 };
    const payload = { tool_name: "shell", depth: 0, source: "user", cost: 0, calls: 0 };
    expect(own("pre_tool_use", payload, { session })).toMatchObject(session);
    expect(own("pre_tool_use", payload)).toMatchObject({ depth: 0, source: "user", cost: 0, calls: 0 });
  });

  test("is absent elsewhere", () => {
    const absent = { depth: 0, source: undefined, cost: undefined, calls: undefined };
    expect(own("pre_tool_use", { tool_name: "shell" })).toMatchObject(absent);
    expect(own("session_start", { source: "startup", depth: "1" })).toMatchObject(absent);
    expect(own("after_llm_call", { cost: 0.1 }).cost).toBeUndefined();
  });
});

test("events without a tool have no call", () => {
  expect(own("user_prompt_submit", { prompt: "x" }).call).toBeUndefined();
  expect(own("permission_request", { tool_name: "shell", tool_input: { cmd: "ls" } }).call).toBeDefined();
});

test("the time is the clock's unless it is given", () => {
  expect(own("stop", {}, { now: 5 }).now).toBe(5);
  expect(Math.abs(own("stop").now - Date.now())).toBeLessThan(60_000);
});

test("the branch and the state of the work tree are read once, when they are asked for", async () => {
  const cwd = tempDir({ a: "" });
  execFileSync("git", ["init", "-q", "-b", "dev"], { cwd, env: ENV });
  const facts = own("stop", {}, {}, cwd);
  expect(facts.branch()).toBe("dev");
  expect(await facts.dirty()).toBe(true);
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/other\n");
  rmSync(join(cwd, "a"));
  expect(facts.branch()).toBe("dev");
  expect(await facts.dirty()).toBe(true);
  const again = own("stop", {}, {}, cwd);
  expect([again.branch(), await again.dirty()]).toEqual(["other", false]);
});
