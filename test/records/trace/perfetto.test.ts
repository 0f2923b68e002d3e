import { describe, expect, test } from "bun:test";
import { type TraceEvent, toPerfetto } from "../../../src/records/trace/perfetto.ts";
import { parseTrace } from "../../../src/records/trace/read-trace.ts";
import { buildTrees } from "../../../src/records/trace/span-tree.ts";
import { agentSpan, exampleRun, hookSpan, modelSpan, otlpLines, type SpanSpec } from "../../helpers/otlp.ts";

function eventsOf(...roots: SpanSpec[]): TraceEvent[] {
  return toPerfetto(buildTrees(parseTrace(Buffer.from(otlpLines(roots)), "run.jsonl").spans)).traceEvents;
}

type Complete = Extract<TraceEvent, { ph: "X" }>;
const completeIn = (events: TraceEvent[]) => events.filter((event): event is Complete => event.ph === "X");
const namesIn = (events: TraceEvent[]) =>
  events.flatMap((event) => (event.ph === "M" ? [`${event.name} ${event.args.name}`] : []));

/**
 * What the description of the format demands: complete events have a name, a category, numbers of microseconds and ids;
 * those of a thread contain each other or do not touch; every process and thread has a name.
 */
function violations(events: readonly TraceEvent[]): string[] {
  const found: string[] = [];
  const complete = completeIn([...events]);
  for (const event of complete) {
    const numbers = [event.ts, event.dur, event.pid, event.tid];
    if (!numbers.every((value) => Number.isFinite(value) && value >= 0)) found.push(`numbers of ${event.name}`);
    if (typeof event.name !== "string" || event.name === "" || event.cat === "") found.push("name or category");
  }
  for (const one of complete)
    for (const other of complete) {
      if (one === other || one.pid !== other.pid || one.tid !== other.tid) continue;
      const isApart = one.ts + one.dur <= other.ts || other.ts + other.dur <= one.ts;
      const contains = one.ts <= other.ts && one.ts + one.dur >= other.ts + other.dur;
      const isInside = other.ts <= one.ts && other.ts + other.dur >= one.ts + one.dur;
      if (!isApart && !contains && !isInside) found.push(`${one.name} and ${other.name} cross`);
    }
  for (const { pid, tid, name } of complete) {
    const isNamed = (kind: string, id: number) =>
      events.some((event) => event.ph === "M" && event.name === kind && event.pid === pid && event.tid === id);
    if (!isNamed("process_name", 0) || !isNamed("thread_name", tid)) found.push(`${name} is on a row without a name`);
  }
  return found;
}

describe("the Trace Event Format", () => {
  test("has a complete event for each span, with its attributes, on the thread of its agent", () => {
    const events = eventsOf(exampleRun());
    expect(violations(events)).toEqual([]);
    expect(completeIn(events)).toHaveLength(15);
    expect(namesIn(events).slice(0, 2)).toEqual(["process_name 0199-session-one", "thread_name root"]);
    expect(completeIn(events).find(({ name }) => name === "apply_guardrail guard.sh")).toMatchObject({
      cat: "hook",
      ts: 1_811_000,
      dur: 180_000,
      args: { "hooksh.decision": "deny", verdict: "deny", reason: "no force push: push a new branch" },
    });
  });

  test("spans that overlap get threads of their own", () => {
    const overlapping = Array.from({ length: 8 }, (_none, at) => hookSpan(`hook-${at}`, { at: at * 3, takes: 10 }));
    const events = eventsOf(agentSpan("root", overlapping));
    expect(violations(events)).toEqual([]);
    expect(namesIn(events).filter((name) => name.startsWith("thread"))).toEqual([
      "thread_name root",
      "thread_name root (2)",
      "thread_name root (3)",
      "thread_name root (4)",
    ]);
  });

  test("each session is a process and each agent a thread", () => {
    const sub = agentSpan("helper", [modelSpan("opus")], { at: 100, takes: 1000 });
    const other = agentSpan("root", [], { attributes: { "gen_ai.conversation.id": "0199-session-two" } });
    const events = eventsOf(agentSpan("root", [sub]), other);
    expect(violations(events)).toEqual([]);
    expect(namesIn(events)).toEqual([
      "process_name 0199-session-one",
      "thread_name root",
      "process_name 0199-session-two",
      "thread_name root",
      "thread_name helper",
    ]);
  });

  test("rounding to microseconds does not make a child longer than its parent", () => {
    const children = Array.from({ length: 50 }, (_none, at) => modelSpan("opus", { at: at * 1.0006, takes: 1.0006 }));
    const events = eventsOf(agentSpan("root", children, { takes: 50 * 1.0006 }));
    expect(violations(events)).toEqual([]);
    expect(new Set(events.map(({ tid }) => tid)).size).toBeLessThanOrEqual(3);
  });
});
