import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { choice, type EvaluatorServer, evaluatorServers, noul } from "../helpers/evaluator-server.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();
const judge = evaluatorServers();

const POLICY = { decisions: { true: "deny", false: "allow" }, min_probability: 0.9, fallback: "ask" };
const HOOK = { type: "evaluator", evaluator: "leak", evaluator_policy: POLICY };
const GUARDED = { tool_guard: [{ matcher: "shell", hooks: [HOOK] }] };
const KEY = { TYPESAFE_API_KEY: "key-1" };

const leak = ({ url }: Pick<EvaluatorServer, "url">, more: object = {}) => ({
  provider: "typesafe",
  model: "jev",
  type: "boolean",
  instructions: "Does it leak?",
  base_url: url,
  ...more,
});

/** An agent file whose shell is guarded by the evaluator `leak`. */
function agentWith(model: { url: string }, evaluators: object, keys: object = {}, more: object = {}): string {
  const file = JSON.parse(agentFor(model, { hooks: GUARDED, ...keys }));
  return JSON.stringify({ ...file, evaluators, ...more });
}

const NOWHERE = { url: "http://127.0.0.1:9" };
const CALL = JSON.stringify({ hook_event_name: "tool_guard", tool_name: "shell", tool_input: { cmd: "env" } });
const calls = (...commands: string[]): Step => ({
  calls: commands.map((cmd) => ({ name: "shell", arguments: { cmd } })),
});

async function dispatched(cwd: string, args: string[], env: Readonly<Record<string, string>> = KEY) {
  const ran = await hooksh(["dispatch", "--output", "result", ...args], { cwd, input: CALL, env });
  return { code: ran.code, stderr: ran.stderr, result: ran.lines()[0] };
}

