/** The kind of work that a span covers. */
export const SPAN_KINDS = ["agent", "model", "tool", "event", "hook", "other"] as const;

export type SpanKind = (typeof SPAN_KINDS)[number];

/** How a verdict is coloured: `observed` is that of a hook whose verdict is not enforced. */
export type Tone = "plain" | "good" | "warn" | "bad" | "observed";

/** A span as the page gets it. */
export interface PageSpan {
  name: string;
  kind: SpanKind;
  /** The index of its parent, which comes before it; -1 for a root. */
  parent: number;
  /** Milliseconds after {@link PageData.origin}. */
  start: number;
  /** The start of the clock on which it is drawn, in milliseconds after the origin; see `Clock` of the program. */
  clock: number;
  milliseconds: number;
  verdict: string;
  tone: Tone;
  reason: string;
  /** What it is about, in a few words: the command of a tool call, the tokens of a request; "" without. */
  preview: string;
  id: string;
  trace: string;
  /** The id of its parent if that is not in the file. */
  lostParent?: string;
  attributes: [key: string, value: string][];
  events: { name: string; start: number; attributes: [key: string, value: string][] }[];
}

/** The durations of one hook on one event, in milliseconds. */
export interface HookDurations {
  hook: string;
  event: string;
  runs: number;
  /** Runs that failed or timed out. */
  failures: number;
  p50: number;
  p95: number;
  max: number;
  /** The sum of all runs. */
  total: number;
}

/** Everything that the page shows: texts are escaped for display, never for HTML. */
export interface PageData {
  /** The name of the file, or of the session. */
  title: string;
  /** The start of the first span, in milliseconds since 1970. */
  origin: number;
  /** Parents before children, siblings in order of time. */
  spans: PageSpan[];
  hooks: HookDurations[];
  /** A line for everything in the trace that could not be read or is left out. */
  notes: string[];
}
