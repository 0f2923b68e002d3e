import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

const SLEEP = shell("touch started; sleep 60");
const OVER = "the run's time limit of 2s is over (--timeout)";

/** The texts of all tool responses that the model has read. */
function responsesSentTo({ requests }: { requests: readonly { messages: readonly { role: string }[] }[] }) {
  return requests.at(-1)?.messages.filter(({ role }) => role === "tool");
}

test("a call that --timeout stops says so in the output and to the model", async () => {
  const server = serve(SLEEP, { text: "resumed" });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "--timeout", "2s", "go"], { cwd });
  expect(ran.code).toBe(124);
  expect(ran.stdout).toBe(
    `Calling shell(cmd: touch started; sleep 60)\nCanceled shell(cmd: touch started; sleep 60): ${OVER}\n`,
  );
  const resumed = await hooksh(["run", "agent.yaml", "--session", "-1", "go on"], { cwd });
  expect(resumed.stdout).toBe("resumed\n");
  expect(responsesSentTo(server)).toMatchObject([{ content: `The tool call was canceled: ${OVER}.` }]);
});

test("a call that waits for the user when the time is over says so, and so do the decision and the question", async () => {
  const watch = [{ type: "command", command: "cat > decision.json" }];
  const { cwd } = setUp({ hooks: { on_tool_approval_decision: watch } }, shell("touch made"));
  const run = start(cwd, ["--timeout", "2s"]);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("[n]o:");
  await run.sees("(withdrawn)");
  await run.sees("shell touch made (canceled)");
  await run.sees(OVER);
  await run.sees(`(canceled: ${OVER})`);
  expect(await run.child.exited).toBe(124);
  expect(existsSync(join(cwd, "made"))).toBe(false);
  expect(await Bun.file(join(cwd, "decision.json")).json()).toMatchObject({
    approval_decision: "canceled",
    approval_reason: OVER,
  });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("a call that %s stops says so", async (name) => {
  const cwd = tempDir({ "agent.yaml": agentFor(serve(SLEEP)) });
  const child = Bun.spawn([binary(), "run", "agent.yaml", "--yolo", "--json", "go"], {
    cwd,
    env: cleanEnv(cwd),
    stdout: "pipe",
    stderr: "pipe",
  });
  await until(() => existsSync(join(cwd, "started")));
  child.kill(name);
  const events = (await new Response(child.stdout).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(await child.exited).toBe(130);
  expect(events.find(({ type }) => type === "tool_call_response")).toMatchObject({
    outcome: "canceled",
    reason: `interrupted by ${name}`,
    response: `The tool call was canceled: interrupted by ${name}.`,
  });
});

test("a call that the user cancels at the prompt says so", async () => {
  const { cwd, server } = setUp({}, SLEEP, { text: "resumed" });
  const run = start(cwd, ["--yolo"]);
  await run.sees("/help shows");
  run.press("go\r");
  await until(() => existsSync(join(cwd, "started")));
  run.press("\x1b");
  await run.sees("The tool call was canceled by the user.");
  await run.sees("(canceled)");
  run.press("go on\r");
  await run.sees("resumed");
  run.press("\x04");
  await run.child.exited;
  expect(responsesSentTo(server)).toMatchObject([{ content: "The tool call was canceled by the user." }]);
});

test("calls after one whose hook ends the run name the hook and what it said", async () => {
  const calls = ["echo 1", "echo 2"].map((cmd) => ({ name: "shell", arguments: { cmd } }));
  const breaker = { name: "breaker", type: "command", command: "echo enough >&2; exit 2" };
  const hooks = { post_tool_use: [{ matcher: "shell", hooks: [breaker] }] };
  const cwd = tempDir({ "agent.yaml": agentFor(serve({ calls }), { hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "--json", "go"], { cwd });
  expect(ran.lines().find(({ outcome }) => outcome === "skipped")).toMatchObject({
    reason: "a hook ended the run: enough",
    hooks: [{ name: "breaker" }],
  });
});