describe("a run", () => {
  const usage = { input_tokens: 1000, output_tokens: 10 };

  test("asks about each call, records what was sent, and adds its cost to the session", async () => {
    const server = judge(noul(0.99, { usage }), noul(0.01, { usage }));
    const model = serve(calls("curl evil"), calls("echo hi"), { text: "done" });
    const cwd = tempDir({
      "agent.yaml": agentWith(model, { leak: leak(server, { cost: { input: 5, output: 100 } }) }),
    });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd, env: KEY });
    const lines = ran.lines();
    const responses = lines.filter(({ type }) => type === "tool_call_response");
    expect(responses.map(({ outcome }) => outcome)).toEqual(["blocked", "completed"]);
    const used = lines.filter(({ type }) => type === "evaluation_usage");
    const evaluation = { evaluator: "leak", agent_name: "root", model: "jev-1", usage, cost: 0.006 };
    expect(used).toMatchObject([
      { agent_name: "root", evaluation },
      { agent_name: "root", evaluation },
    ]);
    expect(lines.at(-1)).toMatchObject({ type: "run_ended", cost: 0.012 });
    expect(ran.stdout).not.toContain("the cost of evaluator");
    expect(server.requests.map(({ body }) => body["state"])).toEqual([
      { tool_name: "shell", tool_input: { cmd: "curl evil" }, tool_category: "shell" },
      { tool_name: "shell", tool_input: { cmd: "echo hi" }, tool_category: "shell" },
    ]);
    expect(model.requests.every(({ messages }) => !JSON.stringify(messages).includes("jev"))).toBe(true);

    const exported = JSON.parse((await hooksh(["sessions", "export", "-1"], { cwd })).stdout);
    const items = exported.items.filter(({ kind }: { kind: string }) => kind === "evaluation");
    expect(exported.cost).toBeCloseTo(0.012);
    expect(items.map((item: object) => item)).toEqual(
      used.map(({ evaluation: each }) => ({ kind: "evaluation", agent: "root", evaluation: each })),
    );
    const shown = await hooksh(["sessions", "show", "-1"], { cwd });
    expect(shown.stdout).toContain("leak (jev-1), $0.006000");
  });

  test("that resumes a session keeps its evaluations and their cost", async () => {
    const server = judge(noul(0.01, { usage }));
    const model = serve(calls("echo hi"), { text: "one" }, { text: "two" });
    const cwd = tempDir({ "agent.yaml": agentWith(model, { leak: leak(server, { cost: { input: 1000 } }) }) });
    expect((await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd, env: KEY })).code).toBe(0);
    expect((await hooksh(["run", "agent.yaml", "--session", "-1", "on"], { cwd, env: KEY })).code).toBe(0);
    const exported = JSON.parse((await hooksh(["sessions", "export", "-1"], { cwd })).stdout);
    expect(exported.items.map(({ kind }: { kind: string }) => kind)).toContain("evaluation");
    expect(exported.cost).toBe(1);
  });

  test("warns once of an evaluator whose cost is unknown, and stops asking under --max-cost", async () => {
    const server = judge(noul(0.01));
    const run = async (...flags: string[]) => {
      const model = serve(calls("echo 1", "echo 2"), ...(flags.length > 0 ? [] : [{ text: "done" }]));
      const price = { models: { m: { provider: "fake", model: "model", cost: { input: 0 } } } };
      const file = agentWith(model, { leak: leak(server) }, { model: "m" }, price);
      return hooksh(["run", "agent.yaml", "--yolo", "--json", ...flags, "go"], {
        cwd: tempDir({ "agent.yaml": file }),
        env: KEY,
      });
    };
    expect((await run()).stdout.match(/the cost of evaluator leak is unknown/g)).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    const limited = await run("--max-cost", "1");
    expect(limited.code).toBe(124);
    expect(limited.stdout).toContain("not asked because of --max-cost 1: the cost so far is unknown: evaluator leak");
    expect(server.requests).toHaveLength(3);
  });

  test("asks the user with the evaluator's answer; without a terminal the call is refused", async () => {
    const model = serve(calls("env"), { text: "done" });
    const cwd = tempDir({ "agent.yaml": agentWith(model, { leak: leak(judge(noul(0.6))) }) });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd, env: KEY });
    expect(ran.lines().find(({ type }) => type === "tool_call_response")).toMatchObject({ outcome: "refused" });
  });

  test("sends arguments without secrets if they are redacted before the guards", async () => {
    const secret = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
    const server = judge(noul(1));
    const model = serve(calls(`curl -H 'Authorization: ${secret}' example.org`), { text: "done" });
    const redact = [{ hooks: [{ type: "builtin", command: "redact_secrets" }] }];
    const hooks = { ...GUARDED, tool_input_transform: redact };
    const cwd = tempDir({ "agent.yaml": agentWith(model, { leak: leak(server) }, { hooks }) });
    expect((await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd, env: KEY })).code).toBe(0);
    const state = JSON.stringify(server.requests[0]?.body["state"]);
    expect(state).toContain("[REDACTED");
    expect(state).not.toContain(secret);
  });

  test("blocks every call without a key, and doctor and validate --env name the variable", async () => {
    const server = judge(noul(0));
    const model = serve(calls("env"), { text: "done" });
    const cwd = tempDir({
      "agent.yaml": agentWith(model, { leak: leak(server), unused: leak(server, { token_key: "OTHER" }) }),
    });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd });
    expect(ran.stdout).toContain(
      'tool_guard hook failed to execute: hook \\"leak\\": evaluator \\"leak\\": evaluator API key is missing',
    );
    expect(server.requests).toEqual([]);
    const named = 'not set: TYPESAFE_API_KEY: needed by evaluator "leak"';
    const doctor = await hooksh(["doctor", "agent.yaml"], { cwd });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout + doctor.stderr).toContain(named);
    expect(doctor.stdout + doctor.stderr).not.toContain("OTHER");
    expect(await hooksh(["validate", "--env", "agent.yaml"], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(named),
    });
    expect((await hooksh(["validate", "agent.yaml"], { cwd })).code).toBe(0);
    expect((await hooksh(["validate", "--env", "agent.yaml"], { cwd, env: KEY })).code).toBe(0);
  });

  test("lets each file ask its own evaluators, and does not take hooks for equal that ask different ones", async () => {
    const ours = judge(noul(0));
    const theirs = judge(noul(1));
    const theirModel = serve(calls("env"), { text: "I may not." });
    const ourModel = serve(
      { calls: [{ name: "transfer_task", arguments: { agent: "other", task: "t", expected_output: "" } }] },
      { text: "done" },
    );
    using host = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(agentWith(theirModel, { leak: leak(theirs) })),
    });
    const root = { hooks: {}, sub_agents: [`other:http://127.0.0.1:${host.port}/other.yaml`] };
    const cwd = tempDir({ "agent.yaml": agentWith(ourModel, { leak: leak(ours) }, root, { hooks: GUARDED }) });
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "--trust-all", "go"], { cwd, env: KEY });
    expect(ran).toMatchObject({ code: 0 });
    expect([ours.requests.length, theirs.requests.length]).toEqual([1, 1]);
    const responses = ran.lines().filter(({ type }) => type === "tool_call_response");
    expect(responses.map(({ outcome }) => outcome)).toContain("blocked");
  });
});

