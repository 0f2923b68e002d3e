import type { Env } from "../lib/env.ts";
import type { TraceContext } from "./context.ts";
import type { Span, SpanStart } from "./span.ts";
import type { Tracer } from "./tracer.ts";

/** The tracer, and the functions that pass its context on; loaded only while tracing is on. */
export interface Tracing {
  tracer: Tracer;
  variables(context: TraceContext, inherited: Env): Env;
  headers(context: TraceContext): Record<string, string>;
  parse(traceparent: string | undefined, tracestate: string | undefined): TraceContext | undefined;
  /** How long the end of the process may wait for the collector, in milliseconds. */
  closeWithinMs: number;
}

/** The tracer of this process, like the global one of OpenTelemetry's API; undefined while tracing is off. */
let active: Tracing | undefined;

/** Turns tracing on for the whole process. */
export function startTracing(tracing: Tracing): void {
  active = tracing;
}

/** Returns the tracer; undefined while tracing is off. */
export function activeTracer(): Tracer | undefined {
  return active?.tracer;
}

/** Runs work as part of the trace that the headers of a request name; without a valid one, unchanged. */
export function continueTrace<T>(headers: Pick<Headers, "get">, work: () => T): T {
  const header = (name: string) => headers.get(name) ?? undefined;
  const context = active?.parse(header("traceparent"), header("tracestate"));
  return active && context ? active.tracer.within(context, work) : work();
}

/** Returns the span that the running code belongs to. */
export function currentSpan(): Span | undefined {
  return active?.tracer.current;
}

/** Runs work in a span below the current one. While tracing is off, only runs the work. */
export function traced<T>(start: () => SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  return active === undefined ? work(undefined) : active.tracer.run(start(), work);
}

/** Returns the variables that pass the context of the running code on to a process; `inherited`: its environment. */
export function traceVariables(inherited: Env): Env {
  const context = active?.tracer.context;
  return active && context ? active.variables(context, inherited) : {};
}

/** Returns the environment of a process that the running code starts, with the context of its span. */
export function tracedEnv(env: Env): Env {
  return active === undefined ? env : { ...env, ...traceVariables(env) };
}

/** Returns the headers that pass the context on with a request of the running code. */
export function traceHeaders(): Record<string, string> {
  const context = active?.tracer.context;
  return active && context ? active.headers(context) : {};
}

/** Ends tracing: delivers the spans that are left, within the limit that {@link startTracing} got. Never throws. */
export async function endTracing(): Promise<void> {
  const ending = active;
  active = undefined;
  await ending?.tracer.close(ending.closeWithinMs);
}

/** True if the environment names a collector and does not switch OpenTelemetry off: then tracing is on. */
export function hasEndpoint(env: Env): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  return Boolean(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
}
