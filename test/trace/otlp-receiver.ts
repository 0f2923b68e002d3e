import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

/** A span as OTLP/JSON writes it, with its attributes as one object. */
export interface TestSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  flags: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  status?: { code?: number; message?: string };
}

type Json = Record<string, unknown>;

/** The keys that OTLP's messages have (opentelemetry-proto 1.9); a receiver that is strict refuses any other. */
const KEYS = {
  request: ["resourceSpans"],
  resourceSpans: ["resource", "scopeSpans", "schemaUrl"],
  resource: ["attributes", "droppedAttributesCount", "entityRefs"],
  scopeSpans: ["scope", "spans", "schemaUrl"],
  scope: ["name", "version", "attributes", "droppedAttributesCount"],
  span: [
    ...["traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano"],
    ...["endTimeUnixNano", "attributes", "droppedAttributesCount", "events", "droppedEventsCount", "links"],
    ...["droppedLinksCount", "status"],
  ],
  status: ["message", "code"],
  keyValue: ["key", "value"],
} as const;

function fields(kind: keyof typeof KEYS, value: unknown): Json {
  expect(value).toBeObject();
  const unknown = Object.keys(value as Json).filter((key) => !(KEYS[kind] as readonly string[]).includes(key));
  expect({ kind, unknown }).toEqual({ kind, unknown: [] });
  return value as Json;
}

function list(value: unknown): unknown[] {
  expect(value).toBeArray();
  return value as unknown[];
}

const VALUES: Readonly<Record<string, (value: unknown) => unknown>> = {
  stringValue: (value) => expect(value).toBeString() ?? value,
  boolValue: (value) => expect(value).toBeBoolean() ?? value,
  doubleValue: (value) => expect(value).toBeNumber() ?? value,
  // Whole numbers are decimal strings; the official exporter writes those that fit as numbers, which is allowed too.
  intValue: (value) => expect(String(value)).toMatch(/^-?\d+$/) ?? Number(value),
  arrayValue: (value) => list((value as Json)["values"]).map(valueOf),
};

function valueOf(value: unknown): unknown {
  const [[kind = "", inner] = [], ...others] = Object.entries(value as Json);
  expect(others).toEqual([]);
  const read = VALUES[kind];
  if (!read) throw new Error(`no kind of value: ${kind}`);
  return read(inner) ?? inner;
}

function attributesOf(value: unknown): Record<string, unknown> {
  const pairs = list(value).map((pair) => fields("keyValue", pair));
  expect(new Set(pairs.map(({ key }) => key)).size).toBe(pairs.length);
  return Object.fromEntries(pairs.map(({ key, value: inner }) => [String(key), valueOf(inner)]));
}

/** Reads an `ExportTraceServiceRequest`; fails on anything that OTLP's JSON encoding does not allow. */
export function readRequest(request: unknown): { spans: TestSpan[]; resource: Record<string, unknown> } {
  let resource: Record<string, unknown> = {};
  const spans = list(fields("request", request)["resourceSpans"]).flatMap((one) => {
    const { resource: about, scopeSpans } = fields("resourceSpans", one);
    resource = attributesOf(fields("resource", about)["attributes"]);
    return list(scopeSpans).flatMap((scoped) => {
      const { scope, spans: inScope } = fields("scopeSpans", scoped);
      expect(fields("scope", scope)).toMatchObject({ name: "hooksh", version: expect.any(String) });
      return list(inScope).map(readSpan);
    });
  });
  return { spans, resource };
}

function readSpan(value: unknown): TestSpan {
  const span = fields("span", value) as unknown as TestSpan & Json;
  expect(span.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  expect(span.spanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) expect(span.parentSpanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
  for (const time of [span["startTimeUnixNano"], span["endTimeUnixNano"]]) expect(time).toMatch(/^\d{19}$/);
  const [start, end] = [BigInt(String(span["startTimeUnixNano"])), BigInt(String(span["endTimeUnixNano"]))];
  expect(end).toBeGreaterThanOrEqual(start);
  const hour = 3_600_000_000_000n;
  expect(start).toBeGreaterThan(BigInt(Date.now()) * 1_000_000n - hour);
  expect(end).toBeLessThan(BigInt(Date.now()) * 1_000_000n + hour);
  expect([1, 3]).toContain(span.kind);
  if (span.status) expect([0, 1, 2]).toContain(fields("status", span.status)["code"] as number);
  return { ...span, start, end, attributes: attributesOf(span.attributes) };
}

/** Checks what only holds for all spans together: ids are unique, and each parent exists, unless it is in `remote`. */
export function checkTree(spans: readonly TestSpan[], remote: readonly string[] = []): void {
  const ids = spans.map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { parentSpanId, name, traceId } of spans) {
    if (parentSpanId === undefined || remote.includes(parentSpanId)) continue;
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    expect({ name, parent: parent?.traceId }).toEqual({ name, parent: traceId });
  }
}

/** The spans of a file of OTLP/JSON lines, by their beginning. */
export function spansIn(file: string, remote: readonly string[] = []): TestSpan[] {
  expect(existsSync(file)).toBe(true);
  const text = readFileSync(file, "utf8");
  expect(text).toEndWith("\n");
  const spans = text
    .trimEnd()
    .split("\n")
    .flatMap((line) => readRequest(JSON.parse(line)).spans);
  checkTree(spans, remote);
  return spans.toSorted((a, b) => Number(a.start - b.start));
}

/** A trace as indented names, children in the order in which they began. */
export function treeOf(spans: readonly TestSpan[], parent?: string, indent = ""): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const isChild = ({ parentSpanId }: TestSpan) =>
    parent === undefined ? parentSpanId === undefined || !known.has(parentSpanId) : parentSpanId === parent;
  return spans.filter(isChild).flatMap((span) => [indent + span.name, ...treeOf(spans, span.spanId, `${indent}  `)]);
}

/** A request that a collector received. */
export interface Received {
  path: string;
  headers: Headers;
  body: Uint8Array;
}

/** A collector on loopback, with what it received. `answer` replaces its answer. */
export function collector(answer: () => Response | Promise<Response> = () => Response.json({})) {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      received.push({ path: pathname, headers: request.headers, body: new Uint8Array(await request.arrayBuffer()) });
      return answer();
    },
  });
  const spans = () => received.flatMap(({ body }) => readRequest(JSON.parse(new TextDecoder().decode(body))).spans);
  return { url: `http://127.0.0.1:${server.port}`, received, spans, [Symbol.dispose]: () => void server.stop(true) };
}
