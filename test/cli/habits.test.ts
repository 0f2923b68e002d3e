/** Flags that users of other agents type out of habit. */
import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test.each([
  ["-c", "use --session -1"],
  ["--continue", "use --session -1"],
  ["--resume", "use --session ID"],
  ["-y", "use --yolo"],
])("%s names what run has instead, with and without the command", async (flag, advice) => {
  const cwd = tempDir();
  for (const words of [["run", flag], [flag, "hello"], [flag]]) {
    const ran = await hooksh(words, { cwd });
    expect(ran.code).toBe(64);
    expect(ran.stderr).toStartWith(`unknown flag ${flag}: `);
    expect(ran.stderr).toContain(advice);
  }
});

test("-p without a command names the command that has it", async () => {
  for (const words of [["-p", "hello"], ["-p"]]) {
    const ran = await hooksh(words, { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining("use `hooksh run -p AGENT MESSAGE`") });
  }
});

test("a flag of run without a command names the command that has it", async () => {
  for (const words of [["--last"], ["--last", "fix it"], ["--replay=tape.yaml", "fix it"]]) {
    const ran = await hooksh(words, { cwd: tempDir() });
    const flag = words[0] === "--last" ? "--last" : "--replay";
    const usage = flag === "--last" ? "--last" : "--replay FILE";
    expect([ran.code, ran.stderr.split("\n")[0]]).toEqual([
      64,
      `unknown flag ${flag}: it is a flag of run: \`hooksh run ${usage} AGENT MESSAGE\``,
    ]);
  }
  const mistyped = await hooksh(["frobnicate", "--json"], { cwd: tempDir() });
  expect(mistyped.stderr).toStartWith('unknown command "frobnicate"');
  expect((await hooksh(["--lats"], { cwd: tempDir() })).stderr).toStartWith("unknown flag --lats\n");
});

test.each([
  ["run --hooks h.yaml", "unknown flag --hooks, did you mean --hooks-file?"],
  ["dispatch --hooks=h.yaml", "unknown flag --hooks, did you mean --hooks-file?"],
  ["install claude --hooks-file h.yaml", "unknown flag --hooks-file, did you mean --file?"],
])("%s names the flag that was meant", async (line, message) => {
  expect((await hooksh(line.split(" "), { cwd: tempDir() })).stderr).toStartWith(`${message}\n`);
});

test.each([
  ["run --dangerously-skip-permissions hello", "unknown flag --dangerously-skip-permissions: use --yolo"],
  ["agent.yaml hello", 'unknown command "agent.yaml": to run an agent file: hooksh run agent.yaml'],
])("%s names what hooksh has", async (line, message) => {
  expect((await hooksh(line.split(" "), { cwd: tempDir() })).stderr).toStartWith(message);
});

test("other commands have no such advice", async () => {
  const { stderr } = await hooksh(["validate", "--resume"], { cwd: tempDir() });
  expect(stderr).toStartWith("unknown flag --resume");
  expect(stderr).not.toContain("session");
});
