import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

test("a run says once per hook, with its place, which fields of its answer its event does not accept", async () => {
  const call = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });
  const server = serve(call("echo 1"), call("echo 2"), { text: "done." });
  const answer = (specific: object) => ({
    type: "command",
    command: `echo '${JSON.stringify({ hook_specific_output: specific })}'`,
  });
  const hooks = {
    pre_tool_use: [{ hooks: [{ name: "adder", ...answer({ additional_context: "be careful", summary: "s" }) }] }],
    turn_end: [{ name: "late", ...answer({ updated_response: "x" }) }],
    stop: [{ name: "empty", ...answer({ summary: "", metadata: {} }) }],
  };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, toolsets: [{ type: "shell" }] }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  expect(ran).toMatchObject({ code: 0 });
  const lines = ran.stderr.split("\n").filter((line) => line.includes("no effect"));
  expect(lines.map((line) => line.replace(/agent\.yaml:\d+/, "PLACE"))).toEqual([
    expect.stringContaining(
      'pre_tool_use hook "adder" (PLACE): additional_context, summary have no effect: pre_tool_use takes permission_decision, updated_input, metadata',
    ),
    expect.stringContaining(
      'turn_end hook "late" (PLACE): updated_response has no effect: turn_end takes no field of hook_specific_output',
    ),
  ]);
});

test("a run warns about output without effect, and blocks if a guard misspells its answer", async () => {
  const call = { text: "try", calls: [{ name: "shell", arguments: { cmd: "touch made" } }] };
  const server = serve(call, { text: "could not." });
  const hooks = {
    turn_start: [{ name: "watcher", type: "command", command: `echo '{"Decision":"block"}'` }],
    tool_guard: [{ hooks: [{ name: "logger", type: "command", command: "echo checked" }] }],
    pre_tool_use: [
      {
        hooks: [
          { name: "claude", type: "command", command: `echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'` },
        ],
      },
    ],
  };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, toolsets: [{ type: "shell" }] }) });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  expect(ran.stderr).toContain('turn_start hook "watcher": "Decision" is not read, "decision" would be');
  expect(ran.stderr).toContain('tool_guard hook "logger": its standard output is not JSON and has no effect');
  expect(ran.stdout).toContain(
    'pre_tool_use hook failed: invalid hook output: "hookSpecificOutput" is not read, "hook_specific_output" would be',
  );
  expect(await Bun.file(`${cwd}/made`).exists()).toBe(false);
});
