import { describe, expect, test } from "bun:test";
import type { HookOutput } from "../../../src/protocol/output.ts";
import type { Agent } from "../../../src/runtime/agent/agent.ts";
import { submitMessage } from "../../../src/runtime/conversation/session-lifecycle.ts";
import { seenHooks } from "../../../src/runtime/routing/activate.ts";
import { queueFollowUp, queueSteering } from "../../../src/runtime/session/queues.ts";
import { messagesOf, type Session } from "../../../src/runtime/session/session.ts";
import type { Step } from "../../helpers/scripted-model.ts";
import {
  type Answers,
  agentOf,
  begin,
  converse,
  fakeShell,
  hooksFor,
  type Run,
  type Setup,
  script,
} from "../harness.ts";

const to = (agent: string, metadata?: Record<string, string>): HookOutput => ({
  hook_specific_output: { transition: { action: "route", agent }, ...(metadata ? { metadata } : {}) },
});
const nowhere = () => undefined;
const refuse = (reason: string): HookOutput => ({ decision: "block", reason });
const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });

interface Member {
  steps?: Step[];
  answers?: Answers;
  agent?: Partial<Agent>;
}

/** A team of `root` and others, which may all route to each other. */
function team(root: Member, others: Readonly<Record<string, Member>>, more: Partial<Setup> = {}): Setup {
  const names = ["root", ...Object.keys(others)];
  const routes = (name: string) => ({ routes: names.filter((other) => other !== name) });
  const models = Object.entries(others).map(([name, { steps = [] }]) => [name, script(steps)] as const);
  return {
    steps: root.steps ?? [],
    mode: "autonomous",
    answers: root.answers ?? {},
    agent: { ...routes("root"), ...root.agent },
    others: (log) =>
      models.map(([name, model]) =>
        agentOf(name, model, hooksFor(name, log, others[name]?.answers), [fakeShell()], {
          ...routes(name),
          ...others[name]?.agent,
        }),
      ),
    ...more,
  };
}

const seen = (run: Run) => run.log.map(({ on, event }) => `${on} ${event}`);
const textsOf = (session: Session) =>
  messagesOf(session).map(
    ({ message, implicit }) =>
      `${implicit ? "implicit " : ""}${message.role}: ${message.blocks.map((block) => ("text" in block ? block.text : block.type)).join("")}`,
  );
const decisionsOf = (session: Session) =>
  session.items.flatMap((item) => (item.kind === "routing_decision" ? [item.routing_decision] : []));

