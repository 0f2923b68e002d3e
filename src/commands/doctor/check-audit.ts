import { auditHealth } from "../../audit/health.ts";
import { loadUserHooks } from "../../config/hooks/hook-sources.ts";
import type { Directories } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import type { Findings } from "./doctor-report.ts";

/**
 * Reports an audit log that cannot be written, or whose last line does not continue the line before it. Checks nothing if
 * `settings.audit` is false, or if the data directory already has an issue.
 */
export async function checkAudit(directories: Directories, findings: Findings): Promise<void> {
  const { data } = directories;
  if (findings.issues.some((issue) => issue.startsWith(`${data}: `)) || !(await isOn(directories))) return;
  findings.issues.push(...auditHealth(data).problems);
}

async function isOn(directories: Directories): Promise<boolean> {
  try {
    return (await loadUserHooks({ directories, warn: () => {} })).watch.audit.on;
  } catch (error) {
    if (error instanceof ConfigError) return true; // checkConfiguration reports it
    throw error;
  }
}
