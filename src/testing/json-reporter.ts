import { print } from "../cli/print.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import { jsonLine } from "../lib/text/escape-controls.ts";
import { failureReports, hookReports, verdictReport } from "./report.ts";
import { placeOf, type Reporter, splitProblem } from "./reporter.ts";
import type { CaseResult } from "./run-case.ts";

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
  const steps = observed.map(async (step) => ({ ...verdictReport(step), hooks: await hookReports(step) }));
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
