import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { clocksOf } from "./clocks.ts";
import { hookDurations } from "./hook-durations.ts";
import type { Attributes } from "./otlp-spans.ts";
import type { PageData, PageSpan } from "./page/page-data.ts";
import { previewOf } from "./preview.ts";
import { type SpanNode, shortName, walk } from "./span-tree.ts";

/** A longer text is cut: one attribute must not make the page unusable. In UTF-16 units. */
const LONGEST_TEXT = 256 * 1024;

/** The parts of a page other than the spans. */
export interface PageFrame {
  title: string;
  notes: readonly string[];
}

/** Flattens trees into the data of a page, with control characters escaped and overlong texts cut. */
export function toPageData(roots: readonly SpanNode[], { title, notes }: PageFrame): PageData {
  const nodes = [...walk(roots)];
  const starts = clockStarts(roots, nodes);
  const indexes = new Map(nodes.map((node, index) => [node, index]));
  const origin = nodes.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY);
  return {
    title: escapeControls(title),
    origin: nodes.length > 0 ? origin : 0,
    spans: nodes.map((node) => {
      const parent = node.parentNode ? (indexes.get(node.parentNode) ?? -1) : -1;
      return { ...spanOf(node, parent, origin), clock: since(origin, starts.get(node) ?? node.start) };
    }),
    hooks: hookDurations(roots).map((row) => ({ ...row, hook: oneLine(row.hook), event: oneLine(row.event) })),
    notes: notes.map(oneLine),
  };
}

/** The start of the clock of each span; `nodes` are in the order of {@link walk}. */
function clockStarts(roots: readonly SpanNode[], nodes: readonly SpanNode[]): Map<SpanNode, number> {
  const clocks = clocksOf(roots);
  const starts = new Map<SpanNode, number>();
  for (const node of nodes) {
    const above = node.parentNode && starts.get(node.parentNode);
    starts.set(node, above ?? clocks.get(node)?.start ?? node.start);
  }
  return starts;
}

function spanOf(node: SpanNode, parent: number, origin: number): Omit<PageSpan, "clock"> {
  const { kind, milliseconds, tone, id, trace, attributes, events } = node;
  return {
    name: oneLine(shortName(node)),
    kind,
    parent,
    start: since(origin, node.start),
    milliseconds,
    verdict: oneLine(node.verdict),
    tone,
    reason: text(node.reason),
    preview: oneLine(previewOf(node)),
    id,
    trace,
    ...(parent < 0 && node.parent !== undefined ? { lostParent: node.parent } : {}),
    attributes: pairs(attributes),
    events: events.map((event) => ({
      name: oneLine(event.name),
      start: since(origin, event.time),
      attributes: pairs(event.attributes),
    })),
  };
}

/** Rounded to microseconds: a time since 1970 as a number has no more digits. */
function since(origin: number, time: number): number {
  return Math.round((time - origin) * 1000) / 1000;
}

function pairs(attributes: Attributes): [string, string][] {
  return Object.entries(attributes).map(([key, value]) => [oneLine(key), text(String(value))]);
}

function text(value: string): string {
  const missing = value.length - LONGEST_TEXT;
  const shown = missing > 0 ? `${value.slice(0, LONGEST_TEXT)}\n… ${missing} more characters` : value;
  return escapeControlsInLines(shown.toWellFormed());
}

function oneLine(value: string): string {
  return escapeControls(value.slice(0, 1000).toWellFormed());
}
