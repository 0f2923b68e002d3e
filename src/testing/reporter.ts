import { print } from "../cli/print.ts";
import { positionOf } from "../config/yaml/document.ts";
import { omitEmpty } from "../lib/json.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { jsonLine } from "../lib/text/escape-controls.ts";
import { ruleHits } from "./observed.ts";
import { failureReports, hookReports, verdictReport } from "./report.ts";
import type { CaseResult, Failure } from "./run-case.ts";

/** The number of tests by how they ended. */
export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** The number of files that could not be read. */
  broken: number;
  milliseconds: number;
}

/** Shows the progress of a run of tests. */
export interface Reporter {
  /** The tests of a file begin. */
  file?: (name: string) => Promise<void>;
  result?: (result: CaseResult) => Promise<void>;
  /** A file could not be read: its problems, one line each, with their places. */
  broken?: (name: string, problems: readonly string[]) => Promise<void>;
  end?: (summary: Summary) => Promise<void>;
}

/** A place in a file. Line and column start at 1. */
export interface FilePlace {
  file: string;
  line: number;
  column: number;
}

/** Returns the place of a test, or of one of its expectations. */
export async function placeOf({ test }: CaseResult, failure?: Failure): Promise<FilePlace> {
  const step = failure && test.steps[failure.step];
  const path = step && failure ? [...step.path, "expect", failure.key] : test.path;
  return { file: test.file, ...(await positionOf(test.document, path, failure ? "key" : "value")) };
}

/** Splits a problem `file:line:column: message`; without a place, the place is the start of the file. */
export function splitProblem(problem: string, file: string): FilePlace & { message: string } {
  const [, name = file, line = "1", column = "1", message = problem] =
    /^(.*?):(\d+):(\d+): ([\s\S]*)$/.exec(problem) ?? [];
  return { file: name, line: Number(line), column: Number(column), message };
}

/** Prints one JSON object for each test and each problem, and one with the totals. `docs/testing.md#json` describes them. */
export const JSON_REPORTER: Reporter = {
  result: async (result) => print(jsonLine(await testObject(result))),
  broken: async (name, problems) => {
    for (const problem of problems) await print(jsonLine({ type: "error", ...splitProblem(problem, name) }));
  },
  end: ({ milliseconds, broken, ...counts }) =>
    print(jsonLine({ type: "summary", ...counts, broken, duration_ms: roundedMilliseconds(milliseconds) })),
};

async function testObject(result: CaseResult): Promise<Record<string, unknown>> {
  const { test, status, milliseconds, observed, error } = result;
  const steps = observed.map(async (step) => ({
    ...verdictReport(step),
    ...omitEmpty({ rules: ruleHits(step) }),
    hooks: await hookReports(step),
  }));
  return {
    type: "test",
    name: test.name,
    ...(await placeOf(result)),
    status,
    ...(test.skip ? { reason: test.skip } : {}),
    duration_ms: roundedMilliseconds(milliseconds),
    ...(error === undefined ? {} : { error }),
    ...(result.notes ? { notes: result.notes } : {}),
    failures: failureReports(result),
    steps: await Promise.all(steps),
  };
}
