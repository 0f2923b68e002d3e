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
import { classifyCommand } from "../../src/shell/classify.ts";
import { singleQuoted } from "../../src/shell/quote-word.ts";
import { type Dice, diceFrom, pick } from "../helpers/dice.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { generate, TOOLS } from "./command-fuzz.ts";
import { DESTRUCTIVE } from "./corpus.ts";

// A longer search: HOOKSH_FUZZ_ROUNDS=5000 HOOKSH_FUZZ_SEED=7.
const ROUNDS = Number(Bun.env["HOOKSH_FUZZ_ROUNDS"] ?? 60);
const SEED = Number(Bun.env["HOOKSH_FUZZ_SEED"] ?? 1);

const double = (text: string) => `"${text.replace(/[\\"$`]/g, "\\$&")}"`;

/** Ways to run a command line that a shell reads as the same commands. */
const WRAPPERS: readonly ((line: string) => string)[] = [
  (line) => ` ${line} `,
  (line) => `\t${line}`,
  (line) => `${line} # done`,
  (line) => `${line}\n`,
  (line) => `true; ${line}`,
  (line) => `ls && ${line}`,
  (line) => `false || ${line}`,
  (line) => `cd x\n${line}`,
  (line) => `(${line}\n)`,
  (line) => `{ ${line}\n}`,
  (line) => `if true; then\n${line}\nfi`,
  (line) => `for i in 1; do\n${line}\ndone`,
  (line) => `x=$(${line}\n)`,
  (line) => `echo "$(${line}\n)"`,
  (line) => `f() {\n${line}\n}; f`,
  (line) => `sh -c ${singleQuoted(line)}`,
  (line) => `sh -c ${double(line)}`,
  (line) => `bash -euc ${singleQuoted(line)}`,
  (line) => `sudo bash -c ${singleQuoted(line)}`,
  (line) => `eval ${singleQuoted(line)}`,
  (line) => `env A=1 sh -c ${singleQuoted(line)}`,
  (line) => `nohup sh -c ${singleQuoted(line)} >/dev/null 2>&1 &`,
  (line) => `timeout 9 bash -c ${singleQuoted(line)}`,
  (line) => `echo x | xargs sh -c ${singleQuoted(line)}`,
  (line) => `find . -exec sh -c ${singleQuoted(line)} \\;`,
  (line) => `sh <<'EOT'\n${line}\nEOT`,
  (line) => `bash <<< ${singleQuoted(line)}`,
  (line) => `printf %s ${singleQuoted(line)} | sh`,
  (line) => `ssh host ${singleQuoted(line)}`,
  (line) => `docker exec c sh -c ${singleQuoted(line)}`,
  (line) => `trap ${singleQuoted(line)} EXIT`,
  (line) => `c=${singleQuoted(line)}; eval "$c"`,
  (line) => `c=${singleQuoted(line)}; sh -c "$c"`,
  (line) => `./unknown-program -- sh -c ${singleQuoted(line)}`,
];

/** The first word spelled in another way. */
function spelled(dice: Dice, line: string): string {
  const word = /^[a-z][a-z0-9.]+(?=\s)/.exec(line)?.[0];
  if (word === undefined) return line;
  const at = 1 + dice(word.length - 1);
  const [head, tail] = [word.slice(0, at), word.slice(at)];
  const code = word.charCodeAt(0);
  const other = pick(dice, [
    `"${word}"`,
    `'${word}'`,
    `${head}''${tail}`,
    `${head}""${tail}`,
    `\\${word}`,
    `${head}\\\n${tail}`,
    `"${head}"'${tail}'`,
    `$'${word}'`,
    `$'\\x${code.toString(16)}'${word.slice(1)}`,
    `$'\\${code.toString(8)}${word.slice(1)}'`,
    `$(echo ${word})`,
    `\`echo ${word}\``,
    `/usr/bin/${word}`,
    word.toUpperCase(),
    `command ${word}`,
    `env ${word}`,
    `sudo ${word}`,
    `nohup ${word}`,
    `$SUDO ${word}`,
  ]);
  return other + line.slice(word.length);
}

describe("a destructive command in other words", () => {
  const commands = Object.values(DESTRUCTIVE).flat();
  const variants = (change: (dice: Dice, command: string) => string) => {
    const dice = diceFrom(SEED);
    return Array.from({ length: Math.ceil(ROUNDS / 150) }, () =>
      commands.map((command) => change(dice, command)),
    ).flat();
  };
  const shareOf = (lines: readonly string[]) => {
    const labels = lines.map((line) => [line, classifyCommand(line).label] as const);
    expect(labels.filter(([, label]) => label === "safe")).toEqual([]);
    return labels.filter(([, label]) => label === "destructive").length / lines.length;
  };

  test("in a wrapper is never safe, and nearly always destructive", () => {
    expect(shareOf(variants((dice, command) => pick(dice, WRAPPERS)(command)))).toBeGreaterThan(0.98);
  });

  test("in two wrappers is never safe, and nearly always destructive", () => {
    expect(shareOf(variants((dice, command) => pick(dice, WRAPPERS)(pick(dice, WRAPPERS)(command))))).toBeGreaterThan(
      0.95,
    );
  });

  test("with its program spelled otherwise is never safe, and nearly always destructive", () => {
    expect(shareOf(variants(spelled))).toBeGreaterThan(0.98);
  });
});

const SHELLS = ["bash", "dash", "zsh", "ksh93", "busybox", "fish"].flatMap((name) => Bun.which(name) ?? []);
const PROGRAM = "shred";
const root = tempDir();
const tools = join(root, "tools");

/** Every program on the PATH notes its name; the destructive one does nothing else. */
beforeAll(() => {
  mkdirSync(tools, { recursive: true });
  for (const name of [PROGRAM, "good", ...TOOLS]) {
    const real = name === PROGRAM || name === "good" ? undefined : Bun.which(name);
    if (real === null) continue;
    writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} >>"$MARKS"\n${real ? `exec ${real} "$@"` : "exit 0"}\n`);
    chmodSync(join(tools, name), 0o755);
  }
});

let runs = 0;

/** True if a shell starts the destructive program for a command line. */
async function starts(shell: string, line: string, cwd: string): Promise<boolean> {
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
  return existsSync(marks) && readFileSync(marks, "utf8").split("\n").includes(PROGRAM);
}

test("compared with real shells: a line that runs the destructive program is never safe, and nearly always destructive", async () => {
  const dice = diceFrom(SEED + 2);
  const cwd = join(root, "work");
  mkdirSync(cwd);
  symlinkSync(tools, join(cwd, "tools"));
  let [found, called] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const line = generate(dice, PROGRAM);
    const { label } = classifyCommand(line);
    for (const shell of SHELLS) {
      if (!(await starts(shell, line, cwd))) continue;
      expect([shell, line, label]).not.toEqual([shell, line, "safe"]);
      found++;
      if (label === "destructive") called++;
      else if (Bun.env["HOOKSH_FUZZ_ROUNDS"]) console.log(shell, JSON.stringify(line), label);
    }
  }
  expect(found).toBeGreaterThan(ROUNDS / 10);
  expect(called / found).toBeGreaterThan(0.9);
}, 3_600_000);
