import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const shell = (cmd: string): Step => ({ calls: [{ name: "shell", arguments: { cmd } }] });
const ends = { session_end: [{ type: "command", command: "cat >> ended.jsonl; echo >> ended.jsonl" }] };

/** An agent whose model costs a dollar for 100 input tokens, so 10 cents a call. */
function pricedAgent(server: { url: string }, keys: Record<string, unknown> = {}, cost: object = { input: 10_000 }) {
  const file = JSON.parse(agentFor(server, { model: "priced", ...keys }));
  return { ...file, models: { priced: { provider: "fake", model: "model", cost } } };
}

function folderOf(agent: object): string {
  return tempDir({ "agent.yaml": JSON.stringify(agent) });
}

const PRICED = { text: "working", usage: { prompt: 10, completion: 5 } };
const costly = (cmd: string): Step => ({ ...PRICED, calls: [{ name: "shell", arguments: { cmd } }] });

describe("--max-cost", () => {
  test("stops before the next request once the run has cost so much, and the session can be continued", async () => {
    const server = serve(costly("touch one"), costly("touch two"), costly("touch three"), { text: "continued" });
    const cwd = folderOf(pricedAgent(server, { hooks: ends }));
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-cost", "0.20", "go"], { cwd });
    expect(ran.code).toBe(124);
    expect(["one", "two", "three"].map((name) => existsSync(join(cwd, name)))).toEqual([true, true, false]);
    expect(server.requests).toHaveLength(2);
    expect(ran.stderr).toMatch(
      /^stopped by --max-cost 0\.2: the run has cost \$0\.2; to continue: hooksh run agent\.yaml --session (\S+) "go on"\n$/,
    );
    expect(readFileSync(join(cwd, "ended.jsonl"), "utf8")).toContain('"session_end"');
    const [, session = ""] = /--session (\S+)/.exec(ran.stderr) ?? [];
    const again = await hooksh(["run", "agent.yaml", "--session", session, "--max-cost", "0.2", "--yolo", "go on"], {
      cwd,
    });
    expect(again.code).toBe(0); // what the session cost before does not count
    expect(existsSync(join(cwd, "three"))).toBe(true);
  });

  test("an answer that ends the run may reach it", async () => {
    const server = serve({ ...PRICED, text: "done" });
    const ran = await hooksh(["run", "agent.yaml", "--max-cost", "0.05", "go"], { cwd: folderOf(pricedAgent(server)) });
    expect(ran).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
  });

  test("the calls of sub-agents count", async () => {
    const task = { agent: "helper", task: "t", expected_output: "o" };
    const server = serve({ ...PRICED, calls: [{ name: "transfer_task", arguments: task }] }, PRICED);
    const file = pricedAgent(server, { sub_agents: ["helper"] });
    file.agents.helper = { model: "priced", description: "d", instruction: "i" };
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-cost", "0.2", "go"], { cwd: folderOf(file) });
    expect(ran.code).toBe(124);
    expect(server.requests).toHaveLength(2);
  });

  test("the questions of model hooks count", async () => {
    const judge = { type: "model", model: "priced", prompt: "ok?", schema: "pre_tool_use_decision" };
    const answer = JSON.stringify({ decision: "allow", reason: "fine" });
    const server = serve(costly("touch one"), { ...PRICED, text: answer });
    const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [judge] }] };
    const ran = await hooksh(["run", "agent.yaml", "--max-cost", "0.2", "go"], {
      cwd: folderOf(pricedAgent(server, { hooks })),
    });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 124, asked: 2 });
  });

  test("no model hook is asked once the run has cost so much, so the call that it guards is blocked", async () => {
    const judge = { type: "model", model: "priced", prompt: "ok?", schema: "pre_tool_use_decision" };
    const server = serve(costly("touch one"));
    const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [judge] }] };
    const cwd = folderOf(pricedAgent(server, { hooks }));
    const ran = await hooksh(["run", "agent.yaml", "--max-cost", "0.05", "go"], { cwd });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 124, asked: 1 });
    expect(ran.stdout + ran.stderr).toContain("not asked because of --max-cost 0.05: the run has cost $0.1");
    expect(existsSync(join(cwd, "one"))).toBe(false);
  });

  test.each([
    ["a negative number of", { prompt: 10, completion: -1_000_000 }],
    ["no", { prompt: 0, completion: 0 }],
  ])("a server that reports %s tokens ends the run, because its cost is unknown", async (_text, usage) => {
    const server = serve({ ...costly("touch one"), usage });
    const cwd = folderOf(pricedAgent(server, {}, { input: 10_000, output: 10_000 }));
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-cost", "1", "go"], { cwd });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 124, asked: 1 });
    expect(ran.stderr).toContain("the cost so far is unknown");
  });

  test.each([
    ["without a price", undefined],
    ["whose use is not tracked", { cost: { input: 1 }, track_usage: false }],
  ])("a model %s is refused before anything starts", async (_name, model) => {
    const server = serve();
    const file = JSON.parse(agentFor(server, { model: model ? "priced" : "fake/model" }));
    if (model) file.models = { priced: { provider: "fake", model: "model", ...model } };
    const ran = await hooksh(["run", "agent.yaml", "--max-cost", "1", "go"], { cwd: folderOf(file) });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 1, asked: 0 });
    expect(ran.stderr).toContain("--max-cost needs the price of every model");
    expect(ran.stderr).toContain("fake/model (agents.root)");
  });

  test("a server that reports no tokens ends the run, because its cost is unknown", async () => {
    const silent = () => {
      const call = { index: 0, id: "c1", type: "function", function: { name: "shell", arguments: '{"cmd":"true"}' } };
      const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }];
      const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "fake", choices };
      return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const server = serve(silent);
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-cost", "1", "go"], {
      cwd: folderOf(pricedAgent(server)),
    });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 124, asked: 1 });
    expect(ran.stderr).toContain("the cost so far is unknown: fake/model has no price or reported no tokens");
  });
});

