import { afterEach, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const WHY =
  'agent "coder" runs in claude-code (harness), which hooksh does not start; give it a model instead of harness';

let server: FakeOpenAI | undefined;
afterEach(() => server?.stop());

/** A directory with an agent file of two agents, of which `coder` has a harness. */
function directoryWith(steps: readonly Step[], root: Record<string, unknown>): string {
  server = fakeOpenAI(steps);
  const file = JSON.parse(agentFor(server, root));
  file.agents.coder = { description: "Writes code.", harness: { type: "claude-code" } };
  return tempDir({ "agent.json": JSON.stringify(file) });
}

test.each([
  [{ sub_agents: ["coder"] }, "transfer_task", { agent: "coder", task: "x", expected_output: "y" }],
  [{ handoffs: ["coder"] }, "handoff", { agent: "coder" }],
  [
    { sub_agents: ["coder"], toolsets: [{ type: "background_agents" }] },
    "run_background_agent",
    { agent: "coder", task: "x" },
  ],
])("nothing is handed to one: %j", async (root, name, args) => {
  const cwd = directoryWith([{ calls: [{ name, arguments: args }] }, { text: "Then I do it." }], root);
  const { code, stdout } = await hooksh(["run", "agent.json", "--yolo", "go"], { cwd });
  expect({ code, answered: stdout.includes("Then I do it.") }).toEqual({ code: 0, answered: true });
  expect(server?.requests.at(-1)?.messages.at(-1)?.content).toContain(WHY);
});

test("one that should take over after each answer does not, with a warning", async () => {
  const cwd = directoryWith([{ text: "Done." }], { force_handoff: "coder" });
  const { code, stderr } = await hooksh(["run", "agent.json", "go"], { cwd });
  expect({ code, requests: server?.requests.length }).toEqual({ code: 0, requests: 1 });
  expect(stderr).toContain(`force_handoff: ${WHY}`);
});

test("starting one is an error", async () => {
  const cwd = directoryWith([], {});
  const { code, stderr } = await hooksh(["run", "agent.json", "--agent", "coder", "go"], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(WHY) });
});

test("the prompt does not switch to one, by name or by a command", async () => {
  const cwd = directoryWith([], { commands: { code: { instruction: "write it", agent: "coder" } } });
  const run = startAtTerminal(cwd, ["run", "agent.json"], { columns: 200 });
  await run.sees(">");
  run.press("/agents coder\r");
  await run.sees(WHY);
  run.press("/code\r");
  await run.sees(`/code: ${WHY}`);
  run.press("\x04");
  await run.child.exited;
  expect(server?.requests).toEqual([]);
});
