import { expect, test } from "bun:test";
import { agentOf, converse, fakeShell, hooksFor, script } from "./harness.ts";

const TURN = ["turn_start", "before_llm_call", "after_llm_call"];
const OPENING = ["session_start", "user_prompt_submit", ...TURN];
const ANSWER = [...TURN, "stop", "turn_end", "on_user_input", "session_end"];
const BEFORE_APPROVAL = ["tool_input_transform", "tool_guard", "pre_tool_use"];

test("a plain answer dispatches each event of a session once, in order", async () => {
  const run = await converse({ steps: ["Hello"] });
  expect(run.events()).toEqual([...OPENING, "stop", "turn_end", "on_user_input", "session_end"]);
  expect(run.ended).toEqual({ reason: "normal" });
  const common = { session_id: run.session.id, cwd: run.session.workingDir, agent_name: "root" };
  expect(run.log.map(({ input: { messages: _messages, ...input } }) => input)).toEqual([
    { ...common, hook_event_name: "session_start", source: "startup" },
    { ...common, hook_event_name: "user_prompt_submit", prompt: "hi" },
    { ...common, hook_event_name: "turn_start" },
    { ...common, hook_event_name: "before_llm_call", iteration: 1, model_id: "openai/fake" },
    {
      ...common,
      hook_event_name: "after_llm_call",
      stop_response: "Hello",
      last_user_message: "hi",
      model_id: "openai/fake",
    },
    { ...common, hook_event_name: "stop", stop_response: "Hello", last_user_message: "hi" },
    { ...common, hook_event_name: "turn_end", reason: "normal" },
    { ...common, hook_event_name: "on_user_input" },
    { ...common, hook_event_name: "session_end", reason: "other" },
  ]);
  expect(run.inputs("before_llm_call")[0]?.messages).toEqual(run.model.requests[0]!);
});

test("a plain answer is reported in order", async () => {
  const run = await converse({ steps: ["Hello"] });
  const types = run.reports.map(({ type }) => type).filter((type) => !type.startsWith("hook_"));
  expect(types).toEqual([
    "team_info",
    "toolset_info",
    "user_message",
    "stream_started",
    "toolset_info",
    "agent_info",
    "agent_choice",
    "message_added",
    "token_usage",
    "stream_stopped",
  ]);
  expect(run.reports.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBeTrue();
});

test("a call that --yolo approves passes every guard", async () => {
  const run = await converse({
    steps: [{ calls: [{ name: "shell", arguments: { cmd: "echo ok" } }] }, "done"],
    tools: [fakeShell()],
    mode: "autonomous",
  });
  expect(run.events()).toEqual([
    ...OPENING,
    ...BEFORE_APPROVAL,
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
    "turn_end",
    ...ANSWER,
  ]);
  const call = { tool_name: "shell", tool_use_id: "call_1", tool_input: { cmd: "echo ok" }, tool_category: "shell" };
  expect(run.inputs("tool_guard")[0]).toMatchObject({ ...call, safety_policy: "autonomous" });
  expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
    ...call,
    approval_decision: "allow",
    approval_source: "yolo",
    safety_policy: "autonomous",
  });
  expect(run.inputs("after_llm_call")[0]).not.toHaveProperty("stop_response");
  expect(run.inputs("post_tool_use")[0]).toMatchObject({ ...call, tool_response: "ran echo ok" });
  expect(run.inputs("post_tool_use")[0]).not.toHaveProperty("tool_error");
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "normal"]);
  expect(run.inputs("before_llm_call").map(({ iteration }) => iteration)).toEqual([1, 2]);
  expect(run.model.requests[1]?.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_1", content: "ran echo ok" });
});

