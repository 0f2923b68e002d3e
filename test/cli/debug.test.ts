import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MESSAGE = `agent.yaml:1:9: agents: expected a mapping but got 5\n`;

function inFolder(text: string): { cwd: string } {
  const cwd = tempDir();
  writeFileSync(join(cwd, "agent.yaml"), text);
  return { cwd };
}

test.each(["--debug", "-d"])("%s prints cause and cure after the message of an error", async (flag) => {
  const ran = await hooksh(["hooks", "list", "agent.yaml", flag], inFolder("agents: 5\n"));
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  const [cause = "", cure = "", ...rest] = ran.stderr.replace(MESSAGE, "").split("\n");
  expect(cause).toStartWith("cause: The key exists");
  expect(cure).toStartWith("cure: Write texts in quotes");
  expect(rest).toEqual([""]);
});

test("without it, only the message is printed", async () => {
  const ran = await hooksh(["hooks", "list", "agent.yaml"], inFolder("agents: 5\n"));
  expect(ran).toMatchObject({ code: 1, stdout: "", stderr: MESSAGE });
});

test("a link of a cure becomes the path of its page", async () => {
  const text = "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: x\n    routing: { allowed_agents: [] }\n";
  const ran = await hooksh(["hooks", "list", "agent.yaml", "--debug"], inFolder(text));
  expect(ran.stderr).toContain("See Route to another agent (docs/hooks.md#route-to-another-agent).");
});

test("an error without help prints no more", async () => {
  const ran = await hooksh(["hooks", "lists", "--debug"], { cwd: tempDir() });
  expect(ran).toMatchObject({ code: 64, stdout: "" });
  expect(ran.stderr).toBe('hooks takes list or sources, not "lists"\nRun `hooksh hooks --help` for help\n');
});
