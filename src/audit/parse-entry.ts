import { isObject } from "../lib/json.ts";
import {
  AUDIT_DECISIONS,
  AUDIT_SOURCES,
  AUDIT_VERSION,
  type AuditEntry,
  type AuditHook,
  type AuditRule,
  isDigest,
} from "./entry.ts";

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
  rewrote: optional((value) => value === true),
  mode: optional(oneOf(["observe"])),
  would: optional(isText),
  message: optional(isText),
};

const RULE_CHECKS: Readonly<Record<keyof AuditRule, Check>> = {
  name: isText,
  source: isText,
  verdict: isText,
  sure: isText,
  mode: optional(oneOf(["observe"])),
};

const RULE_FIELDS = Object.entries(RULE_CHECKS);

const HOOK_FIELDS = Object.entries(HOOK_CHECKS);

function listOf(fields: readonly [string, Check][]): Check {
  return (value) => Array.isArray(value) && value.every((item) => brokenField(fields, item) === undefined);
}

const ENTRY_CHECKS: Readonly<Record<keyof AuditEntry, Check>> = {
  v: (value) => value === AUDIT_VERSION,
  time: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
  prev: isDigest,
  source: oneOf(AUDIT_SOURCES),
  session: isText,
  agent: optional(isText),
  host: optional(isText),
  host_event: optional(isText),
  event: isText,
  tool: optional(isText),
  unknown_tool: optional((value) => value === true),
  call: optional(isText),
  cwd: optional(isText),
  input: optional(isDigest),
  path: optional(isText),
  content: optional(isDigest),
  enforced: optional(isDigest),
  sent: optional(isDigest),
  rules: optional(listOf(RULE_FIELDS)),
  hooks: listOf(HOOK_FIELDS),
  decision: oneOf(AUDIT_DECISIONS),
  reason: optional(isText),
  approval_source: optional(isText),
  route: optional(isText),
  metadata: optional(isObject),
  ms: isCount,
  trace_id: optional(isText),
  payload: optional(isObject),
  rewritten: optional(isObject),
  payload_cut: optional(isCount),
};

const ENTRY_FIELDS = Object.entries(ENTRY_CHECKS);

/** Returns the first field that is missing or has a wrong type; "" if the value is not an object. */
function brokenField(fields: readonly [string, Check][], value: unknown): string | undefined {
  if (!isObject(value)) return "";
  return fields.find(([field, check]) => !check(value[field]))?.[0];
}

/** Returns the entry of a line, or why the line is not one. Unknown fields are kept: later versions may add some. */
export function parseEntry(line: string): AuditEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line.endsWith("}")
      ? "not valid JSON"
      : "incomplete: its writer was stopped, the disk was full, or it was changed";
  }
  if (isObject(value) && typeof value["v"] === "number" && value["v"] > AUDIT_VERSION) {
    return `format version ${value["v"]} is newer than this hooksh, which reads version ${AUDIT_VERSION}`;
  }
  const field = brokenField(ENTRY_FIELDS, value);
  if (field === undefined) return value as unknown as AuditEntry;
  return field === "" ? "not a JSON object" : `not an audit entry: ${field} is missing or wrong`;
}
