import { version } from "../../../package.json" with { type: "json" };
import { type AuditDecision, type AuditEntry, changeOf, digestOf } from "../../audit/entry.ts";
import type { AuditLine } from "../../audit/read-entries.ts";
import { omitEmpty } from "../../lib/json.ts";

/** The version of the schema, https://schema.ocsf.io/1.6.0/classes/api_activity?profiles=security_control */
const OCSF_VERSION = "1.6.0";

const CATEGORY_UID = 6; // Application Activity
const CLASS_UID = 6003; // API Activity
const ACTIVITY_ID = 99; // Other: named in activity_name
const INFORMATIONAL = { severity_id: 1, severity: "Informational" };
const MEDIUM = { severity_id: 3, severity: "Medium" };

/** The action and the disposition of the profile Security Control. */
const OUTCOMES: Readonly<Record<AuditDecision, object>> = {
  none: { action_id: 1, action: "Allowed", disposition_id: 16, disposition: "No Action", ...INFORMATIONAL },
  allow: { action_id: 1, action: "Allowed", disposition_id: 1, disposition: "Allowed", ...INFORMATIONAL },
  ask: { action_id: 0, action: "Unknown", disposition_id: 99, disposition: "Ask", ...INFORMATIONAL },
  deny: { action_id: 2, action: "Denied", disposition_id: 2, disposition: "Blocked", is_alert: true, ...MEDIUM },
  block: { action_id: 2, action: "Denied", disposition_id: 2, disposition: "Blocked", is_alert: true, ...MEDIUM },
};

/** OCSF events of class API Activity with the profile Security Control, one on each line. */
export const OCSF = { line: (line: AuditLine): string => JSON.stringify(ocsfEvent(line)) };

function ocsfEvent({ entry, text }: AuditLine) {
  const { time, event, tool, host, agent, session, call, reason, decision, cwd } = entry;
  return {
    activity_id: ACTIVITY_ID,
    activity_name: event,
    category_uid: CATEGORY_UID,
    category_name: "Application Activity",
    class_uid: CLASS_UID,
    class_name: "API Activity",
    type_uid: CLASS_UID * 100 + ACTIVITY_ID,
    type_name: "API Activity: Other",
    time: Date.parse(time),
    duration: Math.round(entry.ms),
    ...OUTCOMES[decision],
    message: `${event}${tool === undefined ? "" : ` ${tool}`}: ${decisionText(entry)}${reason === undefined ? "" : `: ${reason}`}`,
    metadata: {
      version: OCSF_VERSION,
      profiles: ["security_control"],
      product: { name: "hooksh", vendor_name: "hooksh", version },
      uid: digestOf(text),
      original_time: time,
      log_name: "audit",
      ...omitEmpty({ correlation_uid: entry.trace_id }),
    },
    actor: { app_name: host ?? agent ?? "hooksh", session: { uid: session } },
    api: {
      operation: tool ?? event,
      service: { name: host ?? "hooksh" },
      ...(call === undefined ? {} : { request: { uid: call } }),
    },
    src_endpoint: { name: "localhost" },
    ...policyOf(entry),
    unmapped: omitEmpty({
      source: entry.source,
      host_event: entry.host_event,
      agent,
      cwd,
      decision,
      approval_source: entry.approval_source,
      route: entry.route,
      path: entry.path,
      content: entry.content,
      input: entry.input,
      enforced: entry.enforced,
      sent: entry.sent,
      prev: entry.prev,
      hooks: entry.hooks,
    }),
  };
}

function decisionText(entry: AuditEntry): string {
  return entry.decision === "none" ? (changeOf(entry)?.verb ?? "none") : entry.decision;
}

/** The hook that gave the verdict, as the policy that was applied. */
function policyOf({ hooks, decision }: AuditEntry): { policy?: { name: string; uid: string } } {
  const decider = decision === "none" ? undefined : hooks.find((hook) => hook.decision === decision);
  return decider ? { policy: { name: decider.name, uid: decider.source } } : {};
}
