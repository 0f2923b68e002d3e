import { expect, test } from "bun:test";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

test("a pipe that stays open and empty does not keep a run from its message", async () => {
  const server = serve({ text: "ok" });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const child = Bun.spawn([binary(), "run", "agent.yaml", "hi"], {
    cwd,
    env: cleanEnv(cwd),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(0);
  expect(await child.stderr.text()).toBe(
    "warning: standard input sent nothing for 3 seconds: the run goes on without it\n",
  );
  expect(server.requests[0]?.messages.at(-1)?.content).toBe("hi");
});

test("what comes later than its first byte is waited for", async () => {
  const server = serve({ text: "ok" });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const line = `(printf a; sleep 4; printf b) | ${binary()} run agent.yaml hi`;
  const child = Bun.spawn(["/bin/sh", "-c", line], { cwd, env: cleanEnv(cwd), stdout: "pipe", stderr: "ignore" });
  expect(await child.exited).toBe(0);
  expect(JSON.stringify(server.requests[0]?.messages.at(-1)?.content)).toContain("\\nab\\n");
});
