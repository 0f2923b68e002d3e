import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

/** Returns a function that runs the agent with `--last`. */
function prepare(steps: Step[], agent: Record<string, unknown> = {}) {
  const cwd = tempDir();
  const server = serve(...steps);
  writeFileSync(join(cwd, "agent.yaml"), agentFor(server, { toolsets: [{ type: "shell" }], ...agent }));
  return (...args: string[]) => hooksh(["run", "agent.yaml", "--exec", "--last", ...args], { cwd });
}

const shell = (cmd: string): Step => ({ text: "I look.", calls: [{ name: "shell", arguments: { cmd } }] });

test("standard output is the last answer after all messages, without calls and earlier texts", async () => {
  const steps = [shell("echo hi"), { text: "It says hi." }, { text: "Final, with a line\nbreak." }];
  const run = prepare(steps);
  expect(await run("--yolo", "first", "second")).toMatchObject({ code: 0, stdout: "Final, with a line\nbreak.\n" });
});

test("with --json it is one JSON value: a string", async () => {
  const run = prepare([{ text: 'He said "hi".\n' }]);
  const ran = await run("--json", "go");
  expect(ran).toMatchObject({ code: 0, stdout: '"He said \\"hi\\".\\n"\n' });
});

test.each([
  ['{"total": 44.0, "big": 9007199254740993}', '{"total": 44.0, "big": 9007199254740993}\n'],
  ["no JSON", '"no JSON"\n'],
])("with --json and structured output it is the answer itself, if that is JSON: %s", async (text, stdout) => {
  const schema = { type: "object", properties: { total: { type: "number" } } };
  const run = prepare([{ text }], { structured_output: { name: "sum", schema } });
  expect(await run("--json", "go")).toMatchObject({ code: 0, stdout });
});

test.each([[[]], [["--json"]]])("a run that fails prints nothing on standard output: %j", async (flags) => {
  const refused = () => Response.json({ error: { message: "no such key" } }, { status: 401 });
  const run = prepare([{ text: "Hello." }, refused]);
  const ran = await run(...flags, "first", "second");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("no such key");
  expect(await run(...flags, " ")).toMatchObject({ code: 64, stdout: "" });
});

test("a call that needs approval is declined, which standard error reports", async () => {
  const run = prepare([shell("touch made"), { text: "I could not." }]);
  const ran = await run("go");
  expect(ran).toMatchObject({ code: 0, stdout: "I could not.\n" });
  expect(ran.stderr).toContain("touch made");
  const strict = prepare([shell("touch made"), { text: "I could not." }]);
  expect(await strict("--fail-on-denied", "go")).toMatchObject({ code: 3, stdout: "" });
});

test("a run that ends without an answer prints none, not an earlier one", async () => {
  const run = prepare([{ text: "Hello." }, shell("echo hi")], { max_iterations: 1 });
  const ran = await run("--safety", "balanced", "first", "second");
  expect(ran.stdout).toBe("");
});
