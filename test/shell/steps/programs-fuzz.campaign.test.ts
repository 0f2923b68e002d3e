import { beforeAll, expect, test } from "bun:test";
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
import { diceFrom } from "../../helpers/dice.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { generate, TOOLS } from "../command-fuzz.ts";
import { mayBe, programsOf } from "./shown-programs.ts";

// A longer search: HOOKSH_FUZZ_ROUNDS=50000 HOOKSH_FUZZ_SEED=7.
const ROUNDS = Number(Bun.env["HOOKSH_FUZZ_ROUNDS"] ?? 3000);
const SEED = Number(Bun.env["HOOKSH_FUZZ_SEED"] ?? 1);
const SHELLS = ["bash", "dash", "zsh", "ksh93", "mksh", "busybox", "fish"].flatMap((name) => Bun.which(name) ?? []);

/**
 * Programs that the facts must name. Launchers and shells are none, since what they start stands for them; nor is `cat`, which
 * zsh runs for a redirection alone.
 */
const NAMED = ["good", "bad", "find"];

const root = tempDir();
const tools = join(root, "tools");
const cwd = join(root, "work");

/** Every program on the PATH notes its name, then does its work. */
beforeAll(() => {
  mkdirSync(tools);
  mkdirSync(cwd);
  for (const name of ["good", "bad", ...TOOLS]) {
    const real = name === "good" || name === "bad" ? undefined : Bun.which(name);
    if (real === null) continue;
    writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} >>"$MARKS"\n${real ? `exec ${real} "$@"` : "exit 0"}\n`);
    chmodSync(join(tools, name), 0o755);
  }
  symlinkSync(tools, join(cwd, "tools"));
});

let runs = 0;

/** The programs that a shell runs for a line. */
async function programsRun(shell: string, line: string): Promise<string[]> {
  // A job in the background may outlive its shell: it must not write to the next one's notes.
  const marks = join(root, `marks-${++runs}`);
  for (const name of readdirSync(cwd)) if (name !== "tools") rmSync(join(cwd, name), { recursive: true, force: true });
  writeFileSync(join(cwd, "in"), "x\n");
  const child = Bun.spawn(shell.endsWith("busybox") ? [shell, "sh", "-c", line] : [shell, "-c", line], {
    cwd,
    env: { PATH: tools, MARKS: marks },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  await child.exited;
  return existsSync(marks) ? readFileSync(marks, "utf8").trim().split("\n") : [];
}

test("no shell runs a program that the facts neither name nor call opaque", async () => {
  const dice = diceFrom(SEED);
  const missed: string[] = [];
  let compared = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const line = generate(dice, "bad");
    const shown = programsOf(line);
    if (shown.hides) continue;
    const unnamed = NAMED.filter((name) => !mayBe(name, shown));
    // Lines of which every program is named are compared now and then, so that the comparison itself is seen to work.
    if (!unnamed.includes("bad") && round % 20 > 0) continue;
    for (const shell of SHELLS) {
      compared++;
      const ran = await programsRun(shell, line);
      const unseen = unnamed.filter((name) => ran.includes(name));
      if (unseen.length > 0) missed.push(`${shell} runs ${unseen.join()}: ${JSON.stringify(line)}`);
    }
  }
  expect(missed).toEqual([]);
  expect(compared).toBeGreaterThan(ROUNDS / 10);
}, 3_600_000);
