import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();
const shell = (cmd: string): Step => ({ text: "I look.", calls: [{ name: "shell", arguments: { cmd } }] });

function prepare(...steps: Step[]) {
  const cwd = tempDir({ "agent.yaml": agentFor(serve(...steps)) });
  return (...args: string[]) => hooksh(["run", "agent.yaml", ...args], { cwd });
}

test.each(["--print", "-p"])("%s: standard output is the answer, and standard error the calls", async (flag) => {
  const ran = await prepare(shell("echo hi"), { text: "It says hi." })(flag, "--yolo", "go");
  expect(ran).toMatchObject({ code: 0, stdout: "It says hi.\n", stderr: "Calling shell(cmd: echo hi)\n" });
});

test("--print reports a denied call once, and prints nothing if the run fails", async () => {
  const ran = await prepare(shell("touch made"), { text: "I could not." })("--print", "go");
  expect(ran.stdout).toBe("I could not.\n");
  expect(ran.stderr.match(/touch made/g)).toHaveLength(1);
  const failed = await prepare(() => new Response("no", { status: 400 }))("--print", "go");
  expect(failed).toMatchObject({ code: 1, stdout: "" });
});

test("--output-format json prints one object, with the answer, the denied calls and the session", async () => {
  const run = prepare(shell("touch made"), { text: "I could not." });
  const ran = await run("--output-format", "json", "--session", "mine", "go");
  const [ended, ...others] = ran.lines();
  expect(others).toEqual([]);
  expect(ended).toMatchObject({
    type: "run_ended",
    exit_code: 0,
    session_id: "mine",
    answer: "I could not.",
    turns: 2,
  });
  expect(ended).toMatchObject({ denied: [{ tool: "shell", call: "shell(cmd: touch made)", outcome: "refused" }] });
});

test("a run that fails has no answer, also if it cannot start", async () => {
  const failed = await prepare(() => new Response("no", { status: 400 }))("--output-format=json", "go");
  expect(failed.lines()).toMatchObject([{ type: "run_ended", reason: "error" }]);
  expect(failed.lines()[0]).not.toHaveProperty("answer");
  const refused = await prepare()("--output-format", "json", "--nonsense", "go");
  expect(refused.lines()).toMatchObject([{ type: "run_ended", exit_code: 64 }]);
});

test("--output-format stream-json is --json", async () => {
  const ran = await prepare({ text: "Hello." })("--output-format", "stream-json", "go");
  expect(ran.lines().map(({ type }) => type)).toContain("agent_choice");
  expect(ran.lines().at(-1)).toMatchObject({ type: "run_ended", answer: "Hello." });
});

test("--hide-tool-calls prints the answer to each message, and nothing that came before a call", async () => {
  const run = prepare(shell("echo hi"), { text: "It says hi." }, shell("echo ho"), { text: "And ho." });
  const ran = await run("--hide-tool-calls", "--yolo", "first", "second");
  expect(ran).toMatchObject({ code: 0, stdout: "It says hi.\nAnd ho.\n", stderr: "" });
  const cut = await prepare(shell("echo hi"))("--hide-tool-calls", "--yolo", "--max-iterations", "1", "go");
  expect(cut).toMatchObject({ code: 124, stdout: "" });
});

test.each([
  [["--output-format", "json", "--json"]],
  [["--output-format", "text", "--print"]],
  [["--print", "--json"]],
  [["--output-format", "yaml"]],
])("flags that contradict each other are refused: %j", async (flags) => {
  expect(await prepare()(...flags, "go")).toMatchObject({ code: 64 });
});