describe("before_agent_run", () => {
  test("routes before a model is asked: only the last agent has turns, and starts like the first", async () => {
    const run = await converse(
      team(
        { answers: { before_agent_run: () => to("middle") } },
        {
          middle: { answers: { before_agent_run: () => to("expert") } },
          expert: { steps: ["solved"], answers: { before_agent_run: nowhere } },
        },
      ),
      "Why?",
    );
    expect(seen(run)).toEqual([
      "root session_start",
      "root user_prompt_submit",
      "root before_agent_run",
      "root on_agent_switch",
      "middle before_agent_run",
      "middle on_agent_switch",
      "expert before_agent_run",
      "expert session_start",
      "expert user_prompt_submit",
      "expert turn_start",
      "expert before_llm_call",
      "expert after_llm_call",
      "expert stop",
      "expert turn_end",
      "root on_user_input",
      "root session_end",
      "expert session_end",
    ]);
    expect(run.inputs("on_agent_switch")).toMatchObject([
      { agent_name: "root", from_agent: "root", to_agent: "middle", agent_switch_kind: "route" },
      { agent_name: "middle", from_agent: "middle", to_agent: "expert", agent_switch_kind: "route" },
    ]);
    expect(run.inputs("on_agent_switch")[0]).toHaveProperty("from_agent_models");
    expect(textsOf(run.session)).toEqual(["user: Why?", "assistant: solved"]);
    expect(run.ended).toEqual({ reason: "normal" });
    expect(run.inputs("user_prompt_submit")).toMatchObject([
      { agent_name: "root", prompt: "Why?" },
      { agent_name: "expert", prompt: "Why?" },
    ]);
  });

  test("reads the request and what was said before it; ids tell requests and steps apart", async () => {
    const run = await begin(
      team(
        {
          steps: ["Hi", { text: "I look", calls: [{ name: "shell", arguments: { cmd: "ls" } }] }, "Done"],
          answers: { before_agent_run: ({ input }) => (input === "again" ? to("b") : undefined) },
        },
        { b: { steps: ["from b"], answers: { before_agent_run: nowhere } } },
        { tools: [fakeShell()] },
      ),
    );
    await run.say("Hello");
    await run.say("Look");
    await run.say("again");
    const [first, second, third, fourth, ...rest] = run.inputs("before_agent_run");
    expect(rest).toEqual([]);
    expect(first).toEqual({
      session_id: run.session.id,
      cwd: expect.any(String),
      hook_event_name: "before_agent_run",
      agent_name: "root",
      invocation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      step_id: "step-1",
      input: "Hello",
    });
    expect(second).toMatchObject({
      step_id: "step-1",
      input: "Look",
      conversation: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
    });
    expect(third?.conversation).toEqual([
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "Look" },
      { role: "assistant", content: "Done" },
    ]);
    expect(fourth).toMatchObject({ agent_name: "b", step_id: "step-2", input: "again" });
    expect(fourth?.conversation).toEqual(third?.conversation);
    expect(fourth?.invocation_id).toBe(third?.invocation_id);
    expect(new Set([first, second, third].map((input) => input?.invocation_id)).size).toBe(3);
  });

  test("sees nothing that the runtime wrote, that a hook withheld, or that is blank", async () => {
    const run = await begin(
      team(
        {
          steps: ["draft", " ", "done"],
          answers: {
            before_agent_run: nowhere,
            user_prompt_submit: ({ prompt }) => (prompt === "secret" ? refuse("no") : undefined),
            after_agent_complete: ({ input }) => (input === "one" ? to("b") : undefined),
          },
        },
        { b: { steps: ["final"] } },
      ),
    );
    for (const text of ["one", "secret", "blank", "last"]) await run.say(text);
    expect(run.inputs("before_agent_run").at(-1)?.conversation).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "draft" },
      { role: "assistant", content: "final" },
      { role: "user", content: "blank" },
    ]);
  });

  test("sees at most the last ten texts", async () => {
    const run = await begin(
      team({ steps: Array.from({ length: 7 }, (_, at) => `answer ${at}`), answers: { before_agent_run: nowhere } }, {}),
    );
    for (let at = 0; at < 7; at++) await run.say(`question ${at}`);
    const conversation = run.inputs("before_agent_run").at(-1)?.conversation;
    expect(conversation).toHaveLength(10);
    expect(conversation?.[0]).toEqual({ role: "user", content: "question 1" });
    expect(conversation?.at(-1)).toEqual({ role: "assistant", content: "answer 5" });
  });

  test("is not asked again in the turns of one activation", async () => {
    const run = await converse(
      team(
        { steps: [call("ls"), "done"], answers: { before_agent_run: nowhere, after_agent_complete: nowhere } },
        {},
        { tools: [fakeShell()] },
      ),
    );
    expect(run.events().filter((event) => /agent_run|agent_complete|turn_/.test(event))).toEqual([
      "before_agent_run",
      "turn_start",
      "turn_end",
      "turn_start",
      "after_agent_complete",
      "turn_end",
    ]);
  });

  test("that blocks ends the run before any model is asked", async () => {
    const run = await converse(team({ answers: { before_agent_run: () => refuse("not now") } }, { b: {} }));
    expect(seen(run)).toEqual([
      "root session_start",
      "root user_prompt_submit",
      "root before_agent_run",
      "root notification",
      "root on_error",
      "root on_user_input",
      "root session_end",
    ]);
    expect(run.inputs("on_error")).toMatchObject([{ notification_level: "error", notification_message: "not now" }]);
    expect(run.ended).toEqual({ reason: "hook_blocked", error: { code: "hook_blocked", message: "not now" } });
    expect(decisionsOf(run.session)).toMatchObject([{ action: "blocked", reason: "not now", from_agent: "root" }]);
  });

  test("that fails ends the run in the same way, whatever on_error says", async () => {
    const run = await converse(
      team(
        {
          answers: {
            before_agent_run: () => {
              throw new Error("broken");
            },
          },
        },
        { b: {} },
      ),
    );
    expect(run.ended).toMatchObject({
      reason: "hook_blocked",
      error: { message: 'before_agent_run hook failed to execute: hook "answer": broken' },
    });
  });

  test("may only route to agents of the list", async () => {
    const run = await converse(team({ answers: { before_agent_run: () => to("ghost") } }, { b: {} }));
    const message = 'agent "root" is not allowed to route to "ghost"';
    expect(run.ended).toEqual({ reason: "error", error: { message } });
    expect(run.inputs("on_error")).toMatchObject([{ notification_message: message }]);
    expect(run.events()).not.toContain("turn_end");
    expect(decisionsOf(run.session)).toMatchObject([{ action: "blocked", reason: message }]);
    expect(decisionsOf(run.session)[0]).not.toHaveProperty("to_agent");
  });
});

