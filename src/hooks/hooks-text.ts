import { columnsOf } from "../lib/platform.ts";
import { formatDuration } from "../lib/text/duration.ts";
import { redactionCounts } from "../protocol/builtin.ts";
import { contractOf, lanesOf } from "../protocol/events.ts";
import type { HookDescription } from "./describe-hook.ts";
import type { ExplainedHook, HookQuery } from "./explain-hooks.ts";

/** The longest name or pattern that a table shows uncut, in characters. */
const WIDEST = 40;

/** Formats hooks as one table per event, in the given order. */
export function renderHooks(hooks: readonly HookDescription[]): string {
  if (hooks.length === 0) return "No hooks are configured.";
  const events = [...new Set(hooks.map(({ event }) => event))];
  return events
    .map((event) => {
      const { matcher } = contractOf(event);
      const rows = hooks.filter((hook) => hook.event === event).map((hook) => [hook.name, ...columns(hook, matcher)]);
      return `${event}\n${table(["HOOK", ...headings(matcher)], rows)}`;
    })
    .join("\n\n");
}

/** Formats which hooks run for an event and a tool, step by step, and why the others do not. */
export function renderExplanation({ event, names, lanes, routes }: HookQuery, hooks: readonly ExplainedHook[]): string {
  const { matcher } = contractOf(event);
  const running = hooks.filter((hook) => hook.runs).sort((a, b) => a.step - b.step);
  const others = hooks.filter((hook) => !hook.runs);
  const on = [
    event,
    ...(lanes.length < lanesOf(event).length ? [`(${lanes[0]} lane)`] : []),
    ...(names.length > 0 ? ["on", names.join(", ")] : []),
  ];
  const lines = [`${on.join(" ")}: ${running.length} of ${hooks.length} hooks run`];
  if (running.length > 0) {
    const rows = running.map((hook) => [String(hook.step), hook.name, ...columns(hook, matcher)]);
    lines.push("", table(["STEP", "HOOK", ...headings(matcher)], rows));
  }
  for (const { name } of running.filter((hook) => hook.judge && hook.lane === "default" && event === "pre_tool_use"))
    lines.push(
      "",
      `${oneLine(name)} is a judge: it is not asked about a call that a rule of permissions.allow covers.`,
    );
  for (const { name, source, redacts } of running) {
    if (redacts)
      lines.push("", `${oneLine(name)} (${printable(source)}) redacts in this event: ${redactionCounts(redacts)}`);
  }
  if (routes && running.length > 0) lines.push("", `May route to: ${routes.map(oneLine).join(", ") || "no agent"}`);
  if (others.length > 0) {
    lines.push("", "Not run:");
    for (const hook of others)
      lines.push(`  ${oneLine(hook.name)} (${printable(hook.source)}): ${reason(hook, names)}`);
  }
  return lines.join("\n");
}

function headings(matcher: boolean): string[] {
  return ["TYPE", "STAGE", ...(matcher ? ["MATCHER"] : []), "DEADLINE", "IF IT FAILS", "SOURCE"];
}

const FAILURES = { block: "blocks", warn: "warns", ignore: "is ignored" } as const;

function columns(hook: HookDescription, matcher: boolean): string[] {
  const pattern = matcher ? [hook.matcher ?? "*"] : [];
  return [
    typeText(hook),
    hook.stage,
    ...pattern,
    formatDuration(hook.timeout_seconds * 1000),
    hook.mode === "observe" ? FAILURES.ignore : FAILURES[hook.on_failure],
    hook.source,
  ];
}

function typeText({ type, dialect, mode }: HookDescription): string {
  const details = [dialect, mode === "observe" ? "only observes" : undefined].filter((detail) => detail !== undefined);
  return details.length === 0 ? type : `${type} (${details.join(", ")})`;
}

function reason(hook: ExplainedHook & { runs: false }, names: readonly string[]): string {
  switch (hook.why) {
    case "other_event":
      return `for ${hook.event} only`;
    case "other_lane":
      return `on the ${hook.lane} lane`;
    case "matcher":
      return `matcher ${JSON.stringify(hook.matcher)} does not match ${names.join(" or ")}`;
    case "duplicate":
      return `the same as ${printable(hook.of ?? "")}, which runs`;
    case "loaded_files":
      return "judges each file that add_prompt_files loads";
  }
}

/** Formats rows below headings, in columns as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const last = head.length - 1;
  const lines = [head, ...rows].map((row) =>
    row.map((cell, index) => (index === last ? printable(cell) : oneLine(cell))),
  );
  const widths = head.map((_heading, index) => Math.max(...lines.map((line) => columnsOf(line[index] ?? ""))));
  return lines
    .map((line) => `  ${line.map((cell, index) => pad(cell, widths[index] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - columnsOf(cell)));
}

/** Shortens a text to fit into a cell of a table. */
function oneLine(text: string): string {
  const clean = printable(text);
  return clean.length > WIDEST ? `${[...clean].slice(0, WIDEST - 1).join("")}…` : clean;
}

/** Puts a text on one line, and removes control and format characters. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
}
