import { expect, test } from "bun:test";
import { resolveMessage } from "../../../src/runtime/conversation/slash-commands.ts";
import { createSession } from "../../../src/runtime/session/session.ts";
import { agentOf, begin, fakeShell, hooksFor, type Run, type Setup, script } from "../harness.ts";
import { assembled } from "../team/assembled.ts";

const live = () => new AbortController().signal;
const resolved = (run: Run, text: string) => resolveMessage(run.runtime, run.session, text, live());

/** Returns a session that is not running, whose agent has the commands of an agent file. */
async function withCommands(commands: unknown, setup: Setup = {}): Promise<Run> {
  const agents = {
    helper: { model: "fake/model", instruction: "h" },
    root: { model: "fake/model", instruction: "r", commands },
  };
  const { agent } = await assembled({}, { file: { agents } });
  return begin({
    ...setup,
    agent: { ...(agent.commands ? { commands: agent.commands } : {}), ...setup.agent },
    others: (log) => [agentOf("helper", script([]), hooksFor("helper", log))],
  });
}

test.each([
  ["/fix the build", "Fix this: the build"],
  ["/fix", "Fix this:"],
  ["/words a b", "a-b!"],
  ["/about", "Just a description"],
  ["/unknown thing", "/unknown thing"],
  ["no /fix here", "no /fix here"],
  ["/", "/"],
])("the message %o becomes %o", async (text, sent) => {
  const run = await withCommands({
    fix: "Fix this:",
    words: "${args.join('-')}!",
    about: { description: "Just a description" },
  });
  expect(await resolved(run, text)).toEqual({ kind: "send", text: sent });
  expect(run.events()).toEqual(["session_start"]);
});

test("a command may switch to another agent first", async () => {
  const run = await withCommands({ ask: { agent: "helper", instruction: "Answer:" }, switch: { agent: "helper" } });
  expect(await resolved(run, "/switch")).toEqual({ kind: "switched", agent: "helper" });
  expect(run.runtime.currentAgent).toBe("helper");
  expect(await resolved(run, "/ask me")).toEqual({ kind: "send", text: "/ask me" });
  run.runtime.currentAgent = "root";
  expect(await resolved(run, "/switch to this")).toEqual({ kind: "send", text: "to this" });
  run.runtime.currentAgent = "root";
  expect(await resolved(run, "/ask me")).toEqual({ kind: "send", text: "Answer: me" });
  expect(run.inputs("on_agent_switch")).toEqual([]);
});

test("a URL is shown to the user, with the session's id in it", async () => {
  const run = await withCommands({ docs: { url: "https://example.com/?s={{session_id}}&t={{session_id}}" } });
  expect(await resolved(run, "/docs")).toEqual({
    kind: "url",
    url: `https://example.com/?s=${run.session.id}&t=${run.session.id}`,
  });
});

test("the id of a session is escaped in a URL", async () => {
  const run = await withCommands({ docs: { url: "https://example.com/?s={{session_id}}" } });
  const session = createSession(process.cwd(), { id: "a b&c" });
  expect(await resolveMessage(run.runtime, session, "/docs", live())).toEqual({
    kind: "url",
    url: "https://example.com/?s=a%20b%26c",
  });
});

test("a tool call in a command's text passes the guards and is not recorded", async () => {
  const ran: string[] = [];
  const log = "Look: ${shell({cmd: 'git log'})} and ${shell({cmd: 'make'})} and ${nothing({})}";
  const run = await withCommands({ log }, { tools: [fakeShell(ran)], mode: "balanced" });
  const text =
    "Look: ran git log and Tool 'shell' requires user confirmation but the session is non-interactive. and " +
    "${nothing({})}";
  expect(await resolved(run, "/log")).toEqual({ kind: "send", text });
  expect(ran).toEqual(["git log"]);
  expect(run.inputs("tool_guard")).toHaveLength(2);
  expect(run.inputs("on_tool_approval_decision").map(({ approval_source }) => String(approval_source))).toEqual([
    "mode_balanced",
    "non_interactive_deny",
  ]);
  expect(run.session.items).toEqual([]);
});

test("a command cannot call the runtime's own tools", async () => {
  const hand = "${handoff({agent: 'helper'})}";
  const run = await withCommands({ hand }, { mode: "autonomous", agent: { handoffs: ["helper"] } });
  expect(await resolved(run, "/hand")).toEqual({ kind: "send", text: hand });
  expect(run.runtime.currentAgent).toBe("root");
});

test("a message is not sent if a hook stops the run at a tool call of its command", async () => {
  const run = await withCommands(
    { log: "${shell({cmd: 'a'})} ${shell({cmd: 'b'})}" },
    {
      tools: [fakeShell()],
      mode: "autonomous",
      answers: { post_tool_use: () => ({ decision: "block", reason: "circuit open" }) },
    },
  );
  expect(await resolved(run, "/log")).toEqual({
    kind: "ended",
    end: { reason: "hook_blocked", error: { code: "hook_blocked", message: "circuit open" } },
  });
  expect(run.events().slice(-3)).toEqual(["post_tool_use", "notification", "on_error"]);
  expect(run.inputs("post_tool_use")).toHaveLength(1);
});

test("a cancelled message is not sent", async () => {
  const run = await withCommands({ fix: "Fix" });
  expect(await resolveMessage(run.runtime, run.session, "/fix", AbortSignal.abort())).toEqual({
    kind: "ended",
    end: { reason: "canceled" },
  });
});

test("a skill's name is replaced by its text; a forked skill is left to the model", async () => {
  const { agent } = await assembled({
    skills: [
      { name: "pdf", description: "d", instructions: "Read it." },
      { name: "deep", description: "d", instructions: "Dig.", context: "fork" },
    ],
  });
  const run = await begin({ agent: { skills: agent.skills ?? [] } });
  expect(await resolved(run, "/pdf this file")).toEqual({
    kind: "send",
    text: '<skill name="pdf">\nRead it.\n</skill>\n\nthis file',
  });
  expect(await resolved(run, "/deep dig here")).toEqual({
    kind: "send",
    text: 'Run the skill "deep" with the run_skill tool. Task: dig here',
  });
});