describe("dispatch", () => {
  test("reads the key from a file, and a hook of the user may name the agent's evaluator", async () => {
    const server = judge(noul(0.99));
    const cwd = tempDir({
      "agent.yaml": agentWith(NOWHERE, { leak: leak(server) }, { hooks: {} }),
      "hooks.yaml": JSON.stringify(GUARDED),
      "keys.env": "TYPESAFE_API_KEY=from-file\n",
    });
    const args = ["agent.yaml", "--hooks-file", "hooks.yaml", "--env-from-file", "keys.env"];
    expect(await dispatched(cwd, args, {})).toMatchObject({ code: 2, result: { decision: "deny" } });
    expect(server.requests[0]?.headers.get("authorization")).toBe("Bearer from-file");
  });

  test("does not run a hooks file that names an evaluator which no agent file defines", async () => {
    const cwd = tempDir({
      "agent.yaml": agentWith(NOWHERE, {}, { hooks: {} }),
      "hooks.yaml": JSON.stringify(GUARDED, null, 1),
    });
    const place = 'hooks.yaml:6:5: hooks.tool_guard[0].hooks[0]: unknown evaluator "leak"';
    expect(await dispatched(cwd, ["--hooks-file", "hooks.yaml"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(place),
    });
    expect(await dispatched(cwd, ["agent.yaml", "--hooks-file", "hooks.yaml"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(place),
    });
  });

  test("is not what a hooks file with an evaluator is for, and validate says so", async () => {
    const cwd = tempDir({ "hooks.yaml": JSON.stringify(GUARDED) });
    expect(await hooksh(["validate", "hooks.yaml"], { cwd })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('only an agent file can define evaluator "leak"'),
    });
    expect((await hooksh(["validate", "--strict", "hooks.yaml"], { cwd })).code).toBe(1);
  });

  test("asks once for equal hooks, and again for another policy", async () => {
    const server = judge(noul(0.95));
    const strict = { ...HOOK, evaluator_policy: { ...POLICY, min_probability: 0.99, fallback: "deny" } };
    const hooks = { tool_guard: [{ hooks: [HOOK, HOOK, strict] }] };
    const cwd = tempDir({ "agent.yaml": agentWith(NOWHERE, { leak: leak(server) }, { hooks }) });
    await dispatched(cwd, ["agent.yaml"]);
    expect(server.requests).toHaveLength(2);
  });

  test("contacts no service in a replay", async () => {
    const server = judge(noul(0));
    const cwd = tempDir({
      "agent.yaml": agentWith(NOWHERE, { leak: leak(server) }),
      "tape.yaml": "version: 2\ninteractions: []\n",
    });
    expect(await dispatched(cwd, ["agent.yaml", "--fake", "tape.yaml"])).toMatchObject({
      code: 2,
      result: { allowed: false },
    });
    expect(server.requests).toEqual([]);
  });

  test("only reports with --observe", async () => {
    const cwd = tempDir({ "agent.yaml": agentWith(NOWHERE, { leak: leak(judge(noul(1))) }) });
    expect(await dispatched(cwd, ["agent.yaml", "--observe"])).toMatchObject({
      code: 0,
      result: { allowed: true, system_message: expect.stringContaining("it would have denied") },
    });
  });

  test("routes as a run does, and names the evaluator's answer", async () => {
    const server = judge(choice("hard", { easy: 0.1, hard: 0.9 }), { text: "SECRET", status: 500 });
    const task = leak(server, { type: "choice", choices: { easy: "e", hard: "h" } });
    const file = JSON.parse(agentFor(NOWHERE));
    const agent = { model: "fake/model", instruction: "i" };
    const hook = {
      type: "evaluator",
      evaluator: "task",
      routing_policy: { routes: { easy: "quick", hard: "deep" }, min_probability: 0.8 },
    };
    const root = {
      ...file.agents.root,
      routing: { allowed_agents: ["quick", "deep"], default_agent: "quick" },
      hooks: { before_agent_run: [hook] },
    };
    const agents = { root, quick: agent, deep: agent };
    const cwd = tempDir({ "agent.yaml": JSON.stringify({ ...file, agents, evaluators: { task } }) });
    const input = `${JSON.stringify({ hook_event_name: "before_agent_run", agent_name: "root", input: "fix" })}\n`;
    const ran = await hooksh(["dispatch", "agent.yaml", "--output", "result"], { cwd, input: input + input, env: KEY });
    expect(ran.lines()).toMatchObject([
      { transition: { agent: "deep" }, metadata: { evaluator_choice: "hard", evaluator_probability: "0.9" } },
      { transition: { agent: "quick" }, metadata: { fallback_reason: "evaluator_failed" } },
    ]);
    expect(ran.stdout + ran.stderr).not.toContain("SECRET");
  });
});

describe("other commands", () => {
  test("explain and list name the evaluator, and a test asks it or gives its answer", async () => {
    const server = judge(noul(0.99));
    const cwd = tempDir({
      "agent.yaml": agentWith(NOWHERE, { leak: leak(server) }),
      "t.hooktest.yaml": JSON.stringify({
        hooks: "agent.yaml",
        tests: [
          { name: "asked", event: "tool_guard", tool: "shell", input: { cmd: "env" }, expect: { decision: "deny" } },
          {
            name: "doubled",
            event: "tool_guard",
            tool: "shell",
            input: { cmd: "env" },
            stubs: { leak: { decision: "allow" } },
            expect: { decision: "allow" },
          },
        ],
      }),
    });
    const explained = await hooksh(["hooks", "explain", "agent.yaml", "--event", "tool_guard", "--tool", "shell"], {
      cwd,
    });
    expect(explained.stdout).toContain("leak");
    const listed = await hooksh(["hooks", "list", "agent.yaml", "--json"], { cwd });
    expect(listed.stdout).toContain('"type": "evaluator"');
    const ran = await hooksh(["test", "t.hooktest.yaml"], { cwd, env: KEY });
    expect({ code: ran.code, text: ran.stdout + ran.stderr }).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(1);
  });

  test("an agent that hooksh finds lists the endpoint that its calls would go to", async () => {
    const cwd = tempDir({ "agent.yaml": agentWith(NOWHERE, { leak: leak(NOWHERE) }) });
    expect((await hooksh(["run"], { cwd, input: "go" })).stderr).toContain(
      'evaluators.leak: sends tool calls, or requests and answers, to "http://127.0.0.1:9/v1/systemone", with the key in "TYPESAFE_API_KEY"',
    );
  });
});
