import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { ReportRow } from "../foreign/import-hooks.ts";

/** The most characters of a command in a line. */
const MAX_COMMAND = 60;

const WORDS: Readonly<Record<ReportRow["status"], string>> = {
  mapped: "mapped",
  lossy: "mapped with loss",
  unmapped: "not mapped",
  duplicate: "duplicate",
};

/**
 * Formats the line of one hook: `~/.claude/settings.json:12:7: mapped: PreToolUse "./guard.sh"`. `event` is the event to
 * name, by default the host's.
 */
export function reportLine({ status, place, host_event, command, remarks }: ReportRow, event = host_event): string {
  const subject = [event, command === "" ? "" : shortened(command)].filter(Boolean).join(" ");
  const text = [WORDS[status], subject, remarks.join("; ")].filter(Boolean).join(": ");
  return escapeControls(`${place}: ${text}`);
}

/** Formats the counts of a report: `3 hooks: 1 mapped, 1 mapped with loss, 1 not mapped`. */
export function reportSummary(rows: readonly ReportRow[]): string {
  const counts = (Object.keys(WORDS) as ReportRow["status"][]).flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${WORDS[status]}`];
  });
  const total = `${rows.length} ${rows.length === 1 ? "hook" : "hooks"}`;
  return counts.length === 0 ? total : `${total}: ${counts.join(", ")}`;
}

function shortened(command: string): string {
  return JSON.stringify(command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}...` : command);
}