describe("an agent that a request is routed to", () => {
  test("starts once in the session, sees each request, and ends what it has started", async () => {
    const requests: string[] = [];
    const says = (start: string, prompt: string): Answers => ({
      session_start: () => context(start),
      user_prompt_submit: () => context(prompt),
    });
    const keep: Step = ({ messages }) => {
      requests.push(JSON.stringify(messages));
      return "1";
    };
    const run = await begin(
      team(
        { answers: { before_agent_run: () => to("b"), ...says("from root", "noted by root") } },
        { b: { steps: [keep, "2"], answers: says("from b", "noted by b") } },
      ),
    );
    await run.say("one");
    await run.say("two");
    await run.end();
    expect(seen(run).filter((line) => /session_|user_prompt/.test(line))).toEqual([
      "root session_start",
      "root user_prompt_submit",
      "b session_start",
      "b user_prompt_submit",
      "root user_prompt_submit",
      "b user_prompt_submit",
      "root session_end",
      "b session_end",
    ]);
    expect(run.session.startContext).toBe("from root\nfrom b");
    expect(run.inputs("session_start").map(({ source }) => source)).toEqual(["startup", "startup"]);
    expect(requests[0]).toContain("from b");
    expect(requests[0]).toContain("noted by root\\nnoted by b");
  });

  test("does not run hooks that have already run for another agent", async () => {
    const model = script(["1"]);
    const setup = team({ answers: { before_agent_run: () => to("b") } }, {});
    // The hooks of b are those of root, except for the one that routes.
    const others: Setup["others"] = (log) => [agentOf("b", model, hooksFor("root", log))];
    const run = await converse({ ...setup, others, agent: { routes: ["b"] } });
    for (const event of ["session_start", "user_prompt_submit", "session_end"] as const)
      expect(run.inputs(event).map(({ agent_name }) => agent_name)).toEqual(["root"]);
    expect(run.inputs("turn_start")).toMatchObject([{ agent_name: "b" }]);
  });

  test("starts with the source of the session; an empty context adds no line", async () => {
    const run = await converse(
      team(
        { answers: { before_agent_run: () => to("b") } },
        { b: { steps: ["1"], answers: { session_start: () => context("from b") } } },
        { source: "resume" },
      ),
    );
    expect(run.inputs("session_start").map(({ source }) => source)).toEqual(["resume", "resume"]);
    expect(run.session.startContext).toBe("from b");
  });

  test("that is canceled while it starts takes no turn, and the request is not withheld", async () => {
    const stop = new AbortController();
    const cancel = () => {
      stop.abort();
      return refuse("canceled");
    };
    const setup = { answers: { before_agent_run: () => to("b") } };
    const run = await converse(
      team(setup, { b: { answers: { user_prompt_submit: cancel } } }, { signal: stop.signal }),
    );
    expect(run.ended).toEqual({ reason: "canceled" });
    expect(seen(run)).not.toContain("b turn_start");
    expect(messagesOf(run.session)[0]).not.toHaveProperty("withheld");
  });

  test("may refuse the request by its own user_prompt_submit; the request is then withheld", async () => {
    const run = await converse(
      team(
        { answers: { before_agent_run: () => to("b") } },
        { b: { answers: { user_prompt_submit: () => refuse("no prompts") } } },
      ),
    );
    expect(run.ended).toMatchObject({ reason: "hook_blocked", error: { message: "no prompts" } });
    expect(seen(run).slice(4)).toEqual([
      "b session_start",
      "b user_prompt_submit",
      "b notification",
      "b on_error",
      "root on_user_input",
      "root session_end",
      "b session_end",
    ]);
    expect(messagesOf(run.session)).toMatchObject([{ withheld: true }]);
  });
});

