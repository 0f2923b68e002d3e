import { expect, test } from "bun:test";
import { setUp, shell, start } from "../helpers/terminal-run.ts";

const WIDE = { columns: 150 };

test("the status line is complete before the first message, and shows what it costs after it", async () => {
  const models = { priced: { provider: "fake", model: "model", cost: { input: 10_000 } } };
  const { cwd } = setUp({ model: "priced" }, { text: "hello", usage: { prompt: 10, completion: 5 } });
  await withModels(cwd, models);
  const run = start(cwd, [], WIDE);
  await run.sees("fake/model · 0 tokens · context size unknown · $0.00 · safety: default");
  run.press("go\r");
  await run.sees("hello");
  await run.sees("fake/model · 15 tokens · context size unknown · $0.1000 · safety: default");
  run.press("/yolo\r");
  await run.sees("safety: autonomous");
  run.press("\x04");
  await run.child.exited;
});

test("a model that selects one of several is shown by its name, and the model that answers once it is known", async () => {
  const models = {
    first: { first_available: ["fake/model"] },
    mix: { model: "fake/one,fake/two" },
  };
  for (const [name, before, after] of [
    ["first", "first (fake/model)", /first \(fake\/model\)/],
    ["mix", "mix", /mix \(fake\/(one|two)\)/],
  ] as const) {
    const { cwd } = setUp({ model: name }, { text: "hello" });
    await withModels(cwd, models);
    const run = start(cwd, [], WIDE);
    await run.sees(`${before} · 0 tokens`);
    run.press("go\r");
    await run.sees("hello");
    await run.sees("15 tokens");
    expect(run.shown().split("hello").at(-1)).toMatch(after);
    run.press("\x04");
    await run.child.exited;
  }
});

test("while a sub-agent works, the line shows the conversation's own tokens, and the cost of both", async () => {
  const task = { agent: "helper", task: "t", expected_output: "o" };
  const usage = { prompt: 10, completion: 5 };
  const { cwd } = setUp(
    { model: "priced", sub_agents: ["helper"] },
    { usage, calls: [{ name: "transfer_task", arguments: task }] },
    { ...shell("touch asked"), usage: { prompt: 20, completion: 5 } },
    { text: "helped", usage: { prompt: 20, completion: 5 } },
    { text: "done", usage },
  );
  const file = await withModels(cwd, { priced: { provider: "fake", model: "model", cost: { input: 10_000 } } });
  const helper = { model: "priced", description: "d", instruction: "i", toolsets: [{ type: "shell" }] };
  await Bun.write(`${cwd}/agent.yaml`, JSON.stringify({ ...file, agents: { ...file.agents, helper } }));
  const run = start(cwd, ["--yolo"], WIDE);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("done");
  await run.sees("15 tokens · context size unknown · $0.6000");
  expect(run.shown()).toContain("15 tokens · context size unknown · $0.3000");
  expect(run.shown()).not.toContain("25 tokens");
  run.press("\x04");
  await run.child.exited;
});

/** Adds models to the agent file of a directory. */
async function withModels(cwd: string, models: object): Promise<{ agents: object }> {
  const file = { ...(await Bun.file(`${cwd}/agent.yaml`).json()), models };
  await Bun.write(`${cwd}/agent.yaml`, JSON.stringify(file));
  return file;
}
