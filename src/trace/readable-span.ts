import { createTraceState, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { TraceContext } from "./context.ts";
import { SCHEMA_URL } from "./names.ts";
import type { Resource, Scope } from "./otlp.ts";
import type { Span } from "./span.ts";

/** A span as OpenTelemetry's exporters take it. */
export type ReadableSpan = Parameters<OTLPTraceExporter["export"]>[0][number];

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/** Returns a function that translates spans for the exporters. */
export function readableSpans(attributes: Resource, { name, version }: Scope): (span: Span) => ReadableSpan {
  const resource = resourceFromAttributes(attributes);
  const instrumentationScope = { name, version, schemaUrl: SCHEMA_URL };
  return (span) => ({
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => contextOf(span.place.context, false),
    ...parentOf(span),
    startTime: timeOf(span.startedAt),
    endTime: timeOf(span.endedAt),
    duration: timeOf(span.endedAt - span.startedAt),
    ended: true,
    status:
      span.failure === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, ...(span.failure === "" ? {} : { message: span.failure }) },
    attributes: Object.fromEntries([...span.attributes].map(([key, value]) => [key, mutable(value)])),
    links: [],
    events: [],
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  });
}

function parentOf({ place: { context, parent, parentSpanId } }: Span): Pick<ReadableSpan, "parentSpanContext"> {
  if (parentSpanId === undefined) return {};
  return { parentSpanContext: contextOf({ ...context, spanId: parentSpanId }, parent === undefined) };
}

function contextOf({ traceId, spanId, isSampled, state }: TraceContext, isRemote: boolean) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return {
    traceId,
    spanId,
    traceFlags,
    isRemote,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  };
}

/** Seconds and nanoseconds, as exact as the clock is. */
function timeOf(milliseconds: number): HrTime {
  const micros = Math.round(milliseconds * 1000);
  return [Math.floor(micros / 1e6), (micros % 1e6) * 1000];
}

function mutable<T extends string | number | boolean>(value: T | readonly string[]): T | string[] {
  return typeof value === "object" ? [...value] : value;
}
