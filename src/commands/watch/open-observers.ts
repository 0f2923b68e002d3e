import { resolve } from "node:path";
import { auditObserver } from "../../audit/observer.ts";
import type { WatchSettings } from "../../config/user/watch-settings.ts";
import type { DispatchObserver } from "../../engine/dispatch-record.ts";
import type { Directories } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import type { Flags } from "../cli/flags.ts";
import { openAudit } from "./open-audit.ts";
import type { WATCH_FLAGS } from "./watch-flags.ts";

/** What to record, and where. */
export interface WatchOptions {
  flags: Flags<typeof WATCH_FLAGS>;
  settings: WatchSettings;
  directories: Directories;
  /** The command whose dispatches are watched. */
  source: "run" | "dispatch" | "serve";
  /** Receives what cannot be recorded. */
  warn: (message: string) => void;
}

/** Opens one way of watching; undefined if it is off. Loads its code only if it is on. */
type OpenObserver = (options: WatchOptions) => Promise<DispatchObserver | undefined>;

/** The ways of watching dispatches, in the order in which they see one. */
const OBSERVERS: readonly OpenObserver[] = [openAuditObserver, openRecording];

/** Opens everything that flags and settings switch on. Throws a {@link UsageError} if they contradict each other. */
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
  return recordObserver({ dir: resolve(dir), dataDir: directories.data, warn });
}

async function openAuditObserver(options: WatchOptions): Promise<DispatchObserver | undefined> {
  const log = await openAudit(options);
  return log && auditObserver(log);
}
