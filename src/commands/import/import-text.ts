import type { ReportRow } from "../../hosts/translation/import-hooks.ts";
import type { Help } from "../../lib/errors.ts";
import { counted } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { ImportCheck, Judged } from "./check-import.ts";

const VERDICT_CHANGED_BY_AN_IMPORT: Help = {
  cause:
    "`import --check` ran the agent's hooks and the imported ones on a call, and they decided differently; or it cannot run a hook as the agent does.",
  cure: "Read the line of the report on that hook: it names what was lost. Denied only in hooksh: repair the hook if it failed, or test the lost condition in its script. Allowed or approved only in hooksh: change the hook before you rely on it. Not checked: write a test for it ([Test hooks](testing.md)).",
};

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
export function reportLine(
  { status, place, host_event, command, kind, remarks }: ReportRow,
  event = host_event,
): string {
  const subject = [event, kind, command === "" ? "" : shortened(command)].filter(Boolean).join(" ");
  const text = [WORDS[status], subject, remarks.join("; ")].filter(Boolean).join(": ");
  return escapeControls(`${place}: ${text}`);
}

/** Formats the counts of a report: `3 hooks, 1 rule: 2 mapped, 1 mapped with loss, 1 not mapped`. */
export function reportSummary(rows: readonly ReportRow[]): string {
  const counts = (Object.keys(WORDS) as ReportRow["status"][]).flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${WORDS[status]}`];
  });
  const rules = rows.filter(({ kind }) => kind === "rule").length;
  const hooks = counted(rows.length - rules, "hook");
  const total = rules === 0 ? hooks : `${hooks}, ${counted(rules, "rule")}`;
  return counts.length === 0 ? total : `${total}: ${counts.join(", ")}`;
}

function shortened(command: string): string {
  return JSON.stringify(command.length > MAX_COMMAND ? `${command.slice(0, MAX_COMMAND)}...` : command);
}

const VERDICTS: Readonly<Record<Judged["decision"], string>> = {
  none: "allows",
  allow: "approves",
  ask: "asks",
  deny: "denies",
  block: "denies",
};

/** Formats the result of `import --check`: a line for each verdict that differs, and for each hook that was not tried. */
export function checkText({ calls, differences, unchecked }: ImportCheck): string {
  const lines = differences.map(({ call, host, agent, hooksh }) => {
    const reason = hooksh.reason === undefined ? "" : `: ${hooksh.reason}`;
    const agentReason = agent.reason === undefined ? "" : ` (${agent.reason})`;
    return `${call}: ${host} ${VERDICTS[agent.decision]}${agentReason}, hooksh ${VERDICTS[hooksh.decision]}${reason}`;
  });
  const skipped = unchecked.map(({ place, reason }) => `${place}: not checked: ${reason}`);
  const differing = differences.length === 1 ? "1 verdict differs" : `${differences.length} verdicts differ`;
  const verdicts = differences.length === 0 ? "same verdicts" : differing;
  const missing = unchecked.length === 0 ? "" : `, not checked: ${counted(unchecked.length, "hook")}`;
  return [...lines, ...skipped, `${calls} calls: ${verdicts}${missing}`]
    .map((line) => escapeControls(line.replace(/\s*\n\s*/g, "; ")))
    .join("\n");
}

checkText.help = VERDICT_CHANGED_BY_AN_IMPORT;
