import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const USED = { usage: { prompt: 10, completion: 5 } };
const touch = (name: string): Step => ({ ...USED, calls: [{ name: "shell", arguments: { cmd: `touch ${name}` } }] });
const task = { agent: "helper", task: "t", expected_output: "o" };
const transfer: Step = { ...USED, calls: [{ name: "transfer_task", arguments: task }] };

/** An agent whose model costs a dollar for 100 input tokens, so 10 cents a call. */
function fileFor(server: { url: string }, top: object, agent: object = {}, helper: object = {}) {
  const file = JSON.parse(agentFor(server, { model: "priced", sub_agents: ["helper"], ...agent }));
  file.agents.helper = {
    model: "priced",
    description: "d",
    instruction: "i",
    toolsets: [{ type: "shell" }],
    ...helper,
  };
  return { ...file, ...top, models: { priced: { provider: "fake", model: "model", cost: { input: 10_000 } } } };
}

async function run(file: object) {
  const cwd = tempDir({ "agent.yaml": JSON.stringify(file) });
  return hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
}

describe("budget", () => {
  test.each([
    [{ max_cost: 0.2 }, "budget.max_cost 0.2: $0.2 is spent"],
    [{ max_tokens: 30 }, "budget.max_tokens 30: 30 tokens are used"],
  ])("%j ends the run before the next request", async (budget, expected) => {
    const server = serve(touch("one"), touch("two"));
    const ran = await run(fileFor(server, { budget }));
    expect(server.requests).toHaveLength(2);
    expect(ran.stderr).toContain(`stopped by ${expected}`);
    expect(ran.code).toBe(124);
  });

  test("counts the calls of sub-agents", async () => {
    const server = serve(transfer, { ...USED, text: "helped" });
    const ran = await run(fileFor(server, { budget: { max_cost: 0.2 } }));
    expect(server.requests).toHaveLength(2);
    expect(ran.code).toBe(124);
  });

  test("needs the price of every model if it limits the cost", async () => {
    const server = serve();
    const file = {
      ...fileFor(server, { budget: { max_cost: 1 } }),
      models: { priced: { provider: "fake", model: "m" } },
    };
    const ran = await run(file);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("budget.max_cost needs the price of every model");
  });
});

test("task_budget limits the tokens of a model", async () => {
  const server = serve(touch("one"), touch("two"));
  const file = fileFor(server, {});
  const ran = await run({ ...file, models: { priced: { ...file.models.priced, task_budget: 20 } } });
  expect(server.requests).toHaveLength(2);
  expect(ran.stderr).toContain("stopped by models.priced.task_budget 20: 30 tokens are used");
  expect(ran.code).toBe(124);
});

describe("budgets", () => {
  test("a named one ends only the agents that draw from it", async () => {
    const server = serve(transfer, touch("one"), { ...USED, text: "done" });
    const file = fileFor(server, { budgets: { small: { max_tokens: 15 } } }, {}, { budgets: ["small"] });
    const ran = await run(file);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("done");
    expect(JSON.stringify(server.requests[2])).toContain("stopped by budgets.small.max_tokens 15: 15 tokens are used");
  });

  test("one of the caller holds for its sub-agents", async () => {
    const server = serve(transfer, touch("one"));
    const file = fileFor(server, { budgets: { small: { max_tokens: 30 } } }, { budgets: ["small"] });
    const ran = await run(file);
    expect(server.requests).toHaveLength(2);
    expect(ran.code).toBe(124);
  });
});
