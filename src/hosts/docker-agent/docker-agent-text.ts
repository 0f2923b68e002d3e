import { counted } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { ImportedRow, ImportReport, ImportStatus } from "./report.ts";

const WORDS: Readonly<Record<ImportStatus, string>> = {
  imported: "imported",
  lossy: "imported with loss",
  present: "already there",
  conflict: "conflict",
  left: "not imported",
};

/**
 * Formats a report: a line for each row that needs attention and for each imported setting, and the counts. Imported
 * sessions are only counted: there can be thousands.
 */
export function importText({ sessions, configuration }: ImportReport, dryRun: boolean): string {
  const shown = [
    ...sessions.filter(({ status }) => status !== "imported" && status !== "present"),
    ...configuration.filter(({ status }) => status !== "present"),
  ];
  const counts = [
    ...summary(counted(sessions.length, "session"), sessions),
    ...summary(counted(configuration.length, "setting"), configuration),
  ];
  if (counts.length === 0) counts.push("docker-agent has nothing to import");
  return [...shown.map(rowLine), ...counts, ...(dryRun ? ["nothing is written, because of --dry-run"] : [])].join("\n");
}

export function importJson({ sessions, configuration }: ImportReport, dryRun: boolean): string {
  return JSON.stringify({ dry_run: dryRun, sessions, configuration }, undefined, 2);
}

/** True if something is not imported, or not all of it. */
export function isIncomplete({ sessions, configuration }: ImportReport): boolean {
  return [...sessions, ...configuration].some(({ status }) => status !== "imported" && status !== "present");
}

function rowLine({ place, status, subject, remarks }: ImportedRow): string {
  return escapeControls([`${place}: ${WORDS[status]}`, subject, remarks.join("; ")].filter(Boolean).join(": "));
}

function summary(total: string, rows: readonly ImportedRow[]): string[] {
  const counts = (Object.keys(WORDS) as ImportStatus[]).flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${WORDS[status]}`];
  });
  return counts.length === 0 ? [] : [`${total}: ${counts.join(", ")}`];
}
