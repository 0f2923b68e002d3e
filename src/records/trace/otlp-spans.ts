import { isObject } from "../../lib/json.ts";

/** The value of an attribute. Lists and maps of other tools are kept as JSON text. */
export type AttributeValue = string | number | boolean;

/** The attributes of a span or event. Without a prototype, because the keys are untrusted. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A moment that a span recorded. */
export interface SpanEvent {
  name: string;
  /** Milliseconds since 1970, with a fraction. */
  time: number;
  attributes: Attributes;
}

/** A span of a trace, checked; every text in it is untrusted. */
export interface TraceSpan {
  /** Hexadecimal. */
  id: string;
  trace: string;
  /** Undefined for the first span of a trace. The parent may be in no file that we have. */
  parent: string | undefined;
  name: string;
  /** Milliseconds since 1970, with a fraction. */
  start: number;
  milliseconds: number;
  failed: boolean;
  /** The message of its status. */
  message: string;
  attributes: Attributes;
  events: readonly SpanEvent[];
}

/** The spans of one export, and a line for each that could not be read. */
export interface ReadSpans {
  spans: TraceSpan[];
  problems: string[];
}

/** The status of a failed span. The JSON encoding has the number; older exporters wrote the name. */
const ERROR_STATUS: readonly unknown[] = [2, "STATUS_CODE_ERROR"];

/**
 * Reads an `ExportTraceServiceRequest` in the JSON encoding of OTLP
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). A span without ids or times is a problem, and
 * reading continues after it; unknown keys are ignored, as the encoding demands.
 */
export function readOtlpSpans(value: unknown): ReadSpans {
  const read: ReadSpans = { spans: [], problems: [] };
  if (!isObject(value) || !Array.isArray(value["resourceSpans"])) {
    read.problems.push("is not an OTLP trace: it has no list resourceSpans");
    return read;
  }
  for (const [resource, scopes] of listsIn(value["resourceSpans"], "resourceSpans", "scopeSpans")) {
    for (const [scope, spans] of listsIn(scopes, `${resource}.scopeSpans`, "spans")) {
      for (const [index, item] of spans.entries()) {
        const span = readSpan(item);
        if (typeof span === "string") read.problems.push(`${scope}.spans[${index}] ${span}`);
        else read.spans.push(span);
      }
    }
  }
  return read;
}

/** Yields the list under `key` of each object in a list, with the place of the object. */
function* listsIn(items: readonly unknown[], place: string, key: string): Generator<[string, unknown[]]> {
  for (const [index, item] of items.entries()) {
    const list = isObject(item) ? item[key] : undefined;
    if (Array.isArray(list)) yield [`${place}[${index}]`, list];
  }
}

/** Returns the span, or why it is not valid. */
function readSpan(item: unknown): TraceSpan | string {
  if (!isObject(item)) return "is not an object";
  const id = idOf(item["spanId"], 16);
  const trace = idOf(item["traceId"], 32);
  if (id === undefined) return "has no spanId of 16 hexadecimal digits";
  if (trace === undefined) return "has no traceId of 32 hexadecimal digits";
  const start = nanosecondsOf(item["startTimeUnixNano"]);
  if (start === 0n) return "has no startTimeUnixNano";
  const end = nanosecondsOf(item["endTimeUnixNano"]);
  const status = isObject(item["status"]) ? item["status"] : {};
  return {
    id,
    trace,
    parent: idOf(item["parentSpanId"], 16),
    name: textOf(item["name"]) || "(no name)",
    start: toMilliseconds(start),
    // Exact: a number of nanoseconds since 1970 has more digits than a double.
    milliseconds: end > start ? toMilliseconds(end - start) : 0,
    failed: ERROR_STATUS.includes(status["code"]),
    message: textOf(status["message"]),
    attributes: readAttributes(item["attributes"]),
    events: (Array.isArray(item["events"]) ? item["events"] : []).filter(isObject).map((event) => ({
      name: textOf(event["name"]),
      time: toMilliseconds(nanosecondsOf(event["timeUnixNano"]) || start),
      attributes: readAttributes(event["attributes"]),
    })),
  };
}

/** Returns an id of this many hexadecimal digits in lower case; undefined for anything else and for an id of zeros. */
function idOf(value: unknown, digits: number): string | undefined {
  if (typeof value !== "string" || value.length !== digits || !/^[0-9a-f]+$/i.test(value)) return undefined;
  return /^0+$/.test(value) ? undefined : value.toLowerCase();
}

/** Nanoseconds since 1970, from digits or a number; 0 if the time is unknown. */
function nanosecondsOf(value: unknown): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return BigInt(value);
  return typeof value === "number" && value > 0 && value < 2 ** 64 ? BigInt(Math.round(value)) : 0n;
}

function toMilliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readAttributes(list: unknown): Attributes {
  const attributes = Object.create(null) as Record<string, AttributeValue>;
  for (const item of Array.isArray(list) ? list : []) {
    if (!isObject(item) || typeof item["key"] !== "string") continue;
    const value = plainValue(item["value"]);
    if (value !== undefined && value !== null)
      attributes[item["key"]] = typeof value === "object" ? JSON.stringify(value) : (value as AttributeValue);
  }
  return attributes;
}

/** Converts an `AnyValue` to the JSON value it encodes. The reader has bounded its depth. */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (typeof intValue === "number" || typeof intValue === "string") return integerOf(intValue);
  if (typeof doubleValue === "number" || typeof doubleValue === "string") return doubleValue;
  if (isObject(arrayValue)) return valuesOf(arrayValue).map((item) => plainValue(item) ?? null);
  if (isObject(kvlistValue)) return readAttributes(kvlistValue["values"]);
  return typeof bytesValue === "string" ? bytesValue : undefined;
}

/** A 64-bit integer as a number if that is exact, else as its digits. */
function integerOf(value: number | string): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function valuesOf(list: Record<string, unknown>): unknown[] {
  return Array.isArray(list["values"]) ? list["values"] : [];
}