const context = (text: string): HookOutput => ({ hook_specific_output: { additional_context: text } });

describe("after_agent_complete", () => {
  test("routes to an agent that goes on with the answer: the turn ends with continue", async () => {
    const run = await converse(
      team(
        { steps: ["draft"], answers: { after_agent_complete: () => to("reviewer") } },
        { reviewer: { steps: ["final"], answers: { before_agent_run: nowhere, after_agent_complete: nowhere } } },
      ),
      "Write",
    );
    expect(seen(run).slice(5)).toEqual([
      "root stop",
      "root after_agent_complete",
      "root on_agent_switch",
      "root turn_end",
      "reviewer before_agent_run",
      "reviewer session_start",
      "reviewer user_prompt_submit",
      "reviewer turn_start",
      "reviewer before_llm_call",
      "reviewer after_llm_call",
      "reviewer stop",
      "reviewer after_agent_complete",
      "reviewer turn_end",
      "root on_user_input",
      "root session_end",
      "reviewer session_end",
    ]);
    expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "normal"]);
    expect(textsOf(run.session)).toEqual([
      "user: Write",
      "assistant: draft",
      "implicit user: The agent root has finished its part. Take over the conversation from here.",
      "assistant: final",
    ]);
    const [first, second] = run.inputs("after_agent_complete");
    expect(first).toMatchObject({ step_id: "step-1", input: "Write", output: "draft" });
    expect(first).not.toHaveProperty("previous_output");
    expect(run.inputs("before_agent_run")).toMatchObject([
      { step_id: "step-2", input: "Write", previous_output: "draft" },
    ]);
    expect(run.inputs("before_agent_run")[0]).not.toHaveProperty("output");
    expect(second).toMatchObject({ step_id: "step-2", previous_output: "draft", output: "final" });
    expect(second).not.toHaveProperty("conversation");
  });

  test("that blocks ends the run; the answer stays", async () => {
    const run = await converse(
      team({ steps: ["draft"], answers: { after_agent_complete: () => refuse("not good") } }, { b: {} }),
    );
    expect(seen(run).slice(5, 10)).toEqual([
      "root stop",
      "root after_agent_complete",
      "root notification",
      "root on_error",
      "root turn_end",
    ]);
    expect(run.inputs("turn_end")).toMatchObject([{ reason: "hook_blocked" }]);
    expect(run.ended).toMatchObject({ reason: "hook_blocked", error: { message: "not good" } });
    expect(textsOf(run.session)).toEqual(["user: hi", "assistant: draft"]);
  });

  test("may only route to agents of the list; the turn ends with an error", async () => {
    const run = await converse(
      team({ steps: ["draft"], answers: { after_agent_complete: () => to("root") } }, { b: {} }),
    );
    expect(run.inputs("turn_end")).toMatchObject([{ reason: "error" }]);
    expect(run.ended.error?.message).toBe('agent "root" is not allowed to route to "root"');
  });

  test.each([
    ["a blank answer", { steps: [" \n"] }],
    ["structured output that is no JSON", { steps: ["{"], agent: { structuredOutput: { name: "x", schema: {} } } }],
    ["an error of the model", { steps: [new Error("down")] }],
  ])("does not fire after %s, and nobody goes on", async (_what, member) => {
    const run = await converse(
      team(
        {
          ...member,
          answers: { after_agent_complete: () => to("b") },
          agent: { ...("agent" in member ? member.agent : {}) },
        },
        { b: {} },
      ),
    );
    expect(run.events()).not.toContain("after_agent_complete");
    expect(seen(run).filter((line) => line.startsWith("b "))).toEqual([]);
  });

  test("does not fire when the run is canceled, and the canceled request is over", async () => {
    const stop = new AbortController();
    const setup = team(
      {
        steps: ["draft", "again"],
        answers: { stop: () => void stop.abort(), before_agent_run: nowhere, after_agent_complete: nowhere },
      },
      {},
      { signal: stop.signal, interactive: true },
    );
    const run = await begin(setup);
    expect((await run.say("hi")).reason).toBe("canceled");
    expect(run.events()).not.toContain("after_agent_complete");
    await submitMessage(run.runtime, run.session, "next", new AbortController().signal);
    expect(run.inputs("before_agent_run").map(({ step_id }) => step_id)).toEqual(["step-1", "step-1"]);
  });
});

