/** Whole runs: every event of every agent, in order, as command hooks read it. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import { processEnv } from "../../src/lib/env.ts";
import { resultOf } from "../../src/model/messages/message.ts";
import { ModelError } from "../../src/model/model.ts";
import type { EventName } from "../../src/protocol/events.ts";
import type { Agent } from "../../src/runtime/agent/agent.ts";
import { endSession, startSession, submitMessage } from "../../src/runtime/conversation/session-lifecycle.ts";
import { NO_PERMISSIONS } from "../../src/runtime/permissions/permissions.ts";
import { createSession } from "../../src/runtime/session/session.ts";
import { createRuntime } from "../../src/runtime/stream/runtime.ts";
import { create as createShell } from "../../src/tools/shell.ts";
import { ORDINARY_EVENTS } from "../helpers/ordinary-events.ts";
import type { ScriptedReply, Step } from "../helpers/scripted-model.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { agentOf, script } from "./harness.ts";

/** A hook in addition to the one that logs. */
interface Extra {
  event: EventName;
  type?: "command" | "builtin";
  command: string;
  args?: string[];
}

interface Scenario {
  steps: Step[];
  contextLimit?: number;
  mode?: string;
  hooks?: Extra[];
  agent?: Partial<Agent>;
  /** The steps of an agent `helper`, if there is one. */
  helper?: Step[];
  prompts?: string[];
}

/** A line of the log: the agent whose hooks ran, the event, and the whole input. */
interface Line {
  on: string;
  event: string;
  input: Record<string, unknown>;
}

/** Runs a session in its own directory; every agent has a hook on each event that appends its input to a log. */
async function play(scenario: Scenario) {
  const directory = tempDir();
  const env = { ...processEnv(), LOG: join(directory, "log"), SHELL: "/bin/sh" };
  const hooksOf = (agent: string) => {
    const logging: Extra[] = ORDINARY_EVENTS.map((event) => ({
      event,
      command: `line=$(cat); printf '${agent}\\t%s\\n' "$line" >> "$LOG"`,
    }));
    const entries = [...logging, ...(scenario.hooks ?? [])].map((extra): HookEntry => {
      const { event, type = "command", command, args = [] } = extra;
      const hook = defineHook({ type, command, args, timeout: 20 });
      return { event, lane: "default", matcher: "", hook, path: ["hooks", event], source: async () => "test" };
    });
    return new Executor(entries, { workingDir: directory, env, registry: newRegistry() });
  };
  const { tools } = createShell({}, { workingDir: directory, env, dataDir: directory, log: () => {}, warn: () => {} });
  const model = script(scenario.steps, { contextLimit: scenario.contextLimit ?? 0 });
  const agents = [agentOf("root", model, hooksOf("root"), tools, scenario.agent)];
  if (scenario.helper) agents.push(agentOf("helper", script(scenario.helper), hooksOf("helper"), tools));
  const team = {
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    startAgent: "root",
    permissions: NO_PERMISSIONS,
  };
  const runtime = createRuntime({ team, frontEnd: { report: () => {} }, env });
  const session = createSession(directory, scenario.mode === undefined ? {} : { safetyMode: scenario.mode });
  const { signal } = new AbortController();
  await startSession(runtime, session, "startup", signal);
  for (const prompt of scenario.prompts ?? ["hi"]) await submitMessage(runtime, session, prompt, signal);
  await endSession(runtime, session, "other");
  const lines = readFileSync(env.LOG, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Line => {
      const [on = "", text = ""] = line.split("\t");
      const input: Record<string, unknown> = JSON.parse(text);
      return { on, event: String(input["hook_event_name"]), input };
    });
  return { directory, session, model, lines };
}

/** Returns an event with the fields that its input must have in addition to the common ones. */
type Expected = readonly [event: EventName, fields?: Record<string, unknown>];