test("a call that pre_tool_use denies does not run, and the model reads why", async () => {
  const ran: string[] = [];
  const run = await converse({
    steps: [{ calls: [{ name: "shell", arguments: { cmd: "rm x" } }] }, "ok"],
    tools: [fakeShell(ran)],
    answers: { pre_tool_use: () => ({ decision: "block", reason: "no rm" }) },
  });
  expect(run.events()).toEqual([
    ...OPENING,
    ...BEFORE_APPROVAL,
    "on_tool_approval_decision",
    "tool_response_transform",
    "turn_end",
    ...ANSWER,
  ]);
  expect(ran).toEqual([]);
  expect(run.inputs("pre_tool_use")[0]).not.toHaveProperty("safety_policy");
  expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
    approval_decision: "deny",
    approval_source: "pre_tool_use_hook_deny",
  });
  expect(run.inputs("tool_response_transform")[0]).toMatchObject({
    tool_error: true,
    tool_response: "The tool call was rejected by a pre_tool_use hook. Reason: no rm",
  });
  expect(run.model.requests[1]?.at(-1)).toMatchObject({
    role: "tool",
    is_error: true,
    content: expect.stringContaining("no rm"),
  });
  expect(run.reported("hook_blocked")).toHaveLength(1);
  expect(run.reported("tool_call")).toHaveLength(0);
  expect(run.ended).toEqual({ reason: "normal" });
});

test("rewritten arguments go through the guards again, and the record keeps the model's own", async () => {
  const ran: string[] = [];
  const run = await converse({
    steps: [{ calls: [{ name: "shell", arguments: { cmd: "echo raw" } }] }, "ok"],
    tools: [fakeShell(ran)],
    answers: {
      pre_tool_use: () => ({
        hook_specific_output: { permission_decision: "allow", updated_input: { cmd: "echo safe" } },
      }),
    },
  });
  expect(run.events()).toEqual([
    ...OPENING,
    ...BEFORE_APPROVAL,
    "tool_guard",
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
    "turn_end",
    ...ANSWER,
  ]);
  const seen = run.inputs("tool_guard").map(({ tool_input }) => tool_input?.["cmd"]);
  expect(seen).toEqual(["echo raw", "echo safe"]);
  expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
    approval_decision: "allow",
    approval_source: "pre_tool_use_hook_allow",
    tool_input: { cmd: "echo safe" },
  });
  expect(run.inputs("post_tool_use")[0]?.tool_input).toEqual({ cmd: "echo safe" });
  expect(ran).toEqual(["echo safe"]);
  expect(run.model.requests[1]?.at(-2)?.tool_calls?.[0]?.function.arguments).toBe('{"cmd":"echo raw"}');
  expect(run.reported("tool_call")[0]?.tool_call.function.arguments).toBe('{"cmd":"echo safe"}');
});

test("a post_tool_use block ends the run after every call of the batch has its result", async () => {
  const ran: string[] = [];
  const run = await converse({
    steps: [
      {
        calls: [
          { name: "shell", arguments: { cmd: "A" } },
          { name: "shell", arguments: { cmd: "B" } },
        ],
      },
    ],
    tools: [fakeShell(ran)],
    mode: "autonomous",
    answers: { post_tool_use: () => ({ decision: "block", reason: "circuit open" }) },
  });
  expect(run.events()).toEqual([
    ...OPENING,
    ...BEFORE_APPROVAL,
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
    "tool_response_transform",
    "notification",
    "on_error",
    "turn_end",
    "on_user_input",
    "session_end",
  ]);
  expect(ran).toEqual(["A"]);
  expect(run.inputs("tool_response_transform")[1]).toMatchObject({
    tool_use_id: "call_2",
    tool_error: true,
    tool_input: { cmd: "B" },
    tool_response: expect.stringContaining("skipped"),
  });
  const failure = { notification_level: "error", notification_message: "circuit open" } as const;
  expect(run.inputs("notification")[0]).toMatchObject(failure);
  expect(run.inputs("on_error")[0]).toMatchObject(failure);
  expect(run.inputs("turn_end")[0]?.reason).toBe("hook_blocked");
  expect(run.ended).toEqual({ reason: "hook_blocked", error: { code: "hook_blocked", message: "circuit open" } });
  expect(run.session.items.filter((item) => item.kind === "message" && item.message.role === "tool")).toHaveLength(2);
});

