import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HOOKS = JSON.stringify({
  pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }],
});
const payload = {
  session_id: "s1",
  transcript_path: "/t",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
};
const CHANGED = { ...payload, sandbox_mode: "strict" };
const LINE = 'claude PreToolUse: unknown field "sandbox_mode"';

test("a payload with a new field is answered as without it, and the log says so", async () => {
  const cwd = tempDir({ "hooks.yaml": HOOKS });
  const run = async (event: unknown, args: readonly string[] = []) =>
    await hooksh(["dispatch", "--dialect", "claude", "--hooks-file", "hooks.yaml", "--log-file", "log", ...args], {
      cwd,
      input: JSON.stringify(event),
    });
  const { stdout, stderr, code } = await run(payload);
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(await run(CHANGED)).toMatchObject({ stdout, stderr, code });
  expect(existsSync(join(cwd, "log"))).toBe(false);
  expect(await run(CHANGED, ["--debug"])).toMatchObject({ stdout, stderr, code });
  expect(readFileSync(join(cwd, "log"), "utf8")).toContain(`warn ${LINE}\n`);
});

test("a server logs a new field once", async () => {
  const cwd = tempDir({ "hooks.yaml": HOOKS });
  await using server = await serve(cwd, ["--hooks-file", "hooks.yaml", "--debug", "--log-file", "log"]);
  const { text } = await server.post("/claude", payload);
  for (let count = 0; count < 3; count++) expect((await server.post("/claude", CHANGED)).text).toBe(text);
  expect(readFileSync(join(cwd, "log"), "utf8").split(LINE)).toHaveLength(2);
});
