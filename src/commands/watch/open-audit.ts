import { AuditLog } from "../../audit/log.ts";
import type { WatchOptions } from "./watch-options.ts";

/** The data directories whose log could not be written: `serve` opens logs again and again, and reports that once. */
const reported = new Set<string>();

/** Opens the audit log that flags and settings ask for; undefined if it is off. */
export async function openAudit({
  flags,
  settings,
  directories,
  source,
  warn,
}: WatchOptions): Promise<AuditLog | undefined> {
  if (flags["no-audit"] || !settings.audit.on) return undefined;
  const dataDir = directories.data;
  const { required, payload } = settings.audit;
  const warnOnce = (message: string) => {
    if (!reported.has(dataDir)) warn(message);
    reported.add(dataDir);
  };
  return new AuditLog({ dataDir, source, required, payload, warn: warnOnce });
}