test("a before_llm_call block ends the run before the call it refuses", async () => {
  const step = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });
  const run = await converse({
    steps: [step("a"), step("b")],
    tools: [fakeShell()],
    mode: "autonomous",
    answers: {
      before_llm_call: ({ iteration = 0 }) => (iteration > 2 ? { decision: "block", reason: "limit 2" } : undefined),
    },
  });
  const turn = [
    ...TURN,
    ...BEFORE_APPROVAL,
    "on_tool_approval_decision",
    "tool_response_transform",
    "post_tool_use",
    "turn_end",
  ];
  expect(run.events()).toEqual([
    "session_start",
    "user_prompt_submit",
    ...turn,
    ...turn,
    "turn_start",
    "before_llm_call",
    "notification",
    "on_error",
    "turn_end",
    "on_user_input",
    "session_end",
  ]);
  expect(run.model.requests).toHaveLength(2);
  expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "continue", "hook_blocked"]);
});

test("a transferred task runs on the other agent's hooks and comes back to the caller's", async () => {
  const task = { agent: "helper", task: "do X", expected_output: "X" };
  const helperModel = script([{ calls: [{ name: "shell", arguments: { cmd: "x" } }] }, "X done"]);
  const run = await converse({
    steps: [{ calls: [{ name: "transfer_task", arguments: task }] }, "all done"],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
    others: (log) => [agentOf("helper", helperModel, hooksFor("helper", log), [fakeShell()])],
  });
  const approval = [...BEFORE_APPROVAL, "on_tool_approval_decision"];
  const on = (agent: string, events: string[]) => events.map((event) => `${agent} ${event}`);
  expect(run.log.map(({ on: agent, event }) => `${agent} ${event}`)).toEqual([
    ...on("root", [...OPENING, ...approval, "on_agent_switch"]),
    ...on("helper", [
      "session_start",
      ...TURN,
      ...approval,
      "tool_response_transform",
      "post_tool_use",
      "turn_end",
      ...TURN,
      "stop",
      "turn_end",
      "session_end",
    ]),
    ...on("root", ["subagent_stop", "on_agent_switch", "tool_response_transform", "turn_end", ...ANSWER]),
  ]);
  const child = run.log.find(({ on: agent }) => agent === "helper")?.input.session_id;
  expect(child).not.toBe(run.session.id);
  const ofHelper = run.log.filter(({ on: agent }) => agent === "helper");
  expect(ofHelper.every(({ input }) => input.session_id === child)).toBeTrue();
  expect(run.inputs("on_agent_switch")).toMatchObject([
    { session_id: run.session.id, from_agent: "root", to_agent: "helper", agent_switch_kind: "transfer_task" },
    { session_id: run.session.id, from_agent: "helper", to_agent: "root", agent_switch_kind: "transfer_task_return" },
  ]);
  expect(run.inputs("on_agent_switch")[0]?.from_agent_models).toEqual([{ provider: "openai", model: "fake" }]);
  expect(run.inputs("subagent_stop")[0]).toMatchObject({
    session_id: child!,
    parent_session_id: run.session.id,
    agent_name: "helper",
    stop_response: "X done",
  });
  expect(run.inputs("after_llm_call").map(({ last_user_message }) => last_user_message)).toEqual([
    "hi",
    "Please proceed.",
    "Please proceed.",
    "hi",
  ]);
  expect(run.inputs("tool_response_transform").at(-1)).toMatchObject({
    tool_name: "transfer_task",
    tool_response: "X done",
  });
  expect(run.reported("user_message").map(({ message }) => message)).toEqual(["hi"]);
  expect(helperModel.requests[0]?.some(({ content }) => content?.includes("do X"))).toBeTrue();
});
