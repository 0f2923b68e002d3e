import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import { directoriesOf, openLog } from "../cli/global-flags.ts";
import { jobsOf } from "../cli/jobs-flag.ts";
import { type Paint, painter, shouldUseColors } from "../cli/paint.ts";
import { isTerminalOutput, printError, printStyled, warn } from "../cli/print.ts";
import { lazyModelClient } from "../hooks/lazy-model-client.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, errorText, UsageError } from "../lib/errors.ts";
import { compilePattern } from "../pattern/pattern.ts";
import { checkExtraFlags, openExtras } from "../testing/extras.ts";
import { findTestFiles } from "../testing/find-test-files.ts";
import { githubReporter } from "../testing/github-reporter.ts";
import { junitReporter } from "../testing/junit-reporter.ts";
import { onlyMarked } from "../testing/only-marked.ts";
import { JSON_REPORTER, type Reporter } from "../testing/reporter.ts";
import { type LoadedFiles, loadFiles, type RunFilesOptions, runFiles } from "../testing/run-files.ts";
import { TEST_FLAG_GROUPS, TEST_FLAGS } from "../testing/test-flags.ts";
import { textReporter } from "../testing/tests-text.ts";
import { watchTests } from "../testing/watch-tests.ts";

type TestInput = CommandInput<typeof TEST_FLAGS>;

/** `hooksh test`: runs test files of hooks. */
export const command = defineCommand({
  positionals: "[FILE|DIR...]",
  description:
    "Runs the hooks that a *.hooktest.yaml names on the events in it, with real processes, and compares what they decide with what\n" +
    "the file expects. Searches directories at every depth; by default the current one. An agent file or hooks file tests the\n" +
    "examples beside its hooks and rules. Prints a line for each test, and for one that fails what differs and what every hook printed.\n" +
    "Exits 1 if a test fails or a file is not valid, 3 if there is no test.",
  flags: TEST_FLAGS,
  flagGroups: TEST_FLAG_GROUPS,
  run: runTestCommand,
});

async function runTestCommand(input: TestInput): Promise<number> {
  const { flags, positionals, signal } = input;
  if (flags.attacks !== undefined) refuseFlags(flags, "--attacks", ["init", ...FLAGS_OF_TESTS]);
  if (flags.init !== undefined) refuseFlags(flags, "--init", ["json", "jobs", ...FLAGS_OF_TESTS]);
  const options = optionsOf(input);
  if (flags.attacks !== undefined) return runAttackCommand(input, flags.attacks, options);
  if (flags.init !== undefined) return runInitCommand(input, flags.init, options);
  const find = () => findTestFiles(positionals, resolve("."));
  const { directories } = options;
  checkExtraFlags(flags);
  if (!flags.watch) return runOnce(await loadFiles(find(), directories), options, flags);
  if (flags.update) throw new UsageError("--watch and --update cannot be used together");
  await watchTests({ find, load: (found) => loadFiles(found, directories), signal }, async (loaded, stop) => {
    await runOnce(loaded, { ...options, signal: stop }, flags);
    if (!flags.json && !stop.aborted) await printStyled("watching for changes, Ctrl+C ends\n");
  });
  return EXIT_CODES.interrupted;
}

/** The flags that have a meaning only if tests run. */
const FLAGS_OF_TESTS = [
  "run",
  "fail-fast",
  "update",
  "watch",
  "junit",
  "coverage",
  "fuzz",
  "seed",
  "fuzz-skip",
  "budget",
  "dialect",
] as const satisfies readonly (keyof typeof TEST_FLAGS)[];

function refuseFlags(flags: TestInput["flags"], mode: string, names: readonly (keyof typeof TEST_FLAGS)[]): void {
  const given = names.find((name) => {
    const value = flags[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (given !== undefined) throw new UsageError(`--${given} has no effect with ${mode}: leave it out`);
}

async function runAttackCommand(
  { flags, positionals }: TestInput,
  category: string,
  { client, directories, jobs, log, signal }: RunFilesOptions,
): Promise<number> {
  const { attackCommand } = await import("../testing/attacks/attack-command.ts");
  const { agent, json = false } = flags;
  const paint = paintOf(flags);
  return attackCommand({
    category,
    paths: positionals,
    agent,
    jobs,
    json,
    directories,
    cwd: resolve("."),
    client: (hooks) => client({ hooks }),
    log,
    signal,
    paint,
  });
}

async function runInitCommand(
  { flags: { agent }, positionals }: TestInput,
  reference: string,
  { client, directories, log, signal }: RunFilesOptions,
): Promise<number> {
  if (positionals.length > 0) throw new UsageError("--init takes one agent file or hooks file, and nothing else");
  const { initCommand } = await import("../testing/init/init-command.ts");
  return initCommand({ reference, agent, directories, client: (hooks) => client({ hooks }), log, signal });
}

async function runOnce(loaded: LoadedFiles, options: RunFilesOptions, flags: TestInput["flags"]): Promise<number> {
  const { files, refused } = await onlyMarked(loaded.files, processEnv(), warn);
  const extras = await openExtras(flags, { loaded, paint: paintOf(flags), jobs: options.jobs });
  const reporters = [...extras.reporters, ...options.reporters]; // the totals come last
  const broken = [...loaded.broken, ...refused];
  const summary = await runFiles({ files, broken }, { ...options, ...extras, reporters });
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  if (summary.failed + summary.broken > 0 || extras.failed()) return EXIT_CODES.failed;
  if (summary.passed + summary.skipped > 0) return EXIT_CODES.ok;
  const hasTests = files.some(({ cases, recordings }) => cases.length + recordings.length > 0);
  printError(
    hasTests && flags.run !== undefined
      ? `no test matches --run ${JSON.stringify(flags.run)}`
      : "no test was found: write a *.hooktest.yaml, or examples beside a hook or a rule",
  );
  return EXIT_CODES.noTests;
}

function optionsOf({ flags, signal }: TestInput): RunFilesOptions {
  const directories = directoriesOf(flags);
  return {
    directories,
    accepts: patternOf(flags.run),
    client: ({ hooks }) => lazyModelClient({ flags, file: hooks.agent?.file, directories, cwd: resolve(".") }),
    update: flags.update ?? false,
    jobs: jobsOf(flags.jobs),
    failFast: flags["fail-fast"] ?? false,
    log: openLog(flags, directories),
    signal,
    reporters: reportersOf(flags),
  };
}

function reportersOf(flags: TestInput["flags"]): Reporter[] {
  // An annotation would not be JSON; on standard error it counts as well.
  const annotate = flags.json ? async (line: string) => printError(line) : printStyled;
  return [
    flags.json ? JSON_REPORTER : textReporter(paintOf(flags)),
    githubReporter(processEnv(), annotate),
    ...(flags.junit === undefined ? [] : [junitReporter(resolve(flags.junit))]),
  ];
}

function paintOf(flags: TestInput["flags"]): Paint {
  return painter(isTerminalOutput() && shouldUseColors(processEnv(), flags["no-color"]));
}

function patternOf(given: string | undefined): (name: string) => boolean {
  if (given === undefined) return () => true;
  try {
    compilePattern(given);
  } catch (error) {
    throw new UsageError(`--run ${JSON.stringify(given)} is not a valid regular expression: ${errorText(error)}`);
  }
  const pattern = compilePattern(`(?s:.*)(?:${given})(?s:.*)`);
  return (name) => pattern.test(name);
}