describe("a routed conversation", () => {
  test("starts every request at the entry agent, and remains routed when that has no such hooks any more", async () => {
    const run = await begin(
      team(
        { steps: ["by root"], answers: { before_agent_run: ({ input }) => (input === "go" ? to("b") : undefined) } },
        { b: { steps: ["b1", "b2"] }, c: { steps: ["by c"] } },
      ),
    );
    await run.say("go");
    await run.say("stay");
    expect(run.inputs("turn_start").map(({ agent_name }) => agent_name)).toEqual(["b", "root"]);
    run.runtime.currentAgent = "b"; // the user chose it
    Object.assign(run.runtime.team.agents.get("b") ?? {}, { forceHandoff: "c" });
    await run.say("last");
    expect(run.inputs("turn_start").map(({ agent_name }) => agent_name)).toEqual(["b", "root", "b", "c"]);
    expect(run.runtime.currentAgent).toBe("b");
    expect(decisionsOf(run.session).at(-1)).toMatchObject({ phase: "force_handoff", to_agent: "c" });
    expect(run.runtime.invocations.has(run.session)).toBeFalse();
  });

  test("lets a forced handoff change the agent of this request only", async () => {
    const run = await begin(
      team(
        { steps: ["draft", "draft 2"], answers: { before_agent_run: nowhere }, agent: { forceHandoff: "b" } },
        { b: { steps: ["final", "final 2"], answers: { before_agent_run: nowhere } } },
      ),
    );
    await run.say("one");
    expect(run.runtime.currentAgent).toBe("root");
    await run.say("two");
    expect(run.inputs("turn_start").map(({ agent_name }) => agent_name)).toEqual(["root", "b", "root", "b"]);
    expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual([
      "force_handoff",
      "normal",
      "force_handoff",
      "normal",
    ]);
    expect(run.inputs("on_agent_switch")[0]).toMatchObject({ agent_switch_kind: "force_handoff" });
    expect(run.inputs("before_agent_run")[1]).toMatchObject({
      agent_name: "b",
      previous_output: "draft",
      step_id: "step-2",
    });
    expect(decisionsOf(run.session).slice(0, 3)).toMatchObject([
      { phase: "before_agent_run", action: "none" },
      { phase: "force_handoff", action: "force_handoff", from_agent: "root", to_agent: "b", step_id: "step-1" },
      { phase: "before_agent_run", action: "none", from_agent: "b", step_id: "step-2" },
    ]);
  });

  test("warns about a forced handoff to an agent that cannot run, and ends the request", async () => {
    const run = await converse(
      team(
        { steps: ["draft"], answers: { before_agent_run: nowhere }, agent: { forceHandoff: "b" } },
        { b: { agent: { harness: "codex" } } },
      ),
    );
    expect(run.ended).toEqual({ reason: "normal" });
    expect(run.reported("warning")).toMatchObject([
      { message: expect.stringMatching(/^force_handoff: agent "b" runs in codex/) },
    ]);
  });

  test("gives the target of a handoff an activation of its own; the entry agent stays", async () => {
    const run = await begin(
      team(
        {
          steps: [{ calls: [{ name: "handoff", arguments: { agent: "b" } }] }],
          answers: { before_agent_run: nowhere },
          agent: { handoffs: ["b"] },
        },
        { b: { steps: ["by b"], answers: { before_agent_run: nowhere } } },
      ),
    );
    await run.say("hi");
    expect(run.inputs("before_agent_run").map(({ agent_name, step_id }) => [agent_name, step_id])).toEqual([
      ["root", "step-1"],
      ["b", "step-2"],
    ]);
    expect(run.runtime.currentAgent).toBe("root");
  });

  test("keeps the entry agent when the routed agent transfers a task", async () => {
    const run = await begin(
      team(
        { answers: { before_agent_run: () => to("b") } },
        {
          b: {
            steps: [
              { calls: [{ name: "transfer_task", arguments: { agent: "c", task: "t", expected_output: "" } }] },
              "done",
            ],
            agent: { subAgents: ["c"] },
          },
          c: { steps: ["by c"] },
        },
      ),
    );
    await run.say("hi");
    expect(run.runtime.currentAgent).toBe("root");
    expect(textsOf(run.session).at(-1)).toBe("assistant: done");
  });

  test("lets steering wait until the request is answered, then start at the entry agent", async () => {
    const run = await begin(
      team(
        { answers: { before_agent_run: () => to("b") } },
        {
          b: {
            steps: [
              () => {
                queueSteering(run.runtime.queues, "also");
                queueSteering(run.runtime.queues, "and this");
                return call("ls");
              },
              "first",
              "second",
            ],
          },
        },
      ),
    );
    await run.say("one");
    expect(seen(run).filter((line) => /submit|before_agent_run|turn_end/.test(line))).toEqual([
      "root user_prompt_submit",
      "root before_agent_run",
      "b user_prompt_submit",
      "b turn_end",
      "root user_steering_messages_submit",
      "b turn_end",
      "root before_agent_run",
      "b user_steering_messages_submit",
      "b turn_end",
    ]);
    expect(run.inputs("turn_end").map(({ reason }) => reason)).toEqual(["continue", "steered", "normal"]);
    expect(run.inputs("before_agent_run")[1]).toMatchObject({
      input: "also\nand this",
      step_id: "step-1",
      conversation: [
        { role: "user", content: "one" },
        { role: "assistant", content: "first" },
      ],
    });
  });

  test("starts a follow-up at the entry agent", async () => {
    const run = await begin(
      team({ answers: { before_agent_run: () => to("b") } }, { b: { steps: ["first", "second"] } }),
    );
    queueFollowUp(run.runtime.queues, "then");
    await run.say("one");
    expect(seen(run).filter((line) => /submit|before_agent_run/.test(line))).toEqual([
      "root user_prompt_submit",
      "root before_agent_run",
      "b user_prompt_submit",
      "root user_followup_submit",
      "root before_agent_run",
      "b user_followup_submit",
    ]);
  });

  test("ends after 100 transitions on one request", async () => {
    const answers: Answers = { before_agent_run: ({ agent_name }) => to(agent_name === "root" ? "b" : "root") };
    const run = await converse(team({ answers }, { b: { answers } }));
    expect(run.inputs("on_agent_switch")).toHaveLength(100);
    const message = "routing exceeded the limit of 100 transitions in one invocation";
    expect(run.ended).toEqual({ reason: "error", error: { message } });
    expect(decisionsOf(run.session).at(-1)).toMatchObject({ step_id: "step-101", action: "blocked", reason: message });
  });

  test("shows an ordinary conversation nothing: no decision, no invocation", async () => {
    const run = await converse(team({ steps: ["a"] }, { b: {} }));
    expect(decisionsOf(run.session)).toEqual([]);
    expect(run.reported("routing_decision")).toEqual([]);
  });
});

