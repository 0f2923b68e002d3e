import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { choice, evaluatorServers } from "../helpers/evaluator-server.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();
const service = evaluatorServers();

/** A command hook that keeps what it reads in a file, and answers. */
const hook = (name: string, answer: object | undefined, more: object = {}) => ({
  name,
  type: "command",
  command: `cat >> ${name}.jsonl; echo >> ${name}.jsonl${answer ? `; echo '${JSON.stringify(answer)}'` : ""}`,
  ...more,
});

const to = (agent: string, metadata?: object) => ({
  hook_specific_output: { transition: { action: "route", agent }, ...(metadata ? { metadata } : {}) },
});

/** A directory with a team of `root` and `expert`, whose model is the server. */
function team(server: { url: string }, hooks: object, keys: object = {}) {
  const agent = { model: "fake/model", instruction: "Help.", redact_secrets: false };
  const agents = {
    root: { ...agent, routing: { allowed_agents: ["expert"] }, hooks, ...keys },
    expert: { ...agent, instruction: "You are the expert." },
  };
  const cwd = tempDir({
    "data/.keep": "",
    "agent.yaml": JSON.stringify({ agents, providers: { fake: { base_url: server.url } } }),
  });
  return { cwd, run: (...args: string[]) => hooksh(["run", "agent.yaml", "--data-dir=data", ...args], { cwd }) };
}

