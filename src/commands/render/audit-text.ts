import type { AuditDecision, AuditEntry, AuditHook } from "../../audit/entry.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Paint } from "./paint.ts";

const STYLES: Readonly<Record<AuditDecision, Parameters<Paint>[0]>> = {
  none: "dim",
  allow: "cyan",
  ask: "yellow",
  deny: "red",
  block: "red",
};

/**
 * Formats an entry as a line: time, agent, event, tool, decision, hooks and reason. Control characters are escaped.
 */
export function renderEntry(entry: AuditEntry, paint: Paint): string {
  const { event, tool = "", decision } = entry;
  const cells = [
    paint("dim", localTime(entry.time)),
    padded(whoseOf(entry), 12),
    padded(event, 23),
    padded(tool, 12),
    paint(STYLES[decision], padded(decision, 5)),
    detailOf(entry),
  ];
  return cells.join(" ").trimEnd();
}

/** Returns a time as `2026-11-23 02:10:23`, in the local time zone. */
function localTime(time: string): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

function whoseOf({ host, agent, source }: AuditEntry): string {
  return host ?? agent ?? source;
}

function padded(text: string, width: number): string {
  return escapeControls(text).padEnd(width);
}

function detailOf({ hooks, decision, reason, approval_source: source }: AuditEntry): string {
  const enforced = hooks.filter(({ mode }) => mode === undefined);
  const deciders = decision === "none" ? [] : enforced.filter((hook) => hook.decision === decision);
  const failed = enforced.filter((hook) => hook.decision !== decision && isFailure(hook));
  const verdict = [deciders.map(({ name }) => name).join(", "), reason].filter(Boolean).join(": ");
  const parts = [
    verdict,
    source,
    ...failed.map(
      ({ name, outcome, message }) => `${name} ${outcome.replace("_", " ")}${message ? `: ${message}` : ""}`,
    ),
    ...hooks.flatMap(({ name, would }) => (would === undefined ? [] : [`${name} would ${would}`])),
  ];
  return escapeControls(parts.filter(Boolean).join("; "));
}

function isFailure({ outcome }: AuditHook): boolean {
  return outcome === "failed" || outcome === "timed_out";
}
