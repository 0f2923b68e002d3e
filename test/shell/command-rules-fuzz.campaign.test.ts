import { beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { callForRules, judgeByRules } from "../../src/runtime/permissions/permissions.ts";
import { diceFrom } from "../helpers/dice.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fakeShell } from "../runtime/harness.ts";
import { generate, TOOLS } from "./command-fuzz.ts";

// A longer search: HOOKSH_FUZZ_ROUNDS=5000 HOOKSH_FUZZ_SEED=7.
const ROUNDS = Number(Bun.env["HOOKSH_FUZZ_ROUNDS"] ?? 250);
const SEED = Number(Bun.env["HOOKSH_FUZZ_SEED"] ?? 1);
const NONE = { allow: [], ask: [], deny: [] };
const SHELLS = ["bash", "dash", "zsh", "ksh93", "busybox", "fish"].flatMap((name) => Bun.which(name) ?? []);

const root = tempDir();
const tools = join(root, "tools");

/** Every program on the PATH notes its name, then does its work. */
beforeAll(() => {
  mkdirSync(tools, { recursive: true });
  for (const name of ["good", "bad", ...TOOLS]) {
    const real = name === "good" || name === "bad" ? undefined : Bun.which(name);
    if (real === null) continue;
    writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} >>"$MARKS"\n${real ? `exec ${real} "$@"` : "exit 0"}\n`);
    chmodSync(join(tools, name), 0o755);
  }
});

let runs = 0;

/** A directory to run in, with the programs below it. Jobs that a test leaves behind do not reach another's. */
function workspace(name: string): string {
  const cwd = join(root, name);
  mkdirSync(cwd);
  symlinkSync(tools, join(cwd, "tools"));
  return cwd;
}

/** The names of the programs that a shell runs for a command line, and the files that it leaves. */
async function run(shell: string, line: string, cwd: string): Promise<{ ran: string[]; files: string[] }> {
  // A job in the background may outlive its shell: it must not write to the next one's notes.
  const marks = join(root, `marks-${++runs}`);
  for (const name of readdirSync(cwd)) if (name !== "tools") rmSync(join(cwd, name), { recursive: true, force: true });
  writeFileSync(join(cwd, "in"), "x\n");
  const command = shell.endsWith("busybox") ? [shell, "sh", "-c", line] : [shell, "-c", line];
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: tools, MARKS: marks },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  await child.exited;
  const ran = existsSync(marks) ? readFileSync(marks, "utf8").trim().split("\n") : [];
  return { ran, files: readdirSync(cwd).filter((name) => name !== "tools" && name !== "in") };
}

const call = (cmd: string) => callForRules(fakeShell(), { cmd });

describe("compared with real shells", () => {
  test("whenever a shell runs the denied program, the rule hits", async () => {
    const dice = diceFrom(SEED);
    const rules = { ...NONE, deny: ["shell:cmd=bad", "shell:cmd=bad *"] };
    const cwd = workspace("denied");
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const line = generate(dice, "bad");
      const hit = judgeByRules(rules, call(line)) === "deny";
      for (const shell of hit && round % 10 > 0 ? [] : SHELLS) {
        const { ran } = await run(shell, line, cwd);
        if (!ran.includes("bad")) continue;
        found++;
        expect([shell, line, hit]).toEqual([shell, line, true]);
      }
    }
    expect(found).toBeGreaterThan(ROUNDS / 50);
  }, 3_600_000);

  test("whenever rules allow a line, only allowed programs run, and nothing is written", async () => {
    const dice = diceFrom(SEED + 1);
    const allowed = ["good", "cat", "true", "echo", "printf", ":", "false"];
    const rules = { ...NONE, allow: allowed.flatMap((name) => [`shell:cmd=${name}`, `shell:cmd=${name} *`]) };
    const cwd = workspace("allowed");
    let covered = 0;
    for (let round = 0; round < ROUNDS * 4; round++) {
      const line = generate(dice, dice(3) === 0 ? "bad" : "good");
      if (judgeByRules(rules, call(line)) !== "allow") continue;
      for (const shell of SHELLS) {
        covered++;
        const { ran, files } = await run(shell, line, cwd);
        expect([shell, line, ran.filter((name) => !allowed.includes(name)), files]).toEqual([shell, line, [], []]);
      }
    }
    expect(covered).toBeGreaterThan(ROUNDS / 10);
  }, 3_600_000);
});
