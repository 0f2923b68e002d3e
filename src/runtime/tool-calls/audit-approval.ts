import { approvalEntry } from "../../audit/approval-entry.ts";
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
  const entry = await approvalEntry({
    session: stream.session.id,
    agent: agent.name,
    cwd: stream.session.workingDir,
    tool: tool.name,
    call: id,
    input,
    isAllowed: approval.decision === "allow",
    source: approval.source,
    reason: approval.reason,
    milliseconds,
  });
  const refusal = await audit.append(entry);
  if (refusal === undefined || approval.decision !== "allow") return approval;
  const text = "The tool call was not approved: the decision could not be recorded in the audit log.";
  return { decision: "deny", source: "audit_required", outcome: "refused", text, reason: refusal };
}
