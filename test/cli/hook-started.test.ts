import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("hook_started names the hooks that run, without the secrets in their commands", async () => {
  const token = ["ghp", "x7Kd93mQ2vLr8TzY1bNc5WjP4sHf6GaE0uRi"].join("_");
  const hooks = {
    turn_start: [
      { type: "command", name: "greeting", command: "true" },
      { type: "command", command: `true --token=${token}` },
    ],
  };
  const server = fakeOpenAI([{ text: "done" }]);
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "--json", "go"], { cwd });
  server.stop();
  const started = ran.lines().find(({ type, hook_event }) => type === "hook_started" && hook_event === "turn_start");
  expect(started?.["hooks"]).toEqual(["greeting", expect.stringMatching(/^true --token=\[REDACTED/)]);
  expect(ran.stdout).not.toContain(token);
});
