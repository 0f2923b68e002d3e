import type { Env } from "../lib/env.ts";
import { startTracing } from "./active.ts";
import { contextHeaders, contextOfProcess, contextVariables, parseContext } from "./context.ts";
import { capturesContent, exportSettings, resourceOf } from "./otel-settings.ts";
import { samplerOf } from "./sampler.ts";
import { openTraceFile } from "./trace-file.ts";
import { type Redact, Tracer } from "./tracer.ts";

/** What to trace, and where to. */
export interface TraceOptions {
  /** The file that spans are appended to; absolute. */
  file: string | undefined;
  /** The environment of the process, with the variables of OpenTelemetry. */
  env: Env;
  /** The version of hooksh. */
  version: string;
  /** True if spans without a parent share one trace, as those of a run. */
  sharesTrace: boolean;
  /** How long the end of the process may wait for the collector, in milliseconds. */
  closeWithinMs: number;
  /** How long an attempt to reach the collector may take; by default `OTEL_EXPORTER_OTLP_TIMEOUT`. */
  timeoutMs?: number | undefined;
  /** Loads the search for secrets. */
  loadRedactor: () => Promise<Redact>;
  /** Receives what cannot be traced, once for each cause. */
  warn: (message: string) => void;
}

/** Turns tracing on for this process. Never throws: a failure to trace is a warning and changes nothing else. */
export async function openTrace({ env, warn, ...options }: TraceOptions): Promise<Tracer> {
  const about = {
    resource: resourceOf(env, options.version, warn),
    scope: { name: "hooksh", version: options.version },
    warn,
  };
  const settings = exportSettings(env, warn);
  const tracer = new Tracer({
    sinks: [
      ...(options.file === undefined ? [] : [openTraceFile(options.file, about)]),
      ...(settings
        ? [(await import("./collector.ts")).openCollector({ settings, timeoutMs: options.timeoutMs, ...about })]
        : []),
    ],
    sampler: samplerOf(env, warn),
    capturesContent: capturesContent(env, warn),
    loadRedactor: options.loadRedactor,
    parent: contextOfProcess(env),
    sharesTrace: options.sharesTrace,
  });
  startTracing({
    tracer,
    variables: contextVariables,
    headers: contextHeaders,
    parse: parseContext,
    closeWithinMs: options.closeWithinMs,
  });
  return tracer;
}