test("a cost that is unknown is nowhere zero, one that is known in part is named as such", async () => {
  const free = { usage: { prompt: 10, completion: 5 } };
  const server = serve({ ...free, text: "one" }, { ...PRICED, text: "two" });
  const file = { ...JSON.parse(agentFor(server)), models: pricedAgent(server).models };
  const cwd = folderOf(file);
  const run = async (...args: string[]) => {
    const lines = (await hooksh(["run", "agent.yaml", "--json", ...args], { cwd })).lines();
    const usage = lines.findLast(({ type }) => type === "token_usage")?.["usage"];
    return [lines.at(-1), usage];
  };
  const listed = async () => [
    JSON.parse((await hooksh(["sessions", "list", "--json"], { cwd })).stdout)[0],
    (await hooksh(["sessions", "list"], { cwd })).stdout,
  ];
  const [ended, usage] = await run("go");
  expect(ended).toMatchObject({ type: "run_ended", cost: null, unpriced_models: ["fake/model"] });
  expect(usage).toMatchObject({ cost: null });
  expect(await listed()).toMatchObject([
    { cost: null, cost_is_partial: true },
    expect.stringMatching(/ unknown {2}root/),
  ]);
  const [priced, later] = await run("--model", "priced", "--session", "-1", "and then?");
  expect(priced).toMatchObject({ type: "run_ended", cost: 0.1 });
  expect(later).toMatchObject({ cost: 0.1 });
  expect(await listed()).toMatchObject([
    { cost: 0.1, cost_is_partial: true },
    expect.stringMatching(/ over \$0\.1000 {2}root/),
  ]);
});

describe("--max-turns", () => {
  test("counts the turns of all messages and sub-agents", async () => {
    const task = { agent: "helper", task: "t", expected_output: "o" };
    const server = serve(
      { calls: [{ name: "transfer_task", arguments: task }] },
      { text: "helped" },
      { text: "first" },
    );
    const file = JSON.parse(agentFor(server, { sub_agents: ["helper"] }));
    file.agents.helper = { model: "fake/model", description: "d", instruction: "i" };
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-turns", "3", "--hide-tool-calls", "one", "two"], {
      cwd: folderOf(file),
    });
    expect(ran).toMatchObject({ code: 124, stdout: "first\n" });
    expect(ran.stderr).toMatch(/^stopped by --max-turns 3: the run has taken 3 model turns; to continue: /);
    expect(server.requests).toHaveLength(3);
  });

  test("also when a run in autonomous mode would extend max_iterations", async () => {
    const server = serve(...Array.from({ length: 4 }, (_, index) => shell(`echo ${index}`)));
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--max-turns", "4", "go"], {
      cwd: folderOf(JSON.parse(agentFor(server, { max_iterations: 1 }))),
    });
    expect({ code: ran.code, asked: server.requests.length }).toEqual({ code: 124, asked: 4 });
  });
});