const read = (cwd: string, name: string) =>
  readFileSync(join(cwd, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Record<string, unknown> => JSON.parse(line));

const session = (cwd: string, ...args: string[]) => hooksh(["sessions", ...args, "--data-dir=data"], { cwd });

const EVALUATED = {
  evaluator: "triage",
  evaluator_choice: "complex",
  evaluator_probability: "0.92",
  evaluator_model: "jev-1",
};

describe("a route", () => {
  test("is a line on standard error, and two events of --json", async () => {
    const { cwd, run } = team(serve({ text: "Solved." }, { text: "Solved." }), {
      before_agent_run: [hook("triage", to("expert", { ...EVALUATED, why: "long" }))],
    });
    const text = await run("Why?");
    expect(text).toMatchObject({ code: 0, stdout: "Solved.\n" });
    expect(text.stderr).toBe("routed root -> expert (complex 0.92)\n");
    const lines = (await run("--json", "Why?")).lines();
    const fields = { evaluator: "triage", selected: "complex", probability: 0.92, model: "jev-1" };
    const [route] = lines.filter(({ type }) => type === "agent_route");
    expect(route).toMatchObject({
      invocation_id: expect.any(String),
      step_id: "step-1",
      phase: "before_agent_run",
      from_agent: "root",
      to_agent: "expert",
      agent_name: "root",
      metadata: { ...EVALUATED, why: "long" },
      ...fields,
    });
    const [decided] = lines.filter(({ type }) => type === "routing_decision");
    expect(decided).toMatchObject({
      session_id: route?.["session_id"],
      decision: { action: "route", to_agent: "expert", ...fields },
    });
    expect(read(cwd, "triage")).toHaveLength(2);
  });

  test("is stored with the session, never sent to a model, and survives that the session goes on", async () => {
    const server = serve({ text: "Solved." }, { text: "More." });
    const { cwd, run } = team(server, { before_agent_run: [hook("triage", to("expert", EVALUATED))] });
    expect(await run("Why?")).toMatchObject({ code: 0 });
    expect(await run("--session=-1", "And then?")).toMatchObject({ code: 0, stdout: "More.\n" });
    const { stdout } = await session(cwd, "show", "-1");
    const routed = "routed root -> expert (complex 0.92)";
    expect(stdout.split("\n").filter((line) => line.includes("routed"))).toEqual([routed, routed]);
    expect(stdout.indexOf("routed")).toBeGreaterThan(stdout.indexOf("Why?"));
    const exported: { items: { routing_decision?: object }[] } = JSON.parse(
      (await session(cwd, "export", "-1")).stdout,
    );
    const decisions = exported.items.flatMap(({ routing_decision: decision }) => decision ?? []);
    expect(decisions).toMatchObject([{ action: "route" }, { action: "route", step_id: "step-1" }]);
    expect(JSON.stringify(decisions)).not.toMatch(/Why|Solved|then/);
    const [first, second] = read(cwd, "triage");
    expect(second?.["invocation_id"]).not.toBe(first?.["invocation_id"]);
    expect(second).toMatchObject({
      agent_name: "root",
      input: "And then?",
      conversation: [
        { role: "user", content: "Why?" },
        { role: "assistant", content: "Solved." },
      ],
    });
    expect(JSON.stringify(server.requests)).not.toContain("routing_decision");
    expect(server.requests[1]?.messages.map(({ role, content }) => `${role}: ${content}`).slice(-3)).toEqual([
      "user: Why?",
      "assistant: Solved.",
      "user: And then?",
    ]);
    expect(server.requests[0]?.messages[0]?.content).toContain("You are the expert.");
  });

  test("is in the audit log and in the trace, with what the hook said about it", async () => {
    const { cwd, run } = team(serve({ text: "Solved." }), {
      before_agent_run: [hook("triage", to("expert", { why: `token ghp_${"a1B2c3D4e5F6".repeat(3)}` }))],
    });
    expect(await run("--trace=trace.jsonl", "Why?")).toMatchObject({ code: 0 });
    const listed = await hooksh(["audit", "--data-dir=data", "--event=before_agent_run"], { cwd });
    expect(listed.stdout).toContain("routed to expert");
    const [entry] = (await hooksh(["audit", "--data-dir=data", "--json", "--event=before_agent_run"], { cwd })).lines();
    expect(entry).toMatchObject({
      decision: "none",
      route: "expert",
      metadata: { why: expect.stringContaining("REDACTED") },
    });
    expect(await hooksh(["audit", "verify", "--data-dir=data"], { cwd })).toMatchObject({ code: 0 });
    const csv = await hooksh(["audit", "export", "--format=csv", "--data-dir=data"], { cwd });
    expect(csv.stdout).toMatch(/,route,/);
    const shown = await hooksh(["trace", "trace.jsonl"], { cwd });
    expect(shown.stdout).toMatch(/before_agent_run.*-> expert/);
    expect(readFileSync(join(cwd, "trace.jsonl"), "utf8")).not.toContain("ghp_");
  });

  test("to an agent that the list does not have ends the run before a model is asked", async () => {
    const server = serve();
    const { cwd, run } = team(server, { before_agent_run: [hook("triage", to("ghost"))] });
    const ran = await run("Why?");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('agent "root" is not allowed to route to "ghost"');
    expect(server.requests).toEqual([]);
    expect((await session(cwd, "show", "-1")).stdout).toContain(
      'stopped at root: agent "root" is not allowed to route to "ghost"',
    );
  });
});

describe("a hook that routes ends the run with exit code 1, before a model is asked, if it", () => {
  const FAILURES: Record<string, [command: string, message: string]> = {
    blocks: ["echo 'not on Fridays' >&2; exit 2", "not on Fridays"],
    "exits with another code": ["exit 3", 'hook "triage": exited with status 3'],
    "prints text": ["echo expert", "failed to execute"],
    "prints an unknown key": [`echo '{"route":"expert"}'`, "failed to execute"],
    "asks for another action": [
      `echo '{"hook_specific_output":{"transition":{"action":"retry","agent":"expert"}}}'`,
      'invalid transition action "retry": expected route',
    ],
    "names no agent": [
      `echo '{"hook_specific_output":{"transition":{"action":"route","agent":" "}}}'`,
      "route transition requires an agent",
    ],
    hangs: ["sleep 600", "timed out after 1s"],
    "is killed": ["kill -9 $$", "failed to execute"],
  };

  test.each(Object.entries(FAILURES))("%s, whatever on_error says", async (_how, [command, message]) => {
    const server = serve();
    const selector = { name: "triage", type: "command", command, on_error: "ignore", timeout: 1 };
    const { cwd, run } = team(server, {
      before_agent_run: [selector],
      notification: [hook("notified", undefined)],
      on_error: [hook("failed", undefined)],
      turn_start: [hook("turns", undefined)],
    });
    const ran = await run("--json", "Why?");
    expect(ran.code).toBe(1);
    const [error] = ran.lines().filter(({ type }) => type === "error");
    expect(error).toMatchObject({ code: "hook_blocked", error: expect.stringContaining(message) });
    expect(server.requests).toEqual([]);
    for (const name of ["notified", "failed"])
      expect(read(cwd, name)).toMatchObject([{ notification_level: "error", notification_message: error?.["error"] }]);
    expect(existsSync(join(cwd, "turns.jsonl"))).toBeFalse();
    const [decided] = ran.lines().filter(({ type }) => type === "routing_decision");
    expect(decided).toMatchObject({ decision: { action: "blocked", reason: error?.["error"] } });
  });
});

describe("an evaluator that routes", () => {
  const routed = async (reply: ReturnType<typeof choice>, ...script: Parameters<typeof serve>) => {
    const server = serve(...script);
    const evaluator = service(reply);
    const policy = { routes: { easy: "quick", hard: "expert" }, min_probability: 0.8 };
    const agent = { model: "fake/model", instruction: "Help.", redact_secrets: false };
    const root = {
      ...agent,
      routing: { allowed_agents: ["quick", "expert"], default_agent: "quick" },
      hooks: { before_agent_run: [{ type: "evaluator", evaluator: "task", routing_policy: policy }] },
    };
    const file = {
      agents: { root, quick: { ...agent, instruction: "You are quick." }, expert: agent },
      providers: { fake: { base_url: server.url } },
      evaluators: {
        task: {
          provider: "typesafe",
          model: "jev-latest",
          type: "choice",
          instructions: "How hard is it?",
          choices: { easy: "easy", hard: "hard" },
          base_url: evaluator.url,
          cost: {},
        },
      },
    };
    const cwd = tempDir({ "data/.keep": "", "agent.yaml": JSON.stringify(file) });
    const env = { TYPESAFE_API_KEY: "k" };
    const ran = await hooksh(["run", "agent.yaml", "--data-dir=data", "--json", "Why?"], { cwd, env });
    const [decided] = ran.lines().filter(({ type }) => type === "routing_decision");
    const shown = (await session(cwd, "show", "-1")).stdout.split("\n").filter((line) => line.includes("->"));
    const ofHooks = ran.lines().filter(({ hook_event: event }) => event === "before_agent_run");
    const warnings = ofHooks.filter(({ type }) => type === "warning");
    return { ran, server, decision: decided?.["decision"], shown, warnings };
  };

  test("takes the route of its choice", async () => {
    const { ran, decision, shown, warnings } = await routed(choice("hard", { easy: 0.08, hard: 0.92 }), {
      text: "Ok.",
    });
    expect(ran.code).toBe(0);
    expect(decision).toMatchObject({
      to_agent: "expert",
      evaluator: "task",
      selected: "hard",
      probability: 0.92,
      model: "jev-1",
    });
    expect(shown).toEqual(["routed root -> expert (hard 0.92)"]);
    expect(warnings).toEqual([]);
  });

  test("falls back to the default agent with a warning", async () => {
    const { server, decision, shown, warnings } = await routed(choice("hard", { easy: 0.4, hard: 0.6 }), {
      text: "Ok.",
    });
    expect(decision).toMatchObject({ action: "route", to_agent: "quick", fallback_reason: "below_threshold" });
    expect(shown).toEqual([expect.stringMatching(/^routed root -> quick \(.*below_threshold\)$/)]);
    expect(warnings).toMatchObject([{ message: 'Routing fell back to "quick" (below_threshold).' }]);
    expect(server.requests[0]?.messages[0]?.content).toContain("You are quick.");
  });

  test("that reports impossible counts ends the run: no agent works", async () => {
    const usage = { usage: { input_tokens: -1, output_tokens: 1 } };
    const { ran, server, decision } = await routed(choice("hard", { easy: 0.1, hard: 0.9 }, usage));
    expect(ran.code).toBe(1);
    expect(decision).toMatchObject({ action: "blocked" });
    expect(server.requests).toEqual([]);
  });
});

test("after_agent_complete that blocks leaves the answer, and ends the run with exit code 1", async () => {
  const { cwd, run } = team(serve({ text: "Draft." }), {
    after_agent_complete: [{ name: "check", type: "command", command: "echo 'no source' >&2; exit 2" }],
    turn_end: [hook("ended", undefined)],
  });
  const ran = await run("Write");
  expect(ran).toMatchObject({ code: 1, stdout: "Draft.\n" });
  expect(ran.stderr).toContain("no source");
  expect(read(cwd, "ended")).toMatchObject([{ reason: "hook_blocked" }]);
});

test("hooks read texts without secrets if the agent redacts them", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const { cwd, run } = team(
    serve({ text: `It is ${secret}.` }),
    { before_agent_run: [hook("triage", undefined)], after_agent_complete: [hook("check", undefined)] },
    { redact_secrets: true },
  );
  expect(await run(`Is ${secret} valid?`)).toMatchObject({ code: 0 });
  expect(read(cwd, "triage")).toMatchObject([{ input: expect.stringMatching(/^Is \[REDACTED.*\] valid\?$/) }]);
  expect(read(cwd, "check")).toMatchObject([{ output: expect.stringMatching(/^It is \[REDACTED.*\]\.$/) }]);
});

