import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });

/** Stand-ins for an ordinary file: reading one as if it were a file waits for ever or never ends. */
const TRAPS: [string, (at: string) => void][] = [
  ["a pipe", (at) => void Bun.spawnSync(["mkfifo", at])],
  ["a link to a device", (at) => symlinkSync("/dev/zero", at)],
];

describe.each(TRAPS)("%s in place of a file", (_what, make) => {
  const REFUSED = "is not a regular file";

  test("config.yaml", async () => {
    const cwd = tempDir();
    const config = join(cwd, "config");
    mkdirSync(config);
    make(join(config, "config.yaml"));
    const ran = await hooksh(["dispatch", "--config-dir", config], { cwd, input: CALL });
    expect(ran.code).not.toBe(0);
    expect(ran).toMatchObject({ stdout: "", stderr: `${join(config, "config.yaml")}: ${REFUSED}\n` });
  });

  test("a hooks file", async () => {
    const cwd = tempDir();
    make(join(cwd, "hooks.yaml"));
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd, input: CALL });
    expect(ran.code).not.toBe(0);
    expect(ran).toMatchObject({ stdout: "", stderr: `hooks.yaml: ${REFUSED}\n` });
  });

  test("an agent file and an env file", async () => {
    const cwd = tempDir({ "agent.yaml": "agents: {root: {model: openai/gpt-4o}}\n" });
    make(join(cwd, "trap.yaml"));
    make(join(cwd, ".env"));
    expect(await hooksh(["validate", "trap.yaml"], { cwd })).toMatchObject({ code: 1, stderr: `trap.yaml: ${REFUSED}\n` });
    const ran = await hooksh(["run", "agent.yaml", "--env-from-file", ".env", "go"], { cwd });
    expect(ran).toMatchObject({ code: 1, stderr: `.env: ${REFUSED}\n` });
  });

  test("an instruction file", async () => {
    const cwd = tempDir({ "agent.yaml": "agents:\n  root:\n    model: openai/gpt-4o\n    instruction_file: i.md\n" });
    make(join(cwd, "i.md"));
    const { code, stderr } = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^agent\.yaml:4:23: agents\.root\.instruction_file: i\.md: (is not a regular file|leads out of )/);
  });
});

test("a hooks file that the shell passes as a pipe counts", async () => {
  const cwd = tempDir();
  const hooks = JSON.stringify({ pre_tool_use: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] });
  const child = Bun.spawn(["bash", "-c", '"$HOOKSH" dispatch --output result --hooks-file <(sleep 0.2; printf %s "$HOOKS")'], {
    cwd,
    env: cleanEnv(cwd, { HOOKSH: binary(), HOOKS: hooks }),
    stdin: Buffer.from(CALL),
    stdout: "pipe",
    stderr: "inherit",
  });
  expect(await child.exited).toBe(2);
  expect(await child.stdout.text()).toContain('"allowed":false');
});
