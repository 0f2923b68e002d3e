import type { Paint } from "../../cli/paint.ts";
import { counted } from "../../lib/text/counted.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { unifiedDiff } from "../../lib/text/unified-diff.ts";
import type { VerdictSummary } from "../record/verdict-summary.ts";
import { labelText } from "./describe-event.ts";
import type { ChangedEvent, ReplayOutcome } from "./replay-files.ts";

const TITLES = { weaker: "WEAKER", stricter: "stricter", other: "changed" } as const;

/**
 * Formats a changed verdict: place, event and call, then the old and the new decision with the hooks and reasons, then
 * what differs in rewrites and texts.
 */
export function renderChange(change: ChangedEvent, paint: Paint): string {
  const { file, line, kind, before, after, parts } = change;
  const title = paint(kind === "weaker" ? "red" : "bold", TITLES[kind]);
  const diffs = parts
    .filter((part) => part !== "reason")
    .flatMap((part) => [`${part}:`, ...unifiedDiff(textOf(before[part]), textOf(after[part])).split("\n").slice(1)]);
  const lines = [`old: ${decisionText(before)}`, `new: ${decisionText(after)}`, ...diffs];
  return [`${escapeControls(file)}:${line}: ${title}: ${labelText(change)}`, ...lines.map(indented)].join("\n");
}

/** Formats the counts: `3 events: 2 changed, 1 of them weaker (deny -> none: 1, none -> deny: 1)`. */
export function replaySummary({ events, changes, problems, unjudged, omitted }: ReplayOutcome): string {
  const weaker = changes.filter(({ kind }) => kind === "weaker").length;
  const kinds = [...changeCounts(changes)].map(([kind, count]) => `${kind}: ${count}`).join(", ");
  const changed = changes.length === 0 ? "no verdict changed" : `${changes.length} changed (${kinds})`;
  return [
    `${counted(events, "event")}: ${changed}`,
    ...(weaker === 0 ? [] : [`${counted(weaker, "verdict")} weaker`]),
    ...(problems.length === 0 ? [] : [`${problems.length} could not be replayed`]),
    ...(unjudged.length === 0 ? [] : [`${unjudged.length} without a recorded verdict`]),
    ...(omitted.length === 0 ? [] : [`${omitted.length} too large to be recorded`]),
  ].join("; ");
}

/** Counts changes by old and new decision: `deny -> none`. */
export function changeCounts(changes: readonly ChangedEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { before, after } of changes) {
    const kind = `${before.decision} -> ${after.decision}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function decisionText({ decision, by, reason }: VerdictSummary): string {
  const hooks = by && by.length > 0 ? ` by ${by.join(", ")}` : "";
  return `${decision}${hooks}${reason ? `: ${reason}` : ""}`;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function indented(text: string): string {
  return `  ${escapeControlsInLines(text).replaceAll("\n", "\n    ")}`;
}
