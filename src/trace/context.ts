import type { Env } from "../lib/env.ts";

/**
 * The place in a trace that a process or a request belongs to, as W3C Trace Context passes it on
 * (https://www.w3.org/TR/trace-context/).
 */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The id of the span that caused the rest: 16 digits, not all zero. */
  readonly spanId: string;
  /** False if whoever began the trace does not keep it. */
  readonly isSampled: boolean;
  /** `tracestate`, unchanged; absent if there is none. */
  readonly state?: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_TRACEPARENT = 512;
const SAMPLED = 1;

/**
 * Reads `traceparent` and the `tracestate` that belongs to it. Returns undefined if `traceparent` is missing or
 * invalid; ignores an invalid `tracestate`. Of a version after 00, reads what 00 defines.
 */
export function parseContext(traceparent: string | undefined, tracestate?: string): TraceContext | undefined {
  if (traceparent === undefined || traceparent.length > MAX_TRACEPARENT) return undefined;
  const [, traceId, spanId, flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (rest !== undefined && traceparent.startsWith("00")) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, ...(tracestate && isTraceState(tracestate) ? { state: tracestate } : {}) };
}

/** Writes `traceparent`, version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}

const MAX_STATE_LENGTH = 8192;
const MAX_STATE_MEMBERS = 32;
const STATE_KEY = /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/;
/** Printable ASCII without `,` and `=`, and without a space at its end. */
const STATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

function isTraceState(text: string): boolean {
  if (text.length > MAX_STATE_LENGTH) return false;
  const members = text
    .split(",")
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = members.map((member) => member.split("=", 1)[0] ?? "");
  return (
    members.length > 0 &&
    members.length <= MAX_STATE_MEMBERS &&
    new Set(keys).size === keys.length &&
    members.every((member, at) => isStateMember(member, keys[at] ?? ""))
  );
}

function isStateMember(member: string, key: string): boolean {
  return STATE_KEY.test(key) && STATE_VALUE.test(member.slice(key.length + 1)) && member[key.length] === "=";
}

const MAX_BAGGAGE_LENGTH = 8192;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const BAGGAGE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** True for a list of `key=value` with properties, as https://www.w3.org/TR/baggage/ writes it. */
export function isBaggage(text: string): boolean {
  return text.length <= MAX_BAGGAGE_LENGTH && text.split(",").every(isBaggageMember);
}

function isBaggageMember(member: string): boolean {
  return member.split(";").every((part, at) => {
    const [key = "", ...value] = part.split("=").map((text) => text.trim());
    const isComplete = at > 0 || value.length > 0;
    return isComplete && TOKEN.test(key) && BAGGAGE_VALUE.test(value.join("="));
  });
}

/** Reads the context of a process from `TRACEPARENT` and `TRACESTATE`; undefined if there is no valid one. */
export function contextOfProcess(env: Env): TraceContext | undefined {
  return parseContext(env["TRACEPARENT"], env["TRACESTATE"]);
}

/**
 * The variables that pass a context on to a process (https://opentelemetry.io/docs/specs/otel/context/env-carriers/).
 * Variables that the process would inherit and that do not belong to the context, or are invalid, become empty.
 */
export function contextVariables(context: TraceContext, inherited: Env): Env {
  const { BAGGAGE: baggage } = inherited;
  return {
    TRACEPARENT: formatTraceparent(context),
    ...(context.state !== undefined || inherited["TRACESTATE"] ? { TRACESTATE: context.state ?? "" } : {}),
    ...(baggage === undefined || isBaggage(baggage) ? {} : { BAGGAGE: "" }),
  };
}

/** The headers that pass a context on with a request. Baggage is left out: it may hold data that the server should not see. */
export function contextHeaders(context: TraceContext): Record<string, string> {
  return {
    traceparent: formatTraceparent(context),
    ...(context.state === undefined ? {} : { tracestate: context.state }),
  };
}