describe("--max-iterations", () => {
  test.each([[[]], [["--yolo"]]])("ends the run, which is said once: %j", async (flags) => {
    const server = serve(shell("echo 1"), shell("echo 2"));
    const cwd = folderOf(JSON.parse(agentFor(server)));
    const args = ["run", "agent.yaml", ...flags, "--json", "--max-iterations", "2", "go", "and then"];
    const ran = await hooksh(args, { cwd });
    expect(ran.code).toBe(124);
    expect(ran.stderr.match(/iteration/g)).toHaveLength(2);
    expect(ran.stderr).toContain("stopped by --max-iterations 2: root has taken 2 iterations; to continue: ");
    const limit = { flag: "--max-iterations 2", message: "root has taken 2 iterations" };
    expect(ran.lines().at(-1)).toMatchObject({ type: "run_ended", reason: "limit", exit_code: 124, limit });
    expect(server.requests).toHaveLength(2);
  });

  test("a sub-agent that reaches its own limit is a warning", async () => {
    const task = { agent: "helper", task: "t", expected_output: "o" };
    const server = serve(
      { calls: [{ name: "transfer_task", arguments: task }] },
      { calls: [{ name: "think", arguments: { thought: "hm" } }] },
      { text: "done" },
    );
    const file = JSON.parse(agentFor(server, { sub_agents: ["helper"] }));
    const helper = { model: "fake/model", description: "d", instruction: "i", max_iterations: 1 };
    file.agents.helper = { ...helper, toolsets: [{ type: "think" }] };
    const ran = await hooksh(["run", "agent.yaml", "--safety", "balanced", "--exec", "go"], { cwd: folderOf(file) });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("⚠️  helper has taken 1 iteration and stops, as max_iterations says\n");
  });
});

describe("--timeout", () => {
  test("kills what a tool started, runs the last hooks and stores the session", async () => {
    const server = serve(shell("sleep 60 & echo $! > pid; wait"), { text: "resumed" });
    const cwd = folderOf(JSON.parse(agentFor(server, { hooks: ends })));
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "--timeout", "6s", "--json", "go"], { cwd });
    expect(ran.code).toBe(124);
    expect(ran.stderr).toMatch(/^stopped by --timeout 6s: the time is over; to continue: /m);
    expect(ran.lines().at(-1)).toMatchObject({ type: "run_ended", reason: "limit", exit_code: 124 });
    const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", readFileSync(join(cwd, "pid"), "utf8").trim()]);
    expect(state.stdout.toString()).toMatch(/^(Z.*\n)?$/); // gone, or dead and not yet collected
    expect(readFileSync(join(cwd, "ended.jsonl"), "utf8")).toContain('"session_end"');
    const resumed = await hooksh(["run", "agent.yaml", "--session", "-1", "go on"], { cwd });
    expect(resumed).toMatchObject({ code: 0, stdout: "resumed\n" });
  });

  test("ends a run whose model does not answer", async () => {
    const server = serve(() => new Promise<Response>(() => {}));
    // The model must have been asked by then, also on a busy machine.
    const ran = await hooksh(["run", "agent.yaml", "--timeout", "5s", "go"], {
      cwd: folderOf(JSON.parse(agentFor(server))),
    });
    expect(ran).toMatchObject({ code: 124, stdout: "" });
  });

  test("ends a run whose toolset does not start", async () => {
    const server = serve();
    const toolsets = [{ type: "mcp", command: "sleep", args: ["60"] }];
    const ran = await hooksh(["run", "agent.yaml", "--timeout", "1s", "--json", "go"], {
      cwd: folderOf(JSON.parse(agentFor(server, { toolsets }))),
    });
    expect(ran.code).toBe(124);
    expect(ran.lines()).toEqual([expect.objectContaining({ type: "run_ended", reason: "limit", exit_code: 124 })]);
    expect(ran.stderr).toContain("stopped by --timeout 1s");
  });

  test("does not keep a run waiting that ends before", async () => {
    const server = serve({ text: "done" });
    const ran = await hooksh(["run", "agent.yaml", "--timeout", "500h", "go"], {
      cwd: folderOf(JSON.parse(agentFor(server))),
    });
    expect(ran).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
  });
});

test.each([
  [["--max-cost", "0"], "--max-cost takes US dollars"],
  [["--max-cost", "1e9"], "--max-cost takes US dollars"],
  [["--max-turns", "0"], "--max-turns takes a whole number from 1"],
  [["--max-turns", "1.5"], "--max-turns takes a whole number from 1"],
  [["--timeout", "0s"], "--timeout takes a duration"],
  [["--timeout", "1000h"], "--timeout takes a duration"],
  [["--timeout", "soon"], "--timeout takes a duration"],
])("%j is a usage error", async (flags, message) => {
  const ran = await hooksh(["run", "agent.yaml", ...flags, "go"], { cwd: tempDir({ "agent.yaml": "" }) });
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 64, stdout: "" });
  expect(ran.stderr).toContain(message);
});
