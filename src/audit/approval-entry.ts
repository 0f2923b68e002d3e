import { omitEmpty } from "../lib/omit-empty.ts";
import { roundedMilliseconds } from "../lib/text/duration.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { NewEntry } from "./append.ts";
import { TOOL_CALL_APPROVAL } from "./entry.ts";
import { redactedField } from "./redacted.ts";
import { subjectDigest } from "./subject.ts";

/** The final approval of a tool call. */
export interface ToolCallApproval {
  session: string;
  agent: string;
  cwd: string;
  tool: string;
  call: string;
  /** The arguments after all rewrites. */
  input: Payload;
  isAllowed: boolean;
  /** What decided. */
  source: string;
  reason: string | undefined;
  /** How long the approval took, in milliseconds. */
  milliseconds: number;
}

/** Returns the entry of an approval. */
export async function approvalEntry(approval: ToolCallApproval): Promise<Omit<NewEntry, "source">> {
  const { session, agent, cwd, tool, call, input, isAllowed, source, reason, milliseconds } = approval;
  return {
    session,
    agent,
    event: TOOL_CALL_APPROVAL,
    tool,
    ...omitEmpty({ call, cwd, input: subjectDigest("pre_tool_use", { tool_input: input }) }),
    hooks: [],
    decision: isAllowed ? "allow" : "deny",
    ...(await redactedField("reason", reason)),
    approval_source: source,
    ms: roundedMilliseconds(milliseconds),
  };
}
