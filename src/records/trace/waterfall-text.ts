import type { Paint } from "../../cli/paint.ts";
import { cellsOf } from "../../cli/wrap.ts";
import { columnsOf } from "../../lib/platform.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { type Clock, clocksOf } from "./clocks.ts";
import { describeHidden } from "./fold-repeats.ts";
import { formatSpan } from "./format-time.ts";
import type { Tone } from "./page/page-data.ts";
import { previewOf } from "./preview.ts";
import { type SpanNode, shortName, walk } from "./span-tree.ts";
import { continuation, rowsOf, type WaterfallRow } from "./waterfall-rows.ts";

export interface WaterfallOptions {
  /** The width in columns; less than 40 counts as 40, more than 200 as 200. */
  columns: number;
  paint: Paint;
  /** Shows every span: repeats are not folded, and there is no limit to the lines. */
  all: boolean;
}

/** The widths of the columns of a waterfall. */
interface Layout {
  columns: number;
  name: number;
  verdict: number;
  /** 0 if there is no room for bars. */
  bar: number;
}

/** Maximum number of lines without `all`; the rest of a longer waterfall is left out. */
const MOST_ROWS = 500;
/** The width of the durations, in columns. */
const DURATION = 8;
/** The maximum width of the verdicts, in columns. */
const WIDEST_VERDICT = 12;
/** The width in columns from which a terminal shows bars. */
const BAR_FROM = 56;
/** The width in columns from which it shows the kind of each span. */
const KINDS_FROM = 70;
/** The share of the width that bars take. */
const BAR_SHARE = 0.35;
/** The filled part of a column, in eighths. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

const STYLES: Readonly<Record<Tone, Parameters<Paint>[0] | undefined>> = {
  plain: undefined,
  good: "green",
  warn: "yellow",
  bad: "red",
  observed: "cyan",
};

/** Draws trees of spans as lines: name, verdict, duration, and a bar on the scale of its clock. */
export function renderWaterfall(roots: readonly SpanNode[], { columns, paint, all }: WaterfallOptions): string {
  const layout = layoutFor(roots, Math.min(200, Math.max(40, columns)));
  const lines: string[] = [];
  let shown = 0;
  let session: string | undefined;
  const clocks = clocksOf(roots);
  for (const row of rowsOf(roots, all)) {
    if (!all && lines.length >= MOST_ROWS) break;
    if (row.branch === "" && row.root.session !== session) {
      session = row.root.session;
      if (lines.length > 0) lines.push("");
      lines.push(paint("bold", fit(sessionTitle(row.root), layout.columns)));
    }
    if ("hidden" in row) lines.push(paint("dim", fit(hiddenLine(row), layout.columns)));
    else {
      shown++;
      const clock = clocks.get(row.root) ?? { start: 0, end: 0 };
      lines.push(spanLine(row, clock, layout, paint), ...reasonLines(row, layout, paint));
    }
  }
  const total = [...walk(roots)].length;
  if (shown < total) lines.push("", `${total - shown} of ${total} spans are not shown: --all shows them`);
  return lines.join("\n");
}

function layoutFor(roots: readonly SpanNode[], columns: number): Layout {
  let verdict = 0;
  for (const node of walk(roots)) verdict = Math.max(verdict, columnsOf(escapeControls(node.verdict)));
  verdict = Math.min(WIDEST_VERDICT, verdict);
  const bar = columns < BAR_FROM ? 0 : Math.floor(columns * BAR_SHARE);
  return { columns, verdict, bar, name: columns - verdict - bar - DURATION - 2 - (bar > 0 ? 1 : 0) };
}

function sessionTitle({ session, start }: SpanNode): string {
  const time = new Date(start).toISOString().slice(0, 19).replace("T", " ");
  return `${session === "" ? "no session" : `session ${escapeControls(session)}`} · ${time} UTC`;
}

function hiddenLine({ prefix, branch, hidden }: WaterfallRow & { hidden: readonly SpanNode[] }): string {
  return `${prefix}${branch}… ${hidden.length} more: ${escapeControls(describeHidden(hidden))}`;
}

function spanLine(
  { prefix, branch, node }: WaterfallRow & { node: SpanNode },
  clock: Clock,
  layout: Layout,
  paint: Paint,
): string {
  const guides = prefix + branch;
  const style = STYLES[node.tone];
  const color = (text: string) => (style ? paint(style, text) : text);
  const kind = node.kind === "other" || layout.columns < KINDS_FROM ? "" : `${node.kind} `;
  const room = Math.max(4, layout.name - guides.length - kind.length);
  const name = pad(fit(escapeControls(labelOf(node)), room), room);
  const verdict = color(pad(fit(escapeControls(node.verdict), layout.verdict), layout.verdict));
  const line = `${paint("dim", guides + kind)}${name} ${verdict} ${formatSpan(node.milliseconds).padStart(DURATION)}`;
  return layout.bar === 0 ? line : `${line} ${color(barOf(node, clock, layout.bar))}`.trimEnd();
}

function labelOf(node: SpanNode): string {
  const preview = previewOf(node);
  return preview === "" ? shortName(node) : `${shortName(node)}: ${preview}`;
}

/** The reason of a verdict below its span, unless a span below gives it. */
function reasonLines({ prefix, branch, node }: WaterfallRow & { node: SpanNode }, layout: Layout, paint: Paint) {
  const { tone, reason } = node;
  if (reason === "" || tone === "plain" || tone === "good") return [];
  if (node.children.some((child) => child.reason !== "" && child.tone === tone)) return [];
  const below = prefix + continuation(branch) + (node.children.length > 0 ? "│ " : "  ");
  return [paint("dim", below) + fit(escapeControls(reason), layout.columns - below.length)];
}

/** A bar that starts and ends where the span does on the scale of its clock; at least one thin column wide. */
function barOf(node: SpanNode, clock: Clock, width: number): string {
  const scale = clock.end > clock.start ? width / (clock.end - clock.start) : 0;
  const start = Math.min(width - 1, Math.max(0, Math.floor((node.start - clock.start) * scale)));
  const length = Math.min(width - start, node.milliseconds * scale);
  const full = Math.floor(length);
  return " ".repeat(start) + "█".repeat(full) + (EIGHTHS[Math.round((length - full) * 8)] || (full === 0 ? "▏" : ""));
}

/** Cuts a text to a width in columns, with `…` for what is missing. */
function fit(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const cell of cellsOf(text)) {
    if (used + cell.width > width - 1) break;
    kept += cell.text;
    used += cell.width;
  }
  return `${kept}…`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)));
}
