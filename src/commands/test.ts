import { resolve } from "node:path";
import { isOwnHook } from "../config/hooks/read-hooks.ts";
import { processEnv } from "../lib/env.ts";
import { ConfigError, EXIT_CODES, UsageError } from "../lib/errors.ts";
import { compilePattern, type Pattern } from "../pattern/pattern.ts";
import { type CommandInput, defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";
import { directoriesOf, openLog } from "./cli/global-flags.ts";
import { isTerminalOutput, printError, printStyled, reserveStandardOutput, warn } from "./cli/print.ts";
import { lazyModelClient, MODEL_FLAGS } from "./dispatch/lazy-model-client.ts";
import { painter, shouldUseColors } from "./render/paint.ts";
import { renderCase, renderTotals } from "./render/tests-text.ts";
import { EXTRA_FLAGS } from "./test/extra-flags.ts";
import { findTestFiles } from "./test/find-test-files.ts";
import { readTestFile } from "./test/read-test-file.ts";
import { type CaseResult, openSettings } from "./test/run-case.ts";
import { runTests } from "./test/run-tests.ts";
import type { TestFile } from "./test/test-case.ts";

const FLAGS = {
  run: { kind: "value", hint: "REGEX", description: "Run only the tests whose name matches the regular expression" },
  jobs: { kind: "value", alias: "j", hint: "N", description: "Run up to N tests at the same time (default: 1)" },
  "fail-fast": { kind: "switch", description: "Stop at the first test that fails" },
  ...EXTRA_FLAGS,
  ...MODEL_FLAGS,
} as const satisfies FlagSpecs;

type TestInput = CommandInput<typeof FLAGS>;

/** `hooksh test`: runs test files of hooks. */
export const command = defineCommand({
  positionals: "[FILE|DIR...]",
  description:
    "Runs the hooks that a *.hooktest.yaml names on the events in it, with real processes, and compares what they decide with what\n" +
    "the file expects. Searches directories at every depth; by default the current one. Prints a line for each test, and for one\n" +
    "that fails what differs and what every hook printed. Exits 1 if a test fails, 3 if there is none.",
  flags: FLAGS,
  run: runTestCommand,
});

async function runTestCommand(input: TestInput): Promise<number> {
  const { flags, positionals, signal } = input;
  const jobs = jobsOf(flags.jobs);
  const pattern = patternOf(flags.run);
  const directories = directoriesOf(flags);
  if (flags.attacks !== undefined) return runAttackCommand(input, flags.attacks, jobs);
  const found = findTestFiles(positionals, resolve("."));
  let failed = false;
  const results: CaseResult[] = [];
  const started = performance.now();
  const paint = painter(isTerminalOutput() && shouldUseColors(processEnv(), flags["no-color"]));
  for (const path of found.tests) {
    const file = await readTestFile(path, directories).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      error.problems.forEach(printError);
      failed = true;
      return undefined;
    });
    if (!file) continue;
    const cases = file.cases.filter(({ name }) => pattern?.test(name) ?? true);
    if (cases.length === 0) continue;
    await printStyled(file.name);
    const client = clientOf(file, input, directories);
    const { settings, close } = openSettings({ directories, client, log: openLog(flags, directories), signal });
    if (file.hooks.entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
    try {
      for await (const result of runTests(cases, settings, { jobs, failFast: flags["fail-fast"] ?? false })) {
        results.push(result);
        failed ||= result.status === "failed";
        await printStyled(await renderCase(result, paint));
      }
    } finally {
      close();
    }
    if (signal.aborted) return EXIT_CODES.interrupted;
  }
  if (results.length === 0 && !failed) {
    warn("no tests found");
    return 3;
  }
  await printStyled(`\n${renderTotals(results, performance.now() - started)}`);
  return failed ? EXIT_CODES.failed : EXIT_CODES.ok;
}

async function runAttackCommand(input: TestInput, category: string, jobs: number): Promise<number> {
  const { flags, positionals, signal } = input;
  const directories = directoriesOf(flags);
  const { attackCommand } = await import("./test/attacks/attack-command.ts");
  return attackCommand({
    category,
    paths: positionals,
    agent: flags.agent,
    jobs,
    json: flags.json ?? false,
    directories,
    cwd: resolve("."),
    client: (hooks) => clientOf({ hooks }, input, directories),
    log: openLog(flags, directories),
    signal,
    paint: painter(isTerminalOutput() && shouldUseColors(processEnv(), flags["no-color"])),
  });
}

function clientOf(
  { hooks }: Pick<TestFile, "hooks">,
  { flags }: TestInput,
  directories: ReturnType<typeof directoriesOf>,
) {
  return lazyModelClient({ flags, file: hooks.agent?.file, directories, cwd: resolve(".") });
}

function jobsOf(given: string | undefined): number {
  if (given === undefined) return 1;
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  throw new UsageError(`--jobs takes a number from 1 to 999, not ${JSON.stringify(given)}`);
}

function patternOf(given: string | undefined): Pattern | undefined {
  if (given === undefined) return undefined;
  try {
    return compilePattern(`(?s:.*)(?:${given})(?s:.*)`);
  } catch (error) {
    throw new UsageError(`--run ${JSON.stringify(given)} is not a valid regular expression: ${String(error)}`);
  }
}
