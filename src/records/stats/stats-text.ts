import { fileOf } from "../../audit/entry.ts";
import type { Paint } from "../../cli/paint.ts";
import { counted } from "../../lib/text/counted.ts";
import { shortDuration } from "../../lib/text/duration.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { type PlotStyle, plotAxis, plotDurations, scaleOf } from "./duration-plot.ts";
import { type Column, cutCell, fitTable } from "./fit-table.ts";
import type { RuleFigures } from "./rule-figures.ts";
import type { HookFigures, SessionFigures, StatsReport } from "./stats-report.ts";

/** What the terminal can show. */
export interface StatsTerminal {
  columns: number;
  style: PlotStyle;
  paint: Paint;
}

/** Formats figures as a table, a plot of the durations, and remarks. */
export function renderStats(report: StatsReport, terminal: StatsTerminal): string {
  const hooks = withDistinctNames(report.hooks);
  const sections = [filled(heading(report), terminal.columns)];
  if (hooks.length > 0) sections.push(figures(hooks, terminal), plot(hooks, terminal));
  if (report.rules) sections.push(ruleTable(report.rules, terminal));
  const remarks = [...hooks.flatMap(remarksOn), ...closing(report)];
  if (remarks.length > 0) sections.push(remarks.map((text) => filled(text, terminal.columns)).join("\n"));
  return sections.join("\n\n");
}

/** Puts the file in front of the names of hooks that are called the same on the same event. */
function withDistinctNames(hooks: readonly HookFigures[]): readonly HookFigures[] {
  const isShared = ({ hook, event, source }: HookFigures) =>
    hooks.some((other) => other.hook === hook && other.event === event && other.source !== source);
  return hooks.map((one) => (isShared(one) ? { ...one, hook: `${shortFile(one.source)}: ${one.hook}` } : one));
}

/** Returns the folder and the name of the file of a hook: `shop/hooks.yaml`. */
function shortFile(source: string): string {
  return fileOf(source).split(/[/\\]/).slice(-2).join("/");
}

function heading({ entries, hooks, since }: StatsReport): string {
  const from = `since ${since.slice(0, 16).replace("T", " ")} UTC`;
  if (entries === 0) return `The audit log has no matching entries ${from}; --since 90d looks further back`;
  const runs = hooks.reduce((sum, hook) => sum + hook.runs, 0);
  if (runs === 0) return `No matching hook ran in ${counted(entries, "entry", "entries")} of the audit log ${from}`;
  const names = new Set(hooks.map(({ hook, source }) => `${hook}\0${source}`));
  return `${counted(runs, "run")} of ${counted(names.size, "hook")} in ${counted(entries, "entry", "entries")} of the audit log ${from}`;
}

function figures(hooks: readonly HookFigures[], { columns, style, paint }: StatsTerminal): string {
  const [head = "", ...rows] = fitTable(columnsFor(hooks), columns, ELLIPSES[style]);
  const colored = rows.map((row, at) => {
    const hook = hooks[at];
    if (hook && hook.failed > 0) return paint("red", row);
    return hook && hook.near_timeouts > 0 ? paint("yellow", row) : row;
  });
  return [paint("bold", head), ...colored].join("\n");
}

const ELLIPSES: Readonly<Record<PlotStyle, string>> = { blocks: "…", ascii: "~" };

function columnsFor(hooks: readonly HookFigures[]): Column[] {
  const count = (heading: string, of: (hook: HookFigures) => number, optional: number): Column => ({
    heading,
    cells: hooks.map((hook) => of(hook).toLocaleString("en")),
    optional,
  });
  const time = (heading: string, of: (hook: HookFigures) => number, optional?: number): Column => ({
    heading,
    cells: hooks.map((hook) => shortDuration(of(hook))),
    ...(optional === undefined ? {} : { optional }),
  });
  const ifAny = (column: Column) => (column.cells.every((cell) => cell === "0") ? [] : [column]);
  return [
    { heading: "HOOK", cells: hooks.map(({ hook }) => escapeControls(hook)), cutTo: 12 },
    { heading: "EVENT", cells: hooks.map(({ event }) => escapeControls(event)), cutTo: 12 },
    count("RUNS", ({ runs }) => runs, 2),
    count("FAILED", ({ failed }) => failed, 1),
    count("DENIED", ({ blocked }) => blocked, 4),
    ...ifAny(count("ASKED", ({ asked }) => asked, 7)),
    ...ifAny(count("SLOW", ({ near_timeouts }) => near_timeouts, 3)),
    time("P50", ({ p50_ms }) => p50_ms, 6),
    time("P95", ({ p95_ms }) => p95_ms),
    time("MAX", ({ max_ms }) => max_ms, 5),
  ];
}