describe("an agent whose hooks route is refused outside of a routed conversation:", () => {
  const message = (agent: string) =>
    `agent "${agent}" declares before_agent_run/after_agent_complete routing hooks, which are supported only in a root conversation whose entry agent declares routing hooks`;
  const router: Member = { answers: { after_agent_complete: nowhere } };

  test("as a sub-agent, which fails for its caller", async () => {
    const run = await converse(
      team(
        {
          steps: [
            { calls: [{ name: "transfer_task", arguments: { agent: "b", task: "t", expected_output: "" } }] },
            "sorry",
          ],
          agent: { subAgents: ["b"] },
        },
        { b: router },
      ),
    );
    expect(run.inputs("tool_response_transform")).toMatchObject([{ tool_error: true, tool_response: message("b") }]);
    expect(seen(run).filter((line) => line.startsWith("b "))).toEqual([]);
    expect(run.ended.reason).toBe("normal");
  });

  test("by handoff", async () => {
    const run = await converse(
      team(
        { steps: [{ calls: [{ name: "handoff", arguments: { agent: "b" } }] }, "sorry"], agent: { handoffs: ["b"] } },
        { b: router },
      ),
    );
    expect(run.inputs("tool_response_transform")).toMatchObject([{ tool_error: true, tool_response: message("b") }]);
    expect(run.runtime.currentAgent).toBe("root");
  });

  test("by force_handoff, which ends the run with an error", async () => {
    const run = await converse(team({ steps: ["draft"], agent: { forceHandoff: "b" } }, { b: router }));
    expect(run.inputs("turn_end")).toMatchObject([{ reason: "error" }]);
    expect(run.ended).toEqual({ reason: "error", error: { message: message("b") } });
  });
});

