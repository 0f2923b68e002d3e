/**
 * Tests of hooks: test files, doubles, attacks, fuzzing, coverage and reports. It writes no audit log.
 *
 * @packageDocumentation
 */
import { type CaseResult, type RunSettings, runCase } from "./run-case.ts";
import type { TestCase } from "./test-case.ts";

/** How many cases run, and when to stop. */
export interface RunOrder {
  /** The most cases that run at the same time. */
  jobs: number;
  /** Starts no case after one that failed. */
  failFast: boolean;
}

/**
 * Runs cases and yields their results in the order of the cases, whichever is ready first. The results end early if the
 * signal aborts, and with `failFast` before the first case that was not started.
 */
export async function* runTests(
  cases: readonly TestCase[],
  settings: RunSettings,
  { jobs, failFast }: RunOrder,
): AsyncGenerator<CaseResult> {
  const results = cases.map(() => Promise.withResolvers<CaseResult | undefined>());
  let next = 0;
  let stopped = false;
  const work = async () => {
    while (next < cases.length) {
      const index = next++;
      const test = cases[index];
      const result = test && !stopped ? await runCase(test, settings) : undefined;
      stopped ||= settings.signal.aborted || (failFast && result?.status === "failed");
      results[index]?.resolve(result);
    }
  };
  const workers = Array.from({ length: Math.min(jobs, cases.length) }, work);
  for (const { promise } of results) {
    const result = await promise;
    if (!result) break;
    yield result;
  }
  await Promise.all(workers);
}
