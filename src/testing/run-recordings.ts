import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DispatchRecord } from "../engine/dispatch-record.ts";
import { Executor } from "../engine/executor.ts";
import { recordedJudge } from "../guard/replay/judge-recorded.ts";
import { isBroken, isOmitted, type RecordingItem, readRecording } from "../guard/replay/read-recording.ts";
import type { RecordedEvent } from "../guard/replay/recorded-event.ts";
import { findRecordings } from "../guard/replay/recording-files.ts";
import {
  type JudgedEvent,
  readSnapshot,
  type SnapshotFile,
  type SnapshotVerdict,
  snapshotKeys,
  snapshotText,
  snapshotVerdict,
} from "../guard/replay/verdict-snapshot.ts";
import { homeDirectory, processEnv } from "../lib/env.ts";
import { errorText } from "../lib/errors.ts";
import { canonicalJson } from "../lib/json.ts";
import { write } from "../lib/platform.ts";
import { withDoubles } from "./doubles.ts";
import { type Observed, observe } from "./observed.ts";
import type { CaseResult, RunSettings } from "./run-case.ts";
import type { RecordingTest, TestCase } from "./test-case.ts";
import { displayPath } from "./test-hooks.ts";

/** A recorded event that was judged, with what its hooks did. */
interface JudgedRecording extends JudgedEvent {
  observed: Observed[];
  milliseconds: number;
}

/**
 * Judges every event of recordings and yields a result for each: its verdict must be the one that the file of verdicts
 * holds, or without such a file the recorded one. With `update`, writes the file instead.
 */
export async function* runRecordings(
  test: RecordingTest,
  settings: RunSettings,
  update: boolean,
): AsyncGenerator<CaseResult> {
  const result = resultMaker(test);
  if (test.skip !== undefined) return yield result(test.name, { status: "skipped" });
  const judged: JudgedRecording[] = [];
  try {
    for await (const item of judgeAll(test, settings)) {
      if ("verdict" in item && "observed" in item) judged.push(item);
      else if (isBroken(item)) yield result(test.name, { error: item.problem });
      else if (isOmitted(item)) yield result(`${item.file}:${item.line}`, { status: "skipped" }, item.omitted);
    }
    yield* test.verdicts === undefined
      ? compareRecorded(judged, result)
      : compareStored(test.verdicts, test, judged, update);
  } catch (error) {
    yield result(test.name, { error: errorText(error) });
  }
}

async function* judgeAll(
  test: RecordingTest,
  settings: RunSettings,
): AsyncGenerator<Exclude<RecordingItem, RecordedEvent> | JudgedRecording> {
  const workingDir = test.directory;
  const { directories, registry, log, signal } = settings;
  let records: DispatchRecord[] = [];
  const executor: Parameters<typeof recordedJudge>[0]["executor"] = ({ env, ...setting }) =>
    new Executor(withDoubles(test.entries, test.doubles), {
      ...setting,
      env: { ...processEnv(), ...test.env, ...env },
      directories,
      registry,
      log,
      rules: test.rules,
      observers: [() => ({ settled: (record) => void records.push(record) })],
    });
  for (const found of findRecordings(test.from, workingDir)) {
    const judge = recordedJudge({ executor, workingDir, home: homeDirectory(), signal });
    for (const item of await readRecording({ ...found, file: displayPath(found.path) })) {
      if (signal.aborted) return;
      if (isBroken(item) || isOmitted(item)) {
        yield item;
        continue;
      }
      records = [];
      const verdict = await judge(item);
      const first = records[0];
      const milliseconds = records.reduce((sum, record) => sum + record.milliseconds, 0);
      yield { event: item, verdict, observed: first ? [observe(first.event, records)] : [], milliseconds };
    }
  }
}

type MakeResult = (name: string, parts: Partial<CaseResult>, skip?: string) => CaseResult;

function resultMaker({ name, ...test }: RecordingTest): MakeResult {
  return (event, parts, skip) => {
    const { skip: reason, ...rest } = test;
    const why = skip ?? reason;
    const step: TestCase = {
      ...rest,
      name: event === name ? name : `${name}: ${event}`,
      steps: [],
      workingDir: undefined,
      ...(why === undefined ? {} : { skip: why }),
    };
    const failed = parts.error !== undefined || (parts.failures?.length ?? 0) > 0;
    return { test: step, status: failed ? "failed" : "passed", failures: [], observed: [], milliseconds: 0, ...parts };
  };
}

async function* compareRecorded(judged: readonly JudgedRecording[], result: MakeResult): AsyncGenerator<CaseResult> {
  const keys = await snapshotKeys(judged.map(({ event }) => event));
  for (const [index, { event, verdict, ...rest }] of judged.entries()) {
    const name = keys[index] ?? "";
    yield event.verdict
      ? result(name, { ...rest, failures: differences(snapshotVerdict(event.verdict), snapshotVerdict(verdict)) })
      : result(name, { ...rest, error: "no verdict was recorded: name a file with verdicts: FILE" });
  }
}

async function* compareStored(
  file: string,
  test: RecordingTest,
  judged: readonly JudgedRecording[],
  update: boolean,
): AsyncGenerator<CaseResult> {
  const result = resultMaker(test);
  const path = resolve(test.directory, file);
  const shown = displayPath(path);
  if (update) await write(path, await snapshotText(judged));
  const stored: SnapshotFile | undefined = existsSync(path) ? await readSnapshot(path, shown) : undefined;
  const keys = await snapshotKeys(judged.map(({ event }) => event));
  for (const [index, { event: _event, verdict, ...rest }] of judged.entries()) {
    const key = keys[index] ?? "";
    const before = stored?.verdicts.get(key);
    yield before
      ? result(key, { ...rest, failures: differences(before, snapshotVerdict(verdict)) })
      : result(key, { ...rest, error: `${shown} holds no verdict for it: add it with --update` });
  }
  for (const key of stored?.verdicts.keys() ?? []) {
    if (keys.includes(key)) continue;
    const problem = await stored?.problem(key, "no recorded event has this key: remove it with --update");
    yield result(key, { error: problem ?? "" });
  }
}

function differences(expected: SnapshotVerdict, actual: SnapshotVerdict): CaseResult["failures"] {
  if (canonicalJson(expected) === canonicalJson(actual)) return [];
  return [{ step: 0, key: "verdict", expected, actual }];
}
