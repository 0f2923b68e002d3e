import type { JsonObject } from "../lib/json.ts";
import {
  AUDIT_DECISIONS,
  AUDIT_SOURCES,
  AUDIT_VERSION,
  type AuditEntry,
  type AuditHook,
  type AuditRule,
  TEXT_LIMIT,
} from "./entry.ts";

const TEXT = { type: "string" } as const;
const DIGEST = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" } as const;
const MILLISECONDS = { type: "number", minimum: 0 } as const;
const REDACTED = { type: "string", maxLength: TEXT_LIMIT } as const;

const describe = (description: string, schema: JsonObject = TEXT): JsonObject => ({ ...schema, description });

const HOOK_FIELDS: Readonly<Record<keyof AuditHook, JsonObject>> = {
  name: describe("The name of the hook, or its command."),
  source: describe("Where the hook is configured: the file and the path in it, a flag or a setting."),
  type: TEXT,
  stage: TEXT,
  outcome: describe("answered, blocked, said, silent, failed or timed_out."),
  ms: describe("How long it ran, in milliseconds.", MILLISECONDS),
  timeout_s: describe("Its timeout in seconds, if it took 80 % of it or more.", { type: "number", minimum: 0 }),
  exit_code: { type: "number" },
  decision: describe("Its own decision, if it had one."),
  rewrote: describe("It rewrote what the event is about.", { const: true }),
  mode: describe("observe: its decision had no effect.", { const: "observe" }),
  would: describe("The decision of a hook that only observes."),
  message: describe("Why, without secrets.", REDACTED),
};

const RULE_FIELDS: Readonly<Record<keyof AuditRule, JsonObject>> = {
  name: describe("The name of the rule."),
  source: describe("Where the rule is written: the file and its line."),
  verdict: describe("stop, deny, ask, allow, warn or context."),
  sure: describe("Whether the rule hits for certain, or depending on an expansion: certain or possible."),
  mode: describe("observe: it decided nothing.", { const: "observe" }),
};

const ENTRY_FIELDS: Readonly<Record<keyof AuditEntry, JsonObject>> = {
  v: describe("The version of the format.", { const: AUDIT_VERSION }),
  time: describe("When the line was written, in UTC with milliseconds.", {
    type: "string",
    pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  }),
  prev: describe("The SHA-256 digest of the line before it, without its line end; zeros in the first line.", DIGEST),
  source: describe("The part of hooksh that wrote the line.", { enum: [...AUDIT_SOURCES] }),
  session: TEXT,
  agent: TEXT,
  host: describe("The agent that called hooksh."),
  host_event: describe("That agent's name of the event."),
  event: describe("The event, or tool_call_approval: the final approval of a tool call in hooksh run."),
  tool: TEXT,
  unknown_tool: describe(
    "Another agent's tool that hooksh does not know: only hooks whose matcher fits its name judged it.",
    {
      const: true,
    },
  ),
  call: describe("The id of the tool call."),
  cwd: TEXT,
  input: describe("The digest of what the event is about, over its canonical JSON (RFC 8785).", DIGEST),
  path: describe("The file whose text skill_content_guard or prompt_file_guard judged."),
  content: describe("The digest of the text that they judged, as sha256sum prints it.", DIGEST),
  enforced: describe("The same after the hooks rewrote it; absent if they did not.", DIGEST),
  sent: describe(
    "In place of enforced: another agent got the rewrite and was not seen to obey it, or has no place for it.",
    DIGEST,
  ),
  rules: describe("The rules that hit, in the order of their sources.", {
    type: "array",
    items: { type: "object", properties: RULE_FIELDS, required: ["name", "source", "verdict", "sure"] },
  }),
  hooks: describe("The hooks that ran, in configuration order.", {
    type: "array",
    items: {
      type: "object",
      properties: HOOK_FIELDS,
      required: ["name", "source", "type", "stage", "outcome", "ms"],
    },
  }),
  decision: { enum: [...AUDIT_DECISIONS] },
  reason: describe("Why, without secrets.", REDACTED),
  approval_source: describe("What decided on a tool call in the end: a rule, a hook, the user ..."),
  route: describe("The agent that a hook routed to."),
  metadata: describe("What the hooks of such an event said about their choice, without secrets.", { type: "object" }),
  ms: describe("How long the decision took, in milliseconds.", MILLISECONDS),
  trace_id: TEXT,
  payload: describe("The event without secrets; only with audit.payload: redacted.", { type: "object" }),
  rewritten: describe("What the hooks rewrote, without secrets; only with audit.payload: redacted.", {
    type: "object",
  }),
  payload_cut: describe("The length of the payload's JSON before it was cut.", { type: "number", minimum: 0 }),
};

/** Returns the JSON Schema of a line of the audit log. Unknown fields are allowed: later versions may add some. */
export function auditJsonSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "hooksh audit line",
    description: "A line of the audit log: the decision about one event, or the final approval of one tool call.",
    type: "object",
    properties: ENTRY_FIELDS,
    required: ["v", "time", "prev", "source", "session", "event", "hooks", "decision", "ms"],
  };
}
