import { AuditLog } from "../../audit/log.ts";
import type { WatchOptions } from "./watch-options.ts";

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
