import { resolve } from "node:path";
import { entryOf } from "../../audit/entry-of-record.ts";
import type { DispatchObserver, DispatchRecord } from "../../engine/dispatch-record.ts";
import { processEnv } from "../../lib/env.ts";
import { errorText, UsageError } from "../../lib/errors.ts";
import { openAudit } from "./open-audit.ts";
import { traceTarget } from "./trace-target.ts";
import type { WatchOptions } from "./watch-options.ts";
import { keepingProblems } from "./watch-problems.ts";

/** Opens one observer; undefined if it is off. Loads its code only if it is on. */
type OpenObserver = (options: WatchOptions) => Promise<DispatchObserver | undefined>;

/** Opens the observers of a command, in the order in which they are called. */
const OBSERVERS: readonly OpenObserver[] = [openAuditObserver, openTracing, openRecording];

/** Opens the observers that flags and settings switch on. Throws a {@link UsageError} if they contradict each other. */
export async function openObservers(options: WatchOptions): Promise<readonly DispatchObserver[]> {
  if (options.flags["no-audit"] && options.settings.audit.required)
    throw new UsageError("--no-audit contradicts settings.audit, which is required");
  const observers = await Promise.all(OBSERVERS.map((open) => open(options)));
  return observers.filter((observer) => observer !== undefined);
}

async function openRecording({ flags, directories, warn }: WatchOptions): Promise<DispatchObserver | undefined> {
  const dir = flags["record-events"];
  if (dir === undefined) return undefined;
  const { recordObserver } = await import("../record/record-observer.ts");
  return recordObserver({ dir: resolve(dir), dataDir: directories.data, warn: keepingProblems(warn) });
}

async function openTracing(options: WatchOptions): Promise<DispatchObserver | undefined> {
  const { flags, settings, directories } = options;
  const sources = { flag: flags.trace, setting: settings.trace, env: processEnv(), dataDir: () => directories.data };
  const target = traceTarget(sources);
  return (
    target &&
    (await import("./open-trace-observer.ts")).openTraceObserver(target, {
      ...options,
      warn: keepingProblems(options.warn),
    })
  );
}

async function openAuditObserver(options: WatchOptions): Promise<DispatchObserver | undefined> {
  const log = await openAudit(options);
  if (log === undefined) return undefined;
  const settled = async (record: DispatchRecord): Promise<string | undefined> => {
    try {
      return await log.append(await entryOf(record, log.holdsPayload));
    } catch (error) {
      return log.failed(`cannot describe ${record.event} for the audit log: ${errorText(error)}`);
    }
  };
  const watch = { settled };
  return () => watch;
}