test("decisions are reported and recorded once each, with what an evaluator said", async () => {
  const metadata = {
    evaluator: "triage",
    evaluator_choice: "complex",
    evaluator_probability: "0.92",
    evaluator_model: "jev",
    why: "long",
  };
  const run = await converse(team({ answers: { before_agent_run: () => to("b", metadata) } }, { b: { steps: ["x"] } }));
  const [decision, ...rest] = decisionsOf(run.session);
  expect(rest).toEqual([]);
  const evaluated = { evaluator: "triage", selected: "complex", probability: 0.92, model: "jev" };
  expect(decision).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    invocation_id: expect.any(String),
    step_id: "step-1",
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    phase: "before_agent_run",
    from_agent: "root",
    to_agent: "b",
    action: "route",
    ...evaluated,
  });
  expect(run.reported("routing_decision")).toMatchObject([
    { session_id: run.session.id, decision, agent_name: "root" },
  ]);
  expect(run.reported("agent_route")).toMatchObject([
    {
      session_id: run.session.id,
      invocation_id: decision?.invocation_id,
      step_id: "step-1",
      phase: "before_agent_run",
      from_agent: "root",
      to_agent: "b",
      agent_name: "root",
      ...evaluated,
      metadata,
    },
  ]);
});

test("a hook on one event has not seen another event", async () => {
  const run = await converse(team({ steps: ["a"] }, {}));
  expect(seenHooks(run.runtime, ["root"], "session_start").size).toBe(1);
  expect(seenHooks(run.runtime, ["root"], "before_agent_run").size).toBe(0);
});
