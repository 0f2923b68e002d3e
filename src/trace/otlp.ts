import { type AttributeName, DOUBLES, SCHEMA_URL } from "./names.ts";
import type { AttributeValue, Span } from "./span.ts";

/** The attributes of a process, such as `service.name`. */
export type Resource = Readonly<Record<string, string>>;

/** Who made the spans. */
export interface Scope {
  name: string;
  version: string;
}

const KINDS = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;
/** The bits of `flags` besides those of W3C: whether the parent is a span of another process, and that this is known. */
const KNOWS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/**
 * Returns a function that writes spans as lines without their ends: each an `ExportTraceServiceRequest` in OTLP's JSON
 * encoding (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding) of at most `limit` UTF-16 units, except
 * for one that holds a single larger span.
 */
export function lineEncoder(resource: Resource, scope: Scope, limit: number): (spans: readonly Span[]) => string[] {
  const about = JSON.stringify({ attributes: attributesOf(resource) });
  const head = `{"resourceSpans":[{"resource":${about},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`;
  const tail = `],"schemaUrl":${JSON.stringify(SCHEMA_URL)}}]}]}`;
  return (spans) => {
    const lines: string[][] = [];
    let room = 0;
    for (const span of spans) {
      const text = JSON.stringify(encodeSpan(span));
      if (lines.length === 0 || text.length > room) {
        lines.push([]);
        room = limit - head.length - tail.length;
      }
      lines.at(-1)?.push(text);
      room -= text.length + 1;
    }
    return lines.map((texts) => head + texts.join(",") + tail);
  };
}

function encodeSpan({ name, kind, place, startedAt, endedAt, attributes, failure }: Span) {
  const { context, parent, parentSpanId } = place;
  const isRemote = parentSpanId !== undefined && parent === undefined;
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === undefined ? {} : { traceState: context.state }),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: (context.isSampled ? 1 : 0) | KNOWS_REMOTE | (isRemote ? IS_REMOTE : 0),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: attributesOf(Object.fromEntries(attributes)),
    ...(failure === undefined
      ? {}
      : { status: { code: STATUS_ERROR, ...(failure === "" ? {} : { message: failure }) } }),
  };
}

/** Microseconds are as exact as the clock is; a number of nanoseconds would lose digits. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function attributesOf(attributes: Readonly<Record<string, AttributeValue>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(key, value) }));
}

function encodeValue(key: string, value: AttributeValue) {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isInteger(value) && !DOUBLES.includes(key as AttributeName)
        ? { intValue: String(value) }
        : { doubleValue: value };
    default:
      return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
  }
}
