import { existsSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { print } from "../../cli/print.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import { parseDocument } from "../../config/yaml/document.ts";
import type { Log } from "../../engine/handler.ts";
import type { ModelClient } from "../../engine/handlers/model-handler.ts";
import type { Directories } from "../../lib/env.ts";
import { EXIT_CODES, errorText, UserError } from "../../lib/errors.ts";
import { contractOf } from "../../protocol/events.ts";
import { FAULT_KINDS } from "../faults.ts";
import { type CaseResult, openSettings } from "../run-case.ts";
import { runTests } from "../run-tests.ts";
import { readStub } from "../stub-answer.ts";
import type { TestCase } from "../test-case.ts";
import { displayPath, loadTestHooks, type TestHooks } from "../test-hooks.ts";
import { referenceTo, type SampleCase, sampleCases } from "./sample-cases.ts";

/** What `hooksh test --init` runs with. */
export interface InitOptions {
  /** The agent file or hooks file. */
  reference: string;
  agent: string | undefined;
  directories: Directories;
  client: (hooks: TestHooks) => ModelClient;
  log: Log;
  signal: AbortSignal;
}

/** A sample, and the case that runs it. */
interface Sample {
  entry: HookEntry;
  sample: SampleCase;
  test: TestCase;
}

/**
 * Runs `hooksh test --init`: runs every hook of a file once, and writes the decisions as tests beside the file. Model
 * hooks are answered by stubs. Throws a {@link UserError} if the test file exists or cannot be written, or there is no hook.
 */
export async function initCommand({ reference, agent, directories, ...options }: InitOptions): Promise<number> {
  const path = resolve(reference);
  const target = join(dirname(path), `${basename(path).replace(/\.[^.]+$/, "")}.hooktest.yaml`);
  checkIsNew(target); // before any hook runs
  if (!existsSync(path)) throw new UserError(`${displayPath(path)}: no such file`);
  const document = await parseDocument(`hooks: ${JSON.stringify(path)}`, displayPath(path), dirname(path));
  const hooks = await loadTestHooks({
    document,
    directory: dirname(path),
    hooks: path,
    agent,
    userHooks: false,
    directories,
  });
  const entries = hooks.entries.filter((entry) => entry.document !== undefined && !entry.implicit);
  if (entries.length === 0)
    throw new UserError(
      hooks.rules.length > 0
        ? `${displayPath(path)}: configures rules and no hook: write examples beside the rules`
        : `${displayPath(path)}: configures no hook, so there is nothing to test`,
    );
  const stubs = stubsFor(entries);
  const doubles = new Map(
    [...stubs].flatMap(([name, { value, entry }]) => {
      const stub = readStub(value, entry.event);
      return typeof stub === "string" ? [] : [[name, stub] as const];
    }),
  );
  const like = {
    file: displayPath(path),
    document,
    path: [],
    rules: hooks.rules,
    doubles,
    env: {},
    only: false,
    workingDir: dirname(path),
  };
  const samples = entries.flatMap((entry) =>
    sampleCases(entry, entries).map((sample): Sample => ({ entry, sample, test: caseOf(entry, sample, hooks, like) })),
  );
  const { settings, close } = openSettings({
    directories,
    client: options.client(hooks),
    log: options.log,
    signal: options.signal,
  });
  const results: CaseResult[] = [];
  try {
    const tests = samples.map(({ test }) => test);
    for await (const result of runTests(tests, settings, { jobs: 1, failFast: false })) results.push(result);
  } finally {
    close();
  }
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  const from = `./${relative(dirname(target), path)}`;
  const written = samples.map((sample, index) => ({ ...sample, result: results[index] }));
  checkIsNew(target);
  writeNew(target, render(from, agent, stubs, written));
  await print(`${displayPath(target)}: ${samples.length} tests; run them with: hooksh test ${displayPath(target)}`);
  return EXIT_CODES.ok;
}

function caseOf(
  { event }: HookEntry,
  { name, payload, fault }: SampleCase,
  { entries }: TestHooks,
  like: Omit<TestCase, "name" | "steps" | "entries">,
): TestCase {
  const doubles = new Map([
    ...like.doubles,
    ...(fault === undefined ? [] : [[fault, { fault: FAULT_KINDS[0] }] as const]),
  ]);
  return { ...like, name, entries, doubles, steps: [{ event, payload, expect: {}, path: [] }] };
}

/** Stubs for the model hooks: a test must not ask a model, whose answers change. */
function stubsFor(entries: readonly HookEntry[]): Map<string, { value: Record<string, unknown>; entry: HookEntry }> {
  const models = entries.filter(({ hook }) => hook.type === "model");
  return new Map(
    models.flatMap((entry) => {
      const name = referenceTo(entry);
      const value = contractOf(entry.event).verdict === undefined ? {} : { decision: "allow" };
      return name === undefined ? [] : [[name, { value, entry }] as const];
    }),
  );
}

function checkIsNew(path: string): void {
  if (existsSync(path))
    throw new UserError(`${displayPath(path)}: exists already and is not overwritten; rename it first`);
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    throw new UserError(`${displayPath(path)}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}

function render(
  from: string,
  agent: string | undefined,
  stubs: ReturnType<typeof stubsFor>,
  samples: readonly (Sample & { result: CaseResult | undefined })[],
): string {
  return [
    "# Tests of hooks, run by: hooksh test",
    "# Each expects the decision that the hooks gave when this file was written. Read every one: is it the one you want?",
    "# All keys: docs/testing.md",
    `hooks: ${JSON.stringify(from)}`,
    ...(agent === undefined ? [] : [`agent: ${JSON.stringify(agent)}`]),
    ...(stubs.size === 0 ? [] : ["# The answers of models, which no test asks.", "stubs:"]),
    ...[...stubs].map(([name, { value }]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    "tests:",
    ...samples.flatMap(renderSample),
    "",
  ].join("\n");
}

function renderSample({ entry, sample, result }: Sample & { result: CaseResult | undefined }): string[] {
  const { name, advice, payload, ran, notRan, fault } = sample;
  const { tool_name: tool, tool_input: input, ...fields } = payload;
  const decision = result?.observed.at(-1)?.decision;
  const didRun = ran !== undefined && result?.observed.at(-1)?.runs.some(({ hook }) => hook.entry.path === entry.path);
  const expect = {
    ...(decision ? { decision } : {}),
    ...(didRun ? { ran: [ran] } : {}),
    ...(notRan ? { not_ran: [notRan] } : {}),
  };
  const keys = { event: entry.event, ...(tool === undefined ? {} : { tool, input }), ...fields };
  const problem =
    result?.error === undefined ? [] : [`    skip: ${JSON.stringify(`could not be run: ${result.error}`)}`];
  return [
    `  # ${advice}`,
    `  - name: ${JSON.stringify(name)}`,
    ...problem,
    ...(fault === undefined ? [] : [`    fault: ${JSON.stringify({ hook: fault })}`]),
    ...Object.entries(keys).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
    `    expect: ${JSON.stringify(expect)}`,
  ];
}
