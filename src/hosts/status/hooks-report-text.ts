import { formatBytes } from "../../lib/files/media-type.ts";
import { counted, onlyObserving } from "../../lib/text/counted.ts";
import { roundedDuration } from "../../lib/text/duration.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { HookStatus, HooksReport, SourceStatus } from "./hooks-report.ts";
import type { LastRun, MissedEvents } from "./last-runs.ts";

/** Formats where hooks are configured, when each ran last, and the state of the audit log; `now` in milliseconds since 1970. */
export function renderHooksReport(report: HooksReport, now: number): string {
  const { sources, hooks, problems } = report;
  return [
    section("Sources of hooks", sources.length === 0 ? ["none"] : sources.map(sourceLine)),
    section(
      "Hooks",
      hooks.length === 0
        ? [sources.some(({ rules }) => rules) ? NO_HOOKS_BESIDE_RULES : NO_HOOKS]
        : hooksByEvent(hooks, now),
    ),
    section("Audit log", [...auditLines(report, now), ...problems.map((problem) => `problem: ${problem}`)]),
  ].join("\n\n");
}

const NO_HOOKS = "none: hooksh allows every event";
const NO_HOOKS_BESIDE_RULES = "none; rules judge events: hooksh rules list shows them";

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line.replaceAll("\n", "\n    ")}`)].join("\n");
}

function sourceLine({ kind, place, hooks, rules, observing_rules: observing = 0, hosts }: SourceStatus): string {
  const users = `${rules === undefined ? "" : `, ${counted(rules, "rule")}${onlyObserving(observing)}`}${hosts ? `, for ${hosts.join(", ")}` : ""}`;
  return `${kind}: ${escapeControls(place)}: ${hooks === 0 ? "no hooks" : counted(hooks, "hook")}${users}`;
}

function hooksByEvent(hooks: readonly HookStatus[], now: number): string[] {
  const events = [...new Set(hooks.map(({ event }) => event))];
  return events.flatMap((event) => [
    event,
    ...hooks.filter((hook) => hook.event === event).flatMap((hook) => hookLines(hook, now).map((line) => `  ${line}`)),
  ]);
}

function hookLines({ name, source, event, mode, matcher, last, missed }: HookStatus, now: number): string[] {
  const on = matcher === undefined || matcher === "*" ? "" : ` on ${matcher}`;
  return [
    `${escapeControls(name)}${escapeControls(on)} (${escapeControls(source)}): ${last ? ranLast(last, now) : "no run is recorded"}`,
    ...(mode === "observe" ? ["  only observes: its verdict has no effect"] : []),
    ...(missed ? [`  warning: ${missedText(missed, event, last !== undefined, now)}`] : []),
  ];
}

function ranLast({ time, outcome, decision, would, host, ambiguous }: LastRun, now: number): string {
  const verdict = decision ?? (would === undefined ? undefined : `would ${would}`);
  const shown = [outcome.replace("_", " "), ...(verdict === undefined ? [] : [verdict])].join(", ");
  const by = host === undefined ? "" : ` for ${host}`;
  const doubt = ambiguous ? "; or another hook with this name, which the file has more than once" : "";
  return escapeControls(`ran ${ago(time, now)}${by}: ${shown}${doubt}`);
}

function missedText({ count, last, tool }: MissedEvents, event: string, hasRun: boolean, now: number): string {
  const of = tool === undefined ? "" : ` of ${escapeControls(tool)}`;
  const times = count === 1 ? "once" : `${count} times`;
  const what = hasRun ? "did not run since" : "did not run";
  return `${what}, although ${event}${of} happened ${times} after its file changed, last ${ago(last, now)}`;
}

function auditLines({ audit, looked_back: lookBack }: HooksReport, now: number): string[] {
  const { path, on, required, files, bytes, last, problems } = audit;
  const size = files === 0 ? "nothing yet" : `${counted(files, "file")}, ${formatBytes(bytes)}`;
  const latest = last === undefined ? "" : `, last entry ${ago(last, now)}`;
  const mode = on ? (required ? "on, required" : "on") : "off (settings.audit: false)";
  const extent = `looked at ${lookBack.entries} entries, back to ${lookBack.until?.slice(0, 16).replace("T", " ")} UTC`;
  return [
    `${mode}: ${escapeControls(path)}: ${size}${latest}`,
    ...(lookBack.complete || lookBack.entries === 0 ? [] : [`${extent}: earlier runs are not shown`]),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
}

function ago(time: string, now: number): string {
  return `${roundedDuration(now - Date.parse(time))} ago`;
}
