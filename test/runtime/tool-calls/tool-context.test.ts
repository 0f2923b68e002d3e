import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { agentOf, begin, converse, fakeShell, hooksFor, script, tool } from "../harness.ts";

/** A tool that keeps its context. */
function contextTool(use: (context: ToolContext) => Promise<string> | string) {
  return tool("look", () => ({ text: "" }), { run: async (_input, context) => ({ text: await use(context) }) });
}

const look = { calls: [{ name: "look" }] };

test("a tool asks the user through the front end, after on_user_input", async () => {
  const asked: object[] = [];
  const run = await converse({
    steps: [look, "ok"],
    mode: "autonomous",
    tools: [contextTool(async ({ askUser, signal }) => JSON.stringify(await askUser?.({ message: "Which?" }, signal)))],
    askUser: async (question) => {
      asked.push(question);
      return { action: "accept", content: "this" };
    },
  });
  expect(asked).toEqual([{ message: "Which?", toolName: "look", agentName: "root", sessionId: run.session.id }]);
  const events = run.events();
  expect(events.slice(events.indexOf("on_tool_approval_decision")).slice(0, 3)).toEqual([
    "on_tool_approval_decision",
    "on_user_input",
    "tool_response_transform",
  ]);
  expect(run.inputs("post_tool_use")[0]?.tool_response).toBe('{"action":"accept","content":"this"}');
});

test("without a user a tool cannot ask, and on_user_input is not dispatched", async () => {
  const run = await converse({
    steps: [look, "ok"],
    mode: "autonomous",
    tools: [contextTool(({ askUser }) => String(askUser))],
  });
  expect(run.inputs("post_tool_use")[0]?.tool_response).toBe("undefined");
  expect(run.inputs("on_user_input")).toHaveLength(1);
});

test("a cancel ends a question without an answer", async () => {
  const stop = new AbortController();
  const answers: unknown[] = [];
  const run = await converse({
    steps: [look],
    mode: "autonomous",
    signal: stop.signal,
    tools: [
      contextTool(async ({ askUser, signal }) => {
        answers.push(await askUser?.({ message: "Which?" }, signal));
        return "";
      }),
    ],
    askUser: () => {
      stop.abort();
      return new Promise(() => {});
    },
  });
  expect(run.ended.reason).toBe("canceled");
  expect(answers).toEqual([{ action: "cancel" }]);
});

test("a tool can send steering messages, even after its call has ended", async () => {
  let send: ToolContext["steer"];
  const run = await begin({
    steps: [look, "first", "second"],
    mode: "autonomous",
    tools: [
      contextTool(({ steer }) => {
        send = steer;
        return "begun";
      }),
    ],
  });
  await run.say("hi");
  send?.("the job is done");
  await run.say("and now?");
  expect(run.inputs("user_steering_messages_submit").map(({ steering_messages }) => steering_messages)).toEqual([
    ["the job is done"],
  ]);
});

test("a message is lost with a warning if the queue is full", async () => {
  const run = await converse({
    steps: [look, "ok"],
    mode: "autonomous",
    tools: [
      contextTool(({ steer }) => {
        for (let count = 0; count < 6; count++) steer?.("x");
        return "";
      }),
    ],
  });
  expect(run.reported("warning").map(({ message }) => message)).toEqual([expect.stringContaining("queue is full")]);
});

test("a tool cannot send messages into a sub-session", async () => {
  const seen: unknown[] = [];
  const helper = script([look, "done"]);
  const task = { agent: "helper", task: "t", expected_output: "o" };
  await converse({
    steps: [{ calls: [{ name: "transfer_task", arguments: task }] }, "ok"],
    mode: "autonomous",
    agent: { subAgents: ["helper"] },
    others: (log) => [
      agentOf("helper", helper, hooksFor("helper", log), [
        contextTool(({ steer }) => {
          seen.push(steer);
          return "";
        }),
      ]),
    ],
  });
  expect(seen).toEqual([undefined]);
});

test("arguments that had to be repaired are logged", async () => {
  const logged: string[] = [];
  const parameters: JsonObject = { type: "object", properties: { cmd: { type: "array", items: { type: "string" } } } };
  const list = tool("list", () => ({ text: "" }), { parameters });
  await converse({
    steps: [{ calls: [{ name: "list", arguments: { cmd: "one" } }] }, "ok"],
    mode: "autonomous",
    tools: [list],
    logged,
  });
  expect(logged).toEqual([expect.stringContaining("arguments of list (call_1) repaired: cmd: took the single value")]);
});

test.each([
  ["shell", { cmd: "rm -rf /" }, "destructive"],
  ["shell", { command: "git status" }, "safe"],
  ["shell", { cmd: "make" }, "unknown"],
  ["run_background_job", { command: "rm -rf /" }, "destructive"],
  ["run_background_job", { cmd: "git status" }, "safe"],
])("a call of %s with %o is labelled %s", async (name, input, label) => {
  const run = await converse({
    steps: [{ calls: [{ name, arguments: input }] }, "ok"],
    mode: "autonomous",
    tools: [{ ...fakeShell(), name, category: name === "shell" ? "shell" : "background_jobs" }],
  });
  expect(run.inputs("on_tool_approval_decision")[0]?.safety_label).toBe(label);
});
