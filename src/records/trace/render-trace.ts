import { escapeControls } from "../../lib/text/escape-controls.ts";
import { formatSpan } from "./format-time.ts";
import type { OpenedTrace } from "./open-trace.ts";
import { type SpanNode, walk } from "./span-tree.ts";
import { renderWaterfall, type WaterfallOptions } from "./waterfall-text.ts";

/** How a trace is shown in a terminal; `removed` spans were left out by a filter. */
export interface RenderOptions extends WaterfallOptions {
  removed: number;
}

/** Formats a trace for a terminal: a summary, then the waterfall. */
export function renderTrace({ title, roots }: OpenedTrace, options: RenderOptions): string {
  const nodes = [...walk(roots)];
  const { removed, paint } = options;
  const lines = [paint("bold", summaryOf(title, nodes))];
  if (nodes.length > 0) lines.push("", renderWaterfall(roots, options));
  if (removed > 0) lines.push("", `${removed} of ${nodes.length + removed} spans are left out by --min or --errors`);
  return lines.join("\n");
}

function summaryOf(title: string, nodes: readonly SpanNode[]): string {
  const first = nodes.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const last = nodes.reduce((most, { start, milliseconds }) => Math.max(most, start + milliseconds), 0);
  const denied = nodes.filter(({ kind, verdict }) => kind === "event" && (verdict === "deny" || verdict === "block"));
  const failed = nodes.filter(({ verdict }) => verdict === "failed" || verdict === "timed out");
  const parts = [
    `${nodes.length} ${nodes.length === 1 ? "span" : "spans"}`,
    ...(nodes.length > 0 ? [formatSpan(last - first)] : []),
    ...(denied.length > 0 ? [`${denied.length} denied`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  return `${escapeControls(title)}: ${parts.join(", ")}`;
}
