import { type AuditDecision, type AuditEntry, type AuditHook, type AuditRule, changeOf } from "../../audit/entry.ts";
import type { Paint } from "../../cli/paint.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";

const STYLES: Readonly<Record<AuditDecision, Parameters<Paint>[0]>> = {
  none: "dim",
  allow: "cyan",
  ask: "yellow",
  deny: "red",
  block: "red",
};

/**
 * Formats an entry as a line: time, agent, event, tool, decision, hooks and reason. `details` adds lines with what hooks
 * rewrote. Control characters are escaped.
 */
export function renderEntry(entry: AuditEntry, paint: Paint, { details }: { details: boolean }): string {
  const { event, tool = "", decision } = entry;
  const isDenied = decision === "deny" || decision === "block";
  const verdict = decision === "none" ? (changeOf(entry)?.verb ?? decision) : isDenied ? "denied" : decision;
  const cells = [
    paint("dim", localTime(entry.time)),
    padded(entry.host ?? entry.agent ?? entry.source, 12),
    padded(event, 23),
    padded(tool, 12),
    paint(STYLES[decision], padded(verdict, 6)),
    detailOf(entry),
  ];
  return [cells.join(" ").trimEnd(), ...(details ? changeLines(entry) : [])].join("\n");
}

/** What the event was about before and after the hooks: the values that the log holds, else their digests. */
function changeLines(entry: AuditEntry): string[] {
  if (changeOf(entry) === undefined) return [];
  const { input = "", enforced, sent = "", rewritten = {}, payload = {} } = entry;
  const [field, value] = Object.entries(rewritten)[0] ?? [];
  const lines = [
    ["before", field === undefined ? input : payload[field]],
    [enforced === undefined ? "sent" : "after", field === undefined ? (enforced ?? sent) : value],
  ];
  return lines.map(([name, shown]) => {
    const text = typeof shown === "string" ? shown : JSON.stringify(shown ?? "cut");
    return `    ${String(name).padEnd(6)} ${escapeControls(text)}`;
  });
}

/** Returns a time as `2026-11-23 02:10:23`, in the local time zone. */
function localTime(time: string): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

function padded(text: string, width: number): string {
  return escapeControls(text).padEnd(width);
}

function detailOf(entry: AuditEntry): string {
  const { hooks, rules = [], decision, reason, approval_source: source, route, path = "" } = entry;
  const enforced = hooks.filter(({ mode }) => mode === undefined);
  const deciders = decision === "none" ? [] : enforced.filter((hook) => hook.decision === decision);
  const failed = enforced.filter((hook) => hook.decision !== decision && isFailure(hook));
  const decided = rules.filter((rule) => isDecider(rule, decision));
  const names = [...decided, ...deciders].map(({ name }) => name);
  const verdict = [[...new Set(names)].join(", "), reason].filter(Boolean).join(": ");
  const parts = [
    ...(decision === "none" ? [changeText(entry), verdict] : [verdict, changeText(entry)]),
    source,
    route === undefined ? "" : `routed to ${route}`,
    path,
    ...failed.map(
      ({ name, outcome, message }) => `${name} ${outcome.replace("_", " ")}${message ? `: ${message}` : ""}`,
    ),
    ...rules.filter((rule) => !decided.includes(rule)).map(ruleText),
    ...hooks.flatMap(({ name, would }) => (would === undefined ? [] : [`${name} would ${would}`])),
  ];
  return escapeControls(parts.filter(Boolean).join("; "));
}

/** True if a rule said what was decided. */
function isDecider({ verdict, mode }: AuditRule, decision: AuditDecision): boolean {
  if (mode !== undefined) return false;
  const isDenied = decision === "deny" || decision === "block";
  return isDenied ? verdict === "stop" || verdict === "deny" : verdict === decision;
}

/** A rule that hit and did not give the decision. */
function ruleText({ name, verdict, sure, mode }: AuditRule): string {
  const unsure = sure === "possible" ? "possibly " : "";
  return `rule ${name} ${mode === "observe" ? "would " : "said "}${unsure}${verdict}`;
}

/** `by NAME` after the verb of the decision, or `rewritten by NAME` without a decision. */
function changeText(entry: AuditEntry): string {
  const change = changeOf(entry);
  if (change === undefined) return "";
  const by = change.by.length > 0 ? `by ${change.by.join(", ")}` : "by a hook";
  const text = entry.decision === "none" ? by : `${change.verb} ${by}`;
  return entry.enforced === undefined ? `${text}; ${entry.host} may have ignored it` : text;
}

function isFailure({ outcome }: AuditHook): boolean {
  return outcome === "failed" || outcome === "timed_out";
}