/** Asserts that the whole log is this list; a field that is `undefined` in it must be absent. */
function expectLog(lines: readonly Line[], expected: readonly Expected[], common: Record<string, unknown>): void {
  expect(lines.map(({ event }) => event)).toEqual(expected.map(([event]) => event));
  for (const [index, [event, fields = {}]] of expected.entries()) {
    const input = lines[index]?.input;
    expect(input).toMatchObject({ agent_name: "root", ...common, hook_event_name: event, ...present(fields) });
    for (const [name, value] of Object.entries(fields)) if (value === undefined) expect(input).not.toHaveProperty(name);
  }
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const calling = (...commands: string[]): ScriptedReply => ({
  calls: commands.map((cmd) => ({ name: "shell", arguments: { cmd } })),
});

/** Returns the fields of a call of the shell; `safety_policy` must be absent without a mode. */
const call = (id: string, cmd: string, mode?: string) => ({
  safety_policy: mode,
  tool_name: "shell",
  tool_use_id: id,
  tool_input: { cmd },
  tool_category: "shell",
});

const OPENING: readonly Expected[] = [
  ["session_start", { source: "startup" }],
  ["user_prompt_submit", { prompt: "hi" }],
];

/** Returns the guard of a reply; one without a text has none. */
const judging = (reply: string | undefined): Expected[] =>
  reply === undefined ? [] : [["response_guard", { stop_response: reply, has_tool_calls: undefined }]];

const asking = (iteration: number, reply?: string): Expected[] => [
  ["turn_start"],
  ["before_llm_call", { iteration, model_id: "openai/fake" }],
  ...judging(reply),
  ["after_llm_call", { stop_response: reply, last_user_message: "hi", model_id: "openai/fake", cost: undefined }],
];

/** Returns the last turn of a run, and its end. */
const answering = (iteration: number, reply: string): Expected[] => [
  ...asking(iteration, reply),
  ["stop_guard", { stop_response: reply, last_user_message: "hi", stop_hook_active: false, max_guard_retries: 8 }],
  ["stop", { stop_response: reply, last_user_message: "hi" }],
  ["turn_end", { reason: "normal" }],
  ["on_user_input"],
  ["session_end", { reason: "other" }],
];

/** Returns the events of a call before it is decided. The default lane runs under --yolo too. */
const guards = (fields: Record<string, unknown>): Expected[] => [
  ["tool_input_transform", fields],
  ["tool_guard", fields],
  ["pre_tool_use", fields],
];

const allowed = (fields: Record<string, unknown>, source: string): Expected => [
  "on_tool_approval_decision",
  { ...fields, approval_decision: "allow", approval_source: source },
];

const responded = (fields: Record<string, unknown>, text: unknown): Expected[] => [
  ["tool_response_transform", { ...fields, tool_response: text, tool_error: undefined }],
  ["post_tool_use", { ...fields, tool_response: text, tool_error: undefined }],
];

test("a plain answer", async () => {
  const usage = { input_tokens: 7, output_tokens: 2 };
  const { lines, session, directory, model } = await play({ steps: [{ text: "Hello", usage }] });
  expectLog(lines, [...OPENING, ...answering(1, "Hello")], { session_id: session.id, cwd: directory });
  expect(lines[3]?.input["messages"]).toMatchObject([{ role: "system" }, { role: "user", content: "hi" }]);
  expect(lines[5]?.input["usage"]).toEqual(usage);
  expect(model.requests).toHaveLength(1);
});

test("a tool call that --yolo approves", async () => {
  const { lines, session, directory } = await play({ steps: [calling("echo ok"), "done"], mode: "autonomous" });
  const first = call("call_1", "echo ok", "autonomous");
  expectLog(
    lines,
    [
      ...OPENING,
      ...asking(1),
      ...guards(first),
      allowed(first, "yolo"),
      ...responded(first, "ok"),
      ["turn_end", { reason: "continue" }],
      ...answering(2, "done"),
    ],
    { session_id: session.id, cwd: directory },
  );
  const second = lines.filter(({ event }) => event === "before_llm_call")[1]?.input["messages"];
  expect(Array.isArray(second) && second.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_1", content: "ok" });
});

test("a tool call that pre_tool_use denies", async () => {
  const { lines, session, directory, model } = await play({
    steps: [calling("touch x"), "ok"],
    hooks: [{ event: "pre_tool_use", command: `echo '{"decision":"block","reason":"no touching"}'` }],
  });
  const first = call("call_1", "touch x");
  expectLog(
    lines,
    [
      ...OPENING,
      ...asking(1),
      ...guards(first),
      ["on_tool_approval_decision", { ...first, approval_decision: "deny", approval_source: "pre_tool_use_hook_deny" }],
      [
        "tool_response_transform",
        { ...first, tool_error: true, tool_response: expect.stringContaining("no touching") },
      ],
      ["turn_end", { reason: "continue" }],
      ...answering(2, "ok"),
    ],
    { session_id: session.id, cwd: directory },
  );
  expect(model.requests[1]?.at(-1)).toMatchObject({ role: "tool", content: expect.stringContaining("no touching") });
  expect(await Bun.file(join(directory, "x")).exists()).toBe(false);
});

test("a tool call that pre_tool_use rewrites and allows", async () => {
  const output = { hook_specific_output: { permission_decision: "allow", updated_input: { cmd: "echo safe" } } };
  const { lines, session, directory, model } = await play({
    steps: [calling("echo raw"), "ok"],
    hooks: [{ event: "pre_tool_use", command: `echo '${JSON.stringify(output)}'` }],
  });
  const raw = call("call_1", "echo raw");
  const safe = call("call_1", "echo safe");
  expectLog(
    lines,
    [
      ...OPENING,
      ...asking(1),
      ...guards(raw),
      ["tool_guard", safe],
      allowed(safe, "pre_tool_use_hook_allow"),
      ...responded(safe, "safe"),
      ["turn_end", { reason: "continue" }],
      ...answering(2, "ok"),
    ],
    { session_id: session.id, cwd: directory },
  );
  expect(model.requests[1]?.at(-2)?.tool_calls?.[0]?.function.arguments).toBe('{"cmd":"echo raw"}');
});

test("a post_tool_use block after the first of two calls", async () => {
  const { lines, session, directory, model } = await play({
    steps: [calling("echo A", "touch B")],
    mode: "autonomous",
    hooks: [{ event: "post_tool_use", command: "echo 'circuit open' >&2; exit 2" }],
  });
  const first = call("call_1", "echo A", "autonomous");
  const failure = { notification_level: "error", notification_message: expect.stringContaining("circuit open") };
  expectLog(
    lines,
    [
      ...OPENING,
      ...asking(1),
      ...guards(first),
      allowed(first, "yolo"),
      ...responded(first, "A"),
      [
        "tool_response_transform",
        {
          ...call("call_2", "touch B", "autonomous"),
          tool_error: true,
          tool_response: expect.stringContaining("skipped"),
        },
      ],
      ["notification", failure],
      ["on_error", failure],
      ["turn_end", { reason: "hook_blocked" }],
      ["on_user_input"],
      ["session_end", { reason: "other" }],
    ],
    { session_id: session.id, cwd: directory },
  );
  expect(model.requests).toHaveLength(1);
  expect(await Bun.file(join(directory, "B")).exists()).toBe(false);
  const results = session.items.flatMap((item) =>
    item.kind === "message" ? (resultOf(item.message)?.callId ?? []) : [],
  );
  expect(results).toEqual(["call_1", "call_2"]);
});

test("the max_iterations builtin ends the run before the third call", async () => {
  const { lines, session, directory, model } = await play({
    steps: [calling("echo 1"), calling("echo 2")],
    mode: "autonomous",
    hooks: [{ event: "before_llm_call", type: "builtin", command: "max_iterations", args: ["2"] }],
  });
  const turn = (n: number): Expected[] => {
    const fields = call(`call_${n}`, `echo ${n}`, "autonomous");
    return [
      ...asking(n),
      ...guards(fields),
      allowed(fields, "yolo"),
      ...responded(fields, String(n)),
      ["turn_end", { reason: "continue" }],
    ];
  };
  const failure = { notification_level: "error", notification_message: expect.stringContaining("2") };
  expectLog(
    lines,
    [
      ...OPENING,
      ...turn(1),
      ...turn(2),
      ["turn_start"],
      ["before_llm_call", { iteration: 3 }],
      ["notification", failure],
      ["on_error", failure],
      ["turn_end", { reason: "hook_blocked" }],
      ["on_user_input"],
      ["session_end", { reason: "other" }],
    ],
    { session_id: session.id, cwd: directory },
  );
  expect(model.requests).toHaveLength(2);
});

test("a task transferred to an agent that calls a tool", async () => {
  const task = { agent: "helper", task: "do X", expected_output: "X" };
  const { lines, session, directory } = await play({
    steps: [{ calls: [{ name: "transfer_task", arguments: task, id: "call_t" }] }, "all done"],
    helper: [calling("echo X"), "X done"],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
  });
  const transfer = {
    tool_name: "transfer_task",
    tool_use_id: "call_t",
    tool_input: task,
    safety_policy: "autonomous",
  };
  const child = lines.find(({ on }) => on === "helper")?.input["session_id"];
  expect(child).not.toBe(session.id);
  const work = call("call_1", "echo X", "autonomous");
  const switched = { from_agent: "root", to_agent: "helper", agent_switch_kind: "transfer_task" };
  const back = { from_agent: "helper", to_agent: "root", agent_switch_kind: "transfer_task_return" };
  const own = { session_id: session.id, cwd: directory };
  const before: Expected[] = [
    ...OPENING,
    ...asking(1),
    ...guards(transfer),
    allowed(transfer, "yolo"),
    ["on_agent_switch", { ...switched, from_agent_models: [{ provider: "openai", model: "fake" }] }],
  ];
  const kickOff = (iteration: number, reply?: string): Expected[] => [
    ["turn_start"],
    ["before_llm_call", { iteration }],
    ...judging(reply),
    ["after_llm_call", { last_user_message: "Please proceed.", stop_response: reply }],
  ];
  const inside: Expected[] = [
    ["session_start", { source: "startup" }],
    ...kickOff(1),
    ...guards(work),
    allowed(work, "yolo"),
    ...responded(work, "X"),
    ["turn_end", { reason: "continue" }],
    ...kickOff(2, "X done"),
    ["stop_guard", { stop_response: "X done", parent_session_id: session.id }],
    ["stop", { stop_response: "X done" }],
    ["turn_end", { reason: "normal" }],
    ["session_end", { reason: "other" }],
  ];
  const after: Expected[] = [
    [
      "subagent_stop",
      {
        session_id: child,
        parent_session_id: session.id,
        agent_name: "helper",
        stop_response: "X done",
      },
    ],
    ["on_agent_switch", back],
    ["tool_response_transform", { ...transfer, tool_response: "X done" }],
    ["turn_end", { reason: "continue" }],
    ...answering(2, "all done"),
  ];
  const end = before.length + inside.length;
  expectLog(lines.slice(0, before.length), before, own);
  expectLog(lines.slice(before.length, end), inside, { session_id: child, agent_name: "helper", cwd: directory });
  expectLog(lines.slice(end), after, own);
  const asked = [...before.map(() => "root"), ...inside.map(() => "helper"), ...after.map(() => "root")];
  expect(lines.map(({ on }) => on)).toEqual(asked);
});

test("a second prompt that no longer fits is compacted and tried again", async () => {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const overflow = new ModelError("too long", { code: "context_exceeded" });
  const { lines, session, directory, model } = await play({
    steps: [{ text: "One", usage }, overflow, "SUMMARY", "Hello"],
    contextLimit: 8000,
    prompts: ["first", "hi"],
  });
  const second = lines.slice(lines.findLastIndex(({ event }) => event === "user_prompt_submit"));
  const counts = { input_tokens: 100, output_tokens: 10, context_limit: 8000, compaction_reason: "overflow" };
  expectLog(
    second,
    [
      ["user_prompt_submit", { prompt: "hi" }],
      ["turn_start"],
      ["before_llm_call", { iteration: 1 }],
      ["pre_compact", { source: "overflow" }],
      ["before_compaction", counts],
      ["after_compaction", { ...counts, summary: "SUMMARY" }],
      ["turn_end", { reason: "error" }],
      ...answering(2, "Hello"),
    ],
    { session_id: session.id, cwd: directory },
  );
  expect(lines.filter(({ event }) => event === "session_start")).toHaveLength(1);
  expect(model.requests).toHaveLength(4);
  expect(model.requests[3]?.slice(-2)).toMatchObject([
    { role: "user", content: "Session Summary: SUMMARY" },
    { role: "user", content: "hi" },
  ]);
});

test("the input of hooks has the directory of the run, wherever a tool works", async () => {
  const { lines, directory } = await play({
    steps: [{ calls: [{ name: "shell", arguments: { cmd: "pwd", cwd: "/" } }] }, "done"],
    mode: "autonomous",
  });
  expect(lines.find(({ event }) => event === "post_tool_use")?.input).toMatchObject({ tool_response: "/" });
  expect([...new Set(lines.map(({ input }) => input["cwd"]))]).toEqual([directory]);
});
