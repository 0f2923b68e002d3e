import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { AttributeValue } from "./otlp-spans.ts";
import { type SpanNode, walk } from "./span-tree.ts";

/** An event of the Trace Event Format: a complete one (`X`), with microseconds, or the name of a row (`M`). */
export type TraceEvent =
  | { ph: "M"; name: "process_name" | "thread_name"; pid: number; tid: number; args: { name: string } }
  | {
      ph: "X";
      name: string;
      cat: string;
      ts: number;
      dur: number;
      pid: number;
      tid: number;
      args: Record<string, AttributeValue>;
    };

/** A thread: spans on it contain each other, or follow each other. */
interface Thread {
  id: number;
  /** The ends of the spans that are open, outermost first. */
  open: number[];
}

/** A process: the spans of one session. */
interface Process {
  id: number;
  /** The threads of each agent. */
  threads: Map<string, Thread[]>;
}

/**
 * Converts trees of spans to the Trace Event Format, which ui.perfetto.dev and chrome://tracing open
 * (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Each session is a process and each
 * agent a thread. Spans that overlap get threads of their own, because the format requires those of one thread to nest.
 */
export function toPerfetto(roots: readonly SpanNode[]): { traceEvents: TraceEvent[]; displayTimeUnit: "ms" } {
  const nodes = [...walk(roots)];
  const origin = nodes.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY);
  const rows = new Rows();
  // Of spans that start together the longer one comes first, so that it contains the other.
  nodes.sort((a, b) => a.start - b.start || b.milliseconds - a.milliseconds || a.depth - b.depth);
  for (const node of nodes) rows.add(node, origin);
  return { traceEvents: rows.events, displayTimeUnit: "ms" };
}

/** The processes and threads, and the events on them. */
class Rows {
  readonly events: TraceEvent[] = [];
  readonly #processes = new Map<string, Process>();
  #threads = 0;

  /** Adds a span. It must not start before those that were added before. */
  add(node: SpanNode, origin: number): void {
    const ts = Math.round((node.start - origin) * 1000);
    const end = ts + Math.round(node.milliseconds * 1000);
    const process = this.#processOf(node.session || "no session");
    const thread = this.#threadOf(process, node.agent || "hooksh", ts, end);
    const fitted = Math.max(ts, Math.min(end, thread.open.at(-1) ?? end));
    thread.open.push(fitted);
    const name = escapeControls(node.name);
    const place = { pid: process.id, tid: thread.id };
    this.events.push({ ph: "X", name, cat: node.kind, ts, dur: fitted - ts, ...place, args: argsOf(node) });
  }

  #processOf(session: string): Process {
    const known = this.#processes.get(session);
    if (known) return known;
    const process: Process = { id: this.#processes.size + 1, threads: new Map() };
    this.#processes.set(session, process);
    this.#name("process_name", process.id, 0, session);
    return process;
  }

  /** Returns a thread of the agent into which the span nests. */
  #threadOf(process: Process, agent: string, ts: number, end: number): Thread {
    const own = process.threads.get(agent) ?? [];
    process.threads.set(agent, own);
    const free = own.find((candidate) => fits(candidate, ts, end));
    if (free) return free;
    const thread: Thread = { id: ++this.#threads, open: [] };
    own.push(thread);
    this.#name("thread_name", process.id, thread.id, own.length === 1 ? agent : `${agent} (${own.length})`);
    return thread;
  }

  #name(kind: "process_name" | "thread_name", pid: number, tid: number, text: string): void {
    this.events.push({ ph: "M", name: kind, pid, tid, args: { name: escapeControls(text) } });
  }
}

/**
 * True if a span from `start` to `end` nests into what is open on a thread, but for a microsecond, which rounding may
 * add. Closes what ended before.
 */
function fits(thread: Thread, start: number, end: number): boolean {
  while ((thread.open.at(-1) ?? Number.POSITIVE_INFINITY) <= start) thread.open.pop();
  return end <= (thread.open.at(-1) ?? Number.POSITIVE_INFINITY) + 1;
}

function argsOf({ attributes, reason, verdict, trace, id }: SpanNode): Record<string, AttributeValue> {
  return {
    ...attributes,
    ...(verdict === "" ? {} : { verdict }),
    ...(reason === "" ? {} : { reason }),
    trace_id: trace,
    span_id: id,
  };
}