test("with --observe a route is reported and not followed", async () => {
  const server = serve({ text: "By root." });
  const { run } = team(server, { before_agent_run: [hook("triage", to("expert"))] });
  const ran = await run("--observe", "Why?");
  expect(ran).toMatchObject({ code: 0, stdout: "By root.\n" });
  expect(ran.stderr).toContain("only observes: it would have routed to expert");
  expect(server.requests[0]?.messages[0]?.content).not.toContain("You are the expert.");
});

test("dispatch limits the targets to the list of the event's agent", async () => {
  const { cwd } = team({ url: "http://127.0.0.1:1/v1" }, { before_agent_run: [hook("triage", to("expert"))] });
  const dispatch = (event: object, ...args: string[]) =>
    hooksh(["dispatch", ...args], { cwd, input: JSON.stringify({ hook_event_name: "before_agent_run", ...event }) });
  expect(await dispatch({}, "agent.yaml", "--output=text")).toMatchObject({
    code: 0,
    stdout: "before_agent_run: allowed\n  route: expert\n",
  });
  const refused = await dispatch({ agent_name: "expert" }, "agent.yaml", "--output=result");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.lines()).toEqual([
    { event: "before_agent_run", allowed: false, message: 'agent "expert" is not allowed to route to "expert"' },
  ]);
});

test("hooksh explain shows where the hooks of an agent may route to", async () => {
  const { cwd } = team({ url: "http://127.0.0.1:1/v1" }, { before_agent_run: [hook("triage", to("expert"))] });
  const args = ["hooks", "explain", "agent.yaml", "--event=before_agent_run"];
  expect((await hooksh(args, { cwd })).stdout).toContain("May route to: expert\n");
  expect(JSON.parse((await hooksh([...args, "--json"], { cwd })).stdout)).toMatchObject({ routes: ["expert"] });
});

test("two distinct hooks in hooks files are refused", async () => {
  const file = (command: string) => JSON.stringify({ before_agent_run: [{ type: "command", command }] });
  const cwd = tempDir({ "a.json": file("true"), "b.json": file("false") });
  const ran = await hooksh(["dispatch", "--hooks-file=a.json", "--hooks-file=b.json"], { cwd, input: "{}" });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(
    "b.json:1:22: hooks.before_agent_run: at most one selector is allowed after merging, found 2 distinct definitions",
  );
});
