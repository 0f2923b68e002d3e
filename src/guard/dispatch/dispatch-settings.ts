import { statSync } from "node:fs";
import { resolve } from "node:path";
import { keepAnswer } from "../../cli/print.ts";
import { UsageError } from "../../lib/errors.ts";
import { parseDuration } from "../../lib/text/duration.ts";
import type { Host } from "../host.ts";

/** Returns the directory in which hooks run and against which relative paths are resolved. Throws a {@link UsageError}. */
export function workingDirOf(given: string | undefined): string {
  const path = resolve(given ?? ".");
  if (given === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--working-dir ${given}: no such directory`);
}

/** Keeps the answer to a host for `--proof`. Throws a {@link UsageError} if no host waits for one. Returns the host. */
export function withProof(
  host: Host | undefined,
  { proof, output }: { proof?: boolean | undefined; output?: string | undefined },
) {
  if (!proof) return host;
  if (host === undefined || (output ?? "hook") !== "hook")
    throw new UsageError("--proof is for an answer to another agent: name it with --dialect, and leave --output out");
  keepAnswer();
  return host;
}

/** Returns the milliseconds of a flag that takes a duration. Throws a {@link UsageError}. */
export function durationOf(duration: string | undefined, flag: string): number | undefined {
  if (duration === undefined) return undefined;
  const milliseconds = parseDuration(duration);
  if (milliseconds) return milliseconds;
  throw new UsageError(`--${flag} takes a duration such as 2s or 500ms, not ${JSON.stringify(duration)}`);
}
