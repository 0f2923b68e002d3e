import { isObject } from "../lib/json.ts";
import { sha256 } from "../lib/platform.ts";

/** The version of the format, in the field `v` of each line. */
export const AUDIT_VERSION = 1;

/** A line of the audit log: the decision about one event, or the final approval of one tool call. Absent means empty. */
export interface AuditEntry {
  v: typeof AUDIT_VERSION;
  /** When the line was written: RFC 3339 in UTC, with milliseconds. The decision took `ms` before that. */
  time: string;
  /** The digest of the line before it; {@link NO_LINE} in the very first. */
  prev: string;
  /** The part of hooksh that dispatched the event. */
  source: AuditSource;
  session: string;
  agent?: string;
  /** The agent that called hooksh, such as `claude`, and its name of the event. */
  host?: string;
  host_event?: string;
  /** The event, or {@link TOOL_CALL_APPROVAL}. */
  event: string;
  tool?: string;
  /** The id of the tool call. */
  call?: string;
  cwd?: string;
  /** The digest of what the event is about, and of the same after the hooks rewrote it. */
  input?: string;
  enforced?: string;
  /** The hooks that ran, in configuration order. */
  hooks: AuditHook[];
  decision: AuditDecision;
  /** Redacted, and at most {@link TEXT_LIMIT} characters long. */
  reason?: string;
  /** What approved or denied a tool call in the end: a rule, a hook, the user ... */
  approval_source?: string;
  ms: number;
  trace_id?: string;
  /** The event itself, redacted; only with `audit.payload: redacted`. */
  payload?: Record<string, unknown>;
  /** The number of characters of the payload's JSON text; only if the payload was cut because it is too long. */
  payload_cut?: number;
}

/** In place of an event: the final approval of a tool call in `hooksh run`, after rules, hooks and the user. */
export const TOOL_CALL_APPROVAL = "tool_call_approval";

/** One hook of an entry. */
export interface AuditHook {
  name: string;
  /** Where it is configured: `/path/hooks.yaml: hooks.pre_tool_use[0].hooks[1]`, a flag or a setting. */
  source: string;
  type: string;
  stage: string;
  /** `answered`, `blocked`, `said`, `silent`, `failed` or `timed_out`. */
  outcome: string;
  ms: number;
  /** Its timeout in seconds, if it took 80 % of it or more. */
  timeout_s?: number;
  exit_code?: number;
  /** Its own opinion. */
  decision?: string;
  /** Its verdict was only reported; `would` is that verdict. */
  mode?: "observe";
  would?: string;
  /** Redacted, and at most {@link TEXT_LIMIT} characters long. */
  message?: string;
}

/** The parts of hooksh that write entries. */
export const AUDIT_SOURCES = ["run", "dispatch", "serve", "library"] as const;
/** See {@link AUDIT_SOURCES}. */
export type AuditSource = (typeof AUDIT_SOURCES)[number];

/**
 * The decisions. `deny`: a tool call must not run; `block`: any other event must not happen; `none`: no hook had an
 * opinion.
 */
export const AUDIT_DECISIONS = ["none", "allow", "ask", "deny", "block"] as const;
/** See {@link AUDIT_DECISIONS}. */
export type AuditDecision = (typeof AUDIT_DECISIONS)[number];

/** Characters of a reason or message that are kept. */
export const TEXT_LIMIT = 2048;

/** The digest in the first line of a log, which has no line before it. */
export const NO_LINE = `sha256:${"0".repeat(64)}`;

/** Returns the digest of a text or of bytes, as it stands in a log. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`;
}

/** True for a text of the form that {@link digestOf} returns. */
export function isDigest(text: unknown): text is string {
  return typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => typeof value === "number" && value >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (values: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && values.includes(value);

const HOOK_CHECKS: Readonly<Record<keyof AuditHook, Check>> = {
  name: isText,
  source: isText,
  type: isText,
  stage: isText,
  outcome: isText,
  ms: isCount,
  timeout_s: optional(isCount),
  exit_code: optional((value) => typeof value === "number"),
  decision: optional(isText),
  mode: optional(oneOf(["observe"])),
  would: optional(isText),
  message: optional(isText),
};

const ENTRY_CHECKS: Readonly<Record<keyof AuditEntry, Check>> = {
  v: (value) => value === AUDIT_VERSION,
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  prev: isDigest,
  source: oneOf(AUDIT_SOURCES),
  session: isText,
  agent: optional(isText),
  host: optional(isText),
  host_event: optional(isText),
  event: isText,
  tool: optional(isText),
  call: optional(isText),
  cwd: optional(isText),
  input: optional(isDigest),
  enforced: optional(isDigest),
  hooks: (value) => Array.isArray(value) && value.every((hook) => brokenField(HOOK_CHECKS, hook) === undefined),
  decision: oneOf(AUDIT_DECISIONS),
  reason: optional(isText),
  approval_source: optional(isText),
  ms: isCount,
  trace_id: optional(isText),
  payload: optional(isObject),
  payload_cut: optional(isCount),
};

const CHECK_LISTS = new Map([ENTRY_CHECKS, HOOK_CHECKS].map((checks) => [checks, Object.entries(checks)]));

/** Returns the first field that is missing or has a wrong type; "" if the value is not an object. */
function brokenField(checks: Readonly<Record<string, Check>>, value: unknown): string | undefined {
  if (!isObject(value)) return "";
  return CHECK_LISTS.get(checks as typeof ENTRY_CHECKS)?.find(([field, check]) => !check(value[field]))?.[0];
}

/** Returns the entry of a line, or why the line is not one. Unknown fields are kept: later versions may add some. */
export function parseEntry(line: string): AuditEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "not valid JSON";
  }
  if (isObject(value) && typeof value["v"] === "number" && value["v"] > AUDIT_VERSION) {
    return `format version ${value["v"]} is newer than this hooksh, which reads version ${AUDIT_VERSION}`;
  }
  const field = brokenField(ENTRY_CHECKS, value);
  if (field === undefined) return value as unknown as AuditEntry;
  return field === "" ? "not a JSON object" : `not an audit entry: ${field} is missing or wrong`;
}
