import { hookNames } from "../config/hooks/hook-names.ts";
import { displayName, type HookEntry } from "../config/hooks/read-hooks.ts";
import { NEAR_TIMEOUT, timeoutSeconds } from "../engine/hook-policy.ts";
import { UsageError } from "../lib/errors.ts";
import { percentile } from "../lib/percentiles.ts";
import { parseDuration } from "../lib/text/duration.ts";
import type { CaseResult } from "./run-case.ts";

/** The most that the 95th percentile of a hook's durations may be: milliseconds, or a share of the hook's timeout. */
export type Budget = { milliseconds: number } | { share: number };

/** Reads `--budget`: a duration, a percentage of each hook's timeout, or nothing for 80 %. Throws a {@link UsageError}. */
export function parseBudget(text: string): Budget {
  if (text === "") return { share: NEAR_TIMEOUT };
  const [, percent] = /^(\d{1,3})\s?%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100) return { share: Number(percent) / 100 };
  const milliseconds = percent === undefined ? parseDuration(text) : undefined;
  if (milliseconds !== undefined && milliseconds > 0) return { milliseconds };
  throw new UsageError(
    `--budget takes a duration such as 200ms, or a share of each hook's timeout such as 50%, not ${JSON.stringify(text)}`,
  );
}

/** The durations of one hook over all tests. Times are in milliseconds. */
export interface HookDurations {
  name: string;
  /** `file:line` */
  source: string;
  runs: number;
  p50: number;
  p95: number;
  max: number;
  limit: number;
  exceeded: boolean;
}

/** Collects how long hooks take. Runs of stubs and faults do not count. */
export class Durations {
  readonly #seen = new Map<string, { entry: HookEntry; times: number[] }>();

  /** Adds the hooks that ran in a case. */
  add({ test, observed }: CaseResult): void {
    for (const { hook, milliseconds } of observed.flatMap(({ runs }) => runs)) {
      const { entry } = hook;
      if (hookNames(entry.hook).some((name) => test.doubles.has(name))) continue;
      const key = JSON.stringify([entry.document?.file, entry.path, entry.event, displayName(entry.hook)]);
      const seen = this.#seen.get(key) ?? { entry, times: [] };
      this.#seen.set(key, seen);
      seen.times.push(milliseconds);
    }
  }

  /** Returns the durations of every hook that ran, the slowest first. */
  async report(budget: Budget): Promise<HookDurations[]> {
    const hooks = await Promise.all(
      [...this.#seen.values()].map(async ({ entry, times }): Promise<HookDurations> => {
        const sorted = times.toSorted((a, b) => a - b);
        const limit = "share" in budget ? budget.share * timeoutSeconds(entry.hook) * 1000 : budget.milliseconds;
        const [p50 = 0, p95 = 0] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
        const max = sorted.at(-1) ?? 0;
        const source = await entry.source();
        return {
          name: displayName(entry.hook),
          source,
          runs: times.length,
          p50,
          p95,
          max,
          limit,
          exceeded: p95 > limit,
        };
      }),
    );
    return hooks.toSorted((a, b) => b.p95 - a.p95);
  }
}
