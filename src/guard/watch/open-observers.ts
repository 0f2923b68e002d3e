import { join, resolve } from "node:path";
import { entryOf } from "../../audit/entry-of-record.ts";
import { AuditLog } from "../../audit/log.ts";
import type { WatchSettings } from "../../config/user/watch-settings.ts";
import type { DispatchObserver, DispatchRecord } from "../../engine/dispatch-record.ts";
import { type Env, homeDirectory, processEnv } from "../../lib/env.ts";
import { errorText, UsageError } from "../../lib/errors.ts";
import { hasEndpoint } from "../../trace/active.ts";
import type { TraceTarget, WatchOptions } from "./watch-options.ts";

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

async function openRecording({
  flags,
  directories,
  source,
  warn,
}: WatchOptions): Promise<DispatchObserver | undefined> {
  const dir = flags["record-events"];
  if (dir === undefined) return undefined;
  const { recordObserver } = await import("../record/record-observer.ts");
  const afterAnswer = source !== "run";
  return recordObserver({ dir: resolve(dir), dataDir: directories.data, warn: keepingProblems(warn), afterAnswer });
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

/** The sources that say whether to trace. */
interface TraceSources {
  /** `--trace`, relative to the working directory. */
  flag: string | undefined;
  /** `settings.trace`; a file is relative to the data directory. */
  setting: WatchSettings["trace"];
  env: Env;
  dataDir: () => string;
}

/** The values of `HOOKSH_TRACE` that are not files. */
const SWITCHES: Readonly<Record<string, boolean>> = { "0": false, false: false, "1": true, true: true };

/**
 * Returns where to trace to; undefined if tracing is off. The flag wins over `HOOKSH_TRACE`, which wins over the
 * setting. A collector's endpoint alone turns tracing on, unless `HOOKSH_TRACE` is `0` or `false`.
 */
export function traceTarget({ flag, setting, env, dataDir }: TraceSources): TraceTarget | undefined {
  if (flag !== undefined) return { file: resolve(flag) };
  const { HOOKSH_TRACE: variable = "" } = env;
  const isOn = Object.hasOwn(SWITCHES, variable) ? SWITCHES[variable] : undefined;
  if (isOn === false) return undefined;
  if (isOn) return { file: true };
  if (variable !== "") return { file: resolve(variable) };
  if (typeof setting === "string") return { file: resolve(dataDir(), expandHome(setting, env)) };
  if (setting || hasEndpoint(env)) return { file: setting };
  return undefined;
}

function expandHome(path: string, env: Env): string {
  return path.startsWith("~/") ? join(homeDirectory(env), path.slice(2)) : path;
}

const problems = new Set<string>();

/** Returns what this process could not trace or record, each problem once. */
export function watchProblems(): readonly string[] {
  return [...problems];
}

/** Returns a function that reports a problem as `warn` does, and keeps it for {@link watchProblems}. */
export function keepingProblems(warn: (message: string) => void): (message: string) => void {
  return (message) => {
    problems.add(message);
    warn(message);
  };
}

/** The first failure of each data directory's log, the only one that is reported; `serve` opens a log again and again. */
const reported = new Map<string, string>();

let current: AuditLog | "off" | undefined;

/** Returns the audit log that was opened last; `off` if flags or settings switch it off, undefined if none was opened. */
export function currentAudit(): AuditLog | "off" | undefined {
  return current;
}

/** Returns why entries of this process could not be written; undefined if all were. */
export function auditProblem(): string | undefined {
  return reported.values().next().value;
}

/** Opens the audit log that flags and settings ask for; undefined if it is off. */
export async function openAudit({
  flags,
  settings,
  directories,
  source,
  warn,
}: WatchOptions): Promise<AuditLog | undefined> {
  current = "off";
  if (flags["no-audit"] || !settings.audit.on) return undefined;
  const dataDir = directories.data;
  const { required, payload } = settings.audit;
  const warnOnce = (message: string) => {
    if (reported.has(dataDir)) return;
    warn(message);
    reported.set(dataDir, message);
  };
  current = new AuditLog({ dataDir, source, required, payload, warn: warnOnce });
  return current;
}
