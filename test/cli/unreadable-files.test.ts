import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });

/** Reading one of these like a regular file blocks or never ends. */
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
    expect(await hooksh(["validate", "trap.yaml"], { cwd })).toMatchObject({
      code: 1,
      stderr: `trap.yaml: ${REFUSED}\n`,
    });
    const ran = await hooksh(["run", "agent.yaml", "--env-from-file", ".env", "go"], { cwd });
    expect(ran).toMatchObject({ code: 1, stderr: `.env: ${REFUSED}\n` });
  });

  test("an instruction file", async () => {
    const cwd = tempDir({ "agent.yaml": "agents:\n  root:\n    model: openai/gpt-4o\n    instruction_file: i.md\n" });
    make(join(cwd, "i.md"));
    const { code, stderr } = await hooksh(["validate", "agent.yaml"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^agent\.yaml:4:23: agents\.root\.instruction_file: i\.md: (is not a regular file|leads out of )/,
    );
  });
});

test("a hostile repository neither blocks a run nor sends another file's text to the model", async () => {
  const server = fakeOpenAI([{ calls: [{ name: "list_directory", arguments: { path: "." } }] }, { text: "done" }]);
  const outer = tempDir({ "secret.txt": "TOP SECRET", "repo/.git/config": "", "repo/kept.txt": "" });
  const cwd = join(outer, "repo");
  const skill = join(cwd, ".agents/skills/trap");
  mkdirSync(skill, { recursive: true });
  symlinkSync("/dev/zero", join(skill, "SKILL.md"));
  symlinkSync("../secret.txt", join(cwd, "AGENTS.md"));
  symlinkSync("/dev/zero", join(cwd, "STYLE.md"));
  symlinkSync("/dev/zero", join(cwd, ".gitignore"));
  Bun.spawnSync(["mkfifo", join(cwd, "pipe"), join(cwd, "TEAM.md")]);
  const keys = {
    toolsets: [{ type: "filesystem" }],
    skills: true,
    add_prompt_files: ["AGENTS.md", "STYLE.md", "TEAM.md"],
  };
  writeFileSync(join(outer, "agent.yaml"), agentFor(server, keys));
  const { code, stdout, stderr } = await hooksh(["run", "../agent.yaml", "--yolo", "go"], { cwd });
  server.stop();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("done") });
  expect(JSON.stringify(server.requests)).not.toContain("TOP SECRET");
  expect(server.requests[1]?.messages.at(-1)?.content).toContain("FILE kept.txt");
  for (const name of ["AGENTS.md", "STYLE.md", ".gitignore"]) {
    expect(stderr.split(`${join(cwd, name)}: leads out of ${cwd}`)).toHaveLength(2); // once, although there are two turns
  }
  expect(stderr).toContain(`${join(cwd, "TEAM.md")}: is not a regular file`);
});

test("a run whose .agentsignore cannot be read has no file tools, and says why", async () => {
  const server = fakeOpenAI([{ calls: [{ name: "read_file", arguments: { path: "secret.txt" } }] }, { text: "done" }]);
  const cwd = tempDir({
    "secret.txt": "TOP SECRET",
    "agent.yaml": agentFor(server, { toolsets: [{ type: "filesystem" }] }),
  });
  Bun.spawnSync(["mkfifo", join(cwd, ".agentsignore")]);
  const { code, stderr } = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
  server.stop();
  expect(code).toBe(0);
  expect(stderr).toContain(
    `${join(cwd, ".agentsignore")}: is not a regular file; without its rules the file tools refuse every path`,
  );
  expect(server.requests[0]?.tools ?? []).toEqual([]);
  expect(JSON.stringify(server.requests)).not.toContain("TOP SECRET");
});

test("a hooks file can be a pipe from the shell", async () => {
  const cwd = tempDir();
  const hooks = JSON.stringify({ pre_tool_use: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] });
  const child = Bun.spawn(
    ["bash", "-c", '"$HOOKSH" dispatch --output result --hooks-file <(sleep 0.2; printf %s "$HOOKS")'],
    {
      cwd,
      env: cleanEnv(cwd, { HOOKSH: binary(), HOOKS: hooks }),
      stdin: Buffer.from(CALL),
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  expect(await child.exited).toBe(2);
  expect(await child.stdout.text()).toContain('"allowed":false');
});

test("an agent file can be a pipe from the shell, although it is read more than once", async () => {
  const cwd = tempDir();
  const child = Bun.spawn(["bash", "-c", '"$HOOKSH" validate <(printf %s "$AGENT")'], {
    cwd,
    env: cleanEnv(cwd, { HOOKSH: binary(), AGENT: "agents: {root: {model: openai/gpt-4o, modell: x}}" }),
    stdout: "inherit",
    stderr: "pipe",
  });
  expect(await child.exited).toBe(1);
  expect(await child.stderr.text()).toMatch(/^\/dev\/fd\/\d+:1:39: agents\.root\.modell: unknown key/);
});
