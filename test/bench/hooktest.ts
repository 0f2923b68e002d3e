/**
 * `hooksh test` on 100 tests: of a builtin, of a stub, and of a command hook, against as many bare processes. Run:
 * `bun test/bench/hooktest.ts`.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printTable, shown, timePrograms } from "./measure.ts";

const binary = join(import.meta.dir, "../../dist/hooksh");
const folder = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
const TESTS = 100;
const ROUNDS = 7;

const items = JSON.stringify(Array.from({ length: TESTS }, (_, n) => `git log -${n}`));

function testFile(name: string, hook: string, more = ""): string[] {
  const path = join(folder, `${name}.hooktest.yaml`);
  writeFileSync(
    path,
    `hooks: { pre_tool_use: { hooks: ${hook} } }\n${more}tests:
  - { event: pre_tool_use, tool: shell, each: ${items}, input: { cmd: $each }, expect: { decision: none } }\n`,
  );
  return [binary, "test", path];
}

const command = "{ type: command, name: guard, command: cat >/dev/null }";
const programs: Record<string, string[]> = {
  "floor: 100 processes in a row": [
    "/bin/sh",
    "-c",
    `for n in $(seq ${TESTS}); do /bin/sh -c 'cat >/dev/null' </dev/null; done`,
  ],
  "100 tests of a builtin": testFile("builtin", "{ type: builtin, command: redact_secrets }"),
  "100 tests of a hook with a stub": testFile("stub", command, "stubs: { guard: none }\n"),
  "100 tests of a command hook": testFile("command", command),
  "the same with --jobs 2": [...testFile("jobs", command), "--jobs", "2"],
};

const timed = await timePrograms(
  Object.entries(programs).map(([name, argv]) => ({ name, command: argv })),
  ROUNDS,
);
printTable(
  `hooksh test, ${TESTS} tests`,
  ["program", "median ms", "p90 ms"],
  [...timed].map(([name, { median, p90 }]) => [name, shown(median), shown(p90)]),
);
rmSync(folder, { recursive: true });
