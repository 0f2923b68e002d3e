import { UsageError } from "../lib/errors.ts";
import type { FlagSpecs } from "./flags.ts";

/** Returns the flag `--jobs`: how many of `of` run at the same time. */
export function jobsFlag(of: string) {
  return {
    jobs: { kind: "value", alias: "j", hint: "N", description: `Run up to ${of} at the same time (default: 1)` },
  } as const satisfies FlagSpecs;
}

/** Returns the number that `--jobs` gives. Throws a {@link UsageError}. */
export function jobsOf(given: string | undefined): number {
  if (given === undefined) return 1;
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  throw new UsageError(`--jobs takes a number from 1 to 999, not ${JSON.stringify(given)}`);
}
