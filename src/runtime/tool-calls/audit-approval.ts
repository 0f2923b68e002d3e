import { TOOL_CALL_APPROVAL } from "../../audit/entry.ts";
import { redactedField } from "../../audit/redacted.ts";
import { subjectDigest } from "../../audit/subject.ts";
import { omitEmpty } from "../../lib/json.ts";
import { roundedMilliseconds } from "../../lib/text/duration.ts";
import type { Turn } from "../stream/stream-state.ts";
import type { Approval, PendingCall } from "./pending-call.ts";

/**
 * Records the approval of a call in the audit log. Returns it, or a denial if the call is allowed and the line could not
 * be written although it is required.
 */
export async function auditApproval(
  { stream, agent }: Turn,
  { id, tool, input }: PendingCall,
  approval: Approval,
  milliseconds: number,
): Promise<Approval> {
  const { audit } = stream.runtime;
  if (!audit) return approval;
  const isAllowed = approval.decision === "allow";
  const refusal = await audit.append({
    session: stream.session.id,
    agent: agent.name,
    event: TOOL_CALL_APPROVAL,
    tool: tool.name,
    ...omitEmpty({
      call: id,
      cwd: stream.session.workingDir,
      input: subjectDigest("pre_tool_use", { tool_input: input }),
    }),
    hooks: [],
    decision: isAllowed ? "allow" : "deny",
    ...(await redactedField("reason", approval.reason)),
    approval_source: approval.source,
    ms: roundedMilliseconds(milliseconds),
  });
  if (refusal === undefined || !isAllowed) return approval;
  const text = "The tool call was not approved: the decision could not be recorded in the audit log.";
  return { decision: "deny", source: "audit_required", outcome: "refused", text, reason: refusal };
}