/** Formats how often rules hit: a table with a line for each rule and verdict. */
function ruleTable(rules: readonly RuleFigures[], { columns, style, paint }: StatsTerminal): string {
  const texts = (heading: string, of: (rule: RuleFigures) => string): Column => ({
    heading,
    cells: rules.map((rule) => escapeControls(of(rule))),
    cutTo: 12,
  });
  const count = (heading: string, of: (rule: RuleFigures) => number): Column => ({
    heading,
    cells: rules.map((rule) => of(rule).toLocaleString("en")),
  });
  const ifAny = (column: Column) => (column.cells.every((cell) => cell === "0") ? [] : [column]);
  const [head = "", ...rows] = fitTable(
    [
      texts("RULE", ({ rule }) => rule),
      texts("EVENT", ({ event }) => event),
      texts("VERDICT", ({ verdict }) => verdict),
      count("HITS", ({ hits }) => hits),
      ...ifAny({ ...count("POSSIBLE", ({ possible }) => possible), optional: 1 }),
      ...ifAny({ ...count("OBSERVED", ({ observed }) => observed), optional: 2 }),
    ],
    columns,
    ELLIPSES[style],
  );
  return [paint("bold", head), ...rows].join("\n");
}

const WIDEST_LABEL = 40;

function plot(hooks: readonly HookFigures[], { columns, style, paint }: StatsTerminal): string {
  const names = hooks.map((hook) => escapeControls(`${hook.hook} ${hook.event}`));
  const widest = Math.min(WIDEST_LABEL, Math.floor(columns / 3), Math.max(...names.map((name) => name.length)));
  const scale = scaleOf(
    hooks.map(({ durations }) => durations),
    columns - widest - 1,
  );
  const rows = hooks.map(({ durations }, at) => {
    const name = cutCell(names[at] ?? "", widest, ELLIPSES[style]);
    return `${name.padEnd(widest)} ${paint("cyan", plotDurations(durations, scale, style))}`.trimEnd();
  });
  const axis = `${" ".repeat(widest)} ${paint("dim", plotAxis(scale))}`;
  return [paint("bold", "HOW LONG THE RUNS TOOK"), ...rows, axis].join("\n");
}

function remarksOn({ hook, event, would_block, near_timeouts, timeout_s, max_ms }: HookFigures): string[] {
  const name = `${escapeControls(hook)} (${event})`;
  return [
    ...(near_timeouts > 0
      ? [
          `${name} took 80 % of its timeout or more ${times(near_timeouts)}: ${shortDuration(max_ms)} of ${shortDuration((timeout_s ?? 0) * 1000)}`,
        ]
      : []),
    ...(would_block > 0 ? [`${name} only observes: it would have denied ${times(would_block)}`] : []),
  ];
}

function closing({ sessions, unreadable, left_out: leftOut, hooks, percentile_error: error }: StatsReport): string[] {
  return [
    ...(sessions ? [sessionText(sessions)] : []),
    ...(hooks.length > 0 ? [`p50 and p95 are within ${percent(error)} of the exact ones`] : []),
    ...(unreadable > 0
      ? [
          `skipped ${counted(unreadable, "line")} that ${unreadable === 1 ? "is" : "are"} not an entry: see hooksh audit verify`,
        ]
      : []),
    ...(leftOut.runs > 0
      ? [`left out ${counted(leftOut.runs, "run")} of further hooks: choose some with --hook or --event`]
      : []),
    ...(leftOut.session_entries > 0
      ? [`the share of the time leaves out further sessions (${counted(leftOut.session_entries, "entry", "entries")})`]
      : []),
  ];
}

function sessionText({ sessions, session_ms, hooks_ms, share, p50_share, p95_share }: SessionFigures): string {
  const [took, of] = [shortDuration(hooks_ms), shortDuration(session_ms)];
  const spread =
    sessions === 1 ? "" : `; the median session ${percent(p50_share)}, the 95th percentile ${percent(p95_share)}`;
  return `hooks took ${percent(share)} of the time of ${counted(sessions, "session")} from the first entry to the last (${took} of ${of})${spread}`;
}

function percent(share: number): string {
  const value = share * 100;
  return `${Number(value.toPrecision(value < 0.1 ? 1 : 2))} %`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}

/** Breaks a text at blanks into lines of at most `columns` characters, where its words allow. */
function filled(text: string, columns: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > columns) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}
