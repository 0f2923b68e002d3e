import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { DialectName } from "../dialects/names.ts";
import type { DispatchObserver, DispatchRecord } from "../engine/dispatch-record.ts";
import { Executor } from "../engine/executor.ts";
import type { Log } from "../engine/handler.ts";
import type { ModelClient } from "../engine/handlers/model-handler.ts";
import type { Registry } from "../engine/registry.ts";
import type { RulesVerdict } from "../engine/rules.ts";
import { rulesDeny } from "../engine/rules.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { errorText } from "../lib/errors.ts";
import type { EventName, EventPayload } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { registryWithDoubles, withDoubles } from "./doubles.ts";
import { eventsOfStep } from "./events-of-step.ts";
import { EXPECTATIONS, type ExpectKey } from "./expectations.ts";
import { type Observed, observe } from "./observed.ts";
import { exampleProblem } from "./rule-examples.ts";
import type { StepDispatch, StepToDispatch } from "./step-dispatch.ts";
import type { TestCase, TestStep } from "./test-case.ts";

/** The settings that cases run with. */
export interface RunSettings {
  /** Its data and cache directories are temporary ones. */
  directories: Directories;
  registry: Registry;
  log: Log;
  signal: AbortSignal;
}

/** An expectation that does not hold. */
export interface Failure {
  /** The index of the step. */
  step: number;
  /** The key of `expect`; `verdict` for a recorded event. */
  key: string;
  expected: unknown;
  /** Undefined if there is no such value. */
  actual: unknown;
}

/** One case after it ran. */
export interface CaseResult {
  test: TestCase;
  status: "passed" | "failed" | "skipped";
  failures: readonly Failure[];
  /** The observed steps, in order; fewer than the case has if `error` is set. */
  observed: readonly Observed[];
  /** Why the case could not be run to its end. */
  error?: string;
  /** Notes on a failure, one line each. */
  notes?: readonly string[];
  milliseconds: number;
}

/** Opens the settings for cases; `close` removes the temporary directories. */
export function openSettings({
  directories,
  client,
  log,
  signal,
}: Pick<RunSettings, "directories" | "log" | "signal"> & { client?: ModelClient }): {
  settings: RunSettings;
  close: () => void;
} {
  const home = temporaryDirectory();
  const own = { config: directories.config, data: join(home, "data"), cache: join(home, "cache") };
  return {
    settings: { directories: own, registry: registryWithDoubles(client), log, signal },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Runs one case: a session of its own, in which hooks and their memory start afresh. Never rejects. */
export async function runCase(test: TestCase, settings: RunSettings): Promise<CaseResult> {
  if (test.skip !== undefined) return { test, status: "skipped", failures: [], observed: [], milliseconds: 0 };
  const started = performance.now();
  const observed: Observed[] = [];
  const end = (error?: string): CaseResult => {
    const failures = observed.flatMap((step, index) => failuresOf(test.steps[index]?.expect ?? {}, step, index));
    const status = error === undefined && failures.length === 0 ? "passed" : "failed";
    const milliseconds = performance.now() - started;
    return { test, status, failures, observed, milliseconds, ...(error === undefined ? {} : { error }) };
  };
  const folder = test.files ? makeFolder(test.files) : undefined;
  try {
    await runSteps(test, folder ?? test.workingDir ?? process.cwd(), settings, observed);
    const [first] = observed;
    return end(first && test.ruleExample ? await exampleProblem(test, test.ruleExample, first) : undefined);
  } catch (error) {
    return end(errorText(error));
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function runSteps(test: TestCase, base: string, settings: RunSettings, observed: Observed[]): Promise<void> {
  const entries = withDoubles(test.entries, test.doubles);
  const session = `test-${crypto.randomUUID()}`;
  const memory = new Map<string, unknown>();
  const { registry, log, signal } = settings;
  const directories = directoriesFor(session, settings.directories);
  for (const [index, step] of test.steps.entries()) {
    const records: DispatchRecord[] = [];
    const workingDir = workingDirOf(step, base);
    const observers: DispatchObserver[] = [() => ({ settled: (record) => void records.push(record) })];
    const open: StepToDispatch["open"] = ({ env, ...more } = { workingDir }) =>
      new Executor(entries, {
        env: { ...processEnv(), ...test.env, ...env },
        directories,
        registry,
        memory,
        log,
        observers,
        rules: test.rules,
        stated: test.ruleExample?.stated,
        routes: test.routes,
        ...more,
      });
    const id = `call_${index + 1}`;
    const given = "tool_name" in step.payload ? { tool_use_id: id } : {};
    const payload = { session_id: session, ...given, ...step.payload, cwd: workingDir };
    const dispatch = test.dialect === undefined ? dispatchStep : await dispatchFor(test.dialect);
    const answer = await dispatch({ open, step, payload, settings: { directories, log, signal } });
    if (signal.aborted) throw new Error("interrupted");
    if (records.length === 0) throw new Error(`${step.event} was not dispatched`);
    observed.push(observe(step.event, records, answer));
  }
}

/** A case has files of its own, so that no case sees what the hooks of another one stored. */
function directoriesFor(session: string, { config, data, cache }: Directories): Directories {
  return { config, data: join(data, session), cache: join(cache, session) };
}

/**
 * Dispatches a step as a host does: each event sees what those before it rewrote, and a block ends the sequence. The rules
 * on a tool call come before the hooks on `tool_guard`.
 */
const dispatchStep: StepDispatch = async ({ open, step: { event }, payload, settings: { signal } }) => {
  const executor = open();
  let current: Payload = payload;
  let ruled: RulesVerdict | undefined;
  for (const name of eventsOfStep(event).filter((each) => each === event || executor.has(each))) {
    if (name === "tool_guard") {
      ruled = await executor.judgeByRules("pre_tool_use", current as EventPayload<"pre_tool_use">);
      if (rulesDeny(ruled)) continue;
    }
    const result = await executor.dispatch<EventName>(name, current as EventPayload<EventName>, {
      signal,
      ...(name === "pre_tool_use" && ruled ? { judged: ruled } : {}),
    });
    if (!result.allowed) return undefined;
    if ("modified_input" in result) current = { ...current, tool_input: result.modified_input };
  }
  return undefined;
};

async function dispatchFor(dialect: DialectName): Promise<StepDispatch> {
  return (await import("./dialect-dispatch.ts")).dialectDispatch(dialect);
}

function workingDirOf({ payload }: TestStep, base: string): string {
  return typeof payload["cwd"] === "string" ? resolve(base, payload["cwd"]) : base;
}

function failuresOf(expect: TestStep["expect"], observed: Observed, step: number): Failure[] {
  return (Object.keys(expect) as ExpectKey[]).flatMap((key) => {
    const expected = expect[key];
    const row = EXPECTATIONS[key];
    const actual = row.actual(observed, expected, expect);
    return row.matches(expected, actual, observed) ? [] : [{ step, key, expected, actual }];
  });
}

function makeFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, name.endsWith(".sh") || content.startsWith("#!") ? { mode: 0o755 } : {});
  }
  return folder;
}

function temporaryDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "hooksh-test-")));
}
