import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { processEnv } from "../../src/lib/env.ts";
import type { EventName, Lane } from "../../src/protocol/events.ts";
import { endSession, startSession, submitMessage } from "../../src/runtime/conversation/session-lifecycle.ts";
import { NO_PERMISSIONS } from "../../src/runtime/permissions/permissions.ts";
import { createSession } from "../../src/runtime/session/session.ts";
import { createRuntime } from "../../src/runtime/stream/runtime.ts";
import { create as createShell } from "../../src/tools/shell.ts";
import { ORDINARY_EVENTS } from "../helpers/ordinary-events.ts";
import type { Step } from "../helpers/scripted-model.ts";
import { agentOf, script } from "./harness.ts";

const directories: string[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

interface Hook {
  event: EventName;
  lane?: Lane;
  command: string;
}

/**
 * A session whose hooks and tools are processes; every event's input is appended to a log by a command hook. The run is
 * cancelled when the file `stopAt` appears.
 */
async function run(steps: Step[], options: { mode?: string; hooks?: Hook[]; stopAt?: string } = {}) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "hooksh-runtime-")));
  directories.push(directory);
  const env = { ...processEnv(), LOG: join(directory, "log"), SHELL: "/bin/sh" };
  const logging: Hook[] = ORDINARY_EVENTS.map((event) => ({ event, command: 'cat >> "$LOG"' }));
  const entries = [...logging, ...(options.hooks ?? [])].map(({ event, lane = "default", command }): HookEntry => {
    const hook = defineHook({ type: "command", command, timeout: 20 });
    return { event, lane, matcher: "", hook, path: ["hooks", event], source: async () => "test" };
  });
  const context = { workingDir: directory, env, dataDir: directory, log: () => {}, warn: () => {} };
  const toolset = createShell({}, context);
  const hooks = new Executor(entries, { workingDir: directory, env });
  const root = agentOf("root", script(steps), hooks, toolset.tools);
  const team = { agents: new Map([["root", root]]), startAgent: "root", permissions: NO_PERMISSIONS };
  const runtime = createRuntime({ team, frontEnd: { report: () => {} }, env });
  const session = createSession(directory, options.mode === undefined ? {} : { safetyMode: options.mode });
  const stop = new AbortController();
  const { signal } = stop;
  const watch = setInterval(() => {
    if (options.stopAt && existsSync(join(directory, options.stopAt))) stop.abort();
  }, 10);
  await startSession(runtime, session, "startup", signal);
  const ended = await submitMessage(runtime, session, "hi", signal);
  await endSession(runtime, session, "other");
  clearInterval(watch);
  const written = readFileSync(env.LOG, "utf8").trim().split("\n");
  const lines = written.map((line): Record<string, unknown> => JSON.parse(line));
  const events = lines.map(({ hook_event_name }) => hook_event_name);
  const inputs = (event: EventName) => lines.filter(({ hook_event_name }) => hook_event_name === event);
  return { directory, session, ended, lines, events, inputs };
}

const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });
const TURN = ["turn_start", "before_llm_call", "after_llm_call"];
const OPENING = ["session_start", "user_prompt_submit", ...TURN];
const ANSWER = ["turn_start", "before_llm_call", "response_guard", "after_llm_call"];
const CLOSING = [...ANSWER, "stop_guard", "stop", "turn_end", "on_user_input", "session_end"];
const GUARDS = ["tool_input_transform", "tool_guard", "pre_tool_use"];

test("command hooks read one input for each event of a run with a tool call", async () => {
  const steps = [call("echo ok > made; cat made"), "done"];
  const { lines, events, inputs, session, directory } = await run(steps, { mode: "autonomous" });
  expect(events).toEqual([
    ...OPENING,
    ...GUARDS,
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
    "turn_end",
    ...CLOSING,
  ]);
  for (const line of lines) expect(line).toMatchObject({ session_id: session.id, cwd: directory, agent_name: "root" });
  expect(inputs("post_tool_use")[0]?.["tool_response"]).toContain("ok");
  expect(readFileSync(join(directory, "made"), "utf8")).toBe("ok\n");
});

test("a command hook that exits 2 keeps a call from running, under --yolo too", async () => {
  const { directory, inputs } = await run([call("touch made"), "ok"], {
    mode: "autonomous",
    hooks: [{ event: "pre_tool_use", command: "echo no touching >&2; exit 2" }],
  });
  expect(existsSync(join(directory, "made"))).toBeFalse();
  expect(inputs("on_tool_approval_decision")[0]?.["approval_source"]).toBe("pre_tool_use_hook_deny");
  expect(inputs("tool_response_transform")[0]?.["tool_response"]).toContain("no touching");
});

const FAILURES = ["exit 1", "kill -9 $$", "echo '{\"decision\":'"];

test.each(FAILURES)("a preempt hook that fails with %o denies", async (command) => {
  const { directory, inputs } = await run([call("touch made"), "ok"], {
    mode: "autonomous",
    hooks: [{ event: "pre_tool_use", lane: "preempt", command }],
  });
  expect(existsSync(join(directory, "made"))).toBeFalse();
  expect(inputs("on_tool_approval_decision")[0]?.["approval_source"]).toBe("pre_tool_use_hook_deny");
});

test("a post_tool_use hook that crashes does not stop the run", async () => {
  const { ended } = await run([call("true"), "ok"], {
    mode: "autonomous",
    hooks: [{ event: "post_tool_use", command: "exit 1" }],
  });
  expect(ended.reason).toBe("normal");
});

test("a cancel ends a guard's process, denies nothing, and lets turn_end and session_end finish", async () => {
  const { directory, events, inputs, ended } = await run([call("touch made")], {
    mode: "autonomous",
    stopAt: "started",
    hooks: [
      { event: "tool_guard", command: "touch started; sleep 20; touch finished" },
      { event: "turn_end", command: "sleep 0.2; touch turn_ended" },
      { event: "session_end", command: "sleep 0.2; touch session_ended" },
    ],
  });
  expect(ended).toEqual({ reason: "canceled" });
  expect(events.slice(-3)).toEqual(["on_tool_approval_decision", "turn_end", "session_end"]);
  expect(inputs("on_tool_approval_decision")[0]).toMatchObject({
    approval_decision: "canceled",
    approval_source: "context_canceled",
  });
  expect(inputs("turn_end")[0]?.["reason"]).toBe("canceled");
  const made = ["made", "finished", "turn_ended", "session_ended"].filter((name) => existsSync(join(directory, name)));
  expect(made).toEqual(["turn_ended", "session_ended"]);
});
