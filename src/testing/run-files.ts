import { reserveStandardOutput } from "../cli/print.ts";
import { isOwnHook } from "../config/hooks/read-hooks.ts";
import type { Log } from "../engine/handler.ts";
import type { ModelClient } from "../engine/handlers/model-handler.ts";
import type { Directories } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { exampleCases, readExamples } from "./example-cases.ts";
import type { FoundFiles } from "./find-test-files.ts";
import { readTestFile } from "./read-test-file.ts";
import type { Reporter, Summary } from "./reporter.ts";
import { ruleExampleCases } from "./rule-examples.ts";
import { type CaseResult, openSettings, type RunSettings } from "./run-case.ts";
import { runRecordings } from "./run-recordings.ts";
import { type RunOrder, runTests } from "./run-tests.ts";
import type { TestCase, TestFile } from "./test-case.ts";
import { displayPath } from "./test-hooks.ts";

/** Why `--dialect` skips recordings. */
const SENT_BY_AGENT = "recorded events are judged as the agent sent them: leave out --dialect";

export interface RunFilesOptions extends RunOrder {
  directories: Directories;
  /** True for the names of tests to run. */
  accepts: (name: string) => boolean;
  /** Creates the client for the model hooks of a file. */
  client: (file: Pick<TestFile, "hooks">) => ModelClient;
  /** Writes the verdicts of recorded events instead of comparing them. */
  update: boolean;
  log: Log;
  signal: AbortSignal;
  reporters: readonly Reporter[];
  /** Returns the cases to run in the place of those of a file: for other agents. */
  adapt?: (cases: readonly TestCase[]) => readonly TestCase[];
  /** Runs cases again, in other spellings. */
  fuzz?: (cases: readonly TestCase[], settings: RunSettings) => AsyncIterable<CaseResult>;
}

export interface LoadedFiles {
  files: readonly TestFile[];
  broken: readonly { name: string; problems: readonly string[] }[];
}

/** Reads all test files, and the examples beside hooks and rules: of each hooks file once. */
export async function loadFiles(found: FoundFiles, directories: Directories): Promise<LoadedFiles> {
  const files: TestFile[] = [];
  const broken: { name: string; problems: readonly string[] }[] = [];
  const seen = new Set<string>();
  const read = async (path: string, file: () => Promise<TestFile>) => {
    try {
      const { cases, ...rest } = await file();
      const examples = [...(await exampleCases(rest, seen)), ...ruleExampleCases(rest.hooks.rules, seen)];
      files.push({ ...rest, cases: [...cases, ...examples] });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      broken.push({ name: displayPath(path), problems: error.problems });
    }
  };
  for (const path of found.tests) await read(path, () => readTestFile(path, directories));
  for (const path of found.hooks) await read(path, () => readExamples(path, directories));
  return { files, broken };
}

/** Runs the tests of files that were read, and reports them. */
export async function runFiles({ files, broken }: LoadedFiles, options: RunFilesOptions): Promise<Summary> {
  const { reporters, signal } = options;
  const started = performance.now();
  const summary: Summary = { passed: 0, failed: 0, skipped: 0, broken: broken.length, milliseconds: 0 };
  for (const { name, problems } of broken) for (const reporter of reporters) await reporter.broken?.(name, problems);
  for (const file of files) {
    if (signal.aborted || (options.failFast && summary.failed > 0)) break;
    await runFile(file, options, summary);
  }
  summary.milliseconds = performance.now() - started;
  for (const reporter of reporters) await reporter.end?.(summary);
  return summary;
}

async function runFile(file: TestFile, options: RunFilesOptions, summary: Summary): Promise<void> {
  const { reporters, directories, log, signal, accepts } = options;
  const accepted = file.cases.filter(({ name }) => accepts(name));
  const cases = options.adapt?.(accepted) ?? accepted;
  const recordings = file.recordings
    .filter(({ name }) => accepts(name))
    .map((test) => (options.adapt ? { ...test, skip: test.skip ?? SENT_BY_AGENT } : test));
  if (cases.length + recordings.length === 0) return;
  if (file.hooks.entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
  for (const reporter of reporters) await reporter.file?.(file.name);
  const show = async (result: CaseResult) => {
    summary[result.status]++;
    for (const reporter of reporters) await reporter.result?.(result);
  };
  const { settings, close } = openSettings({ directories, client: options.client(file), log, signal });
  try {
    for await (const result of runTests(cases, settings, options)) await show(result);
    if (options.fuzz) for await (const result of options.fuzz(cases, settings)) await show(result);
    for (const recording of recordings) {
      if (options.failFast && summary.failed > 0) break;
      for await (const result of runRecordings(recording, settings, options.update)) await show(result);
    }
  } finally {
    close();
  }
}
